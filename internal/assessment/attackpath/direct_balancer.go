package attackpath

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// directBalancer finds load balancers that answer with the addresses of their origins instead of
// those of the edge.
func directBalancer() Kind {
	return Kind{Name: "direct-balancer", Title: "Balancer around the edge",
		Finds:   "a balancer that is not proxied, or whose zone is paused, and names its servers",
		Related: []string{"CFL-LB-004", "CFL-ZONE-001"},
		find: func(w *world) []candidate {
			var out []candidate
			paused := w.pausedBalancers()
			for _, s := range w.byType[graph.Service] {
				origins := w.behind(s.ID)
				zone := paused[s.ID]
				if s.Properties.Get("loadBalancer") == nil || s.Properties.Get("proxied") != false || len(origins) == 0 ||
					zone == "" && !w.openAt(s.ID, "CFL-LB-004") {
					continue
				}
				names := make([]string, 0, len(origins))
				for _, o := range origins {
					names = append(names, w.label(o))
				}
				says, change, at := "The load balancer "+s.Label+" is not proxied and answers with ", "Proxy the load balancer "+s.Label, s.ID
				if zone != "" {
					says, change, at = "The zone "+w.label(zone)+" is paused, so the load balancer "+s.Label+" answers with ",
						"Unpause the zone "+w.label(zone), zone
				}
				out = append(out, candidate{title: "Balancer around the edge: " + s.Label, gains: "reaches the servers of " + s.Label +
					" past the WAF and rate limits", refs: []string{s.ID},
					nodes: []string{graph.InternetID, s.ID, origins[0]}, steps: []string{graph.InternetTo, graph.ResolvesTo},
					explanation: says + strings.Join(names, ", ") + ", so anyone reaches these servers directly.",
					breaks: []posture.Break{
						{Change: change + ", and move its servers to new addresses: those it named stay known.", NodeID: at},
						{Change: "Admit only Cloudflare's addresses at " + strings.Join(names, ", ") + ", or put the servers behind a tunnel.",
							NodeID: origins[0]}}})
			}
			return out
		}}
}

// pausedBalancers returns the zones, by host, of balancers that answer with their servers only because the zone is paused.
func (w *world) pausedBalancers() map[string]string {
	out := map[string]string{}
	for _, z := range w.snap.Zones {
		if !z.Paused || z.Status != "active" || z.Type == "internal" {
			continue
		}
		balancers, _ := snapshot.Read(w.snap, snapshot.ZoneLoadBalancers, z.ID)
		for _, l := range balancers {
			if l.Enabled && l.Proxied {
				out[graph.ServiceID(l.Name)] = graph.Zone + ":" + z.ID
			}
		}
	}
	return out
}
