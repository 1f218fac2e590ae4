package simcloud

import (
	"maps"
	"slices"

	"github.com/stretchr/testify/require"
)

func remediesOfAccounts() []remedyCase {
	return []remedyCase{
		{check: "CFL-ACC-001", treat: func(p *patient) func() {
			old := p.get(p.a)
			settings, _ := old["settings"].(obj)
			p.do("PUT", p.a, merged(old, obj{"settings": merged(settings, obj{"enforce_twofactor": true})}))
			return func() { p.do("PUT", p.a, old) }
		}},
		{check: "CFL-ACC-011", treat: gone(inAccount("/members"), func(old obj) any {
			roles := []any{}
			for _, r := range objects(old["roles"]) {
				roles = append(roles, r["id"])
			}
			return obj{"email": old["email"], "roles": roles}
		})},
		{check: "CFL-TOK-003", treat: whole(inAccount("/tokens/%s"), obj{"status": "disabled"})},
		{check: "CFL-REG-002", variant: "later", treat: func(p *patient) func() {
			one := p.a + "/registrar/registrations/" + asText(p.list(p.a + "/registrar/registrations")[1]["domain_name"])
			done, _ := p.do("PATCH", one, obj{"auto_renew": true}).(obj)
			require.Equal(p.t, true, done["completed"])
			require.Equal(p.t, true, p.get(one)["auto_renew"])
			return func() { p.do("PATCH", one, obj{"auto_renew": false}) }
		}},
		{check: "CFL-DNS-005", variant: "never-set", treat: on(lastOf("/dns_firewall"), defended)},
		{check: "CFL-DNS-005", variant: "answers-any", treat: on(lastOf("/dns_firewall"), defended)},
		{check: "CFL-LB-001", variant: "no-monitor", treat: func(p *patient) func() {
			one := p.a + "/load_balancers/pools/" + p.id
			p.do("PATCH", one, obj{"monitor": p.list(p.a + "/load_balancers/monitors")[0]["id"]})
			require.NotEmpty(p.t, p.get(one)["monitor"])
			return func() { p.do("PATCH", one, obj{"monitor": nil}) }
		}},
		{check: "CFL-PAGE-004", treat: func(p *patient) func() {
			for _, site := range p.list(p.a + "/pages/projects") {
				if site["id"] == p.id || site["name"] == p.id {
					return p.closeFunctions(p.a + "/pages/projects/" + asText(site["name"]))
				}
			}
			return nil
		}},
		{check: "CFL-DEVICE-002", variant: "default-free", treat: switched("PATCH", inAccount("/devices/policy"), inAccount("/devices/policy"),
			obj{"switch_locked": true, "allowed_to_leave": false})},
		{check: "CFL-DEVICE-006", variant: "set", treat: switched("POST", inAccount("/devices/resilience/disconnect"),
			inAccount("/devices/resilience/disconnect"), obj{"disconnect": false})},
		{check: "CFL-R2-004", treat: switched("PUT", inAccount("/r2/buckets/%s/domains/managed"), inAccount("/r2/buckets/%s/domains/managed"),
			obj{"enabled": false})},
		{check: "CFL-R2-006", variant: "backup-unlocked", treat: func(p *patient) func() {
			lock := p.a + "/r2/buckets/" + p.id + "/lock"
			old := p.get(lock)
			p.do("PUT", lock, obj{"rules": append(objects(old["rules"]), lockRule("", 90))})
			require.Len(p.t, objects(p.get(lock)["rules"]), 1)
			return func() { p.do("PUT", lock, old) }
		}},
		{check: "CFL-R2-007", variant: "tls-10", treat: hostFloor},
		{check: "CFL-R2-007", variant: "tls-of-zone", treat: hostFloor},
		{check: "CFL-WORK-005", variant: "beside-route", treat: func(p *patient) func() {
			at := func(*patient) string { return p.a + "/workers/scripts/" + p.id + "/subdomain" }
			return switched("POST", at, at, obj{"enabled": false, "previews_enabled": false})(p)
		}},
		{check: "CFL-GW-001", variant: "off", treat: madeBy(inAccount("/gateway/rules"), func(*patient) obj {
			return obj{"name": "Our mark", "filters": []string{"dns"}, "action": "block", "enabled": true,
				"traffic": "any(dns.security_category[*] in {80 117 131})"}
		})},
		{check: "CFL-GW-004", variant: "no-dns", treat: func(p *patient) func() {
			old := p.get(p.a + "/gateway/logging")
			kinds, _ := old["settings_by_rule_type"].(obj)
			kinds = maps.Clone(kinds)
			kinds["dns"] = obj{"log_all": false, "log_blocks": true}
			p.do("PUT", p.a+"/gateway/logging", merged(old, obj{"settings_by_rule_type": kinds}))
			return func() { p.do("PUT", p.a+"/gateway/logging", old) }
		}},
	}
}

func defended(p *patient) func() {
	one := p.a + "/dns_firewall/" + p.id
	old := p.get(one)
	p.do("PATCH", one, obj{"attack_mitigation": obj{"enabled": true}, "deprecate_any_requests": true})
	now, _ := p.get(one)["attack_mitigation"].(obj)
	require.Equal(p.t, true, now["enabled"])
	return func() {
		p.do("PATCH", one, obj{"attack_mitigation": old["attack_mitigation"], "deprecate_any_requests": old["deprecate_any_requests"]})
	}
}

// closeFunctions makes the functions of a site fail closed and checks that the
// other members of its configuration stayed.
func (p *patient) closeFunctions(one string) func() {
	write := func(open any) {
		p.do("PATCH", one, obj{"deployment_configs": obj{"production": obj{"fail_open": open}}})
	}
	old := projectConfig(p.get(one), "production")
	write(false)
	now := projectConfig(p.get(one), "production")
	require.Equal(p.t, merged(old, obj{"fail_open": false}), now)
	return func() { write(old["fail_open"]) }
}

// hostFloor raises the minimum of TLS of a bucket's host name.
func hostFloor(p *patient) func() {
	bucket := p.a + "/r2/buckets/" + p.id
	domains := objects(p.get(bucket + "/domains/custom")["domains"])
	old := domains[len(domains)-1]
	one := bucket + "/domains/custom/" + asText(old["domain"])
	p.do("PUT", one, obj{"minTLS": "1.2", "enabled": old["enabled"]})
	require.Equal(p.t, "1.2", p.get(one)["minTLS"])
	return func() { p.do("PUT", one, obj{"minTLS": old["minTLS"], "enabled": old["enabled"]}) }
}

func remediesOfAccess() []remedyCase {
	group := []obj{{"email_domain": obj{"domain": "staff.test"}}}
	return []remedyCase{
		{check: "CFL-ZT-007", variant: "everyone", treat: func(p *patient) func() {
			staff := p.a + "/access/policies/" + asText(p.list(p.a + "/access/policies")[0]["id"])
			old := p.get(staff)
			p.do("PUT", staff, merged(old, obj{"include": group}))
			undo := p.narrowOwnPolicies(group)
			return func() { undo(); p.do("PUT", staff, old) }
		}},
		{check: "CFL-ZT-012", variant: "expired", treat: func(p *patient) func() {
			for _, token := range p.list(p.a + "/access/service_tokens") {
				p.do("POST", p.a+"/access/service_tokens/"+asText(token["id"])+"/refresh", nil)
				now := p.get(p.a + "/access/service_tokens/" + asText(token["id"]))
				require.Equal(p.t, stamp(fixedNow().AddDate(1, 0, 0)), now["expires_at"])
				require.NotContains(p.t, now, "client_secret")
			}
			return nil
		}},
		{check: "CFL-ZT-014", variant: "readable", treat: whole(inAccount("/access/apps/%s"), obj{"http_only_cookie_attribute": true})},
		{check: "CFL-ZT-015", variant: "private-http", treat: madeBy(inAccount("/access/apps"), func(p *patient) obj {
			return obj{"type": "self_hosted", "name": "raw." + p.id, "domain": "raw.test", "session_duration": "24h",
				"policies": []any{p.list(p.a + "/access/policies")[0]["id"]}}
		})},
	}
}

// narrowOwnPolicies changes the policies that belong to the application.
func (p *patient) narrowOwnPolicies(include []obj) func() {
	app := p.a + "/access/apps/" + p.id
	undo := func() {}
	for _, policy := range objects(p.get(app)["policies"]) {
		shared := slices.ContainsFunc(p.list(p.a+"/access/policies"), func(o obj) bool { return o["id"] == policy["id"] })
		if shared {
			continue
		}
		one, rest := app+"/policies/"+asText(policy["id"]), undo
		p.do("PUT", one, merged(policy, obj{"include": include}))
		undo = func() { p.do("PUT", one, policy); rest() }
	}
	return undo
}

func remediesOfAlerts() []remedyCase {
	policy := func(check, variant, kind string) remedyCase {
		return remedyCase{check: check, variant: variant, treat: madeBy(inAccount("/alerting/v3/policies"), func(p *patient) obj {
			return obj{"name": "Our mark", "enabled": true, "alert_type": kind, "filters": obj{},
				"mechanisms": obj{"webhooks": []obj{{"id": p.list(p.a + "/alerting/v3/destinations/webhooks")[0]["id"]}}}}
		})}
	}
	return []remedyCase{
		policy("CFL-ALERT-001", "no-policy", alertFirewall), policy("CFL-ALERT-002", "no-policy", alertOrigin),
		policy("CFL-ALERT-003", "no-policy", alertCertificate),
		policy("CFL-ALERT-004", "no-policy", alertFlood), policy("CFL-ALERT-006", "no-policy", alertInsight),
		policy("CFL-ALERT-009", "no-tunnel-policy", alertTunnel),
		policy("CFL-ALERT-010", "no-policy", alertScript),
		{check: "CFL-ALERT-011", variant: "month", treat: on(lastOf("/alerting/v3/silences"), gone(inAccount("/alerting/v3/silences"),
			func(old obj) any {
				return []obj{{"policy_id": old["policy_id"], "start_time": old["start_time"], "end_time": old["end_time"]}}
			}))},
		{check: "CFL-ALERT-011", variant: "endless", treat: on(lastOf("/alerting/v3/silences"), gone(inAccount("/alerting/v3/silences"),
			func(old obj) any {
				return []obj{{"policy_id": old["policy_id"], "start_time": old["start_time"], "end_time": old["end_time"]}}
			}))},
	}
}

// lastOf gives the id of the last entry of a list of the account.
func lastOf(path string) func(*patient) string {
	return func(p *patient) string {
		all := p.list(p.a + path)
		return asText(all[len(all)-1]["id"])
	}
}
