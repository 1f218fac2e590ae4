package simcloud

const (
	permDirectory  = "Account: Connectivity Directory Read"
	canaryDNSPlace = "leakcanary-dns-location"
)

// makeGatewayDoors generates the ways into Gateway that need no device client, and the certificate
// used for TLS inspection, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/gateway/.
func (a *account) makeGatewayDoors(certificate any) {
	a.addProxy("Office", "ip", "185.220.22.0/28")
	a.addLocation("Office", obj{"enabled": true, "require_token": true, "networks": nil})
	a.gatewayCerts = []obj{{
		"id": certificate, "type": "gateway_managed", "binding_status": "available", "in_use": true, "expires_on": a.cloud.ahead(900 * day),
		"certificate": canaryBlockPage, "fingerprint": canaryBlockPage, "created_at": a.cloud.ago(200 * day),
	}}
	a.dlpSettings = obj{"ai_context_analysis": false, "ocr": false, "payload_logging": obj{"masking_level": "full",
		"public_key": canaryDLPPattern, "updated_at": a.cloud.ago(100 * day)}}
	a.sshLog = obj{"public_key": canaryBlockPage, "seed_id": a.next("ssh").uuid()}
}

// addProxy appends a proxy endpoint.
func (a *account) addProxy(name, kind string, ips ...string) obj {
	p := obj{"id": a.next("proxy").hex32(), "name": name, "kind": kind, "ips": ips, "subdomain": canaryDNSPlace}
	a.proxies = append(a.proxies, p)
	return p
}

// addLocation appends a DNS location with a DoH endpoint.
func (a *account) addLocation(name string, doh obj) obj {
	l := obj{
		"id": a.next("location").hex32(), "name": name, "client_default": len(a.locations) == 0, "doh_subdomain": canaryDNSPlace,
		"networks": []obj{{"network": "185.220.22.0/28"}},
		"endpoints": obj{"doh": doh, "dot": obj{"enabled": false}, "ipv4": obj{"enabled": true}, "ipv6": obj{"enabled": true,
			"networks": []obj{{"network": "2001:db8:22::/48"}}}},
	}
	a.locations = append(a.locations, l)
	return l
}

func proxies(a *account) []obj      { return a.proxies }
func locations(a *account) []obj    { return a.locations }
func gatewayCerts(a *account) []obj { return a.gatewayCerts }

// gatewayItems returns a handler for a list of Gateway objects.
func gatewayItems(of func(*account) []obj) func(*call) answer {
	return func(c *call) answer {
		return c.gatewayOf(func() any { return append([]obj{}, of(c.acct)...) })
	}
}

func readSSHLog(c *call) answer { return c.gatewayOf(func() any { return c.acct.sshLog }) }

func writeSSHLog(c *call) answer { return c.mergedInto(c.acct.sshLog, "seed_id") }

func readDLPSettings(c *call) answer {
	if !advanced(c.acct) {
		return refuse(403, 1002, "the account is not entitled to data loss prevention")
	}
	return ok(c.acct.dlpSettings)
}

// writeDLPSettings changes only the payload logging members in the request.
func writeDLPSettings(c *call) answer {
	sent, valid := c.sent()
	logging, isObject := sent["payload_logging"].(obj)
	kept, _ := c.acct.dlpSettings["payload_logging"].(obj)
	if !valid || !isObject {
		return badBody()
	}
	for name := range kept {
		if v, told := logging[name]; told {
			kept[name] = v
		}
	}
	return ok(c.acct.dlpSettings)
}

func listDormant(c *call) answer {
	if c.acct.org == nil {
		return notEnabled()
	}
	return listOf(c, c.acct.dormant)
}

func listWARP(c *call) answer { return listOf(c, c.acct.warp) }

func listVPC(c *call) answer { return listOf(c, c.acct.vpc) }
