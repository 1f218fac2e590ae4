package attackpath

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// door is an Access application that protects a host, or leaves it public.
type door struct {
	app      snapshot.AccessApp
	node     string
	service  string // the first host it protects, else the first that it leaves public
	step     string // the edge to that host
	public   string // the first host that it leaves public, "" for none
	policies []snapshot.AccessPolicy
}

// doors lists the applications that stand before a host, with the policies that apply.
func (w *world) doors() []door {
	account := w.snap.Account.ID
	apps, _ := snapshot.Read(w.snap, snapshot.AccessApps, account)
	policies, _ := snapshot.Read(w.snap, snapshot.AccessPolicies, account)
	reusable := exposure.IndexPolicies(policies)
	var out []door
	for _, a := range apps {
		node := graph.AccessApp + ":" + a.ID
		if a.Type == "warp" {
			continue
		}
		d := door{app: a, node: node, step: graph.Protects, policies: exposure.Attached(a, reusable)}
		if left := w.to(node, graph.Exposes); len(left) > 0 {
			d.service, d.step, d.public = left[0], graph.Exposes, left[0]
		}
		if held := w.to(node, graph.Protects); len(held) > 0 {
			d.service, d.step = held[0], graph.Protects
		}
		if d.service != "" {
			out = append(out, d)
		}
	}
	return out
}

// openDoors returns the nodes of applications that let everyone in without a login, and the
// addresses that each application covers.
func (w *world) openDoors() (opens map[string]bool, covers map[string][]exposure.AccessEndpoint) {
	opens, covers = map[string]bool{}, map[string][]exposure.AccessEndpoint{}
	access := w.access()
	for _, d := range w.doors() {
		d.app.Policies = d.policies
		opens[d.node] = access.Opens(d.policies) == truth.Yes
		covers[d.node] = access.Doors([]snapshot.AccessApp{d.app}, nil)
	}
	return opens, covers
}

// guarded reports whether an Access application guards a host, at least in part or perhaps: no
// attack path is guessed.
func (w *world) guarded(service string) bool { return w.guardedWith(nil, service) }

// guardedWith is guarded with further endpoints, which go behind those for the host.
func (w *world) guardedWith(doors []exposure.AccessEndpoint, service string) bool {
	if w.is(service, "accessRequired") || !w.read(snapshot.AccessApps) {
		return true
	}
	for _, app := range slices.Concat(w.from(service, graph.Protects), w.from(service, graph.Exposes)) {
		doors = append(doors, w.covers[app]...)
	}
	return exposure.Guarded(doors, w.label(service), "") != exposure.Unguarded
}

// destined tells what applications cover by naming a script, or all scripts, as a destination.
func (w *world) destined() func(script string) []exposure.AccessEndpoint {
	account := w.snap.Account.ID
	apps, _ := snapshot.Read(w.snap, snapshot.AccessApps, account)
	policies, _ := snapshot.Read(w.snap, snapshot.AccessPolicies, account)
	scripts, _ := snapshot.Read(w.snap, snapshot.Workers, account)
	access, reusable := w.access(), exposure.IndexPolicies(policies)
	return func(script string) []exposure.AccessEndpoint {
		return access.Worker(apps, reusable, snapshot.TagOf(scripts, script), false)
	}
}

// read reports whether a section of the account is known. What is not known may guard anything.
func (w *world) read(k snapshot.Named) bool {
	return w.snap.SectionOf(k, w.snap.Account.ID).Status.Known()
}

// access returns the groups, login methods and posture checks of the account, which the evaluation of
// its policies needs.
func (w *world) access() admission.Access {
	groups, _ := snapshot.Read(w.snap, snapshot.AccessGroups, w.snap.Account.ID)
	out := admission.Access{Groups: exposure.IndexGroups(groups), Lists: admission.ListsIn(w.snap)}
	if idps, section := snapshot.Read(w.snap, snapshot.AccessIDPs, w.snap.Account.ID); section.Status.Known() {
		out.Logins = &idps
	}
	if all, section := snapshot.Read(w.snap, snapshot.DevicePosture, w.snap.Account.ID); section.Status.Known() {
		out.Posture = &all
	}
	return out
}
