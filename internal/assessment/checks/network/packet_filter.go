package network

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// packetFilter looks for the final block in front of the account's own prefixes. The first rule
// that matches a packet decides.
func packetFilter() check.Check {
	return check.Check{
		ID: "CFL-MAGIC-001", Title: "Network firewall rules exist for own prefixes",
		Category: "magic", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Magic Transit announces your prefixes from Cloudflare. The packet filter there takes the place of the one " +
			"at your door.",
		Fix: "Write rules that allow what you serve, then a last rule that blocks everything else.",
		Words: posture.Words{
			Problem:   "Network Firewall of this account does not block by default",
			Impact:    "Anyone can send packets to every address and port of your prefixes, as far as DDoS protection lets them.",
			Breaks:    "Services that no allow rule names are no longer reached.",
			Dashboard: "Networking › Network Firewall › Custom policies: add the allow rules and a final block.",
		},
		References: []string{"https://developers.cloudflare.com/magic-firewall/"},
		Controls: check.Controls{
			check.Shows("cis 4.4", "A network firewall stands before the organisation's own prefixes."),
			check.Supports("cis 13.8", "Rules at the edge of the network block unwanted traffic."),
			check.Supports("soc2 CC6.6", "The boundary of the own network is protected."),
			check.Supports("pci 1.2.1", "A ruleset for inbound traffic exists; its standard is not seen."),
			check.Supports("pci 1.3.1", "Inbound traffic to own prefixes is limited by rules."),
			check.Shows("nist PR.IR-01", "The own network is protected from unauthorised traffic."),
		},
		Aliases:  []string{"flareinspect:CFL-MAGIC-001"},
		Needs:    []snapshot.Named{snapshot.AccountRulesets, snapshot.AccountPhaseMagic, snapshot.MagicGRE, snapshot.MagicIPsec},
		Plans:    []string{"enterprise"},
		Evaluate: evaluatePacketFilter,
	}
}

func packetFilterExamples() []goodtest.Example {
	rules := func(rs ...snapshot.Rule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccountPhaseMagic, goodtest.Account, func(r *snapshot.Ruleset) { r.Rules = rs })
		}
	}
	rule := func(action, text string) snapshot.Rule {
		return snapshot.Rule{ID: "r", Enabled: true, Action: action, Expression: text}
	}
	final, off, web := rule("block", "true"), rule("skip", "true"), rule("skip", "tcp.dstport in {443}")
	everything := off
	off.Enabled = false
	noEntry := func(b *snapshot.Builder) {
		b.Mark(snapshot.AccountPhaseMagic.Source(), snapshot.Skipped, "", "there is no entry point for the phase magic_transit")
	}
	noTunnel := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.MagicIPsec, goodtest.Account, []snapshot.IPsecTunnel{})
		snapshot.Put(b, snapshot.MagicGRE, goodtest.Account, []snapshot.GRETunnel{})
	}
	return []goodtest.Example{
		{Name: "allowed, then blocked", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "what follows the block is off", Want: posture.Pass, Edit: rules(final, off)},
		{Name: "whatever has a length is blocked", Want: posture.Pass, Edit: rules(web, rule("block", "ip.len >= 0"))},
		{Name: "whatever has a length is allowed", Want: posture.Fail, Edit: rules(rule("skip", "ip.len ge 0"), final)},
		{Name: "what is longer than some is blocked", Want: posture.Warning, Edit: rules(web, rule("block", "ip.len ge 600"))},
		{Name: "no entry point", Want: posture.Fail, Resource: goodtest.Account, Edit: noEntry},
		{Name: "no rule", Want: posture.Fail, Edit: rules()},
		{Name: "no enabled rule", Want: posture.Fail, Resource: goodtest.Account, Edit: rules(off)},
		{Name: "what follows the block is never asked", Want: posture.Pass, Edit: rules(final, web)},
		{Name: "everything is allowed before the block", Want: posture.Fail, Resource: goodtest.Account, Edit: rules(everything, final)},
		{Name: "everything is allowed at the end", Want: posture.Fail, Edit: rules(rule("block", "ip.src in {198.51.100.0/24}"), everything)},
		{Name: "everything is logged before the block", Want: posture.Pass, Edit: rules(rule("log", "true"), final)},
		{Name: "an allow rule nobody can read stands before the block", Want: posture.Unknown, Edit: rules(rule("skip", "???"), final)},
		{Name: "the last rule allows", Want: posture.Warning, Resource: goodtest.Account, Edit: rules(web)},
		{Name: "the last block is for some packets", Want: posture.Warning, Resource: goodtest.Account,
			Edit: rules(rule("block", "ip.src in {198.51.100.0/24}"))},
		{Name: "an expression nobody can read", Want: posture.Unknown, Resource: goodtest.Account, Edit: rules(rule("block", "???"))},
		{Name: "the block is in two parts", Want: posture.Pass, Edit: rules(web, rule("block", "ip.src in {198.51.100.0/24}"),
			rule("block", "not ip.src in {198.51.100.0/24}"))},
		{Name: "allowed is what is left of the block", Want: posture.Pass,
			Edit: rules(web, rule("block", "not tcp.dstport in {443}"))},
		{Name: "a block in two parts leaves some packets", Want: posture.Warning, Edit: rules(rule("block", "ip.src in {198.51.100.0/24}"),
			rule("block", "not ip.src in {198.51.100.0/23}"))},
		{Name: "a condition that every packet meets is allowed", Want: posture.Fail,
			Edit: rules(rule("skip", "ip.src in {198.51.100.0/24} or not ip.src in {198.51.100.0/24}"), final)},
		{Name: "a condition that every packet meets is blocked", Want: posture.Pass,
			Edit: rules(web, rule("block", "ip.ttl lt 10 or ip.ttl ge 10"))},
		{Name: "another ruleset runs before the block", Want: posture.Unknown, Edit: rules(rule("execute", "true"), final)},
		{Name: "another ruleset runs after the block", Want: posture.Pass, Edit: rules(final, rule("execute", "true"))},
		{Name: "another ruleset runs at the end", Want: posture.Unknown, Edit: rules(web, rule("execute", "true"))},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: goodtest.Edits(noEntry, noTunnel)},
		{Name: "not part of the plan", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.MagicIPsec.Source(),
				snapshot.NotEntitled, "", "")
		}},
		{Name: "another plan", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "business" })},
	}
}

func evaluatePacketFilter(v *check.View) check.Outcome {
	if len(check.Read(v, snapshot.MagicIPsec)) == 0 && len(check.Read(v, snapshot.MagicGRE)) == 0 {
		return v.NotApplicable("the account has no tunnel to a site")
	}
	var last snapshot.Rule
	unread := ""
	var before []string
	for _, r := range check.Read(v, snapshot.AccountPhaseMagic).Rules {
		if !r.Enabled || r.Action != "block" && r.Action != "skip" && r.Action != "execute" {
			continue // a log rule is not final
		}
		last = r
		part := traffic.Packets(r.Expression, nil)
		if part.Some == truth.No {
			continue
		}
		all := part.All
		if r.Action == "block" && all == truth.No { // it may be the last part of a block
			before = append(before, r.Expression)
			all = truth.Not(traffic.Packets("true", before).Some)
		} else if r.Action == "skip" {
			before = append(before, r.Expression)
		}
		if unread == "" && (all == truth.Undecided || r.Action == "execute") {
			unread = r.ID // the ruleset that it runs was not read
		}
		if all != truth.Yes || r.Action == "execute" {
			continue
		}
		seen := check.Evidence(snapshot.AccountPhaseMagic, "/rules/"+r.ID, r.Action+" "+r.Expression, "block true")
		switch {
		case unread != "":
			return v.Unknown("the rule " + unread + " comes first and its expression, or the ruleset that it runs, is not one this check can read")
		case r.Action == "skip":
			return v.Fail("The packet filter lets every packet pass that it did not block before.", seen)
		}
		return v.Pass("The packet filter blocks whatever it did not allow before.")
	}
	switch {
	case last.ID == "":
		return v.Fail("No packet filter stands before the account's own address space.", check.Evidence(snapshot.AccountPhaseMagic, "/rules",
			"no enabled rule", "allow rules and a final block"))
	case unread != "":
		return v.Unknown("the expression of the rule " + unread + ", or the ruleset that it runs, is not one this check can read")
	}
	return v.Warn("No rule of the packet filter blocks every packet that is left.", check.Evidence(snapshot.AccountPhaseMagic,
		"/rules/"+last.ID, last.Action+" "+last.Expression, "block true at the end"))
}
