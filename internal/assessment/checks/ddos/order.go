package ddos

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// grade is how far overrides weaken the protection.
type grade int

const (
	untouched grade = iota
	lowered
	removed
)

// override is what a rule sets for one managed rule, for a category of them, or for all.
type override struct {
	rule, category, action, sensitivity string
	enabled                             *bool
}

// overrides lists what a rule sets. What it sets for all managed rules comes first.
func overrides(o *snapshot.Overrides) []override {
	if o == nil {
		return nil
	}
	out := []override{{action: o.Action, sensitivity: o.Sensitivity, enabled: o.Enabled}}
	for _, c := range o.Categories {
		out = append(out, override{category: c.Category, action: c.Action, sensitivity: c.Sensitivity, enabled: c.Enabled})
	}
	for _, r := range o.Rules {
		out = append(out, override{rule: r.ID, action: r.Action, sensitivity: r.Sensitivity, enabled: r.Enabled})
	}
	return out
}

func (o override) empty() bool { return o.action == "" && o.sensitivity == "" && o.enabled == nil }

// weakens grades an override and shows what weakens.
func (o override) weakens() (g grade, observed string) {
	switch {
	case o.enabled != nil && !*o.enabled:
		return removed, "enabled false"
	case o.action == "log":
		return removed, "action log"
	case o.sensitivity == "eoff":
		return removed, "sensitivity_level eoff"
	case o.sensitivity == "low" || o.sensitivity == "medium":
		return lowered, "sensitivity_level " + o.sensitivity
	default:
		return untouched, ""
	}
}

// strange reports whether an override sets what Cloudflare does not publish, so that nobody knows whether it weakens.
func (o override) strange() bool {
	return !slices.Contains([]string{"", "default", "medium", "low", "eoff"}, o.sensitivity) ||
		!slices.Contains([]string{"", "block", "managed_challenge", "challenge", "js_challenge", "log", "ddos_dynamic",
			"force_connection_close"}, o.action)
}

// settles reports whether a rule decides about all attacks that the managed rules of an override find.
// A rule with a lower sensitivity leaves small attacks to the rules after it
// (developers.cloudflare.com/ddos-protection/managed-rulesets/http/http-overrides/). Which category a
// managed rule is in is not known, nor whether a rule without overrides decides anything.
func settles(by snapshot.Rule, of override) truth.Value {
	all := overrides(by.Params.Overrides)
	if len(all) == 0 {
		return truth.Undecided
	}
	var own override
	var groups []override
	for _, o := range all[1:] {
		switch {
		case o.rule == of.rule && o.category == of.category:
			own = o
		case of.rule != "" && o.rule == "":
			groups = append(groups, o)
		}
	}
	decides := func(group override) bool {
		sensitivity := cmp.Or(own.sensitivity, group.sensitivity, all[0].sensitivity, "default")
		return sensitivity == "default" && !(own.empty() && group.empty() && all[0].empty())
	}
	out := decides(override{})
	if slices.ContainsFunc(groups, func(g override) bool { return decides(g) != out }) {
		return truth.Undecided
	}
	return truth.Is(out)
}

// worst grades the overrides of an entrypoint ruleset and names the responsible rule. Protection is
// on by default; only overrides can weaken it, and of several for one managed rule the first decides
// that matches. An override for part of the traffic weakens, but takes nothing out of force.
func worst(entry snapshot.Ruleset, reach func(condition string, others []string) traffic.Coverage) (g grade,
	blamed, observed string, open bool) {
	rules := slices.DeleteFunc(slices.Clone(entry.Rules), func(r snapshot.Rule) bool { return !r.Enabled })
	parts := map[override][]string{} // for which requests all, a category or one of the managed rules are out of force
	for i, r := range rules {
		for _, o := range overrides(r.Params.Overrides) {
			now, seen := o.weakens()
			if now == untouched {
				open = open || o.strange()
				continue
			}
			// One that is essentially off leaves all but the largest floods to the rules after it, whatever its action.
			deaf := cmp.Or(o.sensitivity, r.Params.Overrides.Sensitivity) == "eoff"
			decides := o.action == "log" && !deaf || o.enabled != nil && !*o.enabled
			var surely, perhaps []string
			for j, other := range rules {
				if j == i || j > i && decides {
					continue // a rule after one that decides does not matter
				}
				switch settles(other, o) {
				case truth.Yes:
					surely = append(surely, other.Expression)
				case truth.Undecided:
					perhaps = append(perhaps, other.Expression)
				}
			}
			part := reach(r.Expression, slices.Concat(surely, perhaps))
			switch {
			case part.Some != truth.Yes:
				open = open || reach(r.Expression, surely).Some != truth.No
				continue
			case part.All != truth.Yes && now == removed:
				of := override{rule: o.rule, category: o.category}
				parts[of] = append(parts[of], "("+traffic.Except(r.Expression, slices.Concat(surely, perhaps))+")")
				if len(parts[of]) == 1 || reach(strings.Join(parts[of], " or "), nil).All != truth.Yes {
					now = lowered
				}
			case part.All != truth.Yes:
				now = lowered
			}
			if now > g {
				g, blamed, observed = now, r.ID, seen
			}
		}
	}
	return g, blamed, observed, open
}
