package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// routes lists the Worker routes in their order, and those that match the request.
func (w *walk) routes() (all []snapshot.WorkerRoute, hits []taken, open *traffic.Doubt) {
	all, unread := read(w, snapshot.ZoneWorkerRoutes)
	if unread != nil || len(all) == 0 {
		return nil, nil, unread
	}
	all = traffic.RoutesInOrder(all)
	conditions := make([]taken, len(all))
	for i, r := range all {
		conditions[i] = taken{condition: traffic.RouteCondition(r),
			by: traffic.By{Source: snapshot.ZoneWorkerRoutes, Pointer: "/" + r.ID, Rule: r.ID, Name: "the route " + r.Pattern}}
	}
	hits, open = w.met("workers", conditions)
	return all, hits, open
}

// worker finds the script that handles the request: the most specific matching route wins, and
// routes come before custom domains
// (developers.cloudflare.com/workers/configuration/routing/routes/).
func (w *walk) worker() PhaseStep {
	s := PhaseStep{Phase: "workers", Title: "Workers", sources: []snapshot.Named{snapshot.ZoneWorkerRoutes, snapshot.WorkerDomains}}
	routes, hits, open := w.routes()
	if open != nil {
		return w.doubtful(s, *open)
	}
	if len(hits) > 0 && routes[hits[0].at].Script != "" {
		s.By, s.Outcome, s.script = byOf(hits[0].by), Applied, routes[hits[0].at].Script
		s.Overrode = overrides(hits[1:])
		s.Detail = fmt.Sprintf("The Worker %s takes the request; what its code does cannot be told from here.", routes[hits[0].at].Script)
		return s
	}
	domains, unread := read(w, snapshot.WorkerDomains)
	at := slices.IndexFunc(domains, func(d snapshot.WorkerDomain) bool { return strings.EqualFold(d.Hostname, w.query.Host()) })
	switch {
	case unread != nil:
		return w.doubtful(s, *unread)
	case at >= 0:
		d := domains[at]
		s.By = &By{Source: snapshot.WorkerDomains.Source(), Pointer: "/" + d.ID, ID: d.ID, Name: "the domain of the Worker " + d.Script,
			Scope: "account"}
		s.Overrode = overrides(hits)
		s.Outcome, s.Detail, s.script = Applied, "The Worker "+d.Script+" answers.", d.Script
		w.host.Kind = traffic.Worker
	case len(hits) > 0:
		s.By, s.Outcome = byOf(hits[0].by), Skipped
		s.Overrode = overrides(hits[1:])
		s.Detail = fmt.Sprintf("The route %s keeps the request from every Worker.", routes[hits[0].at].Pattern)
	case len(routes) == 0:
		s.Outcome, s.Detail = NotConfigured, "There are no rules."
	default:
		s.Outcome, s.Detail = Passed, fmt.Sprintf("None of the rules (%d) takes the request.", len(routes))
	}
	return s
}
