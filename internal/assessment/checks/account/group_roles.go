package account

import (
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// groupRoles judges who has full rights through a user group. Direct roles are judged by
// CFL-ACC-003.
func groupRoles() check.Check {
	return check.Check{
		ID: "CFL-ACC-014", Title: "User groups give full administration to few people",
		Category: "account", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A user group gives its roles to every member, and the list of members does not show them. A group that is filled from a " +
			"directory grows without anybody looking at Cloudflare.",
		Fix: "Give the group the roles that the work needs, and keep full administration for a small group of its own.",
		Words: posture.Words{
			Problem:   "User groups make too many people administrators of this account",
			Impact:    "Someone who phishes any one of them, or adds a login to the group, can redirect every site of the account.",
			Breaks:    "People in the group can no longer change what is outside of their smaller roles.",
			Dashboard: "Manage Account › Members › User Groups › the group › Edit: replace Administrator by the roles that the work needs.",
		},
		References: []string{"https://developers.cloudflare.com/fundamentals/manage-members/user-groups/"},
		Controls: check.Controls{
			check.Supports("cis 6.8", "Rights that are given through groups are seen and few."),
			check.Supports("soc2 CC6.3", "A small number of full roles is what least privilege leaves."),
			check.Supports("pci 7.2.2", "Full administration is the exception, through groups as well."),
			check.Supports("nist PR.AA-05", "Permissions that are given through groups are reviewed."),
		},
		Needs:    []snapshot.Named{snapshot.AccountMembers, snapshot.AccountUserGroups, snapshot.UserGroupMembers},
		Evaluate: evaluateGroupRoles,
	}
}

func evaluateGroupRoles(v *check.View) check.Outcome {
	var by []string
	status, present := map[string]string{}, 0 // those who accepted, or of whom nobody knows whether they did
	for _, m := range check.Read(v, snapshot.AccountMembers) {
		status[m.ID] = m.Status
		if mayBelong(m.Status) {
			present++
		}
	}
	direct, untold, accepted := holders(v, snapshot.RoleAdministrator, snapshot.RoleSuperAdministrator)
	who, may, unnamed := map[string]bool{}, map[string]bool{}, false
	for _, g := range check.Read(v, snapshot.AccountUserGroups) {
		if !slices.ContainsFunc(g.Roles, snapshot.EveryRight) {
			unnamed = unnamed || slices.Contains(g.Roles, snapshot.RoleUntold)
			continue
		}
		by = append(by, g.Name)
		for _, m := range check.ReadAt(v, snapshot.UserGroupMembers, g.ID) {
			switch s, listed := status[m.ID]; {
			case !listed || s == "accepted":
				who[m.ID] = true
			case mayBelong(s): // somebody who was invited holds no right yet
				may[m.ID] = true
			}
		}
	}
	through, perhaps := len(who), len(who)+len(may) > 0
	for _, m := range direct {
		who[m.ID] = true
	}
	for _, m := range untold {
		may[m.ID] = true
	}
	maps.DeleteFunc(may, func(id string, _ bool) bool { return who[id] })
	most, limit := len(who)+len(may), rightsLimit(v.Policy, accepted)
	if unnamed {
		most, perhaps = max(most, present), true
	}
	switch {
	case through > 0 && len(who) > limit:
		return v.Fail(check.Count(len(who), "member holds", "members hold")+" every right, "+check.Count(through, "of them", "of them")+
			" through the user groups "+strings.Join(by, ", ")+".", check.Evidence(snapshot.AccountUserGroups, "", strings.Join(by, ", "),
			"at most "+check.Count(limit, "member", "")+" with every right"))
	case unnamed && len(by) == 0, perhaps && most > limit:
		return v.Unknown(unnamedRoles)
	case len(by) == 0:
		return v.NotApplicable("no user group gives full administration")
	}
	return v.Pass("%s every right, those of user groups included.", check.Count(len(who), "member holds", "members hold"))
}

func groupRolesExamples() []goodtest.Example {
	group := func(role string, members ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountUserGroups, goodtest.Account, []snapshot.UserGroup{{ID: "g1", Name: "Staff", Roles: []string{role}}})
			var all []snapshot.GroupMember
			for _, id := range members {
				all = append(all, snapshot.GroupMember{ID: id})
			}
			snapshot.Put(b, snapshot.UserGroupMembers, "g1", all)
		}
	}
	return []goodtest.Example{
		{Name: "few", Want: posture.Pass, Resource: goodtest.Account, Edit: group(snapshot.RoleAdministrator, "m1", "m2")},
		{Name: "too many", Want: posture.Fail, Resource: goodtest.Account, Edit: group(snapshot.RoleAdministrator, "n1", "n2", "n3", "n4")},
		{Name: "every right, and too many", Want: posture.Fail, Edit: group(snapshot.RoleSuperAdministrator, "n1", "n2", "n3", "n4")},
		{Name: "few in the group, too many with those who hold the role themselves", Want: posture.Fail,
			Edit: group(snapshot.RoleAdministrator, "n1", "n2")},
		{Name: "too many with those who were only invited", Want: posture.Pass, Edit: goodtest.Edits(newcomers(4, "pending", "DNS"),
			group(snapshot.RoleAdministrator, "n1", "n2", "n3", "n4"))},
		{Name: "an empty group", Want: posture.Pass, Edit: group(snapshot.RoleAdministrator)},
		{Name: "an empty group, and too many who hold the role themselves", Want: posture.Pass,
			Edit: goodtest.Edits(newcomers(4, "accepted", snapshot.RoleAdministrator), group(snapshot.RoleAdministrator))},
		{Name: "nobody knows whether those in the group accepted", Want: posture.Unknown, Edit: goodtest.Edits(newcomers(4, "", "DNS"),
			group(snapshot.RoleAdministrator, "n1", "n2", "n3", "n4"))},
		{Name: "those in the group have a status nobody knows", Want: posture.Unknown, Edit: goodtest.Edits(newcomers(4, "odd", "DNS"),
			group(snapshot.RoleAdministrator, "n1", "n2", "n3", "n4"))},
		{Name: "who is in the group besides has a role without a name", Want: posture.Pass, Edit: goodtest.Edits(
			newcomers(1, "accepted", snapshot.RoleUntold), group(snapshot.RoleAdministrator, "n1"))},
		{Name: "a role without a name", Want: posture.Unknown, Edit: group(snapshot.RoleUntold, "n1")},
		{Name: "few in the group, beside roles without a name", Want: posture.Unknown, Edit: goodtest.Edits(
			newcomers(1, "accepted", snapshot.RoleUntold), group(snapshot.RoleAdministrator, "g1"))},
		{Name: "a smaller role", Want: posture.NotApplicable, Edit: group("DNS", "n1", "n2", "n3", "n4")},
		{Name: "the read-only role", Want: posture.NotApplicable, Edit: group("Administrator Read Only", "n1", "n2", "n3", "n4")},
		{Name: "another limit", Want: posture.Pass, Edit: group(snapshot.RoleAdministrator, "n1", "n2", "n3", "n4"),
			Policy: func(p *policy.Policy) { p.AdminLimit = 10 }},
		{Name: "no group", Want: posture.NotApplicable, Resource: goodtest.Account},
		{Name: "who is in it is not readable", Want: posture.Unknown, Edit: goodtest.Edits(group(snapshot.RoleAdministrator, "m1"),
			goodtest.Denied(snapshot.UserGroupMembers))},
	}
}

func groupRolesGood(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AccountUserGroups, goodtest.Account, []snapshot.UserGroup{})
}
