package snapshot

import (
	"net/url"
	"slices"
	"strings"
)

// WorkersBeta holds the scripts with their addresses, in one read.
const WorkersBeta Key[[]WorkerAddress] = "account/workers_beta"

// WorkerAddress is a script as returned by the newer list. Switches is nil when the list does not
// contain them.
type WorkerAddress struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Switches *WorkerSwitches `json:"subdomain,omitempty"`
	Host     string          `json:"host,omitempty"` // at the provider's own domain
	Observed bool            `json:"observability"`
	Domains  []string        `json:"domains"`
	Queues   []string        `json:"queues"`
}

// SortKey orders scripts by id.
func (a WorkerAddress) SortKey() string { return a.ID }

type workerBetaWire struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Subdomain *struct {
		Enabled  bool   `json:"enabled"`
		Previews bool   `json:"previews_enabled"`
		URL      string `json:"url"`
	} `json:"subdomain"`
	Observe    observabilityWire `json:"observability"`
	References struct {
		Domains []struct {
			Hostname string `json:"hostname"`
		} `json:"domains"`
		Queues []struct {
			Name string `json:"queue_name"`
		} `json:"queues"`
	} `json:"references"`
}

func reduceWorkerBeta(w workerBetaWire) WorkerAddress {
	a := WorkerAddress{ID: w.ID, Name: w.Name, Observed: w.Observe.keepsLogs(), Domains: []string{}, Queues: []string{}}
	if w.Subdomain != nil {
		a.Switches = &WorkerSwitches{Enabled: w.Subdomain.Enabled, Previews: w.Subdomain.Previews}
		host := w.Subdomain.URL
		if u, err := url.Parse(host); err == nil && u.Host != "" {
			host = u.Hostname()
		}
		a.Host = strings.ToLower(strings.TrimSuffix(host, "/"))
	}
	for _, d := range w.References.Domains {
		a.Domains = append(a.Domains, d.Hostname)
	}
	for _, q := range w.References.Queues {
		a.Queues = append(a.Queues, q.Name)
	}
	slices.Sort(a.Domains)
	slices.Sort(a.Queues)
	return a
}

// workersBeta lists the scripts with their addresses in one read. The list is newer than that of
// the scripts and may be incomplete
// (developers.cloudflare.com/api/resources/workers/subresources/beta/subresources/workers/methods/list/).
func workersBeta() Source {
	return list(WorkersBeta, Source{
		Path: "/accounts/{account_id}/workers/workers", Paging: Paging{Kind: ByPage, Size: 100}, Permission: permissionWorkers, Feeds: true,
		After: []string{Workers.Source()}, Skip: noScripts(),
		Example: `[{"id":"e8f70fdbc8b1fb0b8ddb1af166186758","name":"storefront","tags":["drop"],"logpush":false,"subdomain":{"enabled":false,` +
			`"previews_enabled":false,"url":"https://storefront.acme.workers.dev"},` +
			`"observability":{"enabled":true},"references":{"domains":[{"id":"d1","hostname":"shop.acme.example"}],"queues":[{"queue_id":"q1",` +
			`"queue_name":"mail"}]}}]`,
	}, reduceWorkerBeta)
}
