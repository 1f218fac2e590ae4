package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestWAFRemedies(t *testing.T) {
	t.Run("switches", func(t *testing.T) { checktest.Propose(t, All(), switches()) })
	t.Run("rules", func(t *testing.T) { checktest.Propose(t, All(), ruleAttempts()) })
	t.Run("skips and entries", func(t *testing.T) { checktest.Propose(t, All(), exceptionAttempts()) })
}

func switches() []checktest.Attempt {
	const hold, scan, paths, leaked = "/zones/{zone}/hold", "/zones/{zone}/content-upload-scan", "/zones/{zone}/url_normalization",
		"/zones/{zone}/leaked-credential-checks"
	held := func(h string) map[string]string { return map[string]string{hold: h} }
	return []checktest.Attempt{
		{Name: "none", CheckID: "CFL-HOLD-001", Live: held(`{"hold": false, "hold_after": "", "include_subdomains": "false"}`),
			Sends: []string{"POST " + hold + "?include_subdomains=true"}},
		{Name: "without subdomains", CheckID: "CFL-HOLD-001",
			Live:  held(`{"hold": true, "hold_after": "2026-01-31T15:56:36Z", "include_subdomains": false}`),
			Sends: []string{"POST " + hold + "?include_subdomains=true"}},
		{Name: "lifted for a time", CheckID: "CFL-HOLD-001",
			Live:    held(`{"hold": false, "hold_after": "2026-04-01T00:00:00Z", "include_subdomains": "true"}`),
			Refused: "lifted the hold until 1 April 2026"},
		{Name: "held by now", CheckID: "CFL-HOLD-001", Live: held(`{"hold": true, "include_subdomains": "true"}`)},
		{Name: "off", CheckID: "CFL-WAF-025", Live: map[string]string{scan + "/settings": `{"value": "disabled"}`},
			Sends: []string{"POST " + scan + "/enable"}},
		{Name: "nothing acts on it", CheckID: "CFL-WAF-025", Live: map[string]string{scan + "/settings": `{"value": "enabled"}`},
			Refused: "by hand"},
		{Name: "no answer", CheckID: "CFL-WAF-025", Live: map[string]string{scan + "/settings": `null`}, Refused: "does not tell"},
		{Name: "none", CheckID: "CFL-WAF-020", Live: map[string]string{paths: `{"type": "rfc3986", "scope": "none"}`},
			Sends: []string{"PUT " + paths + ` {"scope":"incoming","type":"cloudflare"}`}},
		{Name: "the origin keeps its paths", CheckID: "CFL-WAF-020", Live: map[string]string{paths: `{"type": "rfc3986", "scope": "both"}`},
			Sends: []string{"PUT " + paths + ` {"scope":"both","type":"cloudflare"}`}},
		{Name: "right by now", CheckID: "CFL-WAF-020", Live: map[string]string{paths: `{"type": "cloudflare", "scope": "both"}`}},
		{Name: "off", CheckID: "CFL-LEAK-001", Live: map[string]string{leaked: `{"enabled": false}`},
			Sends: []string{"POST " + leaked + ` {"enabled":true}`}},
	}
}

func ruleAttempts() []checktest.Attempt {
	const managed, rate = "/zones/{zone}/rulesets/phases/http_request_firewall_managed/entrypoint",
		"/zones/{zone}/rulesets/phases/http_ratelimit/entrypoint"
	inputs := func(text, requests, period, timeout string) map[string]string {
		return map[string]string{"expression": text, "requests_per_period": requests, "period": period, "mitigation_timeout": timeout}
	}
	entry := func(path, rules string) map[string]string {
		return map[string]string{path: `{"id": "set", "rules": ` + rules + `}`}
	}
	login, none := `"(http.request.uri.path eq \"/in\")"`, map[string]string{rate: "null"}
	limit := `{"action":"block","description":"edgeposture-cfl-waf-003","enabled":true,"expression":"(http.request.uri.path eq \"/in\")",` +
		`"ratelimit":` +
		`{"characteristics":["cf.colo.id","ip.src"],"mitigation_timeout":10,"period":10,"requests_per_period":20},` +
		`"ref":"edgeposture-cfl-waf-003"}`
	deploy := `{"action":"execute","action_parameters":{"id":"efb7b8c949ac4650a09736fc376e9aee","overrides":{"action":"log"}},` +
		`"description":"edgeposture-cfl-waf-006","enabled":true,"expression":"true","ref":"edgeposture-cfl-waf-006"}`
	logging := func(since string) map[string]string {
		return entry(managed, `[{"id": "m1", "enabled": true, "last_updated": "`+since+
			`", "action_parameters": {"id": "x", "overrides": {"action": "log", "rules": [{"id": "r", "enabled": false}]}}}]`)
	}
	return []checktest.Attempt{
		{Name: "no entry point", CheckID: "CFL-WAF-003", Live: none, Inputs: inputs(login, "20", "10", "10"),
			Sends: []string{`POST /zones/{zone}/rulesets {"kind":"zone","name":"default","phase":"http_ratelimit","rules":[` + limit + `]}`}},
		{Name: "an entry point is never replaced", CheckID: "CFL-WAF-003", Live: entry(rate, "[]"), Inputs: inputs(login, "20", "10", "10"),
			Sends: []string{"POST /zones/{zone}/rulesets/set/rules " + limit}},
		{Name: "nobody chose", CheckID: "CFL-WAF-003", Live: none, Chooses: "expression"},
		{Name: "one choice is missing", CheckID: "CFL-WAF-003", Live: none, Inputs: inputs(login, "20", "null", "10"), Chooses: "period"},
		{Name: "no expression", CheckID: "CFL-WAF-003", Live: none, Inputs: inputs(`"odd("`, "20", "10", "10"), Refused: "expression"},
		{Name: "not a number", CheckID: "CFL-WAF-003", Live: none, Inputs: inputs(login, `"many"`, "10", "10"), Refused: "requests_per_period"},
		{Name: "no request", CheckID: "CFL-WAF-003", Live: none, Inputs: inputs(login, "0", "10", "10"), Refused: "requests_per_period"},
		{Name: "an odd period", CheckID: "CFL-WAF-003", Live: none, Inputs: inputs(login, "20", "11", "10"), Refused: "period"},
		{Name: "a period above the plan", CheckID: "CFL-WAF-003", Plan: "free", Live: none, Inputs: inputs(login, "20", "60", "10"),
			Refused: "allows 10 at most"},
		{Name: "blocked for too long", CheckID: "CFL-WAF-003", Live: none, Inputs: inputs(login, "20", "10", "86401"),
			Refused: "mitigation_timeout"},
		{Name: "no room on the plan", CheckID: "CFL-WAF-003", Plan: "free", Live: entry(rate, `[{"id": "l", "enabled": true, "action": "log"}]`),
			Inputs: inputs(login, "20", "10", "10"), Refused: "allows 1"},
		{Name: "a limit is on", CheckID: "CFL-WAF-003", Live: entry(rate, `[{"id": "l", "enabled": true, "action": "block"}]`),
			Refused: "change it by hand"},
		{Name: "ours is disabled", CheckID: "CFL-WAF-003",
			Live:   entry(rate, `[{"id": "l", "ref": "edgeposture-cfl-waf-003", "enabled": false, "action": "block"}]`),
			Inputs: inputs(login, "20", "10", "10"), Refused: "by hand"},
		{Name: "appended", CheckID: "CFL-WAF-006", Live: entry(managed,
			`[{"id": "o", "enabled": true, "expression": "true", "action_parameters": {"id": "other"}}]`),
			Sends: []string{"POST /zones/{zone}/rulesets/set/rules " + deploy}},
		{Name: "no entry point", CheckID: "CFL-WAF-006", Live: map[string]string{managed: "null"},
			Sends: []string{`POST /zones/{zone}/rulesets {"kind":"zone","name":"default","phase":"http_request_firewall_managed","rules":[` +
				deploy + `]}`}},
		{Name: "deployed by now", CheckID: "CFL-WAF-006",
			Live: entry(managed, `[{"id": "m", "enabled": true, "expression": "true", "action_parameters": {"id": `+
				`"efb7b8c949ac4650a09736fc376e9aee"}}]`)},
		{Name: "strictest", CheckID: "CFL-WAF-007", Result: posture.Warning, Refused: "paranoia",
			Live: entry(managed, `[{"id": "m", "enabled": true, "expression": "true", "action_parameters": {"id": `+
				`"4814384a9e5d4991b9815dcfc25d2f1f"}}]`)},
		{Name: "a week of log", CheckID: "CFL-WAF-008", ID: "m1", Live: logging("2026-02-20T00:00:00Z"),
			Sends: []string{`PATCH /zones/{zone}/rulesets/set/rules/m1 {"action_parameters":{"id":"x","overrides":{"rules":[{"enabled":false,` +
				`"id":"r"}]}},"enabled":true,"id":"m1"}`}},
		{Name: "six days of log", CheckID: "CFL-WAF-008", ID: "m1", Live: logging("2026-02-24T00:00:00Z"), Refused: "7 days"},
		{Name: "no date", CheckID: "CFL-WAF-008", ID: "m1", Live: logging(""), Refused: "7 days"},
		{Name: "gone", CheckID: "CFL-WAF-008", ID: "m2", Live: logging("2026-01-01T00:00:00Z")},
	}
}

func exceptionAttempts() []checktest.Attempt {
	const custom, managed = "/rulesets/phases/http_request_firewall_custom/entrypoint",
		"/rulesets/phases/http_request_firewall_managed/entrypoint"
	const lists, items = "/accounts/{account}/rules/lists", "/accounts/{account}/rules/lists/l1/items"
	skip := func(text string) map[string]string {
		rule := string(change.Encode(map[string]any{"id": "s1", "enabled": true, "action": "skip", "expression": text}))
		return map[string]string{"/zones/{zone}" + custom: `{"id": "set", "rules": [` + rule + `]}`, lists: `[{"id": "l1", "name": "office"}]`,
			items: `[{"id": "i", "ip": "45.60.10.1"}]`}
	}
	inner := map[string]string{"/accounts/{account}" +
		custom: `{"id": "root", "rules": [{"id": "e", "enabled": true, "action": "execute", "expression": "cf.zone.plan eq \"ENT\"", ` +
		`"action_parameters": {"id": "cr"}}]}`,
		"/accounts/{account}/rulesets/cr": `{"id": "cr", "rules": [{"id": "s1", "enabled": true, "action": "skip", "expression": "true"}]}`}
	const zone, account = "/zones/{zone}/firewall/access_rules/rules/i1", "/accounts/{account}/firewall/access_rules/rules/i1"
	allow := func(path, mode, target, value string) map[string]string {
		return map[string]string{path: `{"id": "i1", "mode": "` + mode + `", "notes": "n", "configuration": {"target": "` + target +
			`", "value": "` + value + `"}}`}
	}
	return []checktest.Attempt{
		{Name: "open to all", CheckID: "CFL-WAF-010", ID: "s1", Live: skip("http.host eq \"a.shop.example\""),
			Sends: []string{`PATCH /zones/{zone}/rulesets/set/rules/s1 {"action":"skip","enabled":false,"expression":"http.host eq ` +
				`\"a.shop.example\"","id":"s1"}`}},
		{Name: "limited by now", CheckID: "CFL-WAF-010", ID: "s1", Live: skip(`ip.src in $office and http.request.uri.path eq "/hook"`)},
		{Name: "limited by a list nobody knows", CheckID: "CFL-WAF-010", ID: "s1", Live: skip(`ip.src in $strangers`), Refused: "not known"},
		{Name: "unreadable by now", CheckID: "CFL-WAF-010", ID: "s1", Live: skip("odd("), Refused: "cannot be read"},
		{Name: "in a ruleset of the account", CheckID: "CFL-WAF-010", ID: "s1", Account: true, Live: inner,
			Sends: []string{`PATCH /accounts/{account}/rulesets/cr/rules/s1 {"action":"skip","enabled":false,"expression":"true","id":"s1"}`}},
		{Name: "gone", CheckID: "CFL-WAF-010", ID: "s2", Live: map[string]string{"/zones/{zone}" + custom: "null", "/zones/{zone}" +
			managed: "null"}},
		{Name: "a country", CheckID: "CFL-WAF-011", ID: "i1", Live: allow(zone, "whitelist", "country", "FR"), Sends: []string{"DELETE " + zone}},
		{Name: "of the account", CheckID: "CFL-WAF-011", ID: "i1", Account: true, Live: allow(account, "whitelist", "asn", "AS64500"),
			Sends: []string{"DELETE " + account}},
		{Name: "one address without notes", CheckID: "CFL-WAF-011", ID: "i1", Result: posture.Warning, Live: allow(zone, "whitelist", "ip",
			"45.60.10.1"), Refused: "narrow"},
		{Name: "narrowed by now", CheckID: "CFL-WAF-011", ID: "i1", Live: allow(zone, "whitelist", "ip_range", "45.60.10.0/24"),
			Refused: "narrow"},
		{Name: "a target nobody knows", CheckID: "CFL-WAF-011", ID: "i1", Live: allow(zone, "whitelist", "planet", "mars"), Refused: "not known"},
		{Name: "of a user", CheckID: "CFL-WAF-011", ID: "i1", Live: map[string]string{zone: `{"id": "i1", "mode": "whitelist", ` +
			`"configuration": {"target": "country", "value": "FR"}, "scope": {"type": "user"}}`}, Refused: "ask that person"},
		{Name: "blocks by now", CheckID: "CFL-WAF-011", ID: "i1", Live: allow(zone, "block", "country", "FR")},
		{Name: "gone", CheckID: "CFL-WAF-011", ID: "i1", Live: map[string]string{zone: "null"}},
	}
}
