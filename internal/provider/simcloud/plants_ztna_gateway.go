package simcloud

import "slices"

// plantsGateway misconfigure Gateway. An account check has one finding, so its plants share a slot.
func plantsGateway() []Plant {
	off := func(rule func(*account) obj) func(*account) {
		return func(a *account) { rule(a)["enabled"] = false }
	}
	set := func(rule func(*account) obj, member string, value any) func(*account) {
		return func(a *account) { rule(a)[member] = value }
	}
	dns, final := func(a *account) obj { return a.gwDNS }, func(a *account) obj { return a.gwFinal }
	config := func(member string, value any) func(*account) {
		return func(a *account) { a.gateway[member] = value }
	}
	scan := func(down, up, closed bool) func(*account) {
		return config("antivirus", obj{"enabled_download_phase": down, "enabled_upload_phase": up, "fail_closed": closed})
	}
	silent := func(filter string) func(*account) {
		return func(a *account) {
			byType, _ := a.gatewayLog["settings_by_rule_type"].(obj)
			byType[filter] = obj{"log_all": false, "log_blocks": false}
		}
	}
	routed := func(a *account) bool { return a.org != nil && len(a.routes) > 0 }
	return []Plant{
		ztnaWide("CFL-GW-001", "off", failed, off(dns)),
		ztnaWide("CFL-GW-001", "watched", failed, set(dns, "action", "allow")),
		ztnaWide("CFL-GW-001", "phishing-only", failed, set(dns, "traffic", "any(dns.security_category[*] in {131})")),
		ztnaWide("CFL-GW-001", "some-people", warning, set(dns, "identity", `any(identity.groups.name[*] in {"Finance"})`)),
		ztnaWide("CFL-GW-001", "one-location", warning, set(dns, "traffic",
			`any(dns.security_category[*] in {80 117 131}) and dns.location in {"office"}`)),
		ztnaWide("CFL-GW-002", "off", failed, config("tls_decrypt", obj{"enabled": false})).
			following("CFL-DLP-001", warning, advanced).following("CFL-RBI-001", warning, advanced),
		ztnaWide("CFL-GW-002", "never-set", failed, config("tls_decrypt", nil)).
			following("CFL-DLP-001", warning, advanced).following("CFL-RBI-001", warning, advanced),
		ztnaWide("CFL-GW-002", "no-scan", warning, config("antivirus", nil)),
		ztnaWide("CFL-GW-002", "downloads-only", warning, scan(true, false, true)),
		ztnaWide("CFL-GW-002", "uploads-only", warning, scan(false, true, true)),
		ztnaWide("CFL-GW-002", "fails-open", warning, scan(true, true, false)),
		exception("allow-all", failed, "allow", "http", "").following("CFL-DLP-001", warning, advanced),
		exception("allow-network", failed, "allow", "l4", "").sharing(slotNetworkEnd).following("CFL-GW-005", failed, hasRoutes),
		exception("no-inspection", failed, "off", "http", "").following("CFL-GW-002", failed, always).
			following("CFL-DLP-001", warning, advanced).following("CFL-RBI-001", warning, advanced),
		exception("no-scan", failed, "noscan", "http", "").following("CFL-GW-002", warning, always).
			following("CFL-DLP-001", warning, advanced),
		exception("no-isolation", failed, "noisolate", "http", "").following("CFL-RBI-001", warning, always).when(advanced),
		exception("top-level-domain", warning, "off", "http", `any(http.conn.domains[*] in {"example"})`),
		exception("kind-of-application", warning, "off", "http", "any(app.type.ids[*] in {16})"),
		ztnaWide("CFL-GW-004", "log-off", failed, config("activity_log", obj{"enabled": false})),
		ztnaWide("CFL-GW-004", "no-dns", failed, silent("dns")), ztnaWide("CFL-GW-004", "no-http", failed, silent("http")),
		ztnaWide("CFL-GW-004", "no-network", failed, silent("l4")),
		ztnaWide("CFL-GW-004", "raw-data", warning, func(a *account) { a.gatewayLog["redact_pii"] = false }),
		ztnaWide("CFL-GW-004", "log-never-set", warning, config("activity_log", nil)),
		ztnaWide("CFL-GW-005", "off", failed, off(final)).when(routed).sharing(slotNetworkEnd),
		ztnaWide("CFL-GW-005", "other-range", failed, set(final, "traffic", "net.dst.ip in {203.0.113.0/24}")).when(routed).
			sharing(slotNetworkEnd),
		ztnaWide("CFL-GW-005", "half", warning, set(final, "traffic", "net.dst.ip in {10.20.0.0/17}")).when(routed).sharing(slotNetworkEnd),
	}
}

// slotNetworkEnd is the final decision about private ranges.
const slotNetworkEnd = "network-end"

func (p Plant) sharing(slot string) Plant {
	p.slots = append(slices.Clone(p.allSlots()), slot)
	return p
}

// following adds an account finding that also results from the plant, if has accepts the account.
func (p Plant) following(check, result string, has func(*account) bool) Plant {
	apply := p.Apply
	p.Apply = func(s *Scene) []Planted {
		out := apply(s)
		if has(s.account) {
			out = append(out, Planted{check, "account", s.account.id, result})
		}
		return out
	}
	return p.sharing(check)
}

func always(*account) bool { return true }

func hasRoutes(a *account) bool { return len(a.routes) > 0 }

// exception adds a rule that exempts traffic from a block rule after it.
func exception(variant, result, action, filter, traffic string) Plant {
	return found("CFL-GW-003", variant, result, "rule", func(a *account) string {
		a.addGatewayRule("Listed sites "+variant, "block", filter, 8000, map[string]string{"http": `http.request.host == "bad.test"`,
			"l4": "net.dst.ip == 203.0.113.9"}[filter])
		return asText(a.addGatewayRule("Exception "+variant, action, filter, 10, traffic)["id"])
	}).onAccess()
}

// plantsData misconfigure data loss prevention, browser isolation and CASB integrations.
func plantsData() []Plant {
	wide := func(check, variant, result string, change func(*account)) Plant {
		return accountWide(check, variant, result, check, change).when(advanced)
	}
	controls := func(c obj) func(*account) {
		return func(a *account) { a.gwIsolate["rule_settings"] = obj{"biso_admin_controls": c} }
	}
	open := func(severity string, days int) func(*account) {
		return func(a *account) { a.addCASBFinding("Office suite", "File shared with everyone", severity, days) }
	}
	connected := func(change func(*account, obj)) func(*account) {
		return func(a *account) { change(a, a.addIntegration("Wiki")) }
	}
	status := func(word string) func(*account) {
		return connected(func(_ *account, i obj) { i["status"] = word })
	}
	return []Plant{
		wide("CFL-DLP-001", "off", failed, func(a *account) { a.gwDLP["enabled"] = false }),
		wide("CFL-DLP-001", "unnamed", failed, func(a *account) { a.gwDLP["traffic"] = `http.request.host == "drive.test"` }),
		wide("CFL-DLP-001", "watched", warning, func(a *account) { a.gwDLP["action"] = "allow" }),
		wide("CFL-RBI-001", "off", failed, func(a *account) { a.gwIsolate["enabled"] = false }),
		wide("CFL-RBI-001", "no-controls", warning, controls(obj{"version": "v2", "copy": "enabled", "download": "enabled",
			"upload": "enabled"})),
		wide("CFL-RBI-001", "old-controls", warning, controls(obj{"version": "v1", "dp": true, "dd": false, "du": false})),
		wide("CFL-RBI-001", "one-site", warning, func(a *account) { a.gwIsolate["traffic"] = `http.request.host == "news.test"` }),
		wide("CFL-CASB-001", "high", failed, open("High", 3)), wide("CFL-CASB-001", "critical", failed, open("Critical", 3)),
		wide("CFL-CASB-001", "raised", failed, func(a *account) {
			a.addCASBFinding("Office suite", "Guest account", "Low", 3)["severity_override"] = obj{"severity": "High", "reason": ""}
		}),
		wide("CFL-CASB-001", "old-medium", warning, open("Medium", 120)),
		wide("CFL-CASB-002", "unhealthy", failed, status("Unhealthy")), wide("CFL-CASB-002", "offline", failed, status("Offline")),
		wide("CFL-CASB-002", "paused", failed, connected(func(_ *account, i obj) { i["is_paused"] = true })),
		wide("CFL-CASB-002", "credential", failed, func(a *account) {
			a.addCASBFinding("Office suite", "Broken grant", "Low", 3)["integration"].(obj)["credential_health_status"] = "Unhealthy"
		}),
		wide("CFL-CASB-002", "slow-start", warning, connected(func(a *account, i obj) {
			i["status"], i["created"] = "Initializing", a.cloud.ago(20*day)
		})),
		wide("CFL-CASB-002", "ends-soon", warning, func(a *account) {
			a.addCASBFinding("Office suite", "Old grant", "Low", 3)["integration"].(obj)["credentials_expiry"] = a.cloud.ahead(5 * day)
		}),
	}
}
