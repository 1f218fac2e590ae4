package assess

import (
	"encoding/json"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
)

// inputsOfZones are the values a person chooses for what lies in zones.
func inputsOfZones(w *workshop) change.Inputs {
	account := w.cloud.Accounts()[0]
	zone := w.at("/zones/" + w.cloud.ZoneIDs(account)[0]).(map[string]any)
	monitors := w.at("/accounts/" + account + "/load_balancers/monitors").([]any)
	i := slices.IndexFunc(monitors, func(m any) bool { return change.Holds(m, map[string]any{"type": "https", "allow_insecure": false}) })
	require.GreaterOrEqual(w.t, i, 0, "the account has a good monitor")
	in := func(v any) json.RawMessage { return change.Encode(v) }
	name := zone["name"].(string)
	return change.Inputs{
		"CFL-LB-001":  {"monitor": in(monitors[i].(map[string]any)["id"])},
		"CFL-SEC-001": {"contact": in("mailto:security@" + name)},
		"CFL-SSL-020": {"emails": in([]string{"security@" + name})},
		"CFL-WAF-003": {"expression": in(`(http.request.uri.path eq "/login")`), "requests_per_period": in(20), "period": in(10),
			"mitigation_timeout": in(10)},
	}
}

// at reads a path of the simulation.
func (w *workshop) at(path string) any {
	w.t.Helper()
	value, err := w.engine.Provider.Live(w.t.Context(), path, nil)
	require.NoError(w.t, err)
	return value
}

// lessens tells whether a remedy only takes the worst away and leaves a warning, as
// the catalogue means it: requests that break a schema are logged, not yet blocked,
// and the shared certificate of the edge is better than none.
func lessens(checkID string) bool {
	return slices.Contains([]string{"CFL-API-003", "CFL-MTLS-004"}, checkID)
}
