package checks

import (
	"testing"

	"github.com/edgeposture/edgeposture/internal/assessment/check/checktest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestDDoSRemedies(t *testing.T) {
	const phase, rule = "/zones/{zone}/rulesets/phases/ddos_l7/entrypoint", "PATCH /zones/{zone}/rulesets/set/rules/"
	over := func(o string) map[string]string {
		return map[string]string{phase: `{"id": "set", "rules": [{"id": "d1", "enabled": true, "action_parameters": {"id": "x", "overrides": ` +
			o + `}}, {"id": "d2", "enabled": true, "action_parameters": {"id": "x"}}]}`}
	}
	checktest.Propose(t, All(), []checktest.Attempt{
		{Name: "only weak overrides", CheckID: "CFL-DDOS-001", Live: over(`{"action": "log", "sensitivity_level": "eoff"}`),
			Sends: []string{rule + `d1 {"action_parameters":{"id":"x"},"enabled":true,"id":"d1"}`}},
		{Name: "others stay", CheckID: "CFL-DDOS-001",
			Live: over(`{"sensitivity_level": "default", "categories": [{"category": "a", "enabled": false}], "rules": [{"id": "r1", "action": ` +
				`"block", "sensitivity_level": "low"}, {"id": "r2", "action": "managed_challenge"}]}`),
			Sends: []string{rule + `d1 {"action_parameters":{"id":"x","overrides":{"rules":[{"action":"block","id":"r1"},` +
				`{"action":"managed_challenge","id":"r2"}],"sensitivity_level":"default"}},"enabled":true,"id":"d1"}`}},
		{Name: "two rules", CheckID: "CFL-DDOS-001", Live: map[string]string{phase: `{"id": "set", "rules": [{"id": "d1", "enabled": true,
 "action_parameters": {"overrides": {"action": "log"}}},
			{"id": "d2", "enabled": true, "action_parameters": {"overrides": {"enabled": false}}}, {"id": "d3", "enabled": false,
 "action_parameters": {"overrides": {"enabled": false}}}]}`},
			Sends: []string{rule + `d1 {"action_parameters":{},"enabled":true,"id":"d1"}`,
				rule + `d2 {"action_parameters":{},"enabled":true,"id":"d2"}`}},
		{Name: "an override of the account", CheckID: "CFL-DDOS-001", Live: map[string]string{phase: "null"}, Refused: "of the account",
			Evidence: []posture.Evidence{{Source: "account/ruleset/ddos_l7", Pointer: "/rules/d1/action_parameters/overrides"}}},
		{Name: "gone by now", CheckID: "CFL-DDOS-001", Live: map[string]string{phase: "null"}},
		{Name: "stronger by now", CheckID: "CFL-DDOS-001", Live: over(`{"action": "block"}`)},
	})
}
