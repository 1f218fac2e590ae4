package attackpath

import (
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// privateNetwork is a network that enrolled devices reach through a tunnel, by the nodes on the way.
type privateNetwork struct{ app, tunnel, network string }

func (n privateNetwork) nodes() []string {
	return []string{graph.InternetID, n.app, n.tunnel, n.network}
}

func (privateNetwork) steps() []string {
	return []string{graph.InternetTo, graph.Protects, graph.Exposes}
}

// privateNetworks lists those that no network rule of Gateway keeps an enrolled device from.
func (w *world) privateNetworks() []privateNetwork {
	rules, _ := snapshot.Read(w.snap, snapshot.GatewayRules, w.snap.Account.ID)
	gateway := admission.NetworkOf(rules)
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

// shut reports whether the network rules of Gateway keep a device from all of a network, or perhaps do.
func shut(rules admission.Network, network string) bool {
	p, err := netip.ParsePrefix(network)
	if err != nil {
		return false
	}
	whole, _ := rules.Blocks(p)
	return whole != truth.No
}
