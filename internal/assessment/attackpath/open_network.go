package attackpath

import (
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// openNetwork finds private networks that every enrolled device can reach entirely, because no Gateway
// network rule and no Access application is about any part of them. That anyone may enrol a device is a path
// of its own, open-enrolment: limiting it leaves this one.
func openNetwork() Kind {
	return Kind{Name: "open-network", Title: "Private network open to every enrolled device",
		Finds:   "one enrolled device reaches all of a private network behind a tunnel",
		Related: []string{"CFL-GW-005"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, n := range w.privateNetworks() {
				if !n.bare {
					continue
				}
				out = append(out, candidate{title: "Private network open to every enrolled device: " + w.label(n.network), grave: true,
					gains: "reaches every machine of the private network " + w.label(n.network),
					needs: []string{"they control one enrolled device"}, refs: []string{n.app, n.network}, nodes: n.nodes(), steps: n.steps(),
					about: []resourceKey{keyOf(posture.Resource{Type: posture.ResourceAccount, ID: w.snap.Account.ID})},
					explanation: "Every enrolled device reaches the private network " + w.label(n.network) + " through the tunnel " +
						w.label(n.tunnel) + ", whoever uses it, because no network rule of Gateway denies what is not needed.",
					breaks: []posture.Break{{Change: "Let Gateway's network rules allow only what people need in " + w.label(n.network) +
						", and a last one block it.", NodeID: n.network, CheckIDs: []string{"CFL-GW-005"}}}})
			}
			return out
		}}
}
