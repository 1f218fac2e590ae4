package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// rulesetsOf returns the API path of the rulesets to which an entrypoint ruleset belongs, and its
// phase; found is false for a source that is not an entrypoint ruleset.
func rulesetsOf(source snapshot.Named) (address, phase string, found bool) {
	scope, phase, found := strings.Cut(source.Source(), "/ruleset/")
	if scope == "account" {
		return "/accounts/{account_id}/rulesets", phase, found
	}
	return "/zones/{zone_id}/rulesets", phase, found
}

// editRules returns the call that changes the rules of an entrypoint ruleset with a jq program on
// their list.
func editRules(source snapshot.Named, program string) posture.Call {
	address, phase, found := rulesetsOf(source)
	if !found {
		return posture.Call{}
	}
	at := address + "/phases/" + phase + "/entrypoint"
	return posture.Call{Method: "PUT", Path: at, From: at, Body: "{rules: (.result.rules | " + program + ")}"}
}

// turnOff returns the call that disables one rule.
func turnOff(source snapshot.Named) posture.Call {
	return editRules(source, `map(if .id == "{id}" then .enabled = false else . end)`)
}

// firstRule returns the call that creates an entrypoint ruleset with one rule, given as JSON, if
// the list of rulesets has none; otherwise the zero Call.
func firstRule(source snapshot.Named, list []snapshot.RulesetInfo, rule string) posture.Call {
	address, phase, _ := rulesetsOf(source)
	kind := "zone"
	if strings.HasPrefix(address, "/accounts/") {
		kind = "root"
	}
	if slices.ContainsFunc(list, func(i snapshot.RulesetInfo) bool { return i.Kind == kind && i.Phase == phase }) {
		return posture.Call{}
	}
	return posture.Call{Method: "POST", Path: address,
		Body: `{"name": "default", "kind": "` + kind + `", "phase": "` + phase + `", "rules": [` + rule + `]}`}
}

// executing is a rule, as JSON, that runs a managed ruleset for all requests in log mode.
func executing(id string) string {
	return `{"action": "execute", "expression": "true", "action_parameters": {"id": "` + id + `", "overrides": {"action": "log"}}}`
}

// deployment returns the call that runs a managed ruleset for all requests: with the rules that
// already run it, or with a new one in log mode.
func deployment(id string) posture.Call {
	return editRules(snapshot.ZonePhaseManaged, `def runs: .action_parameters.id == "`+id+`"; if any(runs) then map(if runs then `+
		`.enabled = true | .expression = "true" | if .action_parameters.overrides.enabled == false then `+
		`.action_parameters.overrides = {action: "log"} else . end else . end) else . + [`+executing(id)+`] end`)
}

func deploymentTerraform(id string) string {
	return `# The resource holds all rules of the phase. A rule that runs this ruleset already keeps its overrides: log is for a new one.
resource "cloudflare_ruleset" "managed_rules" {
  zone_id = "{zone_id}"
  name    = "default"
  kind    = "zone"
  phase   = "http_request_firewall_managed"
  rules = [{
    action            = "execute"
    expression        = "true"
    enabled           = true
    action_parameters = { id = "` + id + `", overrides = { action = "log" } }
  }]
}`
}

// withoutOverrides returns the call that removes the overrides of a rule that disable managed rules
// or set them to log. The higher paranoia levels of OWASP are kept.
func withoutOverrides(source snapshot.Named) posture.Call {
	return editRules(source, `def off: .enabled == false or .action == "log"; map(if .id == "{id}" then .action_parameters.overrides |= (`+
		`if .enabled == false then del(.enabled) else . end | if .action == "log" then del(.action) else . end | `+
		`.categories = [.categories[]? | select((off | not) or (.category | test("^paranoia-level-[234]$")))] | `+
		`.rules = [.rules[]? | select(off | not)]) else . end)`)
}
