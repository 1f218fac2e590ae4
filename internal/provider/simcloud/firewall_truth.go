package simcloud

import (
	"slices"
	"strings"
)

// firewallTruth returns the findings that result from a zone's rules once all plants are applied:
// plants that remove rules interact in many ways.
func (z *zone) firewallTruth() []Planted {
	var out []Planted
	add := func(check, result string) { out = append(out, Planted{check, "zone", z.id, result}) }
	if z.status != "active" || !slices.ContainsFunc(z.records, func(r record) bool { return r.Proxied }) {
		return nil
	}
	if z.plan != "free" {
		for check, id := range map[string]string{"CFL-WAF-006": managedRuleset, "CFL-WAF-007": owaspRuleset} {
			switch all, some := z.deployment(id); {
			case !some:
				add(check, failed)
			case !all:
				add(check, warning)
			}
		}
	}
	limits := z.rulesOf(phaseRateLimit)
	if entry := entrypointOf(z.rulesets, "zone", phaseRateLimit); entry != nil && len(entry.Rules) > 0 && !uses(limits, "login", false) {
		add("CFL-WAF-015", resultOf(uses(limits, "login", true)))
	}
	custom := z.rulesOf(phaseCustom)
	if z.leaked && !z.requestHeaders["add_waf_credential_check_status_header"] && !uses(custom, "credential_check", false) {
		add("CFL-LEAK-002", resultOf(uses(custom, "credential_check", true)))
	}
	if z.scan == "enabled" && !uses(custom, "malicious_obj", false) {
		add("CFL-WAF-025", warning)
	}
	return out
}

// resultOf returns a warning if there is at least a log rule.
func resultOf(logged bool) string {
	if logged {
		return warning
	}
	return failed
}

// rulesOf returns the enabled rules of a phase.
func (z *zone) rulesOf(phase string) []obj {
	entry := entrypointOf(z.rulesets, "zone", phase)
	if entry == nil {
		return nil
	}
	var out []obj
	for _, r := range entry.Rules {
		if r["enabled"] == true {
			out = append(out, r)
		}
	}
	return out
}

// uses reports whether an expression contains word, among the rules that log or among those that act.
func uses(rules []obj, word string, logs bool) bool {
	return slices.ContainsFunc(rules, func(r obj) bool {
		return r["action"] != "skip" && (r["action"] == "log") == logs && strings.Contains(asText(r["expression"]), word)
	})
}

// deployment reports whether the zone runs a ruleset on all or some of its traffic.
func (z *zone) deployment(id string) (all, some bool) {
	for _, r := range z.rulesOf(phaseManaged) {
		if executes(r, id) {
			all, some = all || r["expression"] == "true", true
		}
	}
	return all, some
}
