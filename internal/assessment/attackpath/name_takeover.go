package attackpath

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// nameTakeover finds hostnames that point to something another party can claim. Checks decide
// whether it can be claimed.
func nameTakeover() Kind {
	return Kind{Name: "name-takeover", Title: "Name that can be taken over",
		Finds:   "a record that points to something nobody owns any more",
		Related: []string{"CFL-DNS-006", "CFL-DNS-007"},
		find: func(w *world) []candidate {
			var out []candidate
			for _, record := range w.to(graph.InternetID, graph.InternetTo) {
				if w.node(record).Type != graph.DNSRecord || !w.failsAt(record, "CFL-DNS-006", "CFL-DNS-007") {
					continue
				}
				nodes, steps := w.leads(record)
				if nodes == nil {
					continue
				}
				name, target := w.label(record), w.text(record, "content")
				check := "CFL-DNS-006"
				if !w.failsAt(record, check) {
					check = "CFL-DNS-007"
				}
				out = append(out, candidate{title: "Name that can be taken over: " + name, grave: true,
					gains: "claims what " + name + " points to and serves pages under that name", nodes: nodes, steps: steps,
					refs: []string{record}, explanation: "The record " + name + " leads to " + target +
						", which does not exist any more. Whoever claims it there serves pages and gets " +
						"certificates under " + name + ", and receives the cookies that its parent domain sets for all of its names.",
					breaks: []posture.Break{{Change: "Delete the record " + name + ".", NodeID: record, CheckIDs: []string{check}},
						{Change: "Take " + target + " back.", NodeID: record}}})
			}
			return out
		}}
}

// leads follows a record to its target: directly to an origin or a host, or through its own host.
func (w *world) leads(record string) (nodes, steps []string) {
	nodes, steps = []string{graph.InternetID, record}, []string{graph.InternetTo}
	target := strings.ToLower(strings.TrimSuffix(w.text(record, "content"), "."))
	for _, end := range w.to(record, graph.ResolvesTo) {
		if w.label(end) == target || len(w.to(record, graph.Proxies)) == 0 {
			return extend(nodes, steps, graph.ResolvesTo, end)
		}
	}
	services := w.to(record, graph.Proxies)
	if len(services) == 0 {
		return nil, nil
	}
	nodes, steps = extend(nodes, steps, graph.Proxies, services[0])
	for _, end := range w.to(services[0], graph.ResolvesTo) {
		if w.label(end) == target {
			return extend(nodes, steps, graph.ResolvesTo, end)
		}
	}
	return nodes, steps
}
