package attackpath

import (
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// privateNetwork is a network that enrolled devices reach through a tunnel, as the nodes along the
// path. bare is set when nothing holds any part of it.
type privateNetwork struct {
	app, tunnel, network string
	bare                 bool
}

func (n privateNetwork) nodes() []string {
	return []string{graph.InternetID, n.app, n.tunnel, n.network}
}

func (privateNetwork) steps() []string {
	return []string{graph.InternetTo, graph.Protects, graph.Exposes}
}

// privateNetworks lists the private networks of which some part is neither blocked for an enrolled
// device by Gateway's network rules nor held by an Access application, nor may be; none when these
// were not read.
func (w *world) privateNetworks() []privateNetwork {
	if !w.read(snapshot.GatewayRules) || !w.read(snapshot.AccessApps) || !w.read(snapshot.AccessPolicies) {
		return nil
	}
	guards := w.readNetworkGuards()
	var out []privateNetwork
	for _, app := range w.byType[graph.AccessApp] {
		if w.text(app.ID, "appType") != "warp" {
			continue
		}
		for _, tunnel := range w.to(app.ID, graph.Protects) {
			if w.neverRun(tunnel) {
				continue
			}
			for _, exposed := range w.to(tunnel, graph.Exposes) {
				p, ok := snapshot.Range(w.label(exposed))
				if !ok || !w.is(exposed, "network") {
					continue
				}
				if open, bare := guards.leave(p, admission.MaxSplits); open {
					out = append(out, privateNetwork{app.ID, tunnel, exposed, bare})
				}
			}
		}
	}
	return out
}

// networkGuards is what keeps enrolled devices from private networks.
type networkGuards struct {
	rules    admission.Network
	access   admission.Access
	apps     []snapshot.AccessApp
	policies map[string]snapshot.AccessPolicy
}

func (w *world) readNetworkGuards() networkGuards {
	rules, _ := snapshot.Read(w.snap, snapshot.GatewayRules, w.snap.Account.ID)
	apps, _ := snapshot.Read(w.snap, snapshot.AccessApps, w.snap.Account.ID)
	policies, _ := snapshot.Read(w.snap, snapshot.AccessPolicies, w.snap.Account.ID)
	return networkGuards{admission.NetworkOf(admission.Rules(rules, w.snap.TakenAt, admission.ListsIn(w.snap))), w.access(), apps,
		exposure.IndexPolicies(policies)}
}

// leave reports whether the guards certainly leave a part of a range open, and whether they say nothing of any part.
func (g networkGuards) leave(p netip.Prefix, splits int) (open, bare bool) {
	whole, part := g.rules.Blocks(p, "")
	if whole != truth.No || g.held(p, p.Bits()) >= exposure.UnsureGuard {
		return false, false
	}
	if g.held(p, p.Addr().BitLen()) == exposure.Unguarded {
		return true, part == truth.No
	}
	if splits == 0 || p.IsSingleIP() {
		return true, false
	}
	low, high := exposure.Halves(p)
	first, _ := g.leave(low, splits-1)
	second, _ := g.leave(high, splits-1)
	return first || second, false
}

// held returns how far Access applications ask whoever reaches a range, by destinations of at most so many bits.
func (g networkGuards) held(p netip.Prefix, bits int) exposure.Guard {
	return g.access.Private(g.apps, g.policies, func(d snapshot.AccessDestination) bool {
		q, ok := snapshot.Range(d.Value)
		return ok && q.Bits() <= bits && q.Overlaps(p)
	})
}
