package account

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// twoFactor judges the account switch, or a sign-on that replaces it.
func twoFactor() check.Check {
	return check.Check{
		ID: "CFL-ACC-001", Title: "Two-factor login is enforced for the whole account",
		Category: "account", Severity: posture.Critical, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why:        "A single stolen password gives full control of DNS, certificates and code when no second factor is demanded.",
		Fix:        "Turn enforcement on after telling members to enrol, or route every login through the company identity provider.",
		References: []string{"https://developers.cloudflare.com/fundamentals/user-profiles/2fa/", "https://developers.cloudflare.com/fundamentals/manage-members/roles/"},
		Controls:   posture.Controls{CIS: []string{"6.5"}, SOC2: []string{"CC6.1"}, PCI: []string{"8.4.2"}, NIST: []string{"PR.AA-03"}},
		Aliases:    []string{"cnspec:enforce-two-factor", "cartography:cloudflare_account_2fa_not_enforced", "flareinspect:CFL-ACC-001"},
		Remedy: &check.Remedy{Operation: "PUT /accounts/{account_id}", Risk: "high", Reversible: true,
			Body:    "the account object as read (id, name, type, settings) with settings.enforce_twofactor set to true",
			Inverse: "PUT the captured object with the old flag",
			Caution: "Members without a second factor are locked out at once; refuse unless CFL-ACC-010 passes for every accepted member, including the operator."},
		Needs:    []snapshot.Named{snapshot.AccountList},
		Optional: []snapshot.Named{snapshot.AccountSSOConnectors, snapshot.AccountMembers},
		Evaluate: evaluateTwoFactor,
		Examples: []check.Example{
			{Name: "the switch is on", Want: posture.Pass, Resource: check.GoodAccount},
			{Name: "the switch is off, though every member has a factor", Want: posture.Fail, Resource: check.GoodAccount, Edit: enforce(false)},
			{Name: "the connector is not verified", Want: posture.Fail, Edit: check.Edits(enforce(false), connector("shop.example", true, "pending"))},
			{Name: "sign-on covers all members", Want: posture.Pass, Edit: check.Edits(enforce(false), connector("Shop.example", true, "verified"))},
			{Name: "sign-on leaves a member out", Want: posture.Warning, Edit: check.Edits(enforce(false), connector("shop.example", true, "verified"),
				members("m2", func(m *snapshot.Member) { m.EmailDomain = "agency.example" }))},
			{Name: "a refused member list is not an empty one", Want: posture.Unknown,
				Edit: check.Edits(enforce(false), connector("shop.example", true, "verified"), denied(snapshot.AccountMembers))},
			{Name: "the connectors are not readable", Want: posture.Unknown, Edit: check.Edits(enforce(false), denied(snapshot.AccountSSOConnectors))},
			{Name: "the switch is on and nothing else is readable", Want: posture.Pass,
				Edit: check.Edits(denied(snapshot.AccountMembers), denied(snapshot.AccountSSOConnectors))},
		},
	}
}

func evaluateTwoFactor(v *check.View) check.Outcome {
	accounts := check.Read(v, snapshot.AccountList)
	i := slices.IndexFunc(accounts, func(a snapshot.Account) bool { return a.ID == v.Account().ID })
	if i < 0 {
		return v.Unknown("the account is missing from the account list")
	}
	if accounts[i].EnforceTwoFactor {
		return v.Pass("The account demands a second factor of every member.")
	}
	switchOff := check.Seen(snapshot.AccountList, "/"+accounts[i].ID+"/enforce_twofactor", "false", "true")
	connectors, ok := check.Maybe(v, snapshot.AccountSSOConnectors)
	if !ok {
		return v.Unknown("two-factor login is not enforced; whether a sign-on connector replaces it is not known")
	}
	domains := inForce(connectors)
	if len(domains) == 0 {
		return v.Fail("The account does not demand a second factor and no verified sign-on connector replaces it.", switchOff)
	}
	people, ok := check.Maybe(v, snapshot.AccountMembers)
	if !ok {
		return v.Unknown("two-factor login is not enforced; whether the sign-on connectors cover every member is not known")
	}
	accepted, outside := 0, []string{}
	for _, m := range people {
		if m.Status != "accepted" || !m.HasUser {
			continue
		}
		accepted++
		if d := strings.ToLower(m.EmailDomain); !domains[d] && !slices.Contains(outside, d) {
			outside = append(outside, d)
		}
	}
	slices.Sort(outside)
	switch {
	case accepted == 0:
		return v.Unknown("two-factor login is not enforced and the member list names no accepted member")
	case len(outside) > 0:
		return v.Warn("Two-factor login is not enforced and the sign-on connectors leave out members of: "+strings.Join(outside, ", ")+".", switchOff,
			check.Seen(snapshot.AccountMembers, "", strings.Join(outside, ", "), "only domains with a verified sign-on connector"))
	}
	return v.Pass("A verified sign-on connector covers the domain of every accepted member.")
}
