// Package access holds the checks of Zero Trust applications and tunnels.
package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// notInUse returns the reason when the account has no Zero Trust organisation, or "".
func notInUse(v *check.View) string {
	if v.StatusOf(snapshot.AccessOrg) == snapshot.Absent {
		return "Access is not in use"
	}
	return ""
}

// markedPublic reports whether the operator declared every address of the application public.
func markedPublic(v *check.View, a snapshot.AccessApp) bool {
	addresses := a.Domains
	if len(addresses) == 0 {
		addresses = []string{a.Domain}
	}
	for _, d := range addresses {
		host, _, _ := strings.Cut(d, "/")
		if !slices.ContainsFunc(v.Policy.PublicHosts, func(p string) bool { return exposure.Same(p, d) || exposure.Same(p, host) }) {
			return false
		}
	}
	return true
}

// inBrowser reports whether an application is used by its hostname in a browser, so that it has a
// session cookie.
func inBrowser(a snapshot.AccessApp) bool {
	return slices.Contains([]string{"self_hosted", "ssh", "vnc", "rdp"}, a.Type)
}

// editApp is an example edit of every application.
func editApp(change func(*snapshot.AccessApp)) func(*snapshot.Builder) {
	return goodtest.Each(snapshot.AccessApps, goodtest.Account, change)
}

// editGoodApp is an example edit of the web application only.
func editGoodApp(change func(*snapshot.AccessApp)) func(*snapshot.Builder) {
	return editApp(func(a *snapshot.AccessApp) {
		if a.ID == goodtest.App {
			change(a)
		}
	})
}

// unused is an example edit: the account has no Zero Trust organisation, and nothing else of Access
// is read.
func unused(b *snapshot.Builder) {
	b.Mark(snapshot.AccessOrg.Source(), snapshot.Absent, "", "")
	for _, k := range []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.AccessIDPs,
		snapshot.AccessServiceTokens, snapshot.MCPServers} {
		b.Mark(k.Source(), snapshot.Skipped, "", "Access is not in use")
	}
}

// editPolicy is an example edit of every policy, in the applications and in the list.
func editPolicy(change func(*snapshot.AccessPolicy)) func(*snapshot.Builder) {
	return goodtest.Edits(editApp(func(a *snapshot.AccessApp) {
		for i := range a.Policies {
			change(&a.Policies[i])
		}
	}), goodtest.Each(snapshot.AccessPolicies, goodtest.Account, change))
}

// editStaff is an example edit of the policy for people.
func editStaff(change func(*snapshot.AccessPolicy)) func(*snapshot.Builder) {
	return editPolicy(func(p *snapshot.AccessPolicy) {
		if p.ID == goodtest.Policy {
			change(p)
		}
	})
}

// noPosture is an example edit: the posture checks are not readable.
func noPosture(b *snapshot.Builder) {
	b.Mark(snapshot.DevicePosture.Source(), snapshot.Denied, "Some Read", "")
}

// group is an example edit that adds a group.
func group(id string, include ...snapshot.AccessRule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessGroups, goodtest.Account, func(gs *[]snapshot.AccessGroup) {
			*gs = append(*gs, snapshot.AccessGroup{ID: id, Name: id, Include: include})
		})
	}
}
