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
// path.
type privateNetwork struct{ app, tunnel, network string }

func (n privateNetwork) nodes() []string {
	return []string{graph.InternetID, n.app, n.tunnel, n.network}
}

func (privateNetwork) steps() []string {
	return []string{graph.InternetTo, graph.Protects, graph.Exposes}
}

// privateNetworks lists the private networks that no Gateway network rule blocks for an enrolled
// device and no Access application holds; none when these were not read.
func (w *world) privateNetworks() []privateNetwork {
	if !w.read(snapshot.GatewayRules) || !w.read(snapshot.AccessApps) || !w.read(snapshot.AccessPolicies) {
		return nil
	}
	rules, _ := snapshot.Read(w.snap, snapshot.GatewayRules, w.snap.Account.ID)
	gateway := admission.NetworkOf(admission.Rules(rules, w.snap.TakenAt, admission.ListsIn(w.snap)))
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
				if w.is(exposed, "network") && !shut(gateway, w.label(exposed)) && !w.held(w.label(exposed)) {
					out = append(out, privateNetwork{app.ID, tunnel, exposed})
				}
			}
		}
	}
	return out
}

// shut reports whether the Gateway network rules block a device from a whole network, or may do so.
func shut(rules admission.Network, network string) bool {
	p, err := netip.ParsePrefix(network)
	if err != nil {
		return false
	}
	whole, _ := rules.Blocks(p, "")
	return whole != truth.No
}

// held reports whether Access applications ask everyone who reaches a whole network, or may do so.
func (w *world) held(network string) bool {
	p, err := netip.ParsePrefix(network)
	if err != nil {
		return false
	}
	apps, _ := snapshot.Read(w.snap, snapshot.AccessApps, w.snap.Account.ID)
	policies, _ := snapshot.Read(w.snap, snapshot.AccessPolicies, w.snap.Account.ID)
	guard := w.access().Private(apps, exposure.IndexPolicies(policies), func(d snapshot.AccessDestination) bool {
		if a, err := netip.ParseAddr(d.Value); err == nil {
			return p.IsSingleIP() && p.Addr() == a
		}
		q, err := netip.ParsePrefix(d.Value)
		return err == nil && q.Bits() <= p.Bits() && q.Overlaps(p)
	})
	return guard == exposure.GuardedWhole || guard == exposure.UnsureGuard
}
