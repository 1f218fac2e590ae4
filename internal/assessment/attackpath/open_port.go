package attackpath

import (
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// openPort finds management and database ports that are proxied to an origin and open to every
// address. The evidence of the verdict names the applications.
func openPort() Kind {
	return Kind{Name: "open-port", Title: "Management port open to everyone",
		Finds:   "a port for administration or a database opened to the internet",
		Related: []string{"CFL-SPECTRUM-001", "CFL-SPECTRUM-002"},
		find: func(w *world) []candidate {
			bad := map[string]bool{} // zone id + pointer
			for _, f := range w.failed("CFL-SPECTRUM-002") {
				for _, e := range f.Evidence {
					if e.Source == snapshot.ZoneSpectrumApps.Source() {
						bad[f.Resource.ID+e.Pointer] = true
					}
				}
			}
			var out []candidate
			for _, s := range w.byType[graph.Service] {
				zone, app := w.zoneOf(s.ID), w.text(s.ID, "spectrum")
				if app == "" || zone == "" || !bad[zone[len(graph.Zone)+1:]+"/"+app+"/ip_firewall"] {
					continue
				}
				for _, origin := range w.behind(s.ID) {
					out = append(out, candidate{title: "Management port open to everyone: " + s.Label,
						gains: "reaches the " + w.text(s.ID, "protocol") + " port of " + w.label(origin) + " and guesses passwords there",
						refs:  []string{s.ID, origin}, nodes: []string{graph.InternetID, s.ID, origin}, steps: []string{graph.InternetTo, graph.ResolvesTo},
						explanation: "The Spectrum application " + s.Label + " passes " + w.text(s.ID, "protocol") + " through to " + w.label(origin) +
							" for every address in the world.",
						breaks: []posture.Break{{Change: "Switch the IP firewall of the application on and admit only known addresses.", NodeID: s.ID,
							CheckIDs: []string{"CFL-SPECTRUM-002"}},
							{Change: "Publish the port through a tunnel behind Access instead.", NodeID: s.ID}}})
				}
			}
			return out
		}}
}
