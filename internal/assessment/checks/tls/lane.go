package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// lanesWith picks the lanes whose value surely satisfies a condition.
func lanesWith[T comparable](lanes []traffic.Lane[traffic.Value[T]], is func(T) bool) []traffic.Lane[traffic.Value[T]] {
	var out []traffic.Lane[traffic.Value[T]]
	for _, l := range lanes {
		if l.Value.Holds(is) == truth.Yes {
			out = append(out, l)
		}
	}
	return out
}

// doubt returns why it is not known whether the value of some lane satisfies a condition.
func doubt[T comparable](lanes []traffic.Lane[traffic.Value[T]], is func(T) bool) *traffic.Doubt {
	for _, l := range lanes {
		if l.Value.Holds(is) == truth.Undecided {
			return l.Value.Doubt
		}
	}
	return nil
}

// accountPhase is an example edit: the account has an entry point in a phase.
func accountPhase(phase string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.AccountRulesets, goodtest.Account, []snapshot.RulesetInfo{{ID: "root", Kind: "root", Phase: phase}})
	}
}

// configRule is an example rule that sets the TLS mode.
func configRule(id, expression, mode string) snapshot.Rule {
	return snapshot.Rule{ID: id, Enabled: true, Action: "set_config", Expression: expression,
		Params: snapshot.RuleParams{Config: &snapshot.ConfigParams{SSL: mode}}}
}

// configMode is an example edit: one rule that sets the TLS mode.
func configMode(expression, mode string) func(*snapshot.Builder) {
	return entryPoint(snapshot.ZonePhaseConfig, configRule("c1", expression, mode))
}

// pageRules is an example edit: the page rules of the zone.
func pageRules(all ...snapshot.PageRule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.ZonePageRules, goodtest.Zone, all) }
}

// target is an example edit: what all proxied names of the zone point at.
func target(kind, content string) func(*snapshot.Builder) {
	return goodtest.Edits(goodtest.OwnHosts, goodtest.EditRecords(func(r *snapshot.DNSRecord) {
		if r.Proxied {
			r.Type, r.Content = kind, content
		}
	}))
}
