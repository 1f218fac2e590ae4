package account

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// memberFactor finds members who log in with only a password.
func memberFactor() check.Check {
	return check.Check{
		ID: "CFL-ACC-010", Title: "Every member has a second factor",
		Category: "account", Severity: posture.High, Resource: posture.ResourceMember, Scope: check.PerAccount,
		Why: "A member without a second factor is as safe as one password, and passwords leak.",
		Fix: "Ask the member to set up a security key or an authenticator app, or remove the member.",
		Words: posture.Words{
			Problem: "{name} can sign in to this account without a second factor",
			Impact:  "Someone who finds or guesses the password has every right of the member.",
			Breaks:  "A member who is removed loses access; one who enrols needs the second factor at each sign-in.",
			Dashboard: "Manage Account › Members: see who has two-factor authentication. Each member sets it up under My Profile › " +
				"Authentication.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/user-profiles/2fa/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Shows("cis 6.5", "Every administrator of the account has a second factor set up."),
			check.Supports("soc2 CC6.1", "A member's stolen password does not open the account."),
			check.Supports("pci 8.4.2", "Members use a second factor; other ways into the card environment are not seen here."),
			check.Shows("nist PR.AA-03", "Members authenticate with more than a password."),
		},
		Aliases: []string{"cnspec:members-have-two-factor", "cfsi:users-without-mfa", "cartography:member-without-mfa",
			"flareinspect:CFL-ACC-001"},
		Needs:    []snapshot.Named{snapshot.AccountMembers},
		Optional: []snapshot.Named{snapshot.AccountSSOConnectors},
		Evaluate: evaluateMemberFactor,
	}
}

func memberFactorExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "every member has a factor", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one member has none", Want: posture.Fail, Resource: "m2", Edit: members("m2", withoutFactor)},
		{Name: "sign-on of the domain replaces it", Want: posture.Pass, Edit: goodtest.Edits(members("m2", withoutFactor),
			connector("shop.example", true, "verified"))},
		{Name: "sign-on of another domain does not", Want: posture.Fail, Resource: "m2",
			Edit: goodtest.Edits(members("m2", withoutFactor), connector("other.example", true, "verified"))},
		{Name: "an invitation is open", Want: posture.Warning, Resource: "m2",
			Edit: members("m2", func(m *snapshot.Member) { m.TwoFactor, m.Status = false, "pending" })},
		{Name: "a declined invitation", Want: posture.Pass, Edit: members("m2",
			func(m *snapshot.Member) { m.TwoFactor, m.Status = false, "rejected" })},
		{Name: "sign-on of the domain is off", Want: posture.Fail, Resource: "m2", Edit: goodtest.Edits(members("m2", withoutFactor),
			connector("shop.example", false, "verified"))},
		{Name: "sign-on of the domain, in capitals", Want: posture.Pass, Edit: goodtest.Edits(members("m2", withoutFactor),
			connector("SHOP.example", true, "verified"))},
		{Name: "the connectors are not readable", Want: posture.Unknown, Resource: "m2",
			Edit: goodtest.Edits(members("m2", withoutFactor), goodtest.Denied(snapshot.AccountSSOConnectors))},
		{Name: "whether a member has one is not told", Want: posture.Unknown, Resource: "m2",
			Edit: members("m2", func(m *snapshot.Member) { m.TwoFactor, m.FactorUntold = false, true })},
		{Name: "it is not told, and sign-on of the domain replaces it", Want: posture.Pass, Edit: goodtest.Edits(members("m2",
			func(m *snapshot.Member) { m.TwoFactor, m.FactorUntold = false, true }), connector("shop.example", true, "verified"))},
		{Name: "nobody knows whether the member accepted", Want: posture.Unknown, Resource: "m2",
			Edit: members("m2", func(m *snapshot.Member) { m.TwoFactor, m.Status = false, "" })},
		{Name: "nobody knows whether a member with a factor accepted", Want: posture.Pass,
			Edit: members("m2", func(m *snapshot.Member) { m.Status = "" })},
		{Name: "a service identity", Want: posture.NotApplicable, Edit: members("", func(m *snapshot.Member) {
			m.TwoFactor, m.HasUser = false,
				false
		})},
	}
}

func withoutFactor(m *snapshot.Member) { m.TwoFactor = false }

func evaluateMemberFactor(v *check.View) check.Outcome {
	j := v.Judge()
	var domains map[string]bool
	known := false
	for _, m := range check.Read(v, snapshot.AccountMembers) {
		// An open invitation has no user yet; only an accepted member without one is a service
		// identity.
		if !m.HasUser && m.Status == "accepted" || m.Status == "rejected" {
			continue // someone who declined is not a member
		}
		if m.TwoFactor {
			j.Pass()
			continue
		}
		if domains == nil {
			connectors, ok := check.ReadOptional(v, snapshot.AccountSSOConnectors)
			domains, known = inForce(connectors), ok
		}
		r := posture.Resource{Type: posture.ResourceMember, ID: m.ID, Name: m.Email}
		seen := check.Evidence(snapshot.AccountMembers, "/"+m.ID+"/two_factor", "false", "true")
		switch {
		case domains[strings.ToLower(m.EmailDomain)]:
			j.Pass()
		case m.FactorUntold:
			j.Unclear(r, "Cloudflare did not return whether the member has a second factor")
		case !known:
			j.Unknown(r, "the member has no second factor; whether an SSO connector covers the domain is not known")
		case m.Status != "accepted" && m.Status != "pending":
			j.Unclear(r, "the member has no second factor; whether the invitation was accepted is not known")
		case m.Status == "accepted":
			j.Fail(r, m.Email+" has no second factor and no SSO connector covers the domain.", seen)
		default:
			j.Warn(r, m.Email+" (status pending) has no second factor and no SSO connector covers the domain.", seen)
		}
	}
	return j.Done("Every member has a second factor or signs on through the identity provider.",
		"the account has only service identities as members")
}
