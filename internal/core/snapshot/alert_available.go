package snapshot

import (
	"maps"
	"slices"
)

// AlertAvailable holds the alerts that the account may subscribe to.
const AlertAvailable Key[[]AlertType] = "account/alert_available"

// AlertType is an alert the account may subscribe to.
type AlertType struct {
	Product string `json:"product"`
	Type    string `json:"type"`
	Name    string `json:"display_name"`
}

type alertAvailableWire map[string][]struct {
	Type string `json:"type"`
	Name string `json:"display_name"`
}

// alertAvailable reads the alerts that the account may subscribe to; the result is an object keyed
// by product, not a list
// (developers.cloudflare.com/api/resources/alerting/subresources/available_alerts/methods/list/).
func alertAvailable() Source {
	return object(AlertAvailable, Source{
		Path: "/accounts/{account_id}/alerting/v3/available_alerts", Permission: "Account: Notifications Read",
		Example: `{"SSL/TLS":[{"type":"universal_ssl_event_type","display_name":"Universal SSL"}]}`,
	}, func(w alertAvailableWire) []AlertType {
		out := []AlertType{}
		for _, product := range slices.Sorted(maps.Keys(w)) {
			for _, a := range w[product] {
				out = append(out, AlertType{Product: product, Type: a.Type, Name: a.Name})
			}
		}
		return out
	})
}
