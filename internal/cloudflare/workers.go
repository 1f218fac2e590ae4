package cloudflare

import (
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

type workerWire struct {
	ID         string        `json:"id"`
	Handlers   []string      `json:"handlers"`
	Logpush    bool          `json:"logpush"`
	ModifiedOn snapshot.Time `json:"modified_on"`
}

// workers lists the scripts; a script's id is its name
// (developers.cloudflare.com/api/resources/workers/subresources/scripts/methods/list/).
func workers() Source {
	return list(snapshot.Workers, Source{
		Path: "/accounts/{account_id}/workers/scripts", Permission: permissionWorkers, Feeds: true,
		Example: `[{"id":"storefront","handlers":["fetch"],"logpush":false,"modified_on":"2026-01-01T00:00:00Z"}]`,
	}, func(w workerWire) snapshot.Worker { return snapshot.Worker(w) })
}

const permissionWorkers = "Account: Workers Scripts Read"
