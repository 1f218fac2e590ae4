package attackpath

import (
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
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
// device.
func (w *world) privateNetworks() []privateNetwork {
	rules, _ := snapshot.Read(w.snap, snapshot.GatewayRules, w.snap.Account.ID)
	gateway := admission.NetworkOf(admission.Live(rules, w.snap.TakenAt))
	var out []privateNetwork
	for _, app := range w.byType[graph.AccessApp] {
		if w.text(app.ID, "appType") != "warp" {
			continue
		}
		for _, tunnel := range w.to(app.ID, graph.Protects) {
			for _, exposed := range w.to(tunnel, graph.Exposes) {
				if w.is(exposed, "network") && !shut(gateway, w.label(exposed)) {
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
