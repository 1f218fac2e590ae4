package account

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// twoFactor judges the account switch, or single sign-on in its place.
func twoFactor() check.Check {
	return check.Check{
		ID: "CFL-ACC-001", Title: "Two-factor login is enforced for the whole account",
		Category: "account", Severity: posture.Critical, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Without enforcement each member decides whether to use a second factor. One stolen password is then enough.",
		Fix: "Ask all members to set up a second factor, then turn enforcement on, or route every sign-in through your " +
			"identity provider.",
		Words: posture.Words{
			Problem:   "Two-factor authentication is not enforced for this account",
			Impact:    "Someone with one stolen password controls DNS, certificates and Workers of every zone that member may edit.",
			Breaks:    "Members without a second factor cannot open the account until they have set one up.",
			Dashboard: "Manage Account › Members › Settings › Enforce two-factor authentication: On.",
			Call: posture.Call{Method: "PUT", Path: "/accounts/{account_id}", From: "/accounts/{account_id}",
				Body: `.result | {id, name, type, settings: (.settings + {enforce_twofactor: true})}`},
			Terraform: `resource "cloudflare_account" "this" {
  name = "{name}"
  settings = {
    enforce_twofactor = true
  }
}`},
		References: []string{"https://developers.cloudflare.com/fundamentals/user-profiles/2fa/",
			"https://developers.cloudflare.com/fundamentals/manage-members/roles/"},
		Controls: check.Controls{
			check.Shows("cis 6.5", "The account refuses administrators without a second factor."),
			check.Shows("soc2 CC6.1", "The account's own login is protected beyond a password, for everyone."),
			check.Supports("pci 8.4.2", "It covers entrance through Cloudflare; other ways into the card environment are not seen."),
			check.Shows("pci 8.4.1", "Administration of the account that guards the card environment needs a second factor."),
			check.Shows("nist PR.AA-03", "Members authenticate with two factors because the account enforces it."),
		},
		Aliases: []string{"cnspec:enforce-two-factor", "cartography:cloudflare_account_2fa_not_enforced", "flareinspect:CFL-ACC-001"},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}", Risk: "high", Reversible: true,
			Body:    "the account object as read (id, name, type, settings) with settings.enforce_twofactor set to true",
			Inverse: "PUT the captured object with the old flag",
			Caution: "Members without a second factor, yourself included, are locked out at once. Not planned while an accepted " +
				"member has neither a second factor nor single sign-on (CFL-ACC-010).",
			Propose: proposeTwoFactor},
		Needs:    []snapshot.Named{snapshot.AccountList},
		Optional: []snapshot.Named{snapshot.AccountSSOConnectors, snapshot.AccountMembers},
		Evaluate: evaluateTwoFactor,
	}
}

func twoFactorExamples() []goodtest.Example {
	untold := goodtest.Edits(enforce(false), func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccountList, goodtest.Account, func(as *[]snapshot.Account) { (*as)[0].TwoFactorUntold = true })
	})
	return []goodtest.Example{
		{Name: "the switch is on", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "the switch is off, though every member has a factor", Want: posture.Fail, Resource: goodtest.Account, Edit: enforce(false)},
		{Name: "the connector is not verified", Want: posture.Fail, Edit: goodtest.Edits(enforce(false),
			connector("shop.example", true, "pending"))},
		{Name: "sign-on covers all members", Want: posture.Pass, Edit: goodtest.Edits(enforce(false),
			connector("Shop.example", true, "verified"))},
		{Name: "sign-on leaves a member out", Want: posture.Warning, Edit: goodtest.Edits(enforce(false),
			connector("shop.example", true, "verified"), members("m2", func(m *snapshot.Member) { m.EmailDomain = "agency.example" }))},
		{Name: "nobody knows whether the member whom sign-on leaves out accepted", Want: posture.Unknown, Edit: goodtest.Edits(enforce(false),
			connector("shop.example", true, "verified"), members("m2", func(m *snapshot.Member) {
				m.EmailDomain, m.Status = "agency.example", ""
			}))},
		{Name: "the switch is not told", Want: posture.Unknown, Edit: untold},
		{Name: "the switch is not told, and sign-on covers all members", Want: posture.Pass,
			Edit: goodtest.Edits(untold, connector("shop.example", true, "verified"))},
		{Name: "the switch is not told, and sign-on leaves a member out", Want: posture.Unknown, Edit: goodtest.Edits(untold,
			connector("shop.example", true, "verified"), members("m2", func(m *snapshot.Member) { m.EmailDomain = "agency.example" }))},
		{Name: "a refused member list is not an empty one", Want: posture.Unknown,
			Edit: goodtest.Edits(enforce(false), connector("shop.example", true, "verified"), goodtest.Denied(snapshot.AccountMembers))},
		{Name: "the connectors are not readable", Want: posture.Unknown, Edit: goodtest.Edits(enforce(false),
			goodtest.Denied(snapshot.AccountSSOConnectors))},
		{Name: "the switch is on and nothing else is readable", Want: posture.Pass,
			Edit: goodtest.Edits(goodtest.Denied(snapshot.AccountMembers), goodtest.Denied(snapshot.AccountSSOConnectors))},
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
	switchOff := check.Evidence(snapshot.AccountList, "/"+accounts[i].ID+"/enforce_twofactor", "false", "true")
	untold, state := accounts[i].TwoFactorUntold, "two-factor login is not enforced"
	if untold {
		state = "Cloudflare did not return whether two-factor login is enforced"
	}
	connectors, ok := check.ReadOptional(v, snapshot.AccountSSOConnectors)
	if !ok {
		return v.Unknown(state + "; whether an SSO connector replaces it is not known")
	}
	domains := inForce(connectors)
	switch {
	case len(domains) == 0 && untold:
		return v.Unknown(state + ", and no verified SSO connector replaces it")
	case len(domains) == 0:
		return v.Fail("The account does not demand a second factor and no verified SSO connector replaces it.", switchOff)
	}
	people, ok := check.ReadOptional(v, snapshot.AccountMembers)
	if !ok {
		return v.Unknown(state + "; whether the SSO connectors cover every member is not known")
	}
	accepted, outside, unsure := 0, []string{}, false
	for _, m := range people {
		d := strings.ToLower(m.EmailDomain)
		switch {
		case !m.HasUser:
		case m.Status == "accepted":
			accepted++
			if !domains[d] && !slices.Contains(outside, d) {
				outside = append(outside, d)
			}
		case mayBelong(m.Status):
			unsure = unsure || !domains[d]
		}
	}
	slices.Sort(outside)
	switch {
	case accepted == 0:
		return v.Unknown(state + " and the member list names no accepted member")
	case len(outside) > 0 && untold:
		return v.Unknown(state + ", and the SSO connectors leave out members of " + strings.Join(outside, ", "))
	case len(outside) > 0:
		return v.Warn("Two-factor login is not enforced and the SSO connectors leave out members of: "+strings.Join(outside, ", ")+".",
			switchOff, check.Evidence(snapshot.AccountMembers, "", strings.Join(outside, ", "), "only domains with a verified SSO connector"))
	case unsure:
		return v.Unknown(state + ", and Cloudflare did not say whether a member whom no SSO connector covers has accepted")
	}
	return v.Pass("A verified SSO connector covers the domain of every accepted member.")
}

// proposeTwoFactor turns the switch on. Members without a second factor are locked out at that
// moment, so every accepted member must have one, or sign in through the identity provider, as
// CFL-ACC-010 judges it.
func proposeTwoFactor(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/accounts/{account_id}")
	if err != nil {
		return nil, err
	}
	settings, reported := live["settings"].(map[string]any)
	if !reported {
		return nil, propose.Refuse("Cloudflare does not return the settings of the account, so they cannot be sent back whole.")
	}
	if propose.Flag(settings, "enforce_twofactor") {
		return nil, nil
	}
	if err := everybodyHasFactor(c); err != nil {
		return nil, err
	}
	captured := map[string]any{}
	for _, name := range []string{"id", "name", "type", "settings"} {
		captured[name] = live[name]
	}
	written, better := maps.Clone(captured), maps.Clone(settings)
	better["enforce_twofactor"] = true
	written["settings"] = better
	e := propose.Replace("PUT", place, place.Path, live, written, captured)
	e.Before = change.Encode(map[string]any{"settings": map[string]any{"enforce_twofactor": settings["enforce_twofactor"]}})
	e.After = change.Encode(map[string]any{"settings": map[string]any{"enforce_twofactor": true}})
	return []change.Edit{e}, nil
}

// everybodyHasFactor refuses if an accepted member would be locked out. It gives only a count, not
// the members' names.
func everybodyHasFactor(c *propose.Case) error {
	members, err := c.List(c.Path("/accounts/{account_id}/members"))
	if err != nil {
		return err
	}
	accepted, without := 0, []string{} // mail domains of those without
	for _, m := range members {
		user, person := m["user"].(map[string]any)
		if propose.Text(m, "status") != "accepted" || !person {
			continue
		}
		accepted++
		if propose.Flag(user, "two_factor_authentication_enabled") {
			continue
		}
		_, domain, _ := strings.Cut(cmp.Or(propose.Text(m, "email"), propose.Text(user, "email")), "@")
		without = append(without, strings.ToLower(domain))
	}
	switch {
	case accepted == 0:
		return propose.Refuse("The member list names no accepted member, so nobody can say who would be locked out.")
	case len(without) == 0:
		return nil
	}
	connectors, err := c.List(c.Path("/accounts/{account_id}/sso_connectors"))
	if err != nil {
		return err
	}
	for _, one := range connectors {
		if propose.Flag(one, "enabled") && propose.Member(one, "verification.status") == "verified" {
			covered := strings.ToLower(propose.Text(one, "email_domain"))
			without = slices.DeleteFunc(without, func(d string) bool { return d != "" && d == covered })
		}
	}
	if len(without) > 0 {
		return propose.Refuse("%s neither a second factor nor single sign-on and would be locked out at once; close CFL-ACC-010 first.",
			check.Count(len(without), "accepted member has", "accepted members have"))
	}
	return nil
}
