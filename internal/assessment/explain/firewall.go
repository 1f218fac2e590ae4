package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func (w *walk) customRules() PhaseStep {
	return w.firewall(PhaseStep{Phase: traffic.CustomRules, Title: "WAF custom rules",
		sources: []snapshot.Named{snapshot.ZonePhaseCustom, snapshot.AccountPhaseCustom, snapshot.AccountRulesetCustom}},
		snapshot.ZonePhaseCustom, snapshot.AccountPhaseCustom)
}

func (w *walk) rateLimits() PhaseStep {
	return w.firewall(PhaseStep{Phase: traffic.RateLimits, Title: "Rate limiting rules",
		sources: []snapshot.Named{snapshot.ZonePhaseRate, snapshot.AccountPhaseRate}}, snapshot.ZonePhaseRate, snapshot.AccountPhaseRate)
}

func (w *walk) managedRules() PhaseStep {
	return w.firewall(PhaseStep{Phase: traffic.ManagedRules, Title: "WAF managed rules",
		sources: []snapshot.Named{snapshot.ZonePhaseManaged, snapshot.AccountPhaseManaged}},
		snapshot.ZonePhaseManaged, snapshot.AccountPhaseManaged)
}

// firewall follows one phase of the firewall.
func (w *walk) firewall(s PhaseStep, zone, account snapshot.Key[snapshot.Ruleset]) PhaseStep {
	switch {
	case w.allowed == nil:
	case w.byCountry && s.Phase == traffic.ManagedRules:
		return unclear(s, "what the managed rules do to a visitor whose country is let past the rules before them is not worked out here", "")
	default:
		s.By, s.Outcome = byOf(*w.allowed), Skipped
		s.Detail = sentenceStart(w.allowed.Name) + " lets the visitor past this phase."
		return s
	}
	lanes := traffic.Without(ask(w, traffic.Firewall(s.Phase)), endedBefore)
	if len(lanes) == 0 {
		return unclear(s, "no request of this kind reaches this phase", "")
	}
	first := w.flow(s, lanes[0].Value)
	for _, l := range lanes[1:] {
		switch next := w.flow(s, l.Value); {
		case next.Outcome == first.Outcome && next.Detail == first.Detail:
		case next.Outcome == Blocked && first.Outcome == Blocked: // blocked either way
			if !slices.Contains(first.Overrode, *next.By) {
				first.Overrode = append(first.Overrode, *next.By)
			}
		default:
			return unclear(s, fmt.Sprintf("it depends on %s: %s or %s", depends(lanes), inner(first.Detail), inner(next.Detail)), "")
		}
	}
	if first.Outcome == Passed && w.empty(zone) && (!w.zone.MayHave("enterprise") || w.empty(account)) {
		first.Outcome, first.Detail = NotConfigured, "There are no rules."
	}
	return first
}

// endedBefore reports whether an earlier phase certainly ends the request.
func endedBefore(f traffic.Flow) bool {
	return f.Ended && !slices.ContainsFunc(f.Acts, func(a traffic.Act) bool { return a.Phase == f.Phase })
}

func inner(detail string) string {
	return strings.TrimSuffix(strings.ToLower(detail[:1])+detail[1:], ".")
}

// empty reports whether an entrypoint ruleset certainly has no enabled rules.
func (w *walk) empty(key snapshot.Key[snapshot.Ruleset]) bool {
	set, unread := w.kept.Entry(w.snap, w.zone, key)
	return unread == nil && len(rules(set, key)) == 0
}

// flow describes what the rules of a phase do to the request: a rule that ends it, otherwise a
// challenge, otherwise what is skipped, otherwise the rules that act.
func (w *walk) flow(s PhaseStep, f traffic.Flow) PhaseStep {
	var acts []traffic.Act
	for _, a := range f.Acts {
		if a.Phase == f.Phase {
			acts = append(acts, a)
		}
	}
	last := func(is func(traffic.Act) bool) *traffic.Act {
		for i := len(acts) - 1; i >= 0; i-- {
			if is(acts[i]) {
				return &acts[i]
			}
		}
		return nil
	}
	skip, skipped := f.Skipped[f.Phase]
	unsure := last(func(a traffic.Act) bool { return !a.Sure })
	var challenge *traffic.Act // the first: only who solves it meets another
	if i := slices.IndexFunc(acts, func(a traffic.Act) bool { return strings.Contains(a.Rule.Action, "challenge") }); i >= 0 {
		challenge = &acts[i]
	}
	stop := last(func(a traffic.Act) bool { return a.Rule.Action == "skip" })
	run := last(func(a traffic.Act) bool { return a.Rule.Action == "execute" })
	act := last(func(traffic.Act) bool { return true })
	switch {
	case f.Ended && act != nil && act.Sure:
		s.By, s.Outcome, s.ends = byOf(act.By), Blocked, true
		s.Detail = ruleName(*act) + " blocks the request."
	case len(f.Doubts) > 0:
		return w.doubtful(s, f.Doubts[0])
	case unsure != nil:
		return unclear(s, "whether "+inner(ruleName(*unsure))+" takes the request cannot be told from here", "")
	case skipped && !skip.Sure:
		return unclear(s, "whether "+inner(ruleName(skip))+" skips this phase cannot be told from here", "")
	case skipped && skip.Phase != f.Phase:
		s.By, s.Outcome, s.Detail = byOf(skip.By), Skipped, ruleName(skip)+" skips this phase."
	case challenge != nil && f.Phase != traffic.RateLimits:
		s.By, s.Outcome, s.Detail = byOf(challenge.By), Challenged, ruleName(*challenge)+" asks the visitor for a challenge."
	case run != nil: // what exceptions leave
		s.By, s.Outcome, s.Detail = byOf(run.By), Applied, w.applied(f.Phase, acts)
	case stop != nil:
		s.By, s.Outcome, s.Detail = byOf(stop.By), Skipped, ruleName(*stop)+" skips "+skipsWhat(*stop)+"."
	case act != nil:
		s.By, s.Outcome, s.Detail = byOf(act.By), Applied, w.applied(f.Phase, acts)
	default:
		s.Outcome, s.Detail = Passed, "No rule takes the request."
	}
	for _, a := range acts {
		if by := byOf(a.By); s.By == nil || *by != *s.By {
			s.Overrode = append(s.Overrode, *by)
		}
	}
	return s
}

func ruleName(a traffic.Act) string {
	if a.By.Account {
		return "The rule " + a.By.Name + " of the account"
	}
	return "The rule " + a.By.Name
}

// skipsWhat names what a skip rule turns off.
func skipsWhat(a traffic.Act) string {
	p := a.Rule.Params
	var out []string
	for _, name := range p.Phases {
		title := name
		for _, phase := range traffic.Phases() {
			if phase.Name == name {
				title = phase.Title
			}
		}
		out = append(out, title)
	}
	out = append(out, p.Products...)
	if p.Ruleset == "current" || p.RestOfPhase() {
		out = append(out, "the rules after it")
	}
	if len(p.Rulesets) > 0 {
		out = append(out, "managed rulesets")
	}
	if len(p.Rules) > 0 {
		out = append(out, "single managed rules")
	}
	if len(out) == 0 {
		return "nothing"
	}
	return list(out)
}

// applied describes what the rules do that let the request continue.
func (w *walk) applied(phase string, acts []traffic.Act) string {
	var out []string
	for _, a := range acts {
		name := inner(ruleName(a))
		switch l := a.Rule.Limit; {
		case phase == traffic.RateLimits && l != nil && l.Requests > 0:
			out = append(out, fmt.Sprintf("%s takes action %s on more than %d requests in %d seconds", name, a.Rule.Action, l.Requests, l.Period))
		case phase == traffic.RateLimits:
			out = append(out, name+" limits the rate")
		case a.Rule.Action == "execute":
			out = append(out, name+runs(a.Rule.Params.Overrides))
		case a.Rule.Action == "log":
			out = append(out, name+" logs the request")
		case a.Rule.Action == "skip":
			out = append(out, name+" skips "+skipsWhat(a))
		default:
			out = append(out, fmt.Sprintf("%s takes action %s", name, a.Rule.Action))
		}
	}
	return sentence(list(slices.Compact(out)))
}

// runs describes what a rule does that executes a ruleset.
func runs(o *snapshot.Overrides) string {
	on := func(enabled *bool) bool { return enabled != nil && *enabled }
	switch {
	case o == nil:
	case o.Enabled != nil && !*o.Enabled:
		if !slices.ContainsFunc(o.Rules, func(r snapshot.RuleOverride) bool { return on(r.Enabled) }) &&
			!slices.ContainsFunc(o.Categories, func(c snapshot.CategoryOverride) bool { return on(c.Enabled) }) {
			return " runs a managed ruleset of which every rule is off"
		}
		return " runs a managed ruleset of which most rules are off"
	case o.Action == "log":
		return " runs a managed ruleset that only logs, unless an override of a rule says otherwise"
	case o.Action != "" || len(o.Rules)+len(o.Categories) > 0:
		return " runs a managed ruleset with overrides"
	}
	return " runs a managed ruleset"
}

// addresses are the IP Access rules. Only those that allow are read; they take precedence over the
// others and let the visitor skip the firewall; an allow by country leaves the managed rules in
// force (developers.cloudflare.com/waf/tools/ip-access-rules/actions/).
func (w *walk) addresses() PhaseStep {
	s := PhaseStep{Phase: "ip_access_rules", Title: "IP Access rules", sources: []snapshot.Named{snapshot.ZoneIPAccessRules,
		snapshot.AccountIPAccessRules}}
	var all []taken
	var of []snapshot.IPAccessRule
	for _, k := range []snapshot.Key[[]snapshot.IPAccessRule]{snapshot.AccountIPAccessRules, snapshot.ZoneIPAccessRules} {
		some, unread := read(w, k)
		if unread != nil {
			return w.doubtful(s, *unread)
		}
		for _, r := range some {
			condition := addressCondition(r)
			if condition == "" {
				continue
			}
			all = append(all, taken{condition: condition, by: traffic.By{Source: k, Pointer: "/" + r.ID, Rule: r.ID,
				Name: "the IP Access rule for " + r.Value, Account: snapshot.LevelOf(k.Source()) != snapshot.LevelZone}})
			of = append(of, r)
		}
	}
	hits, s, done := w.phase(s, all, nil)
	switch {
	case done && s.Outcome != Unclear:
		return unclear(s, "no rule lets the visitor past the firewall; rules that block or challenge are not read", "")
	case done:
		return s
	}
	s.By = byOf(hits[0].by)
	s.Overrode = overrides(hits[1:])
	s.Outcome, s.Detail = Applied, sentenceStart(hits[0].by.Name)+" lets the visitor past the firewall."
	w.allowed, w.byCountry = &hits[0].by, !slices.ContainsFunc(hits, func(t taken) bool { return of[t.at].Target != "country" })
	return s
}

func addressCondition(r snapshot.IPAccessRule) string {
	switch r.Target {
	case "ip", "ip6", "ip_range":
		return "ip.src in {" + r.Value + "}"
	case "country":
		return "ip.src.country eq " + quote(r.Value)
	case "asn":
		return "ip.src.asnum eq " + strings.TrimPrefix(strings.ToUpper(r.Value), "AS")
	default:
		return ""
	}
}

// bots is Bot Fight Mode or Super Bot Fight Mode.
func (w *walk) bots() PhaseStep {
	s := PhaseStep{Phase: "http_request_sbfm", Title: "Bot Fight Mode", sources: []snapshot.Named{snapshot.ZoneBotManagement}}
	b, unread := read(w, snapshot.ZoneBotManagement)
	if unread != nil {
		return w.doubtful(s, *unread)
	}
	s.By = byOf(traffic.By{Source: snapshot.ZoneBotManagement, Pointer: "/fight_mode", Name: "the bot settings of the zone"})
	s.Values = map[string]string{}
	for k, v := range map[string]string{"definitely_automated": b.DefinitelyAutomated, "likely_automated": b.LikelyAutomated,
		"verified_bots": b.VerifiedBots, "ai_bots": b.AIBots} {
		if v != "" {
			s.Values[k] = v
		}
	}
	fights := b.FightMode != nil && *b.FightMode
	for _, v := range []string{b.DefinitelyAutomated, b.LikelyAutomated, b.VerifiedBots} {
		fights = fights || v == "block" || v == "managed_challenge" || v == "js_challenge"
	}
	switch {
	case fights:
	case b.AIBots == "block":
		s.Outcome, s.Detail = Applied, "Crawlers that collect data for AI are blocked; others go on."
		return s
	case b.AIBots == "only_on_ad_pages":
		s.Outcome, s.Detail = Applied, "Crawlers that collect data for AI are blocked on pages with advertisements; others go on."
		return s
	default:
		s.By, s.Outcome, s.Detail = nil, NotConfigured, "Automated visitors are neither challenged nor blocked."
		return s
	}
	lanes := ask(w, traffic.Firewall(traffic.ManagedRules))
	if len(lanes) == 1 && b.FightMode == nil {
		if skip, ok := lanes[0].Value.Skipped[s.Phase]; ok && skip.Sure {
			s.By, s.Outcome, s.Detail = byOf(skip.By), Skipped, ruleName(skip)+" skips this phase."
			return s
		}
	}
	s.Outcome, s.Detail = Applied, "Visitors that look automated are challenged or blocked; others go on."
	return s
}
