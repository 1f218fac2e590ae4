package traffic

import (
	"cmp"
	"maps"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Act is a rule that acts on the requests of a lane. When Sure is false it may or may not act. It is
// Late when the only doubt is whether an earlier rule ended the requests.
type Act struct {
	*Step
	Sure, Late bool
}

// met reports whether the rule certainly acts on all requests that no earlier rule ended.
func (a Act) met() bool { return a.Sure || a.Late }

// Step is one rule in the order in which rules are tried.
type Step struct {
	Phase string
	By    By
	Rule  *snapshot.Rule
	Expr  expression.Expr // nil when the expression cannot be parsed

	// rulesets are the ruleset of the rule and the one that executes it; text is the full
	// condition, including that of the executing rule.
	rulesets []string
	text     string
	place    int
}

// Flow is what the rules of one firewall phase do to the requests of a lane, account rules first.
// Rules after one that ends the request do not see it, and a skip rule turns off what it names;
// therefore Acts also has such rules of earlier phases.
type Flow struct {
	Phase string
	// Acts lists the rules that act, in order: skips, challenges, blocks, limits, managed rulesets
	// that run, logs. Of all traffic (Firewall without Of), skips that turn off only what is off
	// are left out: every set of such rules would be a lane of its own.
	Acts []Act
	// Ended is set when a rule certainly ends the request.
	Ended bool
	// Skipped maps the phases and products that skip rules turn off to the rule that does it; an
	// Act that is not Sure may skip it.
	Skipped map[string]Act
	Doubts  []Doubt

	brief      bool   // acts that change nothing are left out
	sign       uint64 // hash of the acts
	last       *taken // the last act; Acts is filled after all rules were tried
	maybeEnded bool
	stopped    map[string]bool // ruleset → stopped, certainly (true) or perhaps (false)
	exceptions map[string]bool // managed ruleset → the same
}

// taken is a linked list of acts, so that lanes can share a common start.
type taken struct {
	act    Act
	before *taken
	n      int
}

// Has reports whether an act of the phase satisfies a condition. When none does, rules that could
// not be read leave it undecided.
func (f Flow) Has(is func(Act) truth.Value) truth.Value {
	return f.has(is, func(a Act) bool { return a.Sure })
}

// Guards is Has for rules that protect: requests that an earlier rule perhaps ends need no
// protection, so they leave nothing undecided.
func (f Flow) Guards(is func(Act) truth.Value) truth.Value { return f.has(is, Act.met) }

func (f Flow) has(is func(Act) truth.Value, sure func(Act) bool) truth.Value {
	out := truth.No
	for _, a := range f.Acts {
		if a.Phase != f.Phase {
			continue
		}
		v := is(a)
		if v == truth.Yes && !sure(a) {
			v = truth.Undecided
		}
		out = truth.Or(out, v)
	}
	if out == truth.No && !f.Ended && len(f.Doubts) > 0 {
		return truth.Undecided
	}
	return out
}

// Blocks returns whether a rule ends or blocks the requests.
func (f Flow) Blocks() truth.Value {
	if f.Ended {
		return truth.Yes
	}
	return f.Has(func(a Act) truth.Value { return truth.Is(a.Rule.Action == "block") })
}

// Unread returns a failed read on which what rules do may depend, or nil.
func Unread(lanes []Lane[Flow]) *Doubt {
	for _, l := range lanes {
		if i := slices.IndexFunc(l.Value.Doubts, func(d Doubt) bool { return d.Source != nil }); i >= 0 {
			return &l.Value.Doubts[i]
		}
	}
	return nil
}

// Acting returns for how much of the traffic some rule of the phase satisfies a condition, which is
// evaluated once per rule.
func Acting(lanes []Lane[Flow], is func(Act) truth.Value) Coverage {
	is = once(is)
	return Cover(lanes, func(f Flow) truth.Value { return f.Has(is) })
}

// Guarding is Acting for rules that protect (Flow.Guards).
func Guarding(lanes []Lane[Flow], is func(Act) truth.Value) Coverage {
	is = once(is)
	return Cover(lanes, func(f Flow) truth.Value { return f.Guards(is) })
}

// once remembers the answer for each rule.
func once(is func(Act) truth.Value) func(Act) truth.Value {
	asked := map[*snapshot.Rule]truth.Value{}
	return func(a Act) truth.Value {
		v, known := asked[a.Rule]
		if !known {
			v = is(a)
			asked[a.Rule] = v
		}
		return v
	}
}

// Strangers is the condition for requests from addresses all over the internet, without a client certificate. What
// else a request has, such as a cookie or its country, anyone can choose.
const Strangers = "ip.src in {3.14.15.92 45.83.64.1 91.121.0.1 104.131.0.1 185.220.101.1 203.0.100.1 2a01:4f8::1} and " +
	"not cf.tls_client_auth.cert_verified"

// Reaching returns the lanes whose requests no rule certainly ends.
func Reaching(lanes []Lane[Flow]) []Lane[Flow] {
	return Without(lanes, func(f Flow) bool { return f.Ended })
}

// Firewall follows requests through the custom rules, the rate limits and the managed rules, up to
// and including the given phase (developers.cloudflare.com/waf/feature-interoperability/,
// /waf/custom-rules/skip/options/, /waf/managed-rules/waf-exceptions/).
func Firewall(phase string) Aspect[Flow] {
	return Aspect[Flow]{
		Name:  phase,
		Needs: FirewallNeeds(),
		lanes: func(z *zone) []Lane[Flow] { return firewallLanes(z, phase) },
	}
}

// FirewallNeeds lists the sources of Firewall for any phase.
func FirewallNeeds() []snapshot.Named {
	return needs(snapshot.ZoneRulesets, snapshot.ZonePhaseCustom, snapshot.ZonePhaseRate, snapshot.ZonePhaseManaged,
		snapshot.AccountRulesets, snapshot.AccountPhaseCustom, snapshot.AccountPhaseRate, snapshot.AccountPhaseManaged,
		snapshot.AccountRulesetCustom, snapshot.AccountLists, snapshot.AccountListItems)
}
func firewallLanes(z *zone, phase string) []Lane[Flow] {
	steps, doubts := firewallSteps(z, phase)
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i], steps[i].place = s.text, i
	}
	return lanesOf(z, texts, anyKind, func(s *space) []state[Flow] {
		lanes := []state[*Flow]{{boxes: s.start(), value: &Flow{Phase: phase, Doubts: doubts, brief: z.only == only{}}}}
		for i := range steps {
			lanes = apply(s, lanes, steps[i].text, func(f *Flow) *Flow { return f.take(&steps[i], true) },
				func(f *Flow) *Flow { return f.take(&steps[i], false) }, func(f *Flow) uint64 { return f.sign })
		}
		out := make([]state[Flow], len(lanes))
		for i, l := range lanes {
			out[i] = state[Flow]{boxes: l.boxes, value: l.value.listed()}
		}
		return out
	})
}

// firewallSteps lists the rules of the phases up to the last one in order, and what could not be
// read. Of the earlier phases only rules that end or skip something matter.
func firewallSteps(z *zone, last string) (steps []Step, doubts []Doubt) {
	for _, p := range []struct {
		name          string
		account, zone snapshot.Key[snapshot.Ruleset]
	}{
		{CustomRules, snapshot.AccountPhaseCustom, snapshot.ZonePhaseCustom},
		{RateLimits, snapshot.AccountPhaseRate, snapshot.ZonePhaseRate},
		{ManagedRules, snapshot.AccountPhaseManaged, snapshot.ZonePhaseManaged},
	} {
		if z.MayHave("enterprise") {
			rules, doubt := entry(z, snapshot.AccountRulesets, p.account)
			if !z.PlanKnown() && doubt == nil && slices.ContainsFunc(rules.Rules, func(r snapshot.Rule) bool { return r.Enabled }) {
				rules, doubt = snapshot.Ruleset{}, &Doubt{Why: "the account has rules for zones on the Enterprise plan, and the plan of the zone " +
					z.Name + " is not known"}
			}
			more, unread := z.steps(p.name, rules, p.account, "", true)
			steps, doubts = append(steps, more...), append(doubts, about(p.name, true, doubt, unread)...)
		}
		rules, doubt := entry(z, snapshot.ZoneRulesets, p.zone)
		more, unread := z.steps(p.name, rules, p.zone, "", false)
		steps, doubts = append(steps, more...), append(doubts, about(p.name, false, doubt, unread)...)
		if p.name == last {
			break
		}
	}
	return slices.DeleteFunc(steps, func(s Step) bool { return s.Phase != last && s.Rule.Action != "skip" && !s.mayEnd() }), doubts
}

// about adds one to more and marks all of them as doubts about a phase.
func about(phase string, account bool, one *Doubt, more []Doubt) []Doubt {
	if one != nil {
		more = append(more, *one)
	}
	for i := range more {
		more[i].phase, more[i].account = phase, account
	}
	return more
}

// steps lists the enabled rules of a ruleset and of the custom rulesets it executes.
func (z *zone) steps(phase string, rules snapshot.Ruleset, source snapshot.Named, outer string, account bool) (out []Step, doubts []Doubt) {
	ruleset := cmp.Or(rules.ID, source.Source())
	for i := range rules.Rules {
		r := &rules.Rules[i]
		if !r.Enabled {
			continue
		}
		text := r.Expression
		if outer != "" {
			text = "(" + outer + ") and (" + text + ")"
		}
		managed := phase == ManagedRules
		if r.Action == "execute" && !managed && outer == "" {
			inner, doubt := readAt(z, snapshot.AccountRulesetCustom, r.Params.ExecuteID)
			if doubt != nil {
				doubts = append(doubts, *doubt)
			}
			inner.ID = cmp.Or(inner.ID, r.Params.ExecuteID)
			more, unread := z.steps(phase, inner, snapshot.AccountRulesetCustom, r.Expression, account)
			for i := range more {
				more[i].rulesets = append(more[i].rulesets, ruleset)
			}
			out, doubts = append(out, more...), append(doubts, unread...)
			continue
		}
		out = append(out, Step{Phase: phase, rulesets: []string{ruleset}, text: text, Rule: r, Expr: z.parse(r.Expression),
			By: By{Source: source, Pointer: "/rules/" + r.ID, Rule: r.ID, Name: r.Name(), Account: account}})
	}
	return out, doubts
}

// take lets a rule act on a request that certainly (sure) or perhaps meets its condition.
func (f *Flow) take(st *Step, sure bool) *Flow {
	stopped := false
	for _, id := range st.rulesets {
		over, found := f.stopped[id]
		if over {
			return f
		}
		stopped = stopped || found
	}
	skip, skipped := f.Skipped[st.Phase]
	if f.Ended || skipped && skip.met() {
		return f
	}
	sure = sure && !stopped && !skipped && !f.unreadBefore(st.Phase)
	if st.Rule.Action == "execute" {
		except, excepted := f.exceptions[leveled(st.By, st.Rule.Params.ExecuteID)]
		if excepted && except {
			return f
		}
		sure = sure && !excepted
	}
	if f.brief && st.Rule.Action == "skip" && f.skips(st) {
		return f
	}
	act, next := Act{st, sure && !f.maybeEnded, sure && f.maybeEnded}, *f
	next.last, next.sign = &taken{act, f.last, 1}, f.signed(act)
	if f.last != nil {
		next.last.n += f.last.n
	}
	switch {
	case st.ends():
		next.Ended, next.maybeEnded = sure, !sure
	case st.strange():
		next.maybeEnded = true
		next.Doubts = append(slices.Clip(f.Doubts), Doubt{phase: st.Phase, account: st.By.Account,
			Why: "the rule " + st.Rule.Name() + " has an action that is not known here: " + st.Rule.Action})
	case st.Rule.Action == "skip":
		next.skip(act)
	}
	return &next
}

// ends reports whether the rule ends requests. A rate limit ends only those above the limit.
func (st *Step) ends() bool { return terminates(st.Rule.Action) && st.Phase != RateLimits }

// strange reports whether nobody knows what the rule does with requests.
func (st *Step) strange() bool { return !Stops(st.Rule.Action) && !passes(st.Rule.Action) }

func (st *Step) mayEnd() bool { return st.ends() || st.strange() }

// unreadBefore reports whether rules of an earlier phase, or account rules of the same phase, could
// not be read: they may skip or end what comes later.
func (f *Flow) unreadBefore(phase string) bool {
	return slices.ContainsFunc(f.Doubts, func(d Doubt) bool { return order(d.phase) < order(phase) || d.phase == phase && d.account })
}

// skip records what a skip rule turns off.
func (f *Flow) skip(act Act) {
	p := act.Rule.Params
	if p.Ruleset == "current" || p.RestOfPhase() {
		f.stopped = with(f.stopped, act.rulesets[0], f.stopped[act.rulesets[0]] || act.met())
	}
	for _, id := range p.Rulesets {
		key := leveled(act.By, id)
		f.exceptions = with(f.exceptions, key, f.exceptions[key] || act.met())
	}
	for _, name := range slices.Concat(p.Phases, p.Products) {
		if old, ok := f.Skipped[name]; !ok || !old.met() {
			f.Skipped = with(f.Skipped, name, act)
		}
	}
	if p.RestOfPhase() && !act.By.Account { // of the zone's rules only (developers.cloudflare.com/waf/custom-rules/skip/options/)
		f.Skipped = with(f.Skipped, act.Phase, act)
	}
}

// skips reports whether all that a skip rule turns off is certainly off.
func (f *Flow) skips(st *Step) bool {
	p := st.Rule.Params
	if p.Ruleset == "current" || p.RestOfPhase() || len(p.Rules) > 0 || len(p.Rulesets)+len(p.Phases)+len(p.Products) == 0 {
		return false // more than is named, single rules, or nothing known
	}
	return !slices.ContainsFunc(p.Rulesets, func(id string) bool { return !f.exceptions[leveled(st.By, id)] }) &&
		!slices.ContainsFunc(slices.Concat(p.Phases, p.Products), func(name string) bool { return !f.Skipped[name].met() })
}

// leveled names a ruleset at the level of a rule: an exception of the account skips no rule of the zone
// (developers.cloudflare.com/waf/managed-rulesets/waf-exceptions/).
func leveled(by By, id string) string {
	if by.Account {
		return "account " + id
	}
	return id
}

func with[V any](m map[string]V, k string, v V) map[string]V {
	out := maps.Clone(m)
	if out == nil {
		out = map[string]V{}
	}
	out[k] = v
	return out
}

// listed returns the flow with its acts in order.
func (f *Flow) listed() Flow {
	out := *f
	if out.last = nil; f.last != nil {
		out.Acts = make([]Act, f.last.n)
		for t := f.last; t != nil; t = t.before {
			out.Acts[t.n-1] = t.act
		}
	}
	return out
}

// signed returns the hash of a flow with one more act. The hash identifies a lane: everything else
// follows from which rules act, and whether they certainly do. The steps are mixed as in
// splitmix64.
func (f *Flow) signed(a Act) uint64 {
	which := uint64(a.place)*3 + 1
	switch {
	case a.Sure:
		which++
	case a.Late:
		which += 2
	}
	x := f.sign + which*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
