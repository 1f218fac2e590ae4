package snapshot

// DNSFirewall holds the DNS Firewall clusters.
const DNSFirewall Key[[]DNSCluster] = "account/dns_firewall"

// DNSCluster is a DNS Firewall cluster in front of name servers. A nil setting was not returned.
type DNSCluster struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	RefusesAny *bool    `json:"deprecate_any_requests,omitempty"`
	RateLimit  *float64 `json:"ratelimit,omitempty"` // queries per second; nil means no limit
	Mitigation *bool    `json:"attack_mitigation,omitempty"`
}

// SortKey orders clusters by id.
func (c DNSCluster) SortKey() string { return c.ID }

type dnsClusterWire struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	RefusesAny *bool    `json:"deprecate_any_requests"`
	RateLimit  *float64 `json:"ratelimit"`
	Mitigation *struct {
		Enabled *bool `json:"enabled"`
	} `json:"attack_mitigation"`
}

// accountDNSFirewall lists the DNS Firewall clusters; the addresses of their name servers are
// dropped (developers.cloudflare.com/api/resources/dns_firewall/methods/list/).
func accountDNSFirewall() Source {
	return list(DNSFirewall, Source{
		Path: "/accounts/{account_id}/dns_firewall", Paging: Paging{Kind: ByPage, Size: 100}, Permission: "Account: DNS Firewall Read",
		Example: `[{"id":"c1","name":"Own zones","deprecate_any_requests":true,"ratelimit":600,"attack_mitigation":{"enabled":true,` +
			`"only_when_upstream_unhealthy":false},"ecs_fallback":false,"negative_cache_ttl":900,"upstream_ips":["drop"],` +
			`"dns_firewall_ips":["drop"]}]`,
	}, func(w dnsClusterWire) DNSCluster {
		c := DNSCluster{ID: w.ID, Name: w.Name, RefusesAny: w.RefusesAny, RateLimit: w.RateLimit}
		if w.Mitigation != nil {
			c.Mitigation = w.Mitigation.Enabled
		}
		return c
	})
}
