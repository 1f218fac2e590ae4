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

// opening is a host at which an application decides who passes: service, and place with the path.
type opening struct{ service, step, place string }

// opened returns the first host that strangers reach and at which an application decides about all or some
// paths, because no more specific one does.
func (w *world) opened(d door) (o opening, ok bool) {
	for _, step := range []string{graph.Protects, graph.Exposes} {
		for _, service := range w.to(d.node, step) {
			if !w.reachable(service) {
				continue
			}
			all := exposure.Matching(w.endpoints(service), w.label(service))
			for i, e := range all {
				if graph.AccessApp+":"+e.App != d.node || slices.ContainsFunc(all[:i], func(f exposure.AccessEndpoint) bool {
					return f.Holds(e.Path) && (f.Host != e.Host || f.Path != e.Path)
				}) {
					continue
				}
				place := w.label(service)
				if e.Path != "" {
					place += "/" + e.Path
				}
				return opening{service, step, place}, true
			}
		}
	}
	return o, false
}

// reachable reports whether strangers reach a host at the edge. A host whose zone is not part of the run counts as
// one; where records of its zone were not read, it is not known to be reached and makes no path.
func (w *world) reachable(service string) bool {
	nodes, _ := w.enter(service)
	return w.zoneOf(service) == "" || nodes != nil && w.web(service)
}

// web reports whether the edge answers web requests at a host: no Spectrum application passes them on, and its load balancer is proxied.
func (w *world) web(service string) bool {
	return w.text(service, "protocol") == "" && w.node(service).Properties.Get("proxied") != false
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
func (w *world) guarded(service string) bool { return w.guardedWith(nil, service, "") }

// asked reports whether an application asks, or may ask, whoever opens a host, but for paths with an
// application of their own.
func (w *world) asked(service string) bool {
	all, first := w.whole(service)
	return first >= 0 && (!all[first].Open || all[first].Unsure)
}

// whole lists the addresses of applications that cover a host, and which is the first of all its paths; -1 for none.
func (w *world) whole(service string) (all []exposure.AccessEndpoint, first int) {
	all = exposure.Matching(w.endpoints(service), w.label(service))
	return all, slices.IndexFunc(all, func(d exposure.AccessEndpoint) bool { return d.Path == "" })
}

// guardedWith is guarded with further endpoints, for a path as a rule of a tunnel has it.
func (w *world) guardedWith(doors []exposure.AccessEndpoint, service, path string) bool {
	if !w.read(snapshot.AccessApps) {
		return true
	}
	return exposure.Guarded(append(w.endpoints(service), doors...), w.label(service), path) != exposure.Unguarded
}

// governs reports whether an application, and no more specific one, asks whoever opens a host.
func (w *world) governs(app, service string) bool {
	all, first := w.whole(service)
	return first >= 0 && slices.ContainsFunc(all, func(d exposure.AccessEndpoint) bool {
		return d.Host == all[first].Host && d.Path == "" && graph.AccessApp+":"+d.App == app && !d.Open && !d.Unsure
	})
}

// endpoints lists the addresses of the applications at a host.
func (w *world) endpoints(service string) (doors []exposure.AccessEndpoint) {
	for _, app := range slices.Concat(w.from(service, graph.Protects), w.from(service, graph.Exposes)) {
		doors = append(doors, w.covers[app]...)
	}
	return doors
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
