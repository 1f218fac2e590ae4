package attackpath

import (
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
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
			var out []candidate
			for _, app := range w.byType[graph.AccessApp] {
				if w.text(app.ID, "appType") != "warp" {
					continue
				}
				for _, tunnel := range w.to(app.ID, graph.Protects) {
					for _, network := range w.to(tunnel, graph.Exposes) {
						if !w.is(network, "network") {
							continue
						}
						out = append(out, candidate{severity: posture.Critical, title: "Private network open to any device: " + w.label(network),
							refs: []string{app.ID, network}, nodes: []string{graph.InternetID, app.ID, tunnel, network},
							steps: []string{graph.InternetTo, graph.Protects, graph.Exposes},
							about: []resourceKey{keyOf(posture.Resource{Type: posture.ResourceAccount, ID: w.snap.Account.ID})},
							explanation: "Anyone may enrol a device, and enrolled devices reach the private network " + w.label(network) +
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
