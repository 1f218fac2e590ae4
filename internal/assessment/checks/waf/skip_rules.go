package waf

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// skipRules judges who may bypass the firewall. Zones are judged one by one and the rules of the
// account once, so that an unreadable part does not affect the rest. Evidence never quotes an
// expression: the header a rule tests may be a shared secret.
func skipRules() check.Check {
	return check.Check{
		ID: "CFL-WAF-010", Title: "No skip rule opens the application to everyone",
		Category: "waf", Severity: posture.Critical, Resource: posture.ResourceRule, Scope: check.PerAccount,
		Why: "A skip rule lets the requests that it matches past the firewall. Headers, hosts and paths are chosen by the " +
			"sender; only an address list, a client certificate or a signed token limits who can use the exception.",
		Fix: "Limit the rule to an address list, a client certificate or a signed token, and to the shortest path, or " +
			"turn the rule off.",
		Words: posture.Words{
			Problem:   "Rule {name} lets anyone skip managed rules",
			Impact:    "Anyone who sends a request that the rule matches can attack the application past the managed rules.",
			Breaks:    "The integration that the rule was made for may be blocked.",
			Dashboard: "Security › Security rules › {name}: add a condition on the source, or turn the rule off.",
			Call:      turnOff(snapshot.ZonePhaseCustom),
		},
		References: []string{"https://developers.cloudflare.com/api/resources/rulesets/subresources/rules",
			"https://developers.cloudflare.com/waf/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "The firewall is not switched off for everybody."),
			check.Supports("cis 13.10", "The filter at the application layer has no skip that everyone meets."),
			check.Shows("soc2 CC6.6", "The boundary has no rule that lets all past."),
			check.Touches("pci 1.2.7", "Wide skips are what a review looks for; this is not the review."),
			check.Supports("pci 6.4.2", "The solution that blocks attacks is in force for everyone."),
			check.Supports("nist PR.IR-01", "No rule takes the protection from the application for everyone."),
		},
		Aliases: []string{"union:skip-rules-too-broad"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/rulesets/{ruleset_id}/rules/{rule_id}", Risk: "medium", Reversible: true,
			Body:    "the whole rule as read with enabled false",
			Inverse: "PATCH the captured rule with enabled true",
			Caution: "Traffic of the integration that needed it may be blocked; apply to one rule at a time.",
			Propose: proposeNoSkip},
		Needs:    []snapshot.Named{snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateSkipRules,
	}
}

// skipJudge holds what is needed to judge one rule.
type skipJudge struct {
	view *check.View
	out  *check.Judgement
}

func evaluateSkipRules(v *check.View) check.Outcome {
	s := skipJudge{view: v, out: v.Judge()}
	for _, z := range v.Zones() {
		for _, phase := range []snapshot.Key[snapshot.Ruleset]{snapshot.ZonePhaseCustom, snapshot.ZonePhaseManaged} {
			entry, ok := check.EntryPoint(v, snapshot.ZoneRulesets, phase, z.ID)
			if !ok {
				s.out.UnreadEntryPoint(zoneResource(z), snapshot.ZoneRulesets, phase, z.ID)
				break // one result per zone is enough
			}
			for i, r := range entry.Rules {
				switch {
				case !r.Enabled || r.Action != "skip":
				case idle(entry.Rules, r), check.Reaches(v, z, r.Expression).Some == truth.No:
					s.out.Pass() // no request of the zone matches it, or nothing that it names follows it
				default:
					s.judge(posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: r.Name(), ZoneID: z.ID, Zone: z.Name}, phase, r.Params,
						append(s.left(entry.Rules[:i]), r.Expression))
				}
			}
		}
	}
	enterprise := v.MayBeEnterprise()
	if enterprise || s.out.Judged() > 0 {
		s.account()
	}
	if s.out.Judged() == 0 && enterprise {
		return v.Pass("No enabled skip rule exists.")
	}
	return s.out.Done("No enabled skip rule lets just anyone past the firewall.",
		"no zone has an enabled skip rule and no zone has the enterprise plan")
}

// left lists what the rules before another one leave to it, where they block all but a few senders.
func (s skipJudge) left(rules []snapshot.Rule) (out []string) {
	for _, r := range rules {
		left := "not (" + r.Expression + ")"
		if e, err := expression.Parse(left); err == nil && r.Enabled && r.Action == "block" {
			g := grader{view: s.view}
			if worst, ok := readBranches(e, g.list).judge(); ok && worst != bad {
				out = append(out, left)
			}
		}
	}
	return out
}

// account judges the skip rules of the account: those of the entrypoint ruleset, and those of the
// rulesets it executes, combined with the conditions under which it executes them.
func (s skipJudge) account() {
	for _, phase := range []snapshot.Key[snapshot.Ruleset]{snapshot.AccountPhaseCustom, snapshot.AccountPhaseManaged} {
		entry, ok := check.EntryPoint(s.view, snapshot.AccountRulesets, phase, s.view.Account().ID)
		if !ok {
			s.out.UnreadEntryPoint(accountResource(s.view), snapshot.AccountRulesets, phase, s.view.Account().ID)
			return
		}
		s.accountPhase(phase, entry)
	}
}

func (s skipJudge) accountPhase(phase snapshot.Named, entry snapshot.Ruleset) {
	v := s.view
	var blind string
	done := map[string]bool{}
	for i, r := range entry.Rules {
		switch {
		case !r.Enabled:
		case r.Action == "skip" && (idle(entry.Rules, r) || nobodyMeets(v, r.Expression)):
			s.out.Pass()
		case r.Action == "skip":
			s.judge(posture.Resource{Type: posture.ResourceRule, ID: r.ID, Name: r.Name()}, phase, r.Params,
				append(s.left(entry.Rules[:i]), r.Expression))
		case r.Action == "execute" && phase == snapshot.Named(snapshot.AccountPhaseCustom) && !done[r.Params.ExecuteID]:
			done[r.Params.ExecuteID] = true
			inner, ok := check.ReadOptionalAt(v, snapshot.AccountRulesetCustom, r.Params.ExecuteID)
			if !ok {
				blind = r.Params.ExecuteID
				continue
			}
			for j, in := range inner.Rules {
				switch {
				case !in.Enabled || in.Action != "skip":
				case idle(inner.Rules, in) || nobodyMeets(v, in.Expression, executions(entry, r.Params.ExecuteID)...):
					s.out.Pass()
				default:
					s.judge(posture.Resource{Type: posture.ResourceRule, ID: in.ID, Name: in.Name()}, snapshot.AccountRulesetCustom, in.Params,
						append(s.left(inner.Rules[:j]), in.Expression), executions(entry, r.Params.ExecuteID)...)
				}
			}
		}
	}
	if blind != "" {
		s.out.Unread(accountResource(v), snapshot.AccountRulesetCustom, blind)
	}
}

// executions lists the conditions under which an entrypoint ruleset runs a ruleset.
func executions(entry snapshot.Ruleset, id string) []string {
	var out []string
	for _, r := range entry.Rules {
		if r.Enabled && r.Action == "execute" && r.Params.ExecuteID == id {
			out = append(out, r.Expression)
		}
	}
	return out
}

// judge grades one skip rule by what it skips and for whom. All conditions in all must hold, and
// one of oneOf if there are any.
func (s skipJudge) judge(r posture.Resource, source snapshot.Named, p snapshot.RuleParams, all []string, oneOf ...string) {
	if r.ZoneID == "" && !s.view.Enterprise() && s.view.MayBeEnterprise() {
		s.out.Unclear(r, noPlan)
		return
	}
	e, err := combine(all, oneOf)
	if err != nil {
		s.out.Unclear(r, "the expression of the rule could not be read: "+err.Error())
		return
	}
	g := grader{view: s.view}
	ways := readBranches(e, g.list)
	worst, ok := ways.judge()
	if worst != good || !ok {
		ways = readBranches(s.limited(r, source, all[len(all)-1], e, g.list), g.list)
		worst, ok = ways.judge()
	}
	much, what := weigh(p, managedPhase(source))
	narrow := ways.onPaths()
	seen := func(observed string) posture.Evidence {
		return check.Evidence(source, "/rules/"+r.ID+"/expression", observed,
			"an address, verified bot, client certificate or signed token, and a path")
	}
	words := func(problem string) posture.Words {
		call := turnOff(source)
		return posture.Words{Problem: problem, Call: call, ByHand: call.Method == "",
			Impact: "Anyone who sends a request that the rule matches gets past " + what + "."}
	}
	anyone := func(on string) string {
		return "The rule " + r.Name + " skips " + what + " for anyone, or for a very wide range of addresses" + on + "."
	}
	switch {
	case (worst != good || !ok) && !s.acts(r, source, all[len(all)-1], "at all"):
		s.out.Pass()
	case worst == bad && much == allManaged && !narrow:
		s.out.Fail(r, anyone(""), seen("no limit of the source, or only a wide one"))
		s.out.As(words("Rule {name} lets anyone skip " + what))
	case worst == bad && much == allManaged:
		s.out.Fail(r, anyone(", on some paths"), seen("no limit of the source, or only a wide one"))
		s.out.As(words("Rule {name} lets anyone skip " + what + " on some paths")).Rated(posture.High)
	case worst == bad && much == somePhase && !narrow:
		s.out.Fail(r, anyone(""), seen("no limit of the source, or only a wide one"))
		s.out.As(words("Rule {name} lets anyone skip " + what)).Rated(posture.High)
	case worst == bad && (much == somePhase || !narrow):
		s.out.Warn(r, anyone(on(narrow)), seen("no limit of the source"))
		s.out.As(words("Rule {name} lets anyone skip " + what + strings.TrimPrefix(on(narrow), ","))).Rated(posture.Low)
	case much == oneProduct:
		s.out.Pass()
	case !ok && g.source != nil:
		s.out.Unread(r, g.source, g.scope)
	case !ok:
		s.out.Unclear(r, "the expression of the rule reads a field or list whose meaning this check does not know")
	case worst == doubtful:
		s.out.Warn(r, "The rule "+r.Name+" skips "+what+" for a whole country or network, or on every path.",
			seen("a limit of the source or of the path is missing"))
		w := words("Rule {name} skips more of the firewall than an exception needs")
		w.Impact = "More senders, or requests to more paths, than the exception needs get past " + what + "."
		s.out.As(w).Rated(posture.Medium)
	default:
		s.out.Pass()
	}
}

func on(narrow bool) string {
	if narrow {
		return ", on some paths"
	}
	return ""
}

func combine(all, oneOf []string) (expression.Expr, error) {
	var must, either []expression.Expr
	for _, text := range all {
		e, err := expression.Parse(text)
		if err != nil {
			return nil, err
		}
		must = append(must, e)
	}
	for _, text := range oneOf {
		e, err := expression.Parse(text)
		if err != nil {
			return nil, err
		}
		either = append(either, e)
	}
	if len(either) > 0 {
		must = append(must, expression.Or{Terms: either})
	}
	return expression.And{Terms: must}, nil
}

// grader grades the lists that an expression names, and keeps the first one that could not be read.
type grader struct {
	view   *check.View
	source snapshot.Named
	scope  string
}

func (g *grader) list(name string) (limit, bool) {
	account := g.view.Account().ID
	known, ok := check.ReadOptionalAt(g.view, snapshot.AccountLists, account)
	if !ok {
		g.blame(snapshot.AccountLists, account)
		return unlimited, false
	}
	i := slices.IndexFunc(known, func(l snapshot.List) bool { return l.Name == name })
	if i < 0 {
		return unlimited, false // a list managed by the provider, or none
	}
	items, ok := check.ReadOptionalAt(g.view, snapshot.AccountListItems, known[i].ID)
	if !ok {
		g.blame(snapshot.AccountListItems, known[i].ID)
		return unlimited, false
	}
	return gradeItems(items), true
}

// gradeItems grades the contents of a list.
func gradeItems(items []snapshot.ListItem) limit {
	if mostAddresses(items) {
		return wideRange
	}
	for _, item := range items {
		if item.ASN > 0 {
			return wideList
		}
		if p, err := netip.ParsePrefix(item.IP); err == nil && exposure.WidthOf(p) >= exposure.Wide {
			return wideList
		}
	}
	return proven
}

// mostAddresses reports whether ranges hold half or more of the addresses of one kind. Of IPv6 only
// 2000::/3 is in use.
func mostAddresses(items []snapshot.ListItem) bool {
	var ranges []netip.Prefix
	for _, item := range items {
		if p, err := netip.ParsePrefix(item.IP); err == nil {
			ranges = append(ranges, p)
		}
	}
	v4, v6 := exposure.Share(ranges)
	return v4 >= 1.0/2 || v6 >= 1.0/16
}

func (g *grader) blame(k snapshot.Named, scope string) {
	if g.source == nil {
		g.source, g.scope = k, scope
	}
}
