package simcloud

import "net/http"

const (
	permMagic       = "Account: Magic Transit Read"
	permDNSFirewall = "Account: DNS Firewall Read"
	phaseMagic      = "magic_transit"
	canaryMagic     = "leakcanary-magic-key"
	canaryUpstream  = "leakcanary-upstream"
)

// makeSites generates site tunnels, the packet filter in front of them and a DNS Firewall cluster,
// for accounts on the highest plan, see
// https://developers.cloudflare.com/api/resources/magic_transit/ and
// https://developers.cloudflare.com/api/resources/dns_firewall/.
func (a *account) makeSites() {
	if a.bestPlan() != "enterprise" {
		return
	}
	s, updated := a.next("magic"), a.cloud.ago(60*day)
	a.rulesets = append(a.rulesets, &ruleset{ID: s.hex32(), Kind: "root", Phase: phaseMagic, Name: "default", Version: "4", Updated: updated,
		Rules: []obj{
			newRule(s, updated, "skip", "tcp.dstport in {443}", "Published services"), newRule(s, updated, "block", "true", "Everything else"),
		}})
	a.addIPsec("site-a")
	a.gre = []obj{{
		"id": s.hex32(), "name": "site-b", "description": "", "customer_gre_endpoint": "185.220.23.4",
		"cloudflare_gre_endpoint": "162.159.64.41", "interface_address": "10.213.0.8/31",
		"ttl": 64, "mtu": 1476, "health_check": obj{"enabled": true, "rate": "mid", "type": "reply"}, "bgp": obj{"customer_asn": 64512,
			"md5_key": canaryMagic},
	}}
	a.addCluster("Own zones")
}

// addIPsec appends an IPsec tunnel to a site.
func (a *account) addIPsec(name string) obj {
	t := obj{
		"id": a.next("ipsec").hex32(), "name": name, "description": "", "customer_endpoint": "185.220.23.5",
		"cloudflare_endpoint": "162.159.64.42", "interface_address": "10.213.0.10/31",
		"allow_null_cipher": false, "replay_protection": true, "health_check": obj{"enabled": true, "rate": "mid", "type": "reply"},
		"psk_metadata": obj{"last_generated_on": a.cloud.ago(80 * day)}, "bgp": obj{"customer_asn": 64512, "md5_key": canaryMagic},
	}
	a.ipsec = append(a.ipsec, t)
	return t
}

// addCluster appends a DNS Firewall cluster.
func (a *account) addCluster(name string) obj {
	c := obj{
		"id": a.next("cluster").hex32(), "name": name, "deprecate_any_requests": true, "ratelimit": 600,
		"attack_mitigation": obj{"enabled": true, "only_when_upstream_unhealthy": false},
		"ecs_fallback":      false, "negative_cache_ttl": 900, "minimum_cache_ttl": 60, "maximum_cache_ttl": 900, "retries": 2,
		"upstream_ips": []string{canaryUpstream}, "dns_firewall_ips": []string{"162.159.36.1"}, "modified_on": a.cloud.ago(50 * day),
	}
	a.clusters = append(a.clusters, c)
	return c
}

func noMagic() answer {
	return refuse(http.StatusForbidden, 1002, "the account is not entitled to this product")
}

func listIPsec(c *call) answer {
	if c.acct.bestPlan() != "enterprise" {
		return noMagic()
	}
	return ok(obj{"ipsec_tunnels": append([]obj{}, c.acct.ipsec...)})
}

func listGRE(c *call) answer {
	if c.acct.bestPlan() != "enterprise" {
		return noMagic()
	}
	return ok(obj{"gre_tunnels": append([]obj{}, c.acct.gre...)})
}

func listClusters(c *call) answer { return listOf(c, c.acct.clusters) }
