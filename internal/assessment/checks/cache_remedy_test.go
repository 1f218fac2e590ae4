package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestCacheRemedies(t *testing.T) {
	const phase = "/zones/{zone}/rulesets/phases/http_request_cache_settings/entrypoint"
	rule := func(r string) map[string]string {
		return map[string]string{phase: `{"id": "set", "rules": [{"id": "k0", "enabled": true}, ` + r + `]}`}
	}
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "the key is completed", CheckID: "CFL-CDA-002", ID: "k1",
			Live: rule(`{"id": "k1", "version": "3", "enabled": true, "action_parameters": {"cache": true, "cache_key": ` +
				`{"ignore_query_strings_order": true}}}`),
			Sends: []string{`PATCH /zones/{zone}/rulesets/set/rules/k1 {"action_parameters":{"cache":true,` +
				`"cache_key":{"cache_deception_armor":true,"ignore_query_strings_order":true}},"enabled":true,"id":"k1"}`}},
		{Name: "no key yet", CheckID: "CFL-CDA-002", ID: "k1", Live: rule(`{"id": "k1", "enabled": true, "action_parameters": {"cache": true}}`),
			Sends: []string{`PATCH /zones/{zone}/rulesets/set/rules/k1 {"action_parameters":{"cache":true,` +
				`"cache_key":{"cache_deception_armor":true}},"enabled":true,"id":"k1"}`}},
		{Name: "armoured by now", CheckID: "CFL-CDA-002", ID: "k1",
			Live: rule(`{"id": "k1", "enabled": true, "action_parameters": {"cache": true, "cache_key": {"cache_deception_armor": true}}}`)},
		{Name: "disabled by now", CheckID: "CFL-CDA-002", ID: "k1",
			Live: rule(`{"id": "k1", "enabled": false, "action_parameters": {"cache": true}}`)},
		{Name: "a page rule", CheckID: "CFL-CDA-002", ID: "p1", Refused: "page rule",
			Evidence: []posture.Evidence{{Source: "zone/page_rules", Pointer: "/p1/actions/cache_deception_armor"}}},
		{Name: "gone", CheckID: "CFL-CDA-002", ID: "k2", Live: rule(`{"id": "k1", "enabled": true, "action_parameters": {"cache": true}}`)},
		{Name: "no entry point any more", CheckID: "CFL-CDA-002", ID: "k1", Live: map[string]string{phase: "null"}},
	})
}
