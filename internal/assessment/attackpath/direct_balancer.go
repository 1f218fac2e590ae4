package attackpath

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// directBalancer finds load balancers that answer with the addresses of their origins instead of
// those of the edge.
func directBalancer() Kind {
	return Kind{Name: "direct-balancer", Title: "Balancer around the edge",
		Finds:   "a balancer that is not proxied and names its servers",
		Related: []string{"CFL-LB-004"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, s := range w.byType[graph.Service] {
				origins := w.behind(s.ID)
				if s.Properties.Get("loadBalancer") == nil || s.Properties.Get("proxied") != false || len(origins) == 0 ||
					!w.openAt(s.ID, "CFL-LB-004") {
					continue
				}
				names := make([]string, 0, len(origins))
				for _, o := range origins {
					names = append(names, w.label(o))
				}
				out = append(out, candidate{title: "Balancer around the edge: " + s.Label, gains: "reaches the servers of " + s.Label +
					" past the WAF and rate limits", refs: []string{s.ID},
					nodes: []string{graph.InternetID, s.ID, origins[0]}, steps: []string{graph.InternetTo, graph.ResolvesTo},
					explanation: "The load balancer " + s.Label + " is not proxied and answers with " + strings.Join(names, ", ") +
						", so anyone reaches these servers directly.",
					breaks: []posture.Break{
						{Change: "Proxy the load balancer " + s.Label + ", and move its servers to new addresses: those it named stay known.", NodeID: s.ID},
						{Change: "Admit only Cloudflare's addresses at " + strings.Join(names, ", ") + ", or put the servers behind a tunnel.",
							NodeID: origins[0]}}})
			}
			return out
		}}
}
