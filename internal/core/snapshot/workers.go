package snapshot

import (
	"encoding/json"
	"slices"
)

// Workers holds the scripts.
const Workers Key[[]Worker] = "account/workers"

// Worker is a script; ID is its name.
type Worker struct {
	ID         string   `json:"id"`
	Tag        string   `json:"tag,omitempty"` // the id used by other products
	Handlers   []string `json:"handlers"`
	Logpush    bool     `json:"logpush"`
	Observed   bool     `json:"observability"` // Workers Logs keeps at least some logs
	Tails      int      `json:"tail_consumers"`
	ModifiedOn Time     `json:"modified_on,omitzero"`
	// Compatibility is the compatibility date of the script.
	Compatibility string `json:"compatibility_date,omitempty"`
}

// SortKey orders scripts by name.
func (w Worker) SortKey() string { return w.ID }

// TagOf returns the id that other products have for a script, "" if it is not known.
func TagOf(scripts []Worker, name string) string {
	if i := slices.IndexFunc(scripts, func(w Worker) bool { return w.ID == name }); i >= 0 {
		return scripts[i].Tag
	}
	return ""
}

type workerWire struct {
	ID         string            `json:"id"`
	Tag        string            `json:"tag"`
	Handlers   []string          `json:"handlers"`
	Logpush    bool              `json:"logpush"`
	ModifiedOn Time              `json:"modified_on"`
	Compat     string            `json:"compatibility_date"`
	Observe    observabilityWire `json:"observability"`
	Tails      []json.RawMessage `json:"tail_consumers"`
}

type observabilityWire struct {
	Enabled bool     `json:"enabled"`
	Rate    *float64 `json:"head_sampling_rate"`
	Logs    *struct {
		Enabled      *bool             `json:"enabled"`
		Rate         *float64          `json:"head_sampling_rate"`
		Persist      *bool             `json:"persist"`
		Destinations []json.RawMessage `json:"destinations"`
	} `json:"logs"`
}

// keepsLogs reports whether Workers Logs stores or sends anything: the switch for logs overrides
// the general one, and so does its sampling rate, of which 0 logs nothing
// (developers.cloudflare.com/workers/observability/logs/workers-logs/).
func (w observabilityWire) keepsLogs() bool {
	on, rate := w.Enabled, w.Rate
	if l := w.Logs; l != nil {
		if l.Enabled != nil {
			on = *l.Enabled
		}
		if l.Rate != nil {
			rate = l.Rate
		}
		if l.Persist != nil && !*l.Persist && len(l.Destinations) == 0 {
			return false
		}
	}
	return on && (rate == nil || *rate > 0)
}

// workers lists the scripts; a script's id is its name
// (developers.cloudflare.com/api/resources/workers/subresources/scripts/methods/list/).
func workers() Source {
	return list(Workers, Source{
		Path: "/accounts/{account_id}/workers/scripts", Permission: permissionWorkers, Feeds: true,
		Example: `[{"id":"storefront","tag":"e8f70fdbc8b1fb0b8ddb1af166186758","handlers":["fetch"],"logpush":false,` +
			`"compatibility_date":"2026-01-01",` +
			`"modified_on":"2026-01-01T00:00:00Z"}]`,
	}, func(w workerWire) Worker {
		return Worker{ID: w.ID, Tag: w.Tag, Handlers: w.Handlers, Logpush: w.Logpush, Observed: w.Observe.keepsLogs(), Tails: len(w.Tails),
			ModifiedOn: w.ModifiedOn, Compatibility: w.Compat}
	})
}

// noScripts skips sources about scripts when the account has none.
func noScripts() skipRule { return whenEmpty(Workers, "the account has no script") }

const permissionWorkers = "Account: Workers Scripts Read"
