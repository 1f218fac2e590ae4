package network

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// prefix finds own prefixes whose registration is not valid
// (developers.cloudflare.com/byoip/troubleshooting/prefix-validation/ lists the states).
func prefix() check.Check {
	return check.Check{
		ID: "CFL-BYOIP-001", Title: "Own prefixes pass RPKI, IRR and ownership validation",
		Category: "magic", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Networks drop routes whose RPKI or IRR records do not match, and without a ROA anyone may announce the prefix unnoticed. " +
			"Cloudflare validates both, and the ownership.",
		Fix: "Correct the ROA, the route object or the validation token at your registry, then start the validation again.",
		Words: posture.Words{
			Problem:   "IP prefixes of this account fail their validation",
			Impact:    "Someone else can announce your addresses and get the traffic, or networks drop your own announcement.",
			Breaks:    "Nothing; check the ROA for other networks of yours that announce the prefix too.",
			Dashboard: "IP Addresses › BYOIP Prefixes › the prefix: see which validation fails, correct the record, then validate again.",
		},
		References: []string{"https://developers.cloudflare.com/byoip/troubleshooting/prefix-validation/",
			"https://developers.cloudflare.com/byoip/concepts/route-filtering-rpki/"},
		Controls: check.Controls{
			check.Supports("cis 12.2", "Own routes are secured by their registration."),
			check.Supports("soc2 CC6.6", "Traffic is not led away by a foreign announcement unnoticed."),
			check.Supports("nist PR.IR-01", "Routes of the network are protected."),
		},
		Needs:    []snapshot.Named{snapshot.IPPrefixes},
		Plans:    []string{"enterprise"},
		Evaluate: evaluatePrefix,
	}
}

func prefixes(all ...snapshot.IPPrefix) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.IPPrefixes, goodtest.Account, all) }
}

func ownPrefix(approved, irr, rpki, ownership string) snapshot.IPPrefix {
	return snapshot.IPPrefix{ID: "f1", CIDR: "203.0.113.0/24", Approved: approved, IRR: irr, RPKI: rpki, Ownership: ownership}
}

func prefixGood(b *snapshot.Builder) {
	prefixes(ownPrefix("V", "valid", "valid", "valid"))(b)
	snapshot.Put(b, snapshot.PrefixDelegations, "f1", []snapshot.PrefixDelegation{})
}

func prefixExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "valid", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "another ASN in the ROA", Want: posture.Fail, Resource: goodtest.Account,
			Edit: prefixes(ownPrefix("V", "valid", "mismatch_asn", "valid"))},
		{Name: "no route object", Want: posture.Fail, Edit: prefixes(ownPrefix("P", "missing", "valid", "valid"))},
		{Name: "the token is wrong", Want: posture.Fail, Edit: prefixes(ownPrefix("P", "valid", "valid", "invalid"))},
		{Name: "in capitals", Want: posture.Pass, Edit: prefixes(ownPrefix("V", "Valid", "VALID", "valid"))},
		{Name: "pending", Want: posture.Warning, Resource: goodtest.Account, Edit: prefixes(ownPrefix("P", "pending", "valid", "pending"))},
		{Name: "one state is not told", Want: posture.Unknown, Edit: prefixes(ownPrefix("V", "valid", "", "valid"))},
		{Name: "a state nobody knows", Want: posture.Unknown, Edit: prefixes(ownPrefix("V", "valid", "skipped", "valid"))},
		{Name: "one fails, another is not told", Want: posture.Fail, Edit: prefixes(ownPrefix("V", "", "invalid", "valid"))},
		{Name: "no prefix", Want: posture.NotApplicable, Edit: prefixes()},
		{Name: "another plan", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" })},
	}
}

func evaluatePrefix(v *check.View) check.Outcome {
	var t check.Tally
	for _, p := range check.Read(v, snapshot.IPPrefixes) {
		var bad, waiting []string
		unreported := ""
		for _, s := range []struct{ what, state string }{{"IRR", p.IRR}, {"RPKI", p.RPKI}, {"ownership", p.Ownership}} {
			switch state := strings.ToLower(s.state); {
			case state == "valid":
			case state == "pending":
				waiting = append(waiting, s.what+" pending")
			case state == "invalid" || state == "missing" || strings.HasPrefix(state, "mismatch"):
				bad = append(bad, s.what+" "+state)
			default:
				unreported = "Cloudflare does not tell the state of the " + s.what + " validation of " + p.CIDR
			}
		}
		row := check.Evidence(snapshot.IPPrefixes, "/"+p.ID, strings.Join(slices.Concat(bad, waiting), ", "), "valid")
		switch {
		case len(bad) > 0:
			t.Fail(p.CIDR, p.ID, row)
		case unreported != "":
			t.Unknown(unreported)
		case len(waiting) > 0:
			t.Warn(p.CIDR, p.ID, row)
		default:
			t.Pass()
		}
	}
	return t.Done(v, check.Said{None: "the account brought no addresses along", Fail: "A validation of these prefixes fails",
		Warn: "A validation of these prefixes is pending", Pass: "Every prefix passes its validations."})
}

// delegated finds own prefixes that other accounts may use. The owner of those accounts is not
// known, so a person has to decide.
func delegated() check.Check {
	return check.Check{
		ID: "CFL-BYOIP-002", Title: "Own prefixes are used by this account alone",
		Category: "magic", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A delegation lets another Cloudflare account serve hostnames and ports at addresses of your prefix. It stays until " +
			"somebody deletes it.",
		Fix: "Find out whose account each delegation names, then delete those that nobody needs.",
		Words: posture.Words{
			Problem:   "IP prefixes of this account are delegated to other accounts",
			Impact:    "Whoever has the other account serves what they like at your addresses, and your reputation bears it.",
			Breaks:    "What the other account serves at these addresses.",
			Dashboard: "IP Addresses › BYOIP Prefixes › the prefix › Edit › Delegations: delete what is not needed.",
		},
		References: []string{"https://developers.cloudflare.com/byoip/concepts/prefix-delegations/"},
		Controls: check.Controls{
			check.Supports("soc2 CC9.2", "Use of addresses by others is agreed on."),
			check.Supports("nist GV.SC-07", "What others may do with own addresses is watched."),
		},
		Needs:    []snapshot.Named{snapshot.IPPrefixes, snapshot.PrefixDelegations},
		Plans:    []string{"enterprise"},
		Evaluate: evaluateDelegated,
	}
}

func delegatedGood(b *snapshot.Builder) { prefixGood(b) }

func delegatedExamples() []goodtest.Example {
	to := func(account string, cidrs ...string) func(*snapshot.Builder) {
		var all []snapshot.PrefixDelegation
		for _, c := range cidrs {
			all = append(all, snapshot.PrefixDelegation{ID: c, CIDR: c, Account: account})
		}
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.PrefixDelegations, "f1", all) }
	}
	const other = "0123456789abcdef0123456789abcdef"
	return []goodtest.Example{
		{Name: "to nobody", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "all of it", Want: posture.Fail, Resource: goodtest.Account, Edit: to(other, "203.0.113.0/24")},
		{Name: "a part", Want: posture.Warning, Resource: goodtest.Account, Edit: to(other, "203.0.113.0/25")},
		{Name: "both halves", Want: posture.Fail, Edit: to(other, "203.0.113.0/25", "203.0.113.128/25")},
		{Name: "one half twice", Want: posture.Warning, Edit: to(other, "203.0.113.0/25", "203.0.113.0/26")},
		{Name: "to this account", Want: posture.Pass, Edit: to(goodtest.Account, "203.0.113.0/24")},
		{Name: "to whom is not told", Want: posture.Unknown, Edit: to("", "203.0.113.0/24")},
		{Name: "delegations of one prefix were not read", Want: posture.Unknown,
			Edit: prefixes(ownPrefix("V", "valid", "valid", "valid"), snapshot.IPPrefix{ID: "f2", CIDR: "198.51.100.0/24"})},
		{Name: "no prefix", Want: posture.NotApplicable, Edit: prefixes()},
		{Name: "another plan", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "pro" })},
	}
}

func evaluateDelegated(v *check.View) check.Outcome {
	var t check.Tally
	read := v.ItemsOf(snapshot.PrefixDelegations)
	for _, p := range check.Read(v, snapshot.IPPrefixes) {
		if !slices.Contains(read, p.ID) {
			t.Unknown("the delegations of " + p.CIDR + " were not read")
			continue
		}
		var parts, accounts []string
		for _, d := range check.ReadAt(v, snapshot.PrefixDelegations, p.ID) {
			switch {
			case d.Account == "":
				t.Unknown("Cloudflare does not tell to whom " + d.CIDR + " is delegated")
			case !strings.EqualFold(d.Account, v.Account().ID):
				parts, accounts = append(parts, d.CIDR), append(accounts, d.Account)
			}
		}
		slices.Sort(accounts)
		row := check.Evidence(snapshot.PrefixDelegations, "/"+p.ID, strings.Join(parts, ", ")+" to "+strings.Join(slices.Compact(accounts), ", "),
			"no delegation that nobody needs")
		switch {
		case len(parts) == 0:
			t.Pass()
		case covers(parts, p.CIDR):
			t.Fail(p.CIDR, p.ID, row)
		default:
			t.Warn(p.CIDR, p.ID, row)
		}
	}
	return t.Done(v, check.Said{None: "the account brought no addresses along", Fail: "These prefixes are delegated as a whole",
		Warn: "Parts of these prefixes are delegated", Pass: "No prefix is delegated to another account."})
}
