package token

import (
	"net/netip"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// sourceAddress judges from where tokens with write access can be used.
func sourceAddress() check.Check {
	return check.Check{
		ID: "CFL-TOK-005", Title: "Write tokens are bound to source addresses",
		Category: "token", Severity: posture.Medium, Resource: posture.ResourceToken, Scope: check.PerAccount,
		Why: "A token that only works from your own addresses is worth little when it is stolen.",
		Fix: "Add the addresses of the system that uses the token as its client IP filter.",
		Words: posture.Words{
			Problem: "API token {name} of this account writes from anywhere",
			Impact:  "Someone who copies the token from a log or a laptop can use it from any place.",
			Breaks:  "The system fails when its address changes, until the filter is updated.",
			Dashboard: "Manage Account › Account API Tokens, or My Profile › API Tokens for a token of a person: {name} › Edit › " +
				"Client IP Address Filtering: Is in, and the addresses.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/api/reference/permissions/"},
		Controls: check.Controls{
			check.Touches("cis 5.5", "Where a token may be used from is recorded with it."),
			check.Supports("soc2 CC6.6", "A stolen token is of no use outside."),
			check.Supports("pci 7.2.5", "Tokens work only from where the system stands."),
			check.Supports("nist PR.AA-05", "Permissions of tokens are bound to addresses."),
		},
		Aliases:  []string{"cnspec:api-tokens-ip-allowlist", "prowler:api_token_ip_restriction_enabled"},
		Needs:    []snapshot.Named{snapshot.AccountTokens, snapshot.UserTokens},
		Evaluate: evaluateSourceAddress,
	}
}

func sourceAddressExamples() []goodtest.Example {
	from := func(ranges ...string) func(*snapshot.Builder) {
		return addWriter(func(t *snapshot.Token) { t.SourceIPs = ranges })
	}
	return []goodtest.Example{
		statusUntold(), policiesUntold(), groupsUntold(),
		{Name: "a group without a name", Want: posture.Unknown, Resource: "t2",
			Edit: addWriter(func(t *snapshot.Token) { t.Policies[0].Groups, t.SourceIPs = []string{""}, nil })},
		{Name: "a group without a name, from one network", Want: posture.NotApplicable,
			Edit: goodtest.Edits(allOff(), addWriter(func(t *snapshot.Token) { t.Policies[0].Groups = []string{""} }))},
		{Name: "no token may write", Want: posture.NotApplicable},
		{Name: "many small ranges", Want: posture.Pass, Edit: from("45.60.0.0/16", "45.63.0.0/16", "8.8.4.4")},
		{Name: "wider than /16 in two halves", Want: posture.Warning, Resource: "t2", Edit: from("45.60.0.0/16", "45.61.0.0/16", "8.8.4.4")},
		{Name: "wider than /48 in parts", Want: posture.Warning, Resource: "t2",
			Edit: from("2001:4860:0::/48", "2001:4860:1:8000::/49", "2001:4860:1::/49")},
		{Name: "a small range", Want: posture.Pass, Resource: goodtest.Account, Edit: addWriter(nil)},
		{Name: "a single address", Want: posture.Pass, Edit: from("8.8.4.4", "2001:4860::1")},
		{Name: "exactly /16 and /48", Want: posture.Pass, Edit: from("45.60.0.0/16", "2001:4860:1::/48")},
		{Name: "no addresses", Want: posture.Fail, Resource: "t2", Edit: from()},
		{Name: "every address of version 4", Want: posture.Fail, Resource: "t2", Edit: from("8.8.4.4/32", "0.0.0.0/0")},
		{Name: "every address of version 6", Want: posture.Fail, Resource: "t2", Edit: from("::/0")},
		{Name: "every address of version 4 in two halves", Want: posture.Fail, Resource: "t2", Edit: from("0.0.0.0/1", "128.0.0.0/1")},
		{Name: "every address of version 6 that is in use", Want: posture.Fail, Resource: "t2", Edit: from("2000::/3")},
		{Name: "a quarter", Want: posture.Warning, Resource: "t2", Edit: from("64.0.0.0/2")},
		{Name: "an entry that is no range, and every address", Want: posture.Fail, Resource: "t2", Edit: from("office", "0.0.0.0/0")},
		{Name: "wider than /16", Want: posture.Warning, Resource: "t2", Edit: from("8.8.4.4/32", "45.0.0.0/15")},
		{Name: "wider than /48", Want: posture.Warning, Resource: "t2", Edit: from("2001:4860::/47")},
		{Name: "an entry that is no range", Want: posture.Unknown, Resource: "t2", Edit: from("office")},
		{Name: "a token that only reads may be used anywhere", Want: posture.NotApplicable,
			Edit: editUserTokens(func(t *snapshot.Token) { t.SourceIPs = nil })},
	}
}

func evaluateSourceAddress(v *check.View) check.Outcome {
	j := v.Judge()
	eachActive(v, j, func(k snapshot.Named, t snapshot.Token) {
		r, at := resource(t.ID, t.Name), "/"+t.ID+"/source_ips"
		if !mayWrite(t) {
			if nameless(t) && !bound(t.SourceIPs) {
				j.Unclear(r, noName)
			}
			return
		}
		wide, odd := "", ""
		for _, entry := range t.SourceIPs {
			p, err := parseRange(entry)
			least := 16
			if p.Addr().Is6() {
				least = 48
			}
			switch {
			case err != nil:
				odd = entry
			case p.Bits() < least:
				wide = entry
			case wide == "" && whole(netip.PrefixFrom(p.Addr(), least-1).Masked(), t.SourceIPs):
				wide = netip.PrefixFrom(p.Addr(), least-1).Masked().String()
			}
		}
		switch {
		case len(t.SourceIPs) == 0:
			j.Fail(r, "The token "+t.Name+" may write and can be used from any address.", check.Evidence(k, at, "no addresses",
				"the addresses of its user"))
		case mailauth.Share(ranges(t.SourceIPs)) >= 0.5:
			j.Fail(r, "The token "+t.Name+" may write and its list holds half of all addresses or more.",
				check.Evidence(k, at, strings.Join(t.SourceIPs, ", "), "the addresses of its user"))
		case wide != "":
			j.Warn(r, "The token "+t.Name+" may write and can be used from the wide range "+wide+".",
				check.Evidence(k, at, wide, "at most /16 or /48"))
		case odd != "":
			j.Unclear(r, "an entry of the token's address list is no address range")
		default:
			j.Pass()
		}
	})
	return j.Done("Every token that may write is bound to addresses.", "no active token may write")
}

// whole reports whether entries hold, together, every address of a range.
func whole(p netip.Prefix, entries []string) bool {
	var all []netip.Prefix
	for _, e := range entries {
		if q, err := parseRange(e); err == nil {
			all = append(all, q)
		}
	}
	return exposure.Covered(p, all)
}

// parseRange parses a range or a single address.
func parseRange(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}
