package account

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// superAdministrators judges the number of members who can remove each other. They have full
// rights, so the limit of CFL-ACC-003 applies to them too; regardless of the account's size, there
// may be no more than the policy allows.
func superAdministrators() check.Check {
	return check.Check{
		ID: "CFL-ACC-005", Title: "Between two and four super administrators",
		Category: "account", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Super Administrators can remove each other. With one the account can be locked out, with many it is soon " +
			"taken over.",
		Fix: "Keep two to four Super Administrators, one of them for emergencies with a hardware key.",
		Words: posture.Words{
			Problem:   "The number of Super Administrators in this account is risky",
			Impact:    "One lost or stolen login decides over the whole account.",
			Breaks:    "People who are no longer Super Administrator cannot manage members, billing and tokens.",
			Dashboard: "Manage Account › Members › the member › Edit: add or take the role Super Administrator - All Privileges.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/manage-members/roles/"},
		Controls: check.Controls{
			check.Shows("cis 5.4", "The strongest role is held by few dedicated people, and by more than one."),
			check.Supports("soc2 CC6.3", "Least privilege keeps the number of super administrators low."),
			check.Supports("pci 7.2.2", "The strongest access is given by function to a few."),
			check.Supports("nist PR.AA-05", "The strongest permission is held by few, and no single person is indispensable."),
		},
		Aliases:  []string{"flareinspect:CFL-ACC-005", "grclanker:CF-IAM-03"},
		Needs:    []snapshot.Named{snapshot.AccountMembers},
		Evaluate: evaluateSuperAdministrators,
	}
}

func superAdministratorsExamples() []goodtest.Example {
	const admin, super = snapshot.RoleAdministrator, snapshot.RoleSuperAdministrator
	demote := func(id string) func(*snapshot.Builder) {
		return members(id, func(m *snapshot.Member) { m.Roles = []string{admin} })
	}
	return []goodtest.Example{
		{Name: "two", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "four of four", Want: posture.Fail, Resource: goodtest.Account, Edit: newcomers(2, "accepted", super)},
		{Name: "three of three", Want: posture.Pass, Edit: newcomers(1, "accepted", super)},
		{Name: "four of ten", Want: posture.Fail, Edit: supersOf(4, 10)}, {Name: "four of fifteen", Want: posture.Fail, Edit: supersOf(4, 15)},
		{Name: "four of sixteen", Want: posture.Pass, Edit: supersOf(4, 16)},
		{Name: "five of a hundred", Want: posture.Fail, Edit: supersOf(5, 100)},
		{Name: "four of ten, where four may hold every right", Want: posture.Pass, Edit: supersOf(4, 10),
			Policy: func(p *policy.Policy) { p.AdminLimit = 4 }},
		{Name: "four of ten, one kept for emergencies", Want: posture.Warning, Edit: supersOf(4, 10),
			Policy: func(p *policy.Policy) { p.BreakGlass = []string{"n1"} }},
		{Name: "five of ten, one kept for emergencies", Want: posture.Fail, Edit: supersOf(5, 10),
			Policy: func(p *policy.Policy) { p.BreakGlass = []string{"n1"} }},
		{Name: "plain administrators are judged elsewhere", Want: posture.Pass, Edit: newcomers(6, "accepted", admin)},
		{Name: "five", Want: posture.Fail, Resource: goodtest.Account, Edit: newcomers(3, "accepted", super)},
		{Name: "one", Want: posture.Warning, Resource: goodtest.Account, Edit: demote("m2")},
		{Name: "none", Want: posture.Warning, Resource: goodtest.Account, Edit: demote("")},
		{Name: "one, and a role without a name", Want: posture.Unknown, Edit: goodtest.Edits(demote("m2"),
			newcomers(1, "accepted", snapshot.RoleUntold))},
		{Name: "two, and roles without a name that may be too many", Want: posture.Unknown, Edit: newcomers(2, "accepted", snapshot.RoleUntold)},
		{Name: "two, and a role without a name that changes nothing", Want: posture.Pass, Edit: newcomers(1, "accepted", snapshot.RoleUntold)},
		{Name: "fewer than the policy wants", Want: posture.Warning, Policy: func(p *policy.Policy) { p.SuperAdminMin = 3 }},
		{Name: "one and an open invitation", Want: posture.Warning, Edit: goodtest.Edits(demote("m2"), newcomers(1, "pending", super))},
	}
}

// supersOf is an example edit that sets the numbers of super administrators and of members.
func supersOf(supers, members int) func(*snapshot.Builder) {
	return goodtest.Edits(newcomers(supers-2, "accepted", snapshot.RoleSuperAdministrator), newcomers(members-supers, "accepted", "DNS"))
}

func evaluateSuperAdministrators(v *check.View) check.Outcome {
	supers, untold, accepted := holders(v, snapshot.RoleSuperAdministrator)
	n, least := len(supers), v.Policy.SuperAdminMin
	most := max(least, min(v.Policy.SuperAdminMax, rightsLimit(v.Policy, accepted)))
	want := fmt.Sprintf("%d to %d", least, most)
	switch {
	case n > most:
		return tooMany(v, supers, most, fmt.Sprintf("%d of %d members of the account are super administrators.", n, accepted), want)
	case len(untold) > 0 && (n < least || n+len(untold) > most):
		return v.Unknown(unnamedRoles)
	case n == 0:
		return v.Warn("No listed member is a super administrator; the role then hangs on a group this list does not show.",
			check.Evidence(snapshot.AccountMembers, "", "none", want))
	case n < least:
		return v.Warn("Only "+check.Count(n, "member of the account holds", "members of the account hold")+" the role of super administrator; "+
			"unless a user group gives it to others, the loss of so few logins locks everyone out.",
			check.Evidence(snapshot.AccountMembers, "", named(supers), want))
	}
	return v.Pass("%d members are super administrators.", n)
}
