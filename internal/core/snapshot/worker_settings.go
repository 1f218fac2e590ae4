package snapshot

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/credential"
)

// WorkerSettings holds the bindings of a script.
const WorkerSettings Key[WorkerConfig] = "worker/settings" // scope: script name

// WorkerConfig is the bindings of a script.
type WorkerConfig struct {
	Bindings []Binding `json:"bindings"`
}

// Binding is one binding of a script. The value of a plain_text or json binding is judged while it
// is read and never stored: Kind names the credential shape it matched, Length its length in bytes,
// HighEntropy whether it looks random.
type Binding struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Target      string `json:"target,omitempty"` // the namespace, database, bucket, queue or service it names
	Environment string `json:"environment,omitempty"`
	// Jurisdiction is that of the bucket, "" when the binding does not say.
	Jurisdiction string `json:"jurisdiction,omitempty"`
	Kind         string `json:"credential_kind,omitempty"`
	Length       int    `json:"length,omitempty"`
	SecretName   bool   `json:"secret_name,omitempty"`
	HighEntropy  bool   `json:"high_entropy,omitempty"`
	// Recipients says that a send_email binding restricts its recipients.
	Recipients bool `json:"recipients,omitempty"`
}

type workerSettingsWire struct {
	Bindings []bindingWire `json:"bindings"`
}

type bindingWire struct {
	Name         string          `json:"name"`
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	JSON         json.RawMessage `json:"json"`
	NamespaceID  string          `json:"namespace_id"`
	DatabaseID   string          `json:"database_id"`
	ID           string          `json:"id"`
	Bucket       string          `json:"bucket_name"`
	Queue        string          `json:"queue_name"`
	Service      string          `json:"service"`
	Environment  string          `json:"environment"`
	Jurisdiction string          `json:"jurisdiction"`
	Destination  string          `json:"destination_address"`
	Allowed      []string        `json:"allowed_destination_addresses"`
}

// workerSettings reads the bindings of a script. The value of a plain binding is judged here, in
// memory, and discarded: only its kind and length are kept
// (developers.cloudflare.com/api/resources/workers/subresources/scripts/subresources/settings/methods/get/).
func workerSettings() Source {
	secrets := credential.New()
	return object(WorkerSettings, Source{
		Path: "/accounts/{account_id}/workers/scripts/{item}/settings", Permission: permissionWorkers, Feeds: true,
		Parent: Workers.Source(), Items: idsOf(Workers, nil),
		Example: `{"bindings":[{"name":"REGION","type":"plain_text","text":"drop"},{"name":"DB","type":"d1","id":"d1"}]}`,
	}, func(w workerSettingsWire) WorkerConfig {
		out := WorkerConfig{Bindings: []Binding{}}
		for _, b := range w.Bindings {
			out.Bindings = append(out.Bindings, reduceBinding(secrets, b))
		}
		slices.SortFunc(out.Bindings, func(a, b Binding) int { return strings.Compare(a.Name, b.Name) })
		return out
	})
}

func reduceBinding(secrets *credential.Matcher, w bindingWire) Binding {
	b := Binding{Name: w.Name, Type: w.Type, Environment: w.Environment, Jurisdiction: w.Jurisdiction,
		Recipients: w.Destination != "" || len(w.Allowed) > 0}
	for _, target := range []string{w.NamespaceID, w.DatabaseID, w.Bucket, w.Queue, w.Service} {
		if target != "" {
			b.Target = target
			break
		}
	}
	if b.Target == "" && w.Type == "d1" {
		b.Target = w.ID
	}
	if w.Type != "plain_text" && w.Type != "json" {
		return b
	}
	value := w.Text
	if w.Type == "json" {
		value = string(w.JSON)
	}
	judgeValue(secrets, &b, value)
	return b
}

// judgeValue records the properties of a plain variable's value, so that the value itself can be
// discarded.
func judgeValue(secrets *credential.Matcher, b *Binding, value string) {
	b.Kind, b.Length = secrets.Kind(value), len(value)
	b.SecretName, b.HighEntropy = credential.SecretName(b.Name), credential.HighEntropy(value)
}
