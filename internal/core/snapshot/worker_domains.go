package snapshot

import "strings"

// WorkerDomains holds the hostnames attached to a script.
const WorkerDomains Key[[]WorkerDomain] = "account/worker_domains"

// WorkerDomain is a hostname that is attached to a script as a whole.
type WorkerDomain struct {
	ID          string `json:"id"`
	Hostname    string `json:"hostname"`
	Script      string `json:"service"`
	ZoneID      string `json:"zone_id"`
	Environment string `json:"environment,omitempty"`
}

// SortKey orders domains by id.
func (d WorkerDomain) SortKey() string { return d.ID }

type workerDomainWire struct {
	ID          string `json:"id"`
	Hostname    string `json:"hostname"`
	Service     string `json:"service"`
	ZoneID      string `json:"zone_id"`
	Environment string `json:"environment"`
}

// workerDomains lists the hostnames attached to a script
// (developers.cloudflare.com/api/resources/workers/subresources/domains/methods/list/).
func workerDomains() Source {
	return list(WorkerDomains, Source{
		Path: "/accounts/{account_id}/workers/domains", Permission: permissionWorkers, Feeds: true,
		After: []string{Workers.Source()}, Skip: noScripts(),
		Example: `[{"id":"d1","hostname":"shop.acme.example","service":"storefront","zone_id":"z1","zone_name":"acme.example",` +
			`"environment":"production","cert_id":"drop"}]`,
	}, func(w workerDomainWire) WorkerDomain {
		return WorkerDomain{ID: w.ID, Hostname: ASCII(strings.ToLower(w.Hostname)), Script: w.Service, ZoneID: w.ZoneID,
			Environment: w.Environment}
	})
}
