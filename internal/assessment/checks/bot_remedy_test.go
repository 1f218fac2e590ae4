package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
)

func TestBotRemedies(t *testing.T) {
	const config, operations, rules = "/zones/{zone}/bot_management", "/zones/{zone}/api_gateway/operations",
		"/zones/{zone}/rulesets/phases/http_request_firewall_custom/entrypoint"
	crawlers := func(c, entry string) map[string]string { return map[string]string{config: c, rules: entry} }
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "free", CheckID: "CFL-BOT-001", Plan: "free", Live: map[string]string{config: `{"fight_mode": false}`, operations: `[]`},
			Sends: []string{"PUT " + config + ` {"fight_mode":true}`}},
		{Name: "free with an API", CheckID: "CFL-BOT-001", Plan: "free", Live: map[string]string{config: `{"fight_mode": false}`,
			operations: `[{"operation_id": "o"}]`}, Refused: "serves an API"},
		{Name: "business", CheckID: "CFL-BOT-001", Plan: "business",
			Live:  map[string]string{config: `{"sbfm_definitely_automated": "allow", "sbfm_verified_bots": "allow"}`},
			Sends: []string{"PUT " + config + ` {"sbfm_definitely_automated":"managed_challenge"}`}},
		{Name: "blocked by now", CheckID: "CFL-BOT-001", Plan: "pro", Live: map[string]string{config: `{"sbfm_definitely_automated": "block"}`}},
		{Name: "not returned", CheckID: "CFL-BOT-001", Plan: "pro", Live: map[string]string{config: `{}`}, Refused: "could not be put back"},
		{Name: "enterprise", CheckID: "CFL-BOT-001", Refused: "bot score"},
		{Name: "off", CheckID: "CFL-BOT-002", Live: map[string]string{config: `{"enable_js": false}`},
			Sends: []string{"PUT " + config + ` {"enable_js":true}`}},
		{Name: "disabled", CheckID: "CFL-BOT-003", Live: crawlers(`{"ai_bots_protection": "disabled"}`, "null"),
			Sends: []string{"PUT " + config + ` {"ai_bots_protection":"block"}`}},
		{Name: "not returned", CheckID: "CFL-BOT-003", Live: crawlers(`{}`, "null"), Refused: "could not be put back"},
		{Name: "a rule by now", CheckID: "CFL-BOT-003", Live: crawlers(`{"ai_bots_protection": "disabled"}`,
			`{"id": "r", "rules": [{"id": "a", "enabled": true, "expression": "http.user_agent contains \"GPTBot\""}]}`)},
		{Name: "training disallowed by now", CheckID: "CFL-BOT-003",
			Live: crawlers(`{"ai_bots_protection": "disabled", "ai_training": "disallow"}`, "null")},
		{Name: "robots.txt by now", CheckID: "CFL-BOT-003", Live: crawlers(`{"ai_bots_protection": "disabled", "is_robots_txt_managed": true}`,
			"null")},
		{Name: "allowed", CheckID: "CFL-BOT-004", Live: map[string]string{config: `{"sbfm_likely_automated": "allow"}`},
			Sends: []string{"PUT " + config + ` {"sbfm_likely_automated":"managed_challenge"}`}},
	})
}
