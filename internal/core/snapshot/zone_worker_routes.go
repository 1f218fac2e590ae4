package snapshot

// ZoneWorkerRoutes holds which requests of a zone are handled by scripts.
const ZoneWorkerRoutes Key[[]WorkerRoute] = "zone/worker_routes"

// WorkerRoute sends requests that match a pattern to a script; a route without a script excludes
// them from any script.
type WorkerRoute struct {
	ID      string `json:"id"`
	Pattern string `json:"pattern"`
	Script  string `json:"script,omitempty"`
}

// SortKey orders routes by id.
func (r WorkerRoute) SortKey() string { return r.ID }

// zoneWorkerRoutes lists which requests of a zone are handled by scripts
// (developers.cloudflare.com/api/resources/workers/subresources/routes/methods/list/).
func zoneWorkerRoutes() Source {
	return list(ZoneWorkerRoutes, Source{
		Path: "/zones/{zone_id}/workers/routes", Permission: "Zone: Workers Routes Read", Feeds: true,
		After: []string{Workers.Source()}, Skip: noScripts(),
		Example: `[{"id":"r1","pattern":"acme.example/shop/*","script":"storefront"}]`,
	}, func(w WorkerRoute) WorkerRoute {
		w.Pattern = ASCII(w.Pattern)
		return w
	})
}
