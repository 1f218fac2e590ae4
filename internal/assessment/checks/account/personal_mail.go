package account

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// personalMail finds members who sign in with a mailbox at a public provider. If every member does,
// the account is a personal one.
func personalMail() check.Check {
	return check.Check{
		ID: "CFL-ACC-013", Title: "Members sign in with addresses of the organisation",
		Category: "account", Severity: posture.Medium, Resource: posture.ResourceMember, Scope: check.PerAccount,
		Why: "A mailbox at a public provider resets the password of its member. The organisation can neither protect nor close it, and " +
			"single sign-on does not cover its domain.",
		Fix: "Invite the person with an address of the organisation, then remove the member with the personal address.",
		Words: posture.Words{
			Problem:   "{name} is a member of this account with a personal mailbox",
			Impact:    "Someone who gets into that mailbox resets the password; a person who left keeps the access as long as nobody remembers it.",
			Breaks:    "The person signs in with another address; tokens of the old user end with its membership.",
			Dashboard: "Manage Account › Members › Invite: the address of the organisation; then {name} › Remove.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/manage-members/manage/"},
		Controls: check.Controls{
			check.Supports("cis 5.1", "Members are accounts that the organisation manages."),
			check.Supports("cis 6.2", "Access ends with the mailbox when somebody leaves."),
			check.Supports("soc2 CC6.2", "Members are registered with an identity of the organisation."),
			check.Supports("pci 8.2.5", "Access of people who left ends with their mailbox."),
			check.Supports("nist PR.AA-01", "Identities are managed by the organisation."),
		},
		Needs: []snapshot.Named{snapshot.AccountMembers},
		Evaluate: func(v *check.View) check.Outcome {
			present := slices.DeleteFunc(slices.Clone(check.Read(v, snapshot.AccountMembers)), func(m snapshot.Member) bool {
				return m.EmailDomain == "" || m.Status == "rejected" || !m.HasUser && m.Status == "accepted" // a service identity
			})
			personal := func(m snapshot.Member) bool {
				return exposure.PublicMail(snapshot.AccessRule{Kind: "email_domain", Value: m.EmailDomain}) &&
					!slices.ContainsFunc(v.Policy.OwnMailDomains, func(own string) bool { return strings.EqualFold(own, m.EmailDomain) })
			}
			own := slices.ContainsFunc(present, func(m snapshot.Member) bool { return !personal(m) })
			j := v.Judge()
			for _, m := range present {
				r := posture.Resource{Type: posture.ResourceMember, ID: m.ID, Name: m.Email}
				seen := check.Evidence(snapshot.AccountMembers, "/"+m.ID+"/email_domain", m.EmailDomain, "a domain of the organisation")
				switch {
				case !personal(m):
					j.Pass()
				case own:
					j.Fail(r, m.Email+" is a mailbox at a public provider, while others use addresses of the organisation.", seen)
				default:
					j.Warn(r, m.Email+" is a mailbox at a public provider, as that of every member.", seen)
				}
			}
			return j.Done("Every member signs in with an address of the organisation.", "the account has no member with a mail address")
		},
	}
}

func personalMailExamples() []goodtest.Example {
	at := func(id, domain string) func(*snapshot.Builder) {
		return members(id, func(m *snapshot.Member) { m.EmailDomain, m.Email = domain, "a•••@"+domain })
	}
	return []goodtest.Example{
		{Name: "own addresses", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a personal mailbox", Want: posture.Fail, Resource: "m2", Edit: at("m2", "gmail.com")},
		{Name: "an invitation to a personal mailbox", Want: posture.Fail, Edit: goodtest.Edits(at("m2", "outlook.com"),
			members("m2", func(m *snapshot.Member) { m.Status, m.HasUser = "pending", false }))},
		{Name: "in capitals", Want: posture.Fail, Edit: at("m2", "GMAIL.com")},
		{Name: "every member", Want: posture.Warning, Resource: "m1", Edit: at("", "gmail.com")},
		{Name: "a domain of ours, as declared", Want: posture.Pass, Edit: at("m2", "gmail.com"),
			Policy: func(p *policy.Policy) { p.OwnMailDomains = []string{"gmail.com"} }},
		{Name: "another company", Want: posture.Pass, Edit: at("m2", "agency.test")},
		{Name: "declined", Want: posture.Pass, Edit: goodtest.Edits(at("m2", "gmail.com"),
			members("m2", func(m *snapshot.Member) { m.Status = "rejected" }))},
		{Name: "no address", Want: posture.NotApplicable, Edit: at("", "")},
		{Name: "the members are not readable", Want: posture.Unknown, Edit: goodtest.Denied(snapshot.AccountMembers)},
	}
}
