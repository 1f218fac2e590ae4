package snapshot

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/credential"
)

// ZoneZaraz holds the tag manager.
const ZoneZaraz Key[Zaraz] = "zone/zaraz_config"

// Zaraz is the configuration of the tag manager. Purposes are the ids of the purposes to which
// visitors may consent.
type Zaraz struct {
	Consent   bool            `json:"consent"`
	Purposes  []string        `json:"purposes"`
	Tools     []ZarazTool     `json:"tools"`
	Variables []ZarazVariable `json:"variables"`
}

// ZarazTool is a third-party tool. Purpose is the id of the purpose it requires consent for.
type ZarazTool struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Enabled     bool     `json:"enabled"`
	Type        string   `json:"type"`
	Component   string   `json:"component,omitempty"`
	Purpose     string   `json:"purpose,omitempty"`
	Permissions []string `json:"permissions"`
}

// ZarazVariable is a value that tools share. The value is judged while it is read and never stored:
// Kind names the credential shape it matched; that of a secret is not judged.
type ZarazVariable struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
	Kind string `json:"credential_kind,omitempty"`
}

type zarazWire struct {
	Tools map[string]struct {
		Name        string   `json:"name"`
		Enabled     *bool    `json:"enabled"`
		Type        string   `json:"type"`
		Component   string   `json:"component"`
		Purpose     string   `json:"defaultPurpose"`
		Permissions []string `json:"permissions"`
	} `json:"tools"`
	Variables map[string]struct {
		Name  string          `json:"name"`
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	} `json:"variables"`
	Consent struct {
		Enabled    bool                       `json:"enabled"`
		Purposes   map[string]json.RawMessage `json:"purposes"`
		Translated map[string]json.RawMessage `json:"purposesWithTranslations"`
	} `json:"consent"`
}

// zoneZarazConfig reads the configuration of the tag manager. The value of a variable is judged
// here, in memory, and discarded
// (developers.cloudflare.com/api/resources/zaraz/subresources/config/methods/get/).
func zoneZarazConfig() Source {
	secrets := credential.New()
	return object(ZoneZaraz, Source{
		Path: "/zones/{zone_id}/settings/zaraz/config", Permission: "Zone: Zaraz Read",
		Example: `{"debugKey":"drop","tools":{"aB1":{"name":"Analytics","enabled":true,"type":"component","component":"google-analytics_v4",` +
			`"defaultPurpose":"pU1","permissions":["access_client_kv"],"settings":{"tid":"drop"}}},` +
			`"variables":{"vA1":{"name":"Region","type":"string","value":"drop"}},"consent":{"enabled":true,` +
			`"purposes":{"pU1":{"name":"Statistics"}}}}`,
	}, func(w zarazWire) Zaraz { return reduceZaraz(secrets, w) })
}

func reduceZaraz(secrets *credential.Matcher, w zarazWire) Zaraz {
	out := Zaraz{Consent: w.Consent.Enabled, Tools: []ZarazTool{}, Variables: []ZarazVariable{}}
	purposes := append(slices.Collect(maps.Keys(w.Consent.Purposes)), slices.Collect(maps.Keys(w.Consent.Translated))...)
	slices.Sort(purposes)
	out.Purposes = append([]string{}, slices.Compact(purposes)...)
	for _, id := range slices.Sorted(maps.Keys(w.Tools)) {
		t := w.Tools[id]
		permissions := append([]string{}, t.Permissions...)
		slices.Sort(permissions)
		out.Tools = append(out.Tools, ZarazTool{ID: id, Name: t.Name, Enabled: t.Enabled == nil || *t.Enabled, Type: t.Type,
			Component: t.Component, Purpose: t.Purpose, Permissions: permissions})
	}
	for _, id := range slices.Sorted(maps.Keys(w.Variables)) {
		v := w.Variables[id]
		text := ""
		if json.Unmarshal(v.Value, &text) != nil {
			text = string(v.Value)
		}
		kept := ZarazVariable{ID: id, Name: v.Name, Type: v.Type}
		if v.Type != "secret" && v.Type != "worker" {
			kept.Kind = secrets.Kind(text)
		}
		out.Variables = append(out.Variables, kept)
	}
	return out
}
