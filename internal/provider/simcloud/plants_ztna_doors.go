package simcloud

// plantsGatewayDoors misconfigure the ways into Gateway and what its rules allow.
func plantsGatewayDoors() []Plant {
	// last adds a rule after all others, so that it does not affect them.
	last := func(check, variant, result, action, filter, traffic string, settings obj) Plant {
		return found(check, variant, result, "rule", func(a *account) string {
			r := a.addGatewayRule(check+" "+variant, action, filter, 9900, traffic)
			r["precedence"] = 9900 + len(a.gatewayRules)
			r["rule_settings"] = settings
			return asText(r["id"])
		}).onAccess().sharing("gateway-end")
	}
	passing := obj{"untrusted_cert": obj{"action": "pass_through"}}
	forged := obj{"insecure_disable_dnssec_validation": true}
	alias := obj{"ignore_cname_category_matches": true}
	ports := func(variant string, detection, mode any) Plant {
		return ztnaWide("CFL-GW-009", variant, failed, func(a *account) {
			a.gateway["protocol_detection"], a.gateway["inspection"] = detection, mode
			a.gwFinal["traffic"] = "net.dst.ip in {10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7}"
		}).sharing(slotNetworkEnd).sharing("CFL-GW-005").sharing("CFL-GW-002")
	}
	proxy := func(variant, result string, ips ...string) Plant {
		return ztnaWide("CFL-GW-011", variant, result, func(a *account) { a.addProxy("Guests", "ip", ips...) })
	}
	place := func(variant, result string, private bool, doh obj) Plant {
		return ztnaWide("CFL-GW-012", variant, result, func(a *account) {
			a.addLocation("Guests", doh)
			if private {
				a.addGatewayRule("Private names", "resolve", "dns_resolver", 7000, `any(dns.domains[*] in {"corp.test"})`)
			}
		})
	}
	root := func(variant, result string, change func(*account, obj)) Plant {
		return ztnaWide("CFL-GW-013", variant, result, func(a *account) { change(a, a.gatewayCerts[0]) }).sharing("CFL-GW-002")
	}
	ends := func(days int) func(*account, obj) {
		return func(a *account, c obj) {
			if c["expires_on"] = a.cloud.ahead(daysOf(days)); days < 0 {
				c["expires_on"] = a.cloud.ago(daysOf(-days))
			}
		}
	}
	return []Plant{
		last("CFL-GW-006", "every-site", failed, "allow", "http", "", passing).sharing("CFL-GW-002").sharing("CFL-DLP-001"),
		last("CFL-GW-006", "top-level-domain", warning, "allow", "http", `any(http.conn.domains[*] in {"example"})`, passing).
			sharing("CFL-GW-002").sharing("CFL-DLP-001"),
		last("CFL-GW-007", "every-name", failed, "allow", "dns", "", forged),
		last("CFL-GW-007", "top-level-domain", warning, "allow", "dns", `any(dns.domains[*] in {"example"})`, forged),
		last("CFL-GW-008", "threats", failed, "block", "dns", "any(dns.security_category[*] in {80 117 131})", alias).sharing("CFL-GW-001"),
		last("CFL-GW-008", "content", warning, "block", "dns", "any(dns.content_category[*] in {125})", alias),
		ports("two-ports", obj{"enabled": true}, obj{"mode": "static"}), ports("never-set", nil, nil),
		ztnaWide("CFL-GW-010", "let-through", failed, func(a *account) {
			a.addGatewayRule("New files", "quarantine", "http", 2500, `any(http.download.file.types[*] in {"exe"})`)
			a.gateway["sandbox"] = obj{"enabled": true, "fallback_action": "allow"}
		}).sharing("CFL-GW-002"),
		proxy("everyone", failed, "0.0.0.0/1", "128.0.0.0/1"), proxy("a-provider", failed, "52.0.0.0/8"),
		proxy("a-campus", warning, "185.220.0.0/16"),
		place("private-names", failed, true, obj{"enabled": true, "require_token": false, "networks": nil}),
		place("everyone", warning, false, obj{"enabled": true, "require_token": false, "networks": nil}),
		root("ended", failed, ends(-3)), root("soon", failed, ends(10)), root("this-quarter", warning, ends(60)),
		root("none", failed, func(_ *account, c obj) { c["in_use"], c["binding_status"] = false, "inactive" }),
		ztnaWide("CFL-DLP-002", "clear", failed, func(a *account) {
			a.gwDLP["rule_settings"] = obj{"payload_log": obj{"enabled": true}}
			a.dlpSettings["payload_logging"].(obj)["masking_level"] = "clear"
		}).when(advanced).sharing("CFL-DLP-001"),
	}
}
