package attackpath

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// door is an Access application that protects a host.
type door struct {
	app      snapshot.AccessApp
	node     string
	service  string // the first host it protects
	policies []snapshot.AccessPolicy
}

// doors lists the applications that protect a host, with the policies that apply.
func (w *world) doors() []door {
	account := w.snap.Account.ID
	apps, _ := snapshot.Read(w.snap, snapshot.AccessApps, account)
	policies, _ := snapshot.Read(w.snap, snapshot.AccessPolicies, account)
	reusable := exposure.IndexPolicies(policies)
	var out []door
	for _, a := range apps {
		node := graph.AccessApp + ":" + a.ID
		if services := w.to(node, graph.Protects); a.Type != "warp" && len(services) > 0 {
			out = append(out, door{app: a, node: node, service: services[0], policies: exposure.Attached(a, reusable)})
		}
	}
	return out
}

// openDoors returns the nodes of applications that let everyone in without a login.
func (w *world) openDoors() map[string]bool {
	out, access := map[string]bool{}, w.access()
	for _, d := range w.doors() {
		out[d.node] = access.Opens(d.policies) == truth.Yes
	}
	return out
}

// guarded reports whether a host is protected by an Access application that does not admit
// everyone.
func (w *world) guarded(service string) bool {
	return w.is(service, "accessRequired") ||
		slices.ContainsFunc(w.from(service, graph.Protects), func(app string) bool { return !w.opens[app] })
}

// access returns the groups and login methods of the account, which the evaluation of its policies
// needs.
func (w *world) access() admission.Access {
	groups, _ := snapshot.Read(w.snap, snapshot.AccessGroups, w.snap.Account.ID)
	out := admission.Access{Groups: exposure.IndexGroups(groups)}
	if idps, section := snapshot.Read(w.snap, snapshot.AccessIDPs, w.snap.Account.ID); section.Status.Known() {
		out.Logins = &idps
	}
	return out
}
