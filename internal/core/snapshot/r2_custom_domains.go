package snapshot

import (
	"slices"
	"strings"
)

// R2CustomDomains holds the hostnames that serve a bucket.
const R2CustomDomains Key[[]R2Domain] = "r2/custom_domains"

// R2Domain is one of the account's own hostnames that serves a bucket. An empty MinTLS means that
// the minimum of the zone applies.
type R2Domain struct {
	Domain  string   `json:"domain"`
	Enabled bool     `json:"enabled"`
	MinTLS  string   `json:"minTLS,omitempty"`
	Ciphers []string `json:"ciphers"`
	ZoneID  string   `json:"zoneId"`
	Status  string   `json:"status,omitempty"`
}

// Serves reports whether the hostname answers with objects: Cloudflare may have blocked or
// deactivated it.
func (d R2Domain) Serves() bool {
	return d.Enabled && d.Status != "blocked" && d.Status != "deactivated"
}

type r2DomainsWire struct {
	Domains []struct {
		Domain  string   `json:"domain"`
		Enabled bool     `json:"enabled"`
		MinTLS  string   `json:"minTLS"`
		Ciphers []string `json:"ciphers"`
		ZoneID  string   `json:"zoneId"`
		Status  struct {
			Ownership string `json:"ownership"`
		} `json:"status"`
	} `json:"domains"`
}

// r2CustomDomains reads the hostnames that serve a bucket
// (developers.cloudflare.com/api/resources/r2/subresources/buckets/subresources/domains/subresources/custom/methods/list/).
func r2CustomDomains() Source {
	return object(R2CustomDomains, ofBucket(Source{
		Path: "/accounts/{account_id}/r2/buckets/{item}/domains/custom", Volatile: true, Feeds: true,
		Example: `{"domains":[{"domain":"files.acme.example","enabled":true,"minTLS":"1.2","ciphers":[],"zoneId":"z1","zoneName":"drop",` +
			`"status":{"ownership":"active","ssl":"active"}}]}`,
	}), func(w r2DomainsWire) []R2Domain {
		out := []R2Domain{}
		for _, d := range w.Domains {
			out = append(out, R2Domain{Domain: ASCII(strings.ToLower(d.Domain)), Enabled: d.Enabled, MinTLS: d.MinTLS,
				Ciphers: append([]string{}, d.Ciphers...), ZoneID: d.ZoneID, Status: d.Status.Ownership})
		}
		slices.SortFunc(out, func(a, b R2Domain) int { return strings.Compare(a.Domain, b.Domain) })
		return out
	})
}
