package simcloud

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

func remediesOfZones() []remedyCase {
	bots := func(check, variant, plan string, members obj) remedyCase {
		return remedyCase{check: check, variant: variant, plan: plan, treat: switched("PUT", inZone("/bot_management"),
			inZone("/bot_management"), members)}
	}
	flip := func(check, method, path string, members obj) remedyCase {
		return remedyCase{check: check, treat: switched(method, inZone(path), inZone(path), members)}
	}
	record := func(check, variant, kind, name, content string) remedyCase {
		return remedyCase{check: check, variant: variant, treat: madeBy(inZone("/dns_records"), func(p *patient) obj {
			return obj{"type": kind, "name": name + asText(p.get(p.z)["name"]), "content": content, "ttl": 3600}
		})}
	}
	again := func(old obj) any { return old }
	return []remedyCase{
		bots("CFL-BOT-001", "fight-mode-off", "free", obj{"fight_mode": true}),
		bots("CFL-BOT-001", "allow", "pro", obj{"sbfm_definitely_automated": "managed_challenge"}),
		bots("CFL-BOT-002", "off", "", obj{"enable_js": true}), bots("CFL-BOT-003", "disabled", "", obj{"ai_bots_protection": "block"}),
		bots("CFL-BOT-004", "allow", "", obj{"sbfm_likely_automated": "managed_challenge"}),
		{check: "CFL-BOT-003", variant: "absent", treat: func(p *patient) func() {
			p.do("PUT", p.z+"/bot_management", obj{"ai_bots_protection": "block"})
			return func() { p.do("PUT", p.z+"/bot_management", obj{"ai_bots_protection": "disabled"}) }
		}},
		{check: "CFL-HOLD-001", variant: "none", treat: func(p *patient) func() {
			p.do("POST", p.z+"/hold?include_subdomains=true", nil)
			return func() { p.do("DELETE", p.z+"/hold", nil) }
		}},
		{check: "CFL-HOLD-001", variant: "no-subdomains", treat: func(p *patient) func() {
			old := p.get(p.z + "/hold")
			p.do("POST", p.z+"/hold?include_subdomains=true", nil)
			return func() {
				p.do("PATCH", p.z+"/hold", obj{"hold_after": old["hold_after"], "include_subdomains": old["include_subdomains"]})
			}
		}},
		flip("CFL-API-003", "PATCH", "/schema_validation/settings", obj{"validation_default_mitigation_action": "log"}),
		flip("CFL-LEAK-001", "POST", "/leaked-credential-checks", obj{"enabled": true}),
		flip("CFL-ZONE-001", "PATCH", "", obj{"paused": false}),
		flip("CFL-MTLS-004", "PUT", "/origin_tls_client_auth/settings", obj{"enabled": true}),
		flip("CFL-PAGESHIELD-001", "PUT", "/page_shield", obj{"enabled": true}),
		flip("CFL-SSL-015", "PATCH", "/ssl/universal/settings", obj{"enabled": true}),
		flip("CFL-SSL-020", "PATCH", "/ct/alerting", obj{"enabled": true}),
		flip("CFL-WAF-020", "PUT", "/url_normalization", obj{"type": "cloudflare", "scope": "incoming"}),
		{check: "CFL-DNS-001", variant: "disabled", treat: func(p *patient) func() {
			p.do("PATCH", p.z+"/dnssec", obj{"status": "active"})
			require.Equal(p.t, "pending", p.get(p.z + "/dnssec")["status"])
			return func() { p.do("PATCH", p.z+"/dnssec", obj{"status": "disabled"}) }
		}},
		{check: "CFL-DNS-002", treat: func(p *patient) func() {
			one := p.z + "/dns_records/" + p.id
			ttl := p.get(one)["ttl"]
			p.do("PATCH", one, obj{"proxied": true})
			return func() { p.do("PATCH", one, obj{"proxied": false, "ttl": ttl}) }
		}},
		{check: "CFL-DNS-006", treat: gone(inZone("/dns_records"), again)}, {check: "CFL-DNS-007", treat: gone(inZone("/dns_records"), again)},
		record("CFL-EMAIL-001", "missing", "TXT", "", `"v=spf1 -all"`), record("CFL-EMAIL-003", "missing", "TXT", "_dmarc.",
			`"v=DMARC1; p=reject"`),
		{check: "CFL-LB-004", variant: "public", treat: switched("PATCH", inZone("/load_balancers/%s"), inZone("/load_balancers/%s"),
			obj{"proxied": true})},
		{check: "CFL-TXRULE-002", variant: "none", treat: func(p *patient) func() {
			write := func(on bool) {
				p.do("PATCH", p.z+"/managed_headers", obj{"managed_response_headers": []obj{{"id": "add_security_headers", "enabled": on}}})
			}
			write(true)
			return func() { write(false) }
		}},
		{check: "CFL-SEC-001", variant: "never-set-up", treat: func(p *patient) func() {
			file := p.z + "/security-center/securitytxt"
			p.do("PUT", file, obj{"enabled": true, "contact": []string{"mailto:security@" + p.id + ".test"}, "expires": later(330 * day)})
			return func() { p.do("DELETE", file, nil) }
		}},
		{check: "CFL-SEC-001", variant: "disabled", treat: whole(inZone("/security-center/securitytxt"), obj{"enabled": true})},
		{check: "CFL-SEC-002", variant: "expired", treat: whole(inZone("/security-center/securitytxt"), obj{"expires": later(330 * day)})},
		{check: "CFL-SEC-002", variant: "no-date", treat: whole(inZone("/security-center/securitytxt"), obj{"expires": later(330 * day)})},
		{check: "CFL-SPECTRUM-002", variant: "ssh", treat: on(func(p *patient) string {
			all := p.list(p.z + "/spectrum/apps")
			return asText(all[len(all)-1]["id"])
		}, whole(inZone("/spectrum/apps/%s"), obj{"ip_firewall": true}))},
		{check: "CFL-SSL-013", variant: "tls-1.1", treat: func(p *patient) func() {
			hosts := p.list(p.z + "/hostnames/settings/min_tls_version")
			one := p.z + "/hostnames/settings/min_tls_version/" + asText(hosts[len(hosts)-1]["hostname"])
			p.do("DELETE", one, nil)
			return func() { p.do("PUT", one, obj{"value": hosts[len(hosts)-1]["value"]}) }
		}},
		{check: "CFL-WAF-011", treat: gone(inZone("/firewall/access_rules/rules"), againAccessRule)},
		{check: "CFL-WAF-011", variant: "account", treat: gone(inAccount("/firewall/access_rules/rules"), againAccessRule)},
		{check: "CFL-WAF-025", variant: "off", treat: func(p *patient) func() {
			p.do("POST", p.z+"/content-upload-scan/enable", nil)
			return func() { p.do("POST", p.z+"/content-upload-scan/disable", nil) }
		}},
	}
}

func againAccessRule(old obj) any {
	return obj{"mode": old["mode"], "configuration": old["configuration"], "notes": old["notes"]}
}

func remediesOfSettings() []remedyCase {
	set := func(check, variant, id string, value any) remedyCase {
		return remedyCase{check: check, variant: variant, treat: switched("PATCH", inZone("/settings/"+id), inZone("/settings/"+id),
			obj{"value": value})}
	}
	hsts := func(check, variant string, change obj) remedyCase {
		return remedyCase{check: check, variant: variant, treat: func(p *patient) func() {
			one := p.z + "/settings/security_header"
			old := p.get(one)["value"]
			outer, _ := old.(obj)
			inner, _ := outer["strict_transport_security"].(obj)
			p.do("PATCH", one, obj{"value": obj{"strict_transport_security": merged(inner, change)}})
			return func() { p.do("PATCH", one, obj{"value": old}) }
		}}
	}
	return []remedyCase{
		set("CFL-ZONE-005", "", "always_online", "off"), set("CFL-PERF-006", "", "email_obfuscation", "on"),
		set("CFL-ZONE-002", "", "development_mode", "off"),
		set("CFL-SSL-001", "flexible", "ssl", "strict"), set("CFL-SSL-002", "tls-1.0", "min_tls_version", "1.2"),
		set("CFL-SSL-005", "off", "always_use_https", "on"),
		set("CFL-SSL-006", "off", "tls_1_3", "on"), set("CFL-SSL-007", "off", "automatic_https_rewrites", "on"),
		set("CFL-SSL-008", "off", "opportunistic_encryption", "on"),
		set("CFL-SSL-016", "on", "0rtt", "off"), set("CFL-WAF-001", "off", "security_level", "medium"),
		set("CFL-WAF-009", "off", "browser_check", "on"),
		set("CFL-WAF-021", "week", "challenge_ttl", 1800), set("CFL-WAF-022", "off", "hotlink_protection", "on"),
		set("CFL-WAF-023", "off", "ip_geolocation", "on"),
		hsts("CFL-SSL-004", "off", obj{"enabled": true, "max_age": 15552000}), hsts("CFL-SSL-009", "one-day", obj{"max_age": 31536000}),
	}
}

// rule finds the rule of the finding and the path of its ruleset.
func (p *patient) rule() (string, obj) {
	for _, base := range []string{p.z, p.a} {
		for _, set := range p.list(base + "/rulesets") {
			path := base + "/rulesets/" + asText(set["id"])
			rules := objects(p.get(path)["rules"])
			if i := byKey(rules, "id", p.id); i >= 0 {
				return path, rules[i]
			}
		}
	}
	require.Fail(p.t, "the rule is nowhere", p.id)
	return "", nil
}

func remediesOfRules() []remedyCase {
	edit := func(check, variant string, change func(rule obj)) remedyCase {
		return remedyCase{check: check, variant: variant, treat: func(p *patient) func() {
			path, old := p.rule()
			var changed obj // a copy of every depth
			require.NoError(p.t, json.Unmarshal(mustJSON(old), &changed))
			change(changed)
			p.do("PATCH", path+"/rules/"+p.id, changed)
			return func() { p.do("PATCH", path+"/rules/"+p.id, old) }
		}}
	}
	without := func(names ...string) func(obj) {
		return func(rule obj) {
			at := rule
			for _, n := range names[:len(names)-1] {
				at, _ = at[n].(obj)
			}
			delete(at, names[len(names)-1])
		}
	}
	deploy := func(check, variant, ruleset string) remedyCase {
		return remedyCase{check: check, variant: variant, treat: appended(phaseManaged, obj{
			"action": "execute", "expression": "true", "enabled": true, "ref": "our-mark",
			"action_parameters": obj{"id": ruleset, "overrides": obj{"action": "log"}},
		})}
	}
	limit := obj{"action": "block", "expression": `(http.request.uri.path eq "/in")`, "description": "Our mark", "ratelimit": obj{
		"characteristics": []string{"cf.colo.id", "ip.src"}, "period": 10, "requests_per_period": 20, "mitigation_timeout": 10,
	}}
	flood := edit("CFL-DDOS-001", "log", without("action_parameters", "overrides"))
	flood.treat = on(func(p *patient) string {
		return asText(objects(p.get(p.z + "/rulesets/phases/ddos_l7/entrypoint")["rules"])[0]["id"])
	}, flood.treat)
	return []remedyCase{
		edit("CFL-CDA-002", "extension", func(rule obj) {
			parameters, _ := rule["action_parameters"].(obj)
			parameters["cache_key"] = obj{"cache_deception_armor": true}
		}),
		flood, edit("CFL-WAF-008", "", without("action_parameters", "overrides", "action")),
		edit("CFL-WAF-010", "", func(rule obj) { rule["enabled"] = false }),
		edit("CFL-WAF-010", "account", func(rule obj) { rule["enabled"] = false }),
		edit("CFL-CFRULE-001", "flexible", func(rule obj) { rule["enabled"] = false }),
		{check: "CFL-WAF-003", variant: "log-only", treat: appended(phaseRateLimit, limit)}, {check: "CFL-WAF-003", variant: "empty",
			treat: appended(phaseRateLimit, limit)},
		deploy("CFL-WAF-006", "owasp-only", managedRuleset), deploy("CFL-WAF-007", "not-deployed", owaspRuleset),
		{check: "CFL-RULES-002", variant: "waf-off", treat: func(p *patient) func() {
			one := p.z + "/pagerules/" + p.id
			old := p.get(one)
			p.do("PATCH", one, obj{"status": "disabled"})
			p.do("PATCH", one, obj{"actions": []obj{{"id": "always_use_https"}}})
			require.Len(p.t, objects(p.get(one)["actions"]), 1)
			return func() { p.do("PATCH", one, obj{"actions": old["actions"], "status": old["status"]}) }
		}},
	}
}

// appended adds a rule at the end of a phase and deletes it.
func appended(phase string, rule obj) treatment {
	return func(p *patient) func() {
		sets := p.list(p.z + "/rulesets")
		i := slices.IndexFunc(sets, func(s obj) bool { return s["phase"] == phase && s["kind"] == "zone" })
		require.GreaterOrEqual(p.t, i, 0, phase)
		path := p.z + "/rulesets/" + asText(sets[i]["id"])
		set, _ := p.do("POST", path+"/rules", rule).(obj)
		rules := objects(set["rules"])
		made := rules[len(rules)-1]
		require.True(p.t, strings.HasPrefix(asText(made["last_updated"]), fixedNow().Format(time.DateOnly)))
		return func() { p.do("DELETE", path+"/rules/"+asText(made["id"]), nil) }
	}
}
