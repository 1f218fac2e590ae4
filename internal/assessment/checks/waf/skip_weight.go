package waf

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// weight is how much a skip rule takes away.
type weight int

// From a product that stops little, over some rules or a phase, to all managed rules.
const (
	oneProduct weight = iota
	somePhase
	allManaged
)

// weigh tells what a skip rule takes away, in words, and how much that is
// (developers.cloudflare.com/waf/custom-rules/skip/options/, /waf/managed-rules/waf-exceptions/define-api/).
func weigh(p snapshot.RuleParams, managed bool) (weight, string) {
	switch {
	case slices.Contains(p.Phases, traffic.ManagedRules), slices.Contains(p.Products, "waf"),
		managed && (p.Ruleset == "current" || p.RestOfPhase()):
		return allManaged, "all managed rules"
	case p.Ruleset == "current", p.RestOfPhase():
		return somePhase, "later custom rules"
	case len(p.Rulesets) > 0:
		return somePhase, "managed rulesets"
	case slices.Contains(p.Phases, traffic.RateLimits):
		return somePhase, "rate limits"
	case len(p.Phases) > 0:
		return somePhase, "Super Bot Fight Mode"
	case len(p.Rules) > 0:
		return oneProduct, "single managed rules"
	case len(p.Products) > 0:
		return oneProduct, strings.Join(p.Products, ", ")
	}
	return allManaged, "parts of the firewall"
}
