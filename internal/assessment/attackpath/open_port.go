package attackpath

import (
	"slices"
	"strings"

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
			type port struct{ service, origin string }
			open := map[port][]string{} // the protocols
			for _, z := range w.snap.Zones {
				apps, _ := snapshot.Read(w.snap, snapshot.ZoneSpectrumApps, z.ID)
				for _, a := range apps {
					if !bad[z.ID+"/"+a.ID+"/ip_firewall"] {
						continue
					}
					for _, o := range a.Origins {
						if p := (port{graph.ServiceID(a.Name), graph.OriginID(o)}); !slices.Contains(open[p], a.Protocol) {
							open[p] = append(open[p], a.Protocol)
						}
					}
				}
			}
			var out []candidate
			for p, protocols := range open {
				if !w.is(p.origin, "public") {
					continue
				}
				slices.Sort(protocols)
				host, server, what := w.label(p.service), w.label(p.origin), strings.Join(protocols, " and ")
				c := candidate{title: "Management port open to everyone: " + host,
					gains: "reaches the port " + what + " of " + server + " and guesses passwords there",
					refs:  []string{p.service, p.origin}, nodes: []string{graph.InternetID, p.service, p.origin},
					steps:       []string{graph.InternetTo, graph.ResolvesTo},
					explanation: "Spectrum passes " + what + " of " + host + " through to " + server + " for every address in the world.",
					breaks: []posture.Break{{Change: "Publish " + what + " of " + host + " through a tunnel behind Access instead.",
						NodeID: p.service}}}
				if w.text(w.zoneOf(p.service), "plan") == "enterprise" { // others have no such switch
					c.breaks = slices.Insert(c.breaks, 0, posture.Break{Change: "Switch the IP firewall of " + what + " at " + host +
						" on and admit only known addresses.", NodeID: p.service, CheckIDs: []string{"CFL-SPECTRUM-002"}})
				}
				out = append(out, c)
			}
			return out
		}}
}
