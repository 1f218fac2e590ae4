package waf

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// bypassLists judges the lists that skip rules trust.
func bypassLists() check.Check {
	custom, managed := snapshot.ZonePhaseCustom, snapshot.ZonePhaseManaged
	return check.Check{
		ID: "CFL-WAF-012", Title: "Lists used by bypass rules are narrow",
		Category: "waf", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A skip rule exempts every address on the list it names, and the list can grow without a change to the rule. " +
			"A wide range or a network operator on it stands for thousands of hosts that anyone can rent.",
		Fix: "Replace the wide entries by the exact addresses, with a comment on each, and keep a list of its own for " +
			"each rule.",
		Words: posture.Words{
			Problem:   "A list of this account opens the firewall for many addresses",
			Impact:    "Anyone with a server in the range sends requests that the skip rule exempts from the firewall.",
			Breaks:    "Partners whose address is no longer on the list are inspected like everyone.",
			Dashboard: "Manage Account › Configurations › Lists › the list › Edit: replace wide ranges and network operators.",
			Terraform: `resource "cloudflare_list" "partners" {
  account_id = "{account_id}"
  name       = var.list # with another name the list is deleted
  kind       = "ip"
  items = [{
    ip      = var.partner_address
    comment = "Who this is"
  }]
}`},
		References: []string{"https://developers.cloudflare.com/ruleset-engine/rulesets-api/", "Cloudflare docs: Lists"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "Lists that let traffic past the firewall are narrow."),
			check.Supports("soc2 CC6.6", "Exceptions at the boundary are narrow."),
			check.Touches("pci 1.2.7", "Broad lists are what a review looks for; this is not the review."),
			check.Supports("nist PR.IR-01", "Hardly anybody is let past the protection by a list."),
		},
		Needs: []snapshot.Named{snapshot.AccountRulesets, snapshot.ZoneRulesets, snapshot.AccountLists, snapshot.AccountListItems, custom,
			managed, snapshot.AccountPhaseCustom, snapshot.AccountPhaseManaged, snapshot.AccountRulesetCustom, snapshot.ZoneList},
		Optional: traffic.FirewallNeeds(),
		Evaluate: evaluateBypassLists,
	}
}

func bypassListsExamples() []goodtest.Example {
	custom := snapshot.ZonePhaseCustom
	skip := zoneRules(custom, rule("s", "skip", "ip.src in $office"))
	list := func(items ...snapshot.ListItem) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountLists, goodtest.Account, []snapshot.List{{ID: "l1", Name: "office", Kind: "ip"}})
			snapshot.Put(b, snapshot.AccountListItems, "l1", items)
		}
	}
	ip := func(text string) snapshot.ListItem { return snapshot.ListItem{ID: text, IP: text} }
	product, phase := rule("p", "skip", "ip.src in $office"), rule("p", "skip", "ip.src in $office")
	product.Params.Products, phase.Params.Phases = []string{"bic"}, []string{traffic.RateLimits}
	current := rule("p", "skip", `ip.src in $office and starts_with(http.request.uri.path, "/api/")`)
	current.Params.Ruleset = "current"
	deployed := execute("m1", snapshot.ManagedRulesetID, "true")
	return []goodtest.Example{
		{Name: "narrow", Want: posture.Pass, Resource: goodtest.Account,
			Edit: goodtest.Edits(skip, list(ip("45.60.10.0/24"), ip("2a00::/64"), ip("45.60.11.1")))},
		{Name: "a ruleset of the account does", Want: posture.Fail,
			Edit: goodtest.Edits(accountPhase(snapshot.AccountPhaseCustom, execute("e", "cr", "true")),
				customRuleset("cr", rule("s", "skip", "ip.src in $office")), list(ip("45.0.0.0/8")))},
		{Name: "a wide range", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(skip, list(ip("45.60.10.1"), ip("45.0.0.0/8")))},
		{Name: "a wide v6 range", Want: posture.Fail, Edit: goodtest.Edits(skip, list(ip("2a00::/31")))},
		{Name: "a network operator", Want: posture.Fail, Edit: goodtest.Edits(skip, list(snapshot.ListItem{ID: "a", ASN: 64500}))},
		{Name: "a range between", Want: posture.Warning, Resource: goodtest.Account, Edit: goodtest.Edits(skip, list(ip("45.60.0.0/20")))},
		{Name: "the account skips by the list", Want: posture.Fail,
			Edit: goodtest.Edits(accountPhase(snapshot.AccountPhaseCustom, rule("s", "skip", "ip.src in $office")), list(ip("45.0.0.0/8")))},
		{Name: "no skip rule names a list", Want: posture.NotApplicable, Edit: list(ip("45.0.0.0/8"))},
		{Name: "the skip rule is for a host of another zone", Want: posture.NotApplicable,
			Edit: goodtest.Edits(zoneRules(custom, rule("s", "skip", `http.host eq "other.example" and ip.src in $office`)),
				list(ip("45.0.0.0/8")))},
		{Name: "the account's skip rule is for a zone that is gone", Want: posture.NotApplicable,
			Edit: goodtest.Edits(accountPhase(snapshot.AccountPhaseCustom,
				rule("s", "skip", `cf.zone.name eq "gone.example" and ip.src in $office`)), list(ip("45.0.0.0/8")))},
		{Name: "one product is skipped", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneRules(custom, product), list(ip("45.0.0.0/8")))},
		{Name: "a phase is skipped", Want: posture.Fail, Edit: goodtest.Edits(zoneRules(custom, phase), list(ip("45.0.0.0/8")))},
		{Name: "one product is skipped, and by another rule everything", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(zoneRules(custom, product, rule("s", "skip", "ip.src in $office")), list(ip("45.0.0.0/8")))},
		{Name: "an exception of the managed rules names the list", Want: posture.Fail,
			Edit: goodtest.Edits(zoneRules(snapshot.ZonePhaseManaged, current, deployed), list(ip("45.0.0.0/8")))},
		{Name: "an exception behind all managed rules names the list", Want: posture.NotApplicable,
			Edit: goodtest.Edits(zoneRules(snapshot.ZonePhaseManaged, deployed, current), list(ip("45.0.0.0/8")))},
		{Name: "an exception of the account names the list", Want: posture.Fail,
			Edit: goodtest.Edits(accountPhase(snapshot.AccountPhaseManaged, current, deployed), list(ip("45.0.0.0/8")))},
		{Name: "the skip rule is for those who are not on the list", Want: posture.NotApplicable, Edit: goodtest.Edits(
			zoneRules(custom, rule("s", "skip", "ssl and not ip.src in $office")), list(ip("45.0.0.0/8")))},
		{Name: "the skip rule is not for those who are not on the list", Want: posture.Fail, Edit: goodtest.Edits(
			zoneRules(custom, rule("s", "skip", "not (ssl or not ip.src in $office)")), list(ip("45.0.0.0/8")))},
		{Name: "the skip rule is off", Want: posture.NotApplicable,
			Edit: goodtest.Edits(zoneRules(custom, goodtest.Off(rule("s", "skip", "ip.src in $office"))), list(ip("45.0.0.0/8")))},
		{Name: "a list that is not there", Want: posture.Unknown, Edit: zoneRules(custom, rule("s", "skip", "ip.src in $elsewhere"))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Edit: goodtest.Edits(zoneRules(custom, rule("s", "skip", "odd($office")),
			list(ip("45.60.10.1")))},
	}
}

func evaluateBypassLists(v *check.View) check.Outcome {
	names, readable := trustedLists(v)
	known := check.Read(v, snapshot.AccountLists)
	worst, blamed, missing := exposure.Narrow, "", ""
	for _, name := range names {
		i := slices.IndexFunc(known, func(l snapshot.List) bool { return l.Name == name })
		if i < 0 {
			missing = name
			continue
		}
		if width := widest(check.ReadAt(v, snapshot.AccountListItems, known[i].ID)); width > worst {
			worst, blamed = width, name
		}
	}
	seen := check.Evidence(snapshot.AccountListItems, "/"+blamed, "a wide range or a network operator",
		"ranges of /24 (v4) or /64 (v6) and narrower")
	switch {
	case worst >= exposure.Wide:
		return v.Fail("The list "+blamed+", which a skip rule exempts from the firewall, has a very wide range or a network operator on it.",
			seen)
	case worst == exposure.Middling:
		return v.Warn("The list "+blamed+", which a skip rule exempts from the firewall, has a range wider than /24 (IPv4) or /64 (IPv6).",
			seen).As(posture.Words{Problem: "A list of this account opens the firewall for a wide range"})
	case !readable:
		return v.Unknown("a skip rule that names a list could not be read")
	case missing != "":
		return v.Unknown("a skip rule names the list " + missing + ", which is not a list of the account")
	case len(names) == 0:
		return v.NotApplicable("no skip rule uses a list")
	}
	return v.Pass("Skip rules name %s, without a wide entry.", check.Count(len(names), "list", ""))
}

func widest(items []snapshot.ListItem) exposure.Width {
	worst := exposure.Narrow
	for _, item := range items {
		if item.ASN > 0 {
			return exposure.Wide
		}
		if p, err := netip.ParsePrefix(item.IP); err == nil {
			worst = max(worst, exposure.WidthOf(p))
		}
	}
	return worst
}

// trustedLists names the lists of all enabled skip rules; readable is false when a rule that seems
// to name one cannot be parsed.
func trustedLists(v *check.View) (names []string, readable bool) {
	readable = true
	look := func(source snapshot.Named, rules []snapshot.Rule, zones ...snapshot.Zone) {
		for _, r := range rules {
			if much, _ := weigh(r.Params, managedPhase(source)); !r.Enabled || r.Action != "skip" || much == oneProduct || idle(rules, r) {
				continue // skipping one product or single rules is no exemption from the firewall
			}
			if slices.ContainsFunc(zones, func(z snapshot.Zone) bool { return check.Reaches(v, z, r.Expression).Some == truth.No }) {
				continue // no request of the zone matches it
			}
			if len(zones) == 0 && nobodyMeets(v, r.Expression) {
				continue
			}
			e, err := expression.Parse(r.Expression)
			if err != nil {
				readable = readable && !strings.Contains(r.Expression, "$")
				continue
			}
			names = append(names, listsIn(e)...)
		}
	}
	for _, z := range v.EveryZone() {
		look(snapshot.ZonePhaseCustom, check.ReadAt(v, snapshot.ZonePhaseCustom, z.ID).Rules, z)
		look(snapshot.ZonePhaseManaged, check.ReadAt(v, snapshot.ZonePhaseManaged, z.ID).Rules, z)
	}
	look(snapshot.AccountPhaseCustom, check.Read(v, snapshot.AccountPhaseCustom).Rules)
	look(snapshot.AccountPhaseManaged, check.Read(v, snapshot.AccountPhaseManaged).Rules)
	for _, id := range v.ItemsOf(snapshot.AccountRulesetCustom) {
		look(snapshot.AccountRulesetCustom, check.ReadAt(v, snapshot.AccountRulesetCustom, id).Rules)
	}
	slices.Sort(names)
	return slices.Compact(names), readable
}

func listsIn(e expression.Expr) []string {
	join := func(all ...[]string) []string { return slices.Concat(all...) }
	return expression.Fold(e, expression.Algebra[[]string]{And: join, Or: join, Leaf: func(e expression.Expr, negated bool) []string {
		if t, ok := e.(expression.Test); ok && !negated { // who is on a list that the rule leaves out is not exempt
			if list, ok := t.Right.(expression.List); ok {
				return []string{string(list)}
			}
		}
		return nil
	}})
}
