package admission

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Opens reports whether an application admits every request without a login, so that it guards
// nothing.
func (a Access) Opens(policies []snapshot.AccessPolicy) truth.Value {
	out := truth.No
	for _, w := range a.Ways(policies, nil) {
		if w.Open() {
			out = truth.Or(out, truth.If(!w.Unsure, true))
		}
	}
	return out
}

// Takes reports whether the application admits someone who can sign in only by the given login.
func (a Access) Takes(policies []snapshot.AccessPolicy, login string) truth.Value {
	out := truth.No
	for _, w := range a.Ways(policies, []string{login}) {
		if !w.Unasked() {
			out = truth.Or(out, truth.If(!w.Unsure, true))
		}
	}
	return out
}

// Doors lists the addresses that applications cover, with those that admit everyone marked as open.
// If it is not known whether an application does, its addresses are unsure.
func (a Access) Doors(apps []snapshot.AccessApp, reusable map[string]snapshot.AccessPolicy) (out []exposure.AccessEndpoint) {
	for _, app := range apps {
		out = append(out, a.Marked(app, reusable, exposure.AccessEndpoints([]snapshot.AccessApp{app}))...)
	}
	return out
}

// Marked returns endpoints of an application with the marks of Doors.
func (a Access) Marked(app snapshot.AccessApp, reusable map[string]snapshot.AccessPolicy,
	at []exposure.AccessEndpoint) []exposure.AccessEndpoint {
	opens := a.Opens(exposure.Attached(app, reusable))
	for i := range at {
		at[i].Unsure = at[i].Unsure || opens == truth.Undecided && !at[i].Open
		at[i].Open = at[i].Open || opens == truth.Yes
	}
	return at
}

// Worker lists what applications cover by naming a Worker, or all Workers, as a destination; tag is the id
// of the Worker, "" if it is not known. The first kind of destination that matches decides
// (developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/worker-destinations/).
func (a Access) Worker(apps []snapshot.AccessApp, reusable map[string]snapshot.AccessPolicy, tag string,
	previews bool) []exposure.AccessEndpoint {
	kinds := []string{"worker", "all_workers"}
	if previews {
		kinds = []string{"preview_worker", "worker", "all_preview_workers", "all_workers"}
	}
	for _, kind := range kinds {
		var out []exposure.AccessEndpoint
		for _, app := range apps {
			for _, d := range app.Elsewhere {
				if d.Type == "preview_worker" && d.Value == "" {
					d.Type = "all_preview_workers"
				}
				one := !strings.HasPrefix(kind, "all_")
				if d.Type != kind || one && tag != "" && d.Value != tag {
					continue
				}
				at := a.Marked(app, reusable, exposure.WorkerEndpoints(d))
				for i := range at {
					at[i].Unsure = at[i].Unsure || one && tag == "" // perhaps another worker
				}
				out = append(out, at...)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// Private returns how far applications guard a private host or range, which holds tells of a
// destination. One for some ports or one protocol guards a part.
func (a Access) Private(apps []snapshot.AccessApp, reusable map[string]snapshot.AccessPolicy,
	holds func(snapshot.AccessDestination) bool) exposure.Guard {
	out := exposure.Unguarded
	for _, app := range apps {
		for _, d := range app.Elsewhere {
			if d.Type != "private" || !holds(d) {
				continue
			}
			whole := d.Protocol == "" && slices.Contains([]string{"", "1-65535", "0-65535"}, d.Ports)
			switch opens := a.Opens(exposure.Attached(app, reusable)); {
			case opens == truth.Yes:
			case opens == truth.Undecided:
				out = max(out, exposure.UnsureGuard)
			case whole:
				return exposure.GuardedWhole
			default:
				out = max(out, exposure.GuardedInPart)
			}
		}
	}
	return out
}

// InForce drops the policies that are never evaluated, because a Block for everyone comes before
// them.
func InForce(policies []snapshot.AccessPolicy) []snapshot.AccessPolicy {
	last := slices.IndexFunc(policies, func(p snapshot.AccessPolicy) bool {
		return p.Decision == "deny" && blocksAll(p) && len(p.Exclude) == 0
	})
	if last < 0 {
		return policies
	}
	return slices.DeleteFunc(slices.Clone(policies), func(p snapshot.AccessPolicy) bool {
		return !exposure.NoLogin(p) && !slices.ContainsFunc(policies[:last], func(q snapshot.AccessPolicy) bool { return q.ID == p.ID })
	})
}
