package attackpath

import (
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// passwordAlone finds an account that a password alone opens: it does not enforce a second factor,
// and members with write access have none. One path stands for all of them.
func passwordAlone() Kind {
	const factor, enforced = "CFL-ACC-010", "CFL-ACC-001"
	return Kind{Name: "password-alone", Title: "Account behind a password alone",
		Finds:   "members who may change the account sign in without a second factor",
		Related: []string{enforced, factor},
		find: func(w *world) []candidate {
			account := graph.Account + ":" + w.snap.Account.ID
			if !w.openAt(account, enforced) {
				return nil
			}
			roles := map[string][]string{}
			members, _ := snapshot.Read(w.snap, snapshot.AccountMembers, w.snap.Account.ID)
			for _, m := range members {
				roles[m.ID] = m.Roles
			}
			groups, _ := snapshot.Read(w.snap, snapshot.AccountUserGroups, w.snap.Account.ID)
			for _, g := range groups { // only groups with every right have their members read
				in, _ := snapshot.Read(w.snap, snapshot.UserGroupMembers, g.ID)
				for _, m := range in {
					roles[m.ID] = slices.Concat(roles[m.ID], g.Roles)
				}
			}
			var who, administrators []string
			var about []resourceKey
			for _, f := range w.failed(factor) {
				switch may := roles[f.Resource.ID]; {
				case slices.ContainsFunc(may, snapshot.EveryRight):
					administrators = append(administrators, f.Resource.Name)
				case slices.ContainsFunc(may, changes):
					who = append(who, f.Resource.Name)
				default:
					continue
				}
				about = append(about, keyOf(*f.Resource))
			}
			gains, first := "takes over the account "+w.snap.Account.Name+" with every zone in it", slices.Concat(administrators, who)
			if len(administrators) == 0 {
				gains = "changes whatever the roles of that member allow in the account " + w.snap.Account.Name
			}
			if len(first) == 0 {
				return nil
			}
			name := first[0]
			if more := len(first) - 1; more > 0 {
				name += " or of one of " + strconv.Itoa(more) + " more"
			}
			return []candidate{{title: "Account behind a password alone: " + w.snap.Account.Name, grave: true, gains: gains,
				needs: []string{"they have the password of " + name},
				nodes: []string{graph.InternetID, account}, steps: []string{graph.InternetTo}, about: about,
				explanation: "The account " + w.snap.Account.Name + " does not demand a second factor, and the password of " + name +
					" is enough to sign in. Whoever phishes or guesses that password " + gains + ".",
				breaks: []posture.Break{{Change: "Have them set up a second factor or leave the account, then enforce it for all members.",
					NodeID: account, CheckIDs: []string{factor}},
					{Change: "Let every member sign in through an identity provider that demands a second factor.", NodeID: account}}}}
		}}
}

// changes reports whether a role is known to have write access
// (developers.cloudflare.com/fundamentals/manage-members/roles/).
func changes(role string) bool {
	role = strings.ToLower(role)
	return role != snapshot.RoleUntold && !slices.ContainsFunc([]string{"read only", "read-only", "readonly", "viewer", "reader", "analytics",
		"minimal account access"}, func(harmless string) bool { return strings.Contains(role, harmless) }) && !strings.HasSuffix(role, " read")
}
