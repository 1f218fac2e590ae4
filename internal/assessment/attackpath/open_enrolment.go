package attackpath

import (
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// openEnrolment finds private networks that every enrolled device can reach while
// anyone may enrol a device.
func openEnrolment() Kind {
	return Kind{Name: "open-enrolment", Title: "Private network open to any device",
		Finds:   "devices that anybody can enrol reach private networks behind a tunnel",
		Related: []string{"CFL-ZT-003"},
		find: func(w *world) []candidate {
			if len(w.failed("CFL-ZT-003")) == 0 {
				return nil
			}
			var out []candidate
			for _, n := range w.privateNetworks() {
				out = append(out, candidate{title: "Private network open to any device: " + w.label(n.network), grave: true,
					gains: "enrols a device and reaches the private network " + w.label(n.network),
					refs:  []string{n.app, n.network}, nodes: n.nodes(), steps: n.steps(),
					about: []resourceKey{keyOf(posture.Resource{Type: posture.ResourceAccount, ID: w.snap.Account.ID})},
					explanation: "Anyone may enrol a device, and enrolled devices reach the private network " + w.label(n.network) +
						" through the tunnel " + w.label(n.tunnel) + ".",
					breaks: []posture.Break{{Change: "Limit device enrolment to own groups or domains.", NodeID: n.app,
						CheckIDs: []string{"CFL-ZT-003"}}}})
			}
			return out
		}}
}
