package attackpath

import (
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// accessBypass finds ways around an Access application: an unproxied record or load balancer
// reveals the origin of its host, or the host is served by a script that also answers at its
// platform hostname, where no login is required.
func accessBypass() Kind {
	return Kind{Name: "access-bypass", Title: "Access walked around",
		Finds:   "an Access application that can be bypassed (5)",
		Related: []string{"CFL-DNS-002", "CFL-DNS-009", "CFL-LB-004", "CFL-PAGE-010", "CFL-WORK-005"}, find: func(w *world) []candidate {
			var out []candidate
			destined := w.destined()
			for _, app := range w.byType[graph.AccessApp] {
				if w.opens[app.ID] {
					continue // it is open anyway, so no bypass is needed
				}
				for _, service := range w.to(app.ID, graph.Protects) {
					if w.node(service).Type != graph.Service || w.text(service, "protocol") != "" ||
						w.is(w.zoneOf(service), "paused") || !w.governs(app.ID, service) || !w.guarded(service) {
						continue
					}
					for _, origin := range w.behind(service) {
						out = append(out, w.direct(app, service, origin)...)
					}
					for _, worker := range w.to(service, graph.Executes) {
						out = append(out, w.platform(app, service, worker, destined)...)
					}
				}
			}
			return out
		}}
}

// direct returns the paths to an origin that do not pass the edge.
func (w *world) direct(app *graph.Node, service, origin string) []candidate {
	var out []candidate
	for _, from := range w.from(origin, graph.ResolvesTo) {
		var change string
		switch n := w.node(from); {
		case n.Type == graph.DNSRecord && !w.is(from, "proxied"):
			change = w.hidden(from, w.label(service), w.label(origin))
		case n.Type == graph.Service && n.Properties.Get("proxied") == false:
			if zone := w.zoneOf(from); w.is(zone, "paused") {
				continue // which proxies nothing, so the change would not help
			}
			change = "Proxy the load balancer " + n.Label + ", and move its servers to new addresses: those it named stay known."
		default:
			continue
		}
		if !w.has(posture.PathEdge{From: graph.InternetID, To: from, Type: graph.InternetTo}) {
			continue
		}
		out = append(out, candidate{title: "Access walked around: " + app.Label, refs: []string{app.ID, from, origin},
			gains: "reaches the server of " + w.label(service) + " past its login", grave: true,
			needs: []string{"the server does not check the Access token itself"},
			nodes: []string{graph.InternetID, from, origin}, steps: []string{graph.InternetTo, graph.ResolvesTo},
			explanation: "The application " + app.Label + " asks for a login at " + w.label(service) + ", but " + w.label(from) +
				" gives away the server " +
				w.label(origin) + " behind it: whoever sends it requests for " + w.label(service) + " is asked for nothing.",
			breaks: []posture.Break{{Change: change, NodeID: from},
				{Change: "Let the server " + w.label(origin) + " accept only requests with a valid Access token, or put it behind a tunnel.",
					NodeID: origin}}})
	}
	return out
}

// platform returns the paths to a protected script through its workers.dev or pages.dev hostname.
func (w *world) platform(app *graph.Node, service, worker string, destined func(string) []exposure.AccessEndpoint) []candidate {
	if !w.reachable(service) {
		return nil
	}
	named := destined(w.label(worker))
	nodes, steps := w.run(worker, func(host string) bool {
		return host != service && w.is(host, "platformHost") && !w.guardedWith(named, host, "")
	})
	if nodes == nil {
		return nil
	}
	host := nodes[len(nodes)-2]
	breaks := []posture.Break{{Change: "Create an Access application for " + w.label(host) + ".", NodeID: host}}
	if w.text(worker, "platform") != "pages" { // the pages.dev hostname cannot be switched off
		breaks = append([]posture.Break{{Change: "Switch the platform host name of " + w.label(worker) + " off.", NodeID: worker,
			CheckIDs: []string{"CFL-WORK-005"}}}, breaks...)
	} else {
		breaks[0].CheckIDs = []string{"CFL-PAGE-010"}
	}
	return []candidate{{gains: "opens the script " + w.label(worker) + " past its login", grave: true,
		needs: []string{"the script does not check the Access token itself"}, title: "Access walked around: " + app.Label, nodes: nodes,
		steps: steps,
		refs:  []string{app.ID, host, worker}, explanation: "The application " + app.Label + " asks for a login at " + w.label(service) +
			", but the same script " + w.label(worker) + " answers everyone at " + w.label(host) + ".",
		breaks: breaks}}
}
