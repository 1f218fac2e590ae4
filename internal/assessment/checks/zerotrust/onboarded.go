package zerotrust

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// onboarded finds tunnels in an account that cannot require a login for them. A denied read of the
// organisation does not mean that there is none: it is UNKNOWN. A tunnel that has never run
// publishes nothing.
func onboarded() check.Check {
	return check.Check{
		ID: "CFL-ZT-027", Title: "Zero Trust is set up where private services are published",
		Category: "zerotrust", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Cloudflare Tunnel publishes private services on the internet. Only a Zero Trust organization can put an " +
			"Access login before them.",
		Fix: "Set up the Zero Trust organization, then create an Access application for each hostname of the tunnels.",
		Words: posture.Words{
			Problem:   "This account has tunnels and no Zero Trust organization",
			Impact:    "Anyone who finds a hostname of a tunnel reaches the private service behind it without a login.",
			Breaks:    "Nothing; an organization changes no traffic until an application is created.",
			Dashboard: "Zero Trust › Get started: choose a team name and a plan.",
			Terraform: `resource "cloudflare_zero_trust_organization" "team" {
  account_id  = "{account_id}"
  auth_domain = var.auth_domain
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/",
			"https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/"},
		Controls: check.Controls{
			check.Supports("cis 6.7", "Private services are published by an organisation that has sign-on at all."),
			check.Supports("soc2 CC6.1", "The software that restricts access is set up."),
			check.Supports("pci 8.3.1", "Users of private services can be asked to authenticate."),
			check.Supports("nist PR.AA-03", "Users of private services can authenticate."),
		},
		Aliases:  []string{"flareinspect:cf-account-001"},
		Needs:    []snapshot.Named{snapshot.Tunnels},
		Optional: []snapshot.Named{snapshot.AccessOrg},
		Evaluate: func(v *check.View) check.Outcome {
			tunnels := slices.DeleteFunc(slices.Clone(check.Read(v, snapshot.Tunnels)),
				func(t snapshot.Tunnel) bool { return t.Status == "inactive" })
			_, known := check.ReadOptional(v, snapshot.AccessOrg)
			switch {
			case len(tunnels) == 0:
				return v.NotApplicable("the account has no tunnel that was ever run")
			case !known:
				return v.Unknown("whether the account has a Zero Trust organization is not known")
			case slices.Contains([]snapshot.Status{snapshot.Absent, snapshot.NotEntitled}, v.StatusOf(snapshot.AccessOrg)):
				return v.Fail("The account has "+check.Count(len(tunnels), "tunnel", "")+" and no Zero Trust organization.",
					check.Evidence(snapshot.AccessOrg, "", "not found", "an organisation"))
			}
			return v.Pass("The account has a Zero Trust organization.")
		},
	}
}

func onboardedExamples() []goodtest.Example {
	none := func(b *snapshot.Builder) { snapshot.Put(b, snapshot.Tunnels, goodtest.Account, []snapshot.Tunnel{}) }
	status := func(s string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.Tunnels, goodtest.Account, func(ts *[]snapshot.Tunnel) { (*ts)[0].Status = s })
		}
	}
	return []goodtest.Example{
		{Name: "Zero Trust was never turned on", Want: posture.Fail, Resource: goodtest.Account,
			Edit: func(b *snapshot.Builder) { b.Mark(snapshot.AccessOrg.Source(), snapshot.NotEntitled, "", "") }},
		{Name: "a tunnel that is down", Want: posture.Fail, Edit: goodtest.Edits(unused, status("down"))},
		{Name: "a tunnel that was never run", Want: posture.NotApplicable, Edit: goodtest.Edits(unused, status("inactive"))},
		{Name: "an organisation", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a tunnel without an organisation", Want: posture.Fail, Resource: goodtest.Account, Edit: unused},
		{Name: "nothing at all", Want: posture.NotApplicable, Edit: goodtest.Edits(unused, none)},
		{Name: "no tunnel", Want: posture.NotApplicable, Edit: none},
		{Name: "nobody may see the organisation", Want: posture.Unknown,
			Edit: func(b *snapshot.Builder) { b.Mark(snapshot.AccessOrg.Source(), snapshot.Denied, "Some Read", "") }},
	}
}
