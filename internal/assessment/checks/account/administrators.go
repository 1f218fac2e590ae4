package account

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// administrators judges how many people have full administrator rights.
func administrators() check.Check {
	return check.Check{
		ID: "CFL-ACC-003", Title: "Full administrator roles are held by few people",
		Category: "account", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Whoever takes over one administrator can change every zone, rule and certificate of the account. Each " +
			"further one is a further laptop and mailbox to attack.",
		Fix: "Move people to read-only or domain-scoped roles and keep full administration for a small group.",
		Words: posture.Words{
			Problem:   "Too many people administer this account",
			Impact:    "Someone who phishes any one of them can redirect every site of the account.",
			Breaks:    "People with a smaller role can no longer change what is outside of it.",
			Dashboard: "Manage Account › Members › the member › Edit: replace Administrator by the roles that the work needs.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/manage-members/roles/"},
		Controls: check.Controls{
			check.Supports("cis 5.4", "Few people hold full rights, so daily work is not done with them."),
			check.Supports("cis 6.8", "Rights beyond need would show as too many full administrators."),
			check.Supports("soc2 CC6.3", "A small number of full roles is what least privilege leaves."),
			check.Supports("pci 7.2.2", "Full administration is the exception among the members."),
			check.Supports("nist PR.AA-05", "Separation of duties needs that not everybody may do everything."),
		},
		Aliases:  []string{"grclanker:CF-IAM-03", "flareinspect:CFL-ACC-003"},
		Needs:    []snapshot.Named{snapshot.AccountMembers},
		Evaluate: evaluateAdministrators,
	}
}

func administratorsExamples() []goodtest.Example {
	const admin, super = snapshot.RoleAdministrator, snapshot.RoleSuperAdministrator
	breakGlass := func(p *policy.Policy) { p.BreakGlass = []string{"n1"} }
	return []goodtest.Example{
		{Name: "two", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "three", Want: posture.Pass, Edit: newcomers(1, "accepted", admin)},
		{Name: "four", Want: posture.Fail, Resource: goodtest.Account, Edit: newcomers(2, "accepted", admin)},
		{Name: "four of sixteen", Want: posture.Pass, Edit: goodtest.Edits(newcomers(2, "accepted", admin),
			newcomers(12, "accepted", "DNS"))},
		{Name: "four of fifteen", Want: posture.Fail, Edit: goodtest.Edits(newcomers(2, "accepted", admin),
			newcomers(11, "accepted", "DNS"))},
		{Name: "four super administrators of ten", Want: posture.Fail, Edit: goodtest.Edits(newcomers(2, "accepted", super),
			newcomers(6, "accepted", "DNS"))},
		{Name: "five of twenty", Want: posture.Pass, Edit: goodtest.Edits(newcomers(3, "accepted", admin),
			newcomers(15, "accepted", "DNS"))},
		{Name: "another share", Want: posture.Fail, Edit: goodtest.Edits(newcomers(3, "accepted", admin),
			newcomers(15, "accepted", "DNS")), Policy: func(p *policy.Policy) { p.AdminPercent = 20 }},
		{Name: "the read-only role does not count", Want: posture.Pass, Edit: newcomers(5, "accepted", "Administrator Read Only")},
		{Name: "administrators of whom nobody knows whether they accepted", Want: posture.Unknown, Edit: newcomers(2, "", admin)},
		{Name: "others of whom nobody knows whether they accepted", Want: posture.Pass, Edit: newcomers(9, "", "DNS")},
		{Name: "roles without a name, too few to matter", Want: posture.Pass, Edit: newcomers(1, "accepted", snapshot.RoleUntold)},
		{Name: "roles without a name, which may be this one", Want: posture.Unknown, Edit: newcomers(2, "accepted", snapshot.RoleUntold)},
		{Name: "too many, beside roles without a name", Want: posture.Fail, Edit: goodtest.Edits(newcomers(2, "accepted", admin),
			newcomers(1, "accepted", snapshot.RoleUntold))},
		{Name: "open invitations do not count", Want: posture.Pass, Edit: newcomers(5, "pending", admin)},
		{Name: "one more, kept for emergencies", Want: posture.Warning, Edit: newcomers(2, "accepted", admin), Policy: breakGlass},
		{Name: "two more, one kept for emergencies", Want: posture.Fail, Edit: newcomers(3, "accepted", admin), Policy: breakGlass},
	}
}

// newcomers is an example edit that adds members n1, n2, … with one role.
func newcomers(n int, status, role string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccountMembers, goodtest.Account, func(ms *[]snapshot.Member) {
			for range n {
				*ms = append(*ms, snapshot.Member{ID: fmt.Sprintf("n%d", len(*ms)-1), Email: "n•••@shop.example", EmailDomain: "shop.example",
					Status: status, HasUser: true, TwoFactor: true, Roles: []string{role}})
			}
		})
	}
}

// holders lists the accepted members with one of the roles, and the others who may have one, because
// Cloudflare did not name all of theirs or did not say whether they accepted. It counts all accepted members.
func holders(v *check.View, roles ...string) (out, untold []snapshot.Member, accepted int) {
	for _, m := range check.Read(v, snapshot.AccountMembers) {
		holds := slices.ContainsFunc(m.Roles, func(r string) bool { return slices.Contains(roles, r) })
		may := holds || slices.Contains(m.Roles, snapshot.RoleUntold)
		if m.Status == "accepted" {
			accepted++
		}
		switch {
		case m.Status == "accepted" && holds:
			out = append(out, m)
		case mayBelong(m.Status) && may:
			untold = append(untold, m)
		}
	}
	return out, untold, accepted
}

// mayBelong reports whether a member has accepted, or nobody knows: the status is not told, or not published.
func mayBelong(status string) bool { return status != "pending" && status != "rejected" }

const unnamedRoles = "Cloudflare did not tell the status of a member, or did not name all permission groups of members or user groups, " +
	"so who has every right is not known"

// named returns the masked names of members, for evidence.
func named(ms []snapshot.Member) string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Email)
	}
	return strings.Join(out, ", ")
}

// rightsLimit is how many of the accepted members may have full rights: CFL-ACC-003 and CFL-ACC-005
// must not contradict each other about the same people.
func rightsLimit(p policy.Policy, accepted int) int {
	return max(p.AdminLimit, accepted*p.AdminPercent/100)
}

// tooMany judges members above a limit. One too many is only a warning if one of them is a
// break-glass account.
func tooMany(v *check.View, who []snapshot.Member, limit int, message, want string) check.Outcome {
	seen := check.Evidence(snapshot.AccountMembers, "", named(who), want)
	kept := slices.ContainsFunc(who, func(m snapshot.Member) bool { return slices.Contains(v.Policy.BreakGlass, m.ID) })
	if len(who) == limit+1 && kept {
		return v.Warn(message, seen)
	}
	return v.Fail(message, seen)
}

func evaluateAdministrators(v *check.View) check.Outcome {
	admins, untold, accepted := holders(v, snapshot.RoleAdministrator, snapshot.RoleSuperAdministrator)
	limit := rightsLimit(v.Policy, accepted)
	switch {
	case len(admins)+len(untold) <= limit:
		return v.Pass("%d of %d members hold every right.", len(admins), accepted)
	case len(admins) <= limit:
		return v.Unknown(unnamedRoles)
	}
	return tooMany(v, admins, limit, fmt.Sprintf("%d of %d members of the account hold every right.", len(admins), accepted),
		fmt.Sprintf("at most %d", limit))
}
