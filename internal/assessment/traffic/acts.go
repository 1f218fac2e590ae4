package traffic

import (
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Acts returns whether a firewall rule acts on requests that meet none of some conditions, which name tells apart: they meet the rule,
// and no earlier one ends them or keeps them from it. Of other rules only those are followed that may do so.
func Acts(phase string, source snapshot.Named, rule, name string, but ...expression.Expr) Aspect[truth.Value] {
	name = "acts " + phase + " " + source.Source() + " " + rule + " " + name
	return Aspect[truth.Value]{
		Name:  name,
		Needs: FirewallNeeds(),
		lanes: func(z *zone) []Lane[truth.Value] {
			if e := z.parse(z.only.condition); e != nil && len(but) > 0 {
				z.only.condition = name
				z.of.parsed[name] = expression.And{Terms: []expression.Expr{e, expression.Not{X: expression.Or{Terms: but}}}}
			}
			return actsLanes(z, phase, source, rule)
		},
	}
}

// Ending lists the conditions of the rules that end requests to a zone, or keep them from others, up to a phase of the firewall.
func (k Kept) Ending(snap *snapshot.Snapshot, of snapshot.Zone, phase string) (out []expression.Expr) {
	z := k.zone(snap, of)
	steps, _ := firewallSteps(z, phase)
	for _, s := range steps {
		if e := z.parse(s.text); e != nil && (s.mayEnd() || s.keeps(phase)) {
			out = append(out, e)
		}
	}
	return out
}

// BlockedNeeds lists the sources of Blocked.
func BlockedNeeds() []snapshot.Named {
	return needs(snapshot.ZoneRulesets, snapshot.ZonePhaseCustom, snapshot.AccountRulesets, snapshot.AccountPhaseCustom,
		snapshot.AccountRulesetCustom, snapshot.AccountLists, snapshot.AccountListItems)
}

// Blocked lists the conditions of custom rules that certainly end what meets them: those before any rule that keeps requests from others.
// all is false when some of the rules are not known.
func (k Kept) Blocked(snap *snapshot.Snapshot, of snapshot.Zone) (out []string, all bool) {
	z := k.zone(snap, of)
	steps, doubts := firewallSteps(z, CustomRules)
	for _, s := range steps {
		switch {
		case s.keeps(CustomRules):
			return out, len(doubts) == 0
		case s.ends() && z.parse(s.text) != nil:
			out = append(out, s.text)
		}
	}
	return out, len(doubts) == 0
}

// Ended follows requests like Firewall, as far as rules end them: its flows list no acts.
func Ended(phase string) Aspect[Flow] {
	return Aspect[Flow]{
		Name:  "ended in " + phase,
		Needs: FirewallNeeds(),
		lanes: func(z *zone) []Lane[Flow] {
			steps, doubts := firewallSteps(z, phase)
			return follow(z, phase, steps, doubts, func(Step) bool { return false }, func(a acting) Flow { return *a.Flow })
		},
	}
}

func actsLanes(z *zone, phase string, source snapshot.Named, rule string) []Lane[truth.Value] {
	steps, doubts := firewallSteps(z, phase)
	is := func(s Step) bool { return s.By.Rule == rule && s.By.Source.Source() == source.Source() }
	last := 0
	for i, s := range steps {
		if is(s) {
			last = i + 1
		}
	}
	return follow(z, phase, steps[:last], doubts, is, func(a acting) truth.Value { return a.acts })
}

// acting is the flow of requests so far, and whether the rule in question acted on them.
type acting struct {
	*Flow
	acts truth.Value
	key  string // of what decides about later rules
}

// follow takes requests through the rules that end them or keep them from others, and the one in question.
func follow[T any](z *zone, phase string, steps []Step, doubts []Doubt, is func(Step) bool, value func(acting) T) []Lane[T] {
	steps = slices.DeleteFunc(steps, func(s Step) bool { return !is(s) && !s.mayEnd() && !s.keeps(phase) })
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i] = s.text
	}
	return lanesOf(z, texts, anyKind, func(s *space) []state[T] {
		lanes := []state[acting]{{boxes: s.start(), value: acting{Flow: &Flow{Phase: phase, Doubts: doubts}}}}
		for i := range steps {
			key := func(a acting) string { return a.key }
			take := func(sure bool) func(acting) acting {
				return func(a acting) acting { return a.after(&steps[i], sure, is(steps[i])) }
			}
			lanes = apply(s, lanes, steps[i].text, take(true), take(false), key)
			for j, l := range lanes {
				if l.value.Ended {
					lanes[j].boxes = l.boxes[:1] // whatever their number: nothing happens to them any more
				}
			}
			lanes = joined(s, lanes, key)
		}
		out := make([]state[T], len(lanes))
		for i, l := range lanes {
			out[i] = state[T]{boxes: l.boxes, value: value(l.value)}
		}
		return out
	})
}

// after returns the flow after a rule that certainly (sure) or perhaps is met, which may be the one in question.
func (a acting) after(st *Step, sure, asked bool) acting {
	next := a.take(st, sure)
	if next == a.Flow {
		return a
	}
	if asked {
		a.acts = truth.Or(a.acts, truth.If(next.last.act.Sure, true))
	}
	next.last = nil
	a.Flow, a.key = next, fmt.Sprint(a.acts, next.Ended, next.maybeEnded, next.stopped, next.exceptions, next.kept())
	return a
}

// kept lists the phases that skip rules turn off, and whether they certainly do.
func (f *Flow) kept() map[string]bool {
	out := map[string]bool{}
	for name, by := range f.Skipped {
		out[name] = by.met()
	}
	return out
}

// keeps reports whether a skip rule may keep requests from a rule of a phase.
func (st *Step) keeps(phase string) bool {
	p := st.Rule.Params
	return st.Rule.Action == "skip" && (p.Ruleset == "current" || p.RestOfPhase() || len(p.Rulesets) > 0 ||
		slices.ContainsFunc(p.Phases, func(name string) bool { return order(name) <= order(phase) }))
}
