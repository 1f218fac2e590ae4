package snapshot

import (
	"encoding/json"
	"strings"
)

// ZoneHold holds whether other accounts are prevented from adding the zone.
const ZoneHold Key[Hold] = "zone/hold"

// Hold prevents other accounts from adding the zone; until After it is suspended.
type Hold struct {
	Hold              bool `json:"hold"`
	After             Time `json:"hold_after,omitzero"`
	IncludeSubdomains bool `json:"include_subdomains"`
}

type holdWire struct {
	Hold              bool            `json:"hold"`
	After             json.RawMessage `json:"hold_after"`
	IncludeSubdomains json.RawMessage `json:"include_subdomains"`
}

// zoneHold reads whether other accounts are prevented from adding the zone. The API returns
// include_subdomains as a string and hold_after as a string that may be empty
// (developers.cloudflare.com/api/resources/zones/subresources/holds/methods/get/).
func zoneHold() Source {
	return object(ZoneHold, Source{
		Path: "/zones/{zone_id}/hold", Permission: "Zone: Zone Read", Plans: []string{"enterprise"},
		Example: `{"hold":true,"hold_after":"2026-01-31T15:56:36+00:00","include_subdomains":"true"}`,
	}, func(w holdWire) Hold {
		out := Hold{Hold: w.Hold, IncludeSubdomains: strings.Trim(string(w.IncludeSubdomains), `"`) == "true"}
		if json.Unmarshal(w.After, &out.After) != nil {
			out.After = Time{}
		}
		return out
	})
}
