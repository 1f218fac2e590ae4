package attackpath

import (
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// openNetwork finds private networks that every enrolled device can reach entirely, because the
// Gateway network rules do not end with a block. Where anyone may enrol a device, open-enrolment
// reports it instead.
func openNetwork() Kind {
	return Kind{Name: "open-network", Title: "Private network open to every enrolled device",
		Finds:   "one enrolled device reaches all of a private network behind a tunnel",
		Related: []string{"CFL-GW-005"},
		find: func(w *world) []candidate {
			account := graph.Account + ":" + w.snap.Account.ID
			if w.anyoneEnrols() || !w.failsAt(account, "CFL-GW-005") {
				return nil
			}
			var out []candidate
			for _, n := range w.privateNetworks() {
				out = append(out, candidate{title: "Private network open to every enrolled device: " + w.label(n.network), grave: true,
					gains: "reaches every machine and port of the private network " + w.label(n.network),
					needs: []string{"they control one enrolled device"}, refs: []string{n.app, n.network}, nodes: n.nodes(), steps: n.steps(),
					about: []resourceKey{keyOf(posture.Resource{Type: posture.ResourceAccount, ID: w.snap.Account.ID})},
					explanation: "Every enrolled device reaches the private network " + w.label(n.network) + " through the tunnel " +
						w.label(n.tunnel) + ", whoever uses it, because no network rule of Gateway denies what is not needed.",
					breaks: []posture.Break{{Change: "Add allow rules for what people need and a last network rule that blocks " +
						w.label(n.network) + ".", NodeID: n.network, CheckIDs: []string{"CFL-GW-005"}}}})
			}
			return out
		}}
}
