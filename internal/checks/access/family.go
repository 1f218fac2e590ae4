// Package access holds the checks of Zero Trust applications and tunnels.
package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{
		everyone(),
		session(),
		publishedTunnel(),
		bypass(),
	}
}

// groups resolves Access groups by id.
type groups map[string]snapshot.AccessGroup

func indexGroups(all []snapshot.AccessGroup) groups {
	out := groups{}
	for _, g := range all {
		out[g.ID] = g
	}
	return out
}

// any reports whether a rule of the list, or of a group it names, meets is. A
// group that is missing leaves the answer open. whole decides whether a group
// may be judged by its include alone.
func (gs groups) any(rules []snapshot.AccessRule, is func(snapshot.AccessRule) bool, whole func(snapshot.AccessGroup) bool) check.Truth {
	return gs.walk(rules, is, whole, map[string]bool{})
}

func (gs groups) walk(rules []snapshot.AccessRule, is func(snapshot.AccessRule) bool, whole func(snapshot.AccessGroup) bool, seen map[string]bool) check.Truth {
	out := check.No
	for _, r := range rules {
		if r.Kind != "group" {
			out = check.Or(out, check.Is(is(r)))
			continue
		}
		if seen[r.Value] {
			continue
		}
		seen[r.Value] = true
		g, ok := gs[r.Value]
		switch {
		case !ok:
			out = check.Or(out, check.Undecided)
		case whole(g):
			out = check.Or(out, gs.walk(g.Include, is, whole, seen))
		}
	}
	return out
}

// attached gives the policies of an app; the app list may name a reusable
// policy without its rules, which are then in the policy list.
func attached(a snapshot.AccessApp, reusable map[string]snapshot.AccessPolicy) []snapshot.AccessPolicy {
	out := slices.Clone(a.Policies)
	for i, p := range out {
		if full, ok := reusable[p.ID]; ok && len(p.Include) == 0 {
			out[i] = full
		}
	}
	return out
}

func indexPolicies(all []snapshot.AccessPolicy) map[string]snapshot.AccessPolicy {
	out := map[string]snapshot.AccessPolicy{}
	for _, p := range all {
		out[p.ID] = p
	}
	return out
}

// notInUse is the reason when the account has no Zero Trust organisation.
func notInUse(v *check.View) string {
	if v.StatusOf(snapshot.AccessOrg) == snapshot.Absent {
		return "Access is not in use"
	}
	return ""
}

// markedPublic reports whether the operator listed every address of the app.
func markedPublic(v *check.View, a snapshot.AccessApp) bool {
	addresses := a.Domains
	if len(addresses) == 0 {
		addresses = []string{a.Domain}
	}
	for _, d := range addresses {
		host, _, _ := strings.Cut(d, "/")
		if !slices.ContainsFunc(v.Policy.PublicHosts, func(p string) bool { return check.Same(p, d) || check.Same(p, host) }) {
			return false
		}
	}
	return true
}

// editApp is an example edit of the app.
func editApp(change func(*snapshot.AccessApp)) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessApps, check.GoodAccount, func(as *[]snapshot.AccessApp) {
			for i := range *as {
				change(&(*as)[i])
			}
		})
	}
}

// editPolicy is an example edit of the policy, in the app and in the list.
func editPolicy(change func(*snapshot.AccessPolicy)) func(*snapshot.Builder) {
	return check.Edits(editApp(func(a *snapshot.AccessApp) {
		for i := range a.Policies {
			change(&a.Policies[i])
		}
	}), func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessPolicies, check.GoodAccount, func(ps *[]snapshot.AccessPolicy) {
			for i := range *ps {
				change(&(*ps)[i])
			}
		})
	})
}

// group is an example edit that adds a group.
func group(id string, include ...snapshot.AccessRule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessGroups, check.GoodAccount, func(gs *[]snapshot.AccessGroup) {
			*gs = append(*gs, snapshot.AccessGroup{ID: id, Name: id, Include: include})
		})
	}
}
