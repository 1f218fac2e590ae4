package attackpath

import (
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// openEnrolment finds private networks that every enrolled device can reach while
// anyone may enrol a device.
func openEnrolment() Kind {
	return Kind{Name: "open-enrolment", Title: "Private network open to any device",
		Finds:   "devices that anybody can enrol reach private networks behind a tunnel",
		Related: []string{"CFL-ZT-003"},
		find: func(w *world) []candidate {
			if !w.failsAt(graph.Account+":"+w.snap.Account.ID, "CFL-ZT-003") && len(w.failed("CFL-ZT-003")) == 0 {
				return nil
			}
			rules, _ := snapshot.Read(w.snap, snapshot.GatewayRules, w.snap.Account.ID)
			network := admission.NetworkOf(rules)
			var out []candidate
			for _, app := range w.byType[graph.AccessApp] {
				if w.text(app.ID, "appType") != "warp" {
					continue
				}
				for _, tunnel := range w.to(app.ID, graph.Protects) {
					for _, exposed := range w.to(tunnel, graph.Exposes) {
						if !w.is(exposed, "network") || shut(network, w.label(exposed)) {
							continue
						}
						out = append(out, candidate{title: "Private network open to any device: " + w.label(exposed), grave: true,
							gains: "enrols a device and reaches the private network " + w.label(exposed),
							refs:  []string{app.ID, exposed}, nodes: []string{graph.InternetID, app.ID, tunnel, exposed},
							steps: []string{graph.InternetTo, graph.Protects, graph.Exposes},
							about: []resourceKey{keyOf(posture.Resource{Type: posture.ResourceAccount, ID: w.snap.Account.ID})},
							explanation: "Anyone may enrol a device, and enrolled devices reach the private network " + w.label(exposed) +
								" through the tunnel " +
								w.label(tunnel) + ".",
							breaks: []posture.Break{{Change: "Limit device enrolment to own groups or domains.", NodeID: app.ID,
								CheckIDs: []string{"CFL-ZT-003"}}}})
					}
				}
			}
			return out
		}}
}

// shut reports whether the network rules of Gateway keep a device that anybody enrolled from all of a network, or perhaps do.
func shut(rules admission.Network, network string) bool {
	p, err := netip.ParsePrefix(network)
	if err != nil {
		return false
	}
	whole, _ := rules.Blocks(p)
	return whole != truth.No
}
