package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestRuleRemedies(t *testing.T) {
	const config, page, headers = "/zones/{zone}/rulesets/phases/http_config_settings/entrypoint", "/zones/{zone}/pagerules/p1",
		"/zones/{zone}/managed_headers"
	sets := func(enabled, parameters string) map[string]string {
		return map[string]string{config: `{"id": "set", "rules": [{"id": "c1", "enabled": ` + enabled + `, "action_parameters": ` + parameters +
			`}]}`, "/zones/{zone}/settings/ssl": `{"id": "ssl", "value": "flexible"}`}
	}
	acts := func(actions string) map[string]string {
		return map[string]string{page: `{"id": "p1", "status": "active", "actions": ` + actions + `}`,
			"/zones/{zone}/settings/ssl": `{"id": "ssl", "value": "flexible"}`}
	}
	managed := func(one string) map[string]string {
		return map[string]string{headers: `{"managed_request_headers": [], "managed_response_headers": [{"id": "remove_x-powered-by_header", ` +
			`"enabled": false}` + one + `]}`}
	}
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "only the weak members go", CheckID: "CFL-CFRULE-001", ID: "c1",
			Live: sets("true", `{"ssl": "flexible", "bic": false, "polish": "off", "security_level": "high"}`),
			Sends: []string{`PATCH /zones/{zone}/rulesets/set/rules/c1 {"action_parameters":{"polish":"off","security_level":"high"},` +
				`"enabled":true,"id":"c1"}`}},
		{Name: "nothing would be left", CheckID: "CFL-CFRULE-001", ID: "c1", Live: sets("true", `{"ssl": "off"}`),
			Sends: []string{`PATCH /zones/{zone}/rulesets/set/rules/c1 {"action_parameters":{"ssl":"off"},"enabled":false,"id":"c1"}`}},
		{Name: "a mode above that of the zone stays", CheckID: "CFL-CFRULE-001", ID: "c1", Live: sets("true", `{"ssl": "full", "bic": false}`),
			Sends: []string{`PATCH /zones/{zone}/rulesets/set/rules/c1 {"action_parameters":{"ssl":"full"},"enabled":true,"id":"c1"}`}},
		{Name: "strict by now", CheckID: "CFL-CFRULE-001", ID: "c1", Live: sets("true", `{"ssl": "strict"}`)},
		{Name: "disabled by now", CheckID: "CFL-CFRULE-001", ID: "c1", Live: sets("false", `{"ssl": "off"}`)},
		{Name: "the other actions stay", CheckID: "CFL-RULES-002", ID: "p1",
			Live:  acts(`[{"id": "ssl", "value": "flexible"}, {"id": "always_use_https"}, {"id": "disable_security"}]`),
			Sends: []string{"PATCH " + page + ` {"actions":[{"id":"always_use_https"}]}`}},
		{Name: "a mode above that of the zone stays", CheckID: "CFL-RULES-002", ID: "p1",
			Live:  acts(`[{"id": "ssl", "value": "full"}, {"id": "waf", "value": "off"}]`),
			Sends: []string{"PATCH " + page + ` {"actions":[{"id":"ssl","value":"full"}]}`}},
		{Name: "no other action", CheckID: "CFL-RULES-002", ID: "p1", Live: acts(`[{"id": "waf", "value": "off"}]`),
			Sends: []string{"PATCH " + page + ` {"status":"disabled"}`}},
		{Name: "what is cached", CheckID: "CFL-RULES-002", ID: "p1", Live: acts(`[{"id": "cache_level", "value": "cache_everything"}]`),
			Refused: "by hand"},
		{Name: "deleted by now", CheckID: "CFL-RULES-002", ID: "p1", Live: map[string]string{page: "null"}},
		{Name: "off", CheckID: "CFL-TXRULE-002", Live: managed(`, {"id": "add_security_headers", "enabled": false, "has_conflict": false}`),
			Sends: []string{"PATCH " + headers + ` {"managed_response_headers":[{"enabled":true,"id":"add_security_headers"}]}`}},
		{Name: "in conflict", CheckID: "CFL-TXRULE-002",
			Live: managed(`, {"id": "add_security_headers", "enabled": false, "has_conflict": true}`), Refused: "conflicts"},
		{Name: "not offered", CheckID: "CFL-TXRULE-002", Live: managed(""), Refused: "does not offer"},
		{Name: "on by now", CheckID: "CFL-TXRULE-002", Live: managed(`, {"id": "add_security_headers", "enabled": true}`)},
		{Name: "on, and a rule takes one away", CheckID: "CFL-TXRULE-002", Live: managed(`, {"id": "add_security_headers", "enabled": true}`),
			Evidence: []posture.Evidence{{Source: "zone/ruleset/http_response_headers_transform", Pointer: "/rules/t1"}}, Refused: "(id t1) takes"},
	})
}
