package waf

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// weight is how much a skip rule skips.
type weight int

// From a product with little effect, over some rules or a phase, to all managed rules.
const (
	oneProduct weight = iota
	somePhase
	allManaged
)

// spared lists the enabled rules that a skip rule of a ruleset keeps, whole or in part, from acting. It skips
// only what follows it (developers.cloudflare.com/ruleset-engine/managed-rulesets/create-exception/).
func spared(rules []snapshot.Rule, skip snapshot.Rule) (out []snapshot.Rule) {
	p := skip.Params
	for _, r := range rules[slices.IndexFunc(rules, func(r snapshot.Rule) bool { return r.ID == skip.ID })+1:] {
		named := r.Action == "execute" && (slices.Contains(p.Rulesets, r.Params.ExecuteID) || len(p.Rules[r.Params.ExecuteID]) > 0)
		if r.Enabled && r.Action != "skip" && r.Action != "log" && (named || p.Ruleset == "current" || p.RestOfPhase()) {
			out = append(out, r)
		}
	}
	return out
}

// idle reports whether a skip rule skips nothing, because nothing that it names follows it.
func idle(rules []snapshot.Rule, r snapshot.Rule) bool {
	p := r.Params
	return len(p.Phases)+len(p.Products) == 0 && (len(p.Rulesets)+len(p.Rules) > 0 || p.Ruleset == "current" || p.RestOfPhase()) &&
		len(spared(rules, r)) == 0
}

// managedPhase reports whether a source holds rules of the phase that runs managed rulesets.
func managedPhase(source snapshot.Named) bool {
	return source == snapshot.Named(snapshot.ZonePhaseManaged) || source == snapshot.Named(snapshot.AccountPhaseManaged)
}

// weigh returns how much a skip rule skips, and describes it
// (developers.cloudflare.com/waf/custom-rules/skip/options/,
// /waf/managed-rules/waf-exceptions/define-api/).
func weigh(p snapshot.RuleParams, managed bool) (weight, string) {
	switch {
	case slices.Contains(p.Phases, traffic.ManagedRules), managed && (p.Ruleset == "current" || p.RestOfPhase()):
		return allManaged, "all managed rules"
	case p.Ruleset == "current", p.RestOfPhase():
		return somePhase, "later custom rules"
	case len(p.Rulesets) > 0:
		return somePhase, "managed rulesets"
	case slices.Contains(p.Phases, traffic.RateLimits):
		return somePhase, "rate limits"
	case len(p.Phases) > 0:
		return somePhase, "Super Bot Fight Mode"
	case slices.Contains(p.Products, "zoneLockdown"):
		return somePhase, productNames(p.Products) // the only guard of the paths that it names
	case slices.Contains(p.Rules[snapshot.OWASPRulesetID], snapshot.OWASPScoreRuleID):
		return somePhase, "the OWASP Core Ruleset" // its score rule acts for all others
	case len(p.Rules) > 0:
		n := 0
		for _, rules := range p.Rules {
			n += len(rules)
		}
		if n > mostRuleOverrides {
			return somePhase, check.Count(n, "managed rule", "")
		}
		return oneProduct, "single managed rules"
	case len(p.Products) > 0:
		return oneProduct, productNames(p.Products)
	}
	return allManaged, "parts of the firewall"
}

// productNames returns the dashboard names of products, or only their number when there are more
// than two (developers.cloudflare.com/waf/custom-rules/skip/options/).
func productNames(ids []string) string {
	if len(ids) > 2 {
		return check.Count(len(ids), "security product", "")
	}
	names := map[string]string{"bic": "Browser Integrity Check", "hot": "Hotlink Protection", "rateLimit": "old rate limits",
		"waf": "the previous managed rules", "securityLevel": "the Security Level",
		"uaBlock": "User Agent Blocking", "zoneLockdown": "Zone Lockdown"}
	var out []string
	for _, id := range ids {
		out = append(out, cmp.Or(names[id], id))
	}
	return strings.Join(out, " and ")
}
