package cloudflare

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

type apiConfigurationWire struct {
	AuthIDs []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"auth_id_characteristics"`
}

// zoneAPIConfiguration reads how sessions are told apart
// (developers.cloudflare.com/api/resources/api_gateway/subresources/configurations/methods/get/).
func zoneAPIConfiguration() Source {
	return object(snapshot.ZoneAPIConfiguration, Source{
		Path: "/zones/{zone_id}/api_gateway/configuration", Permission: permissionAPI, Plans: []string{"enterprise"},
		After: []string{snapshot.ZoneAPIOperations.Source()}, Skip: noOperations,
		Example: `{"auth_id_characteristics":[{"name":"authorization","type":"header"}]}`,
	}, func(w apiConfigurationWire) snapshot.APIConfiguration {
		out := snapshot.APIConfiguration{AuthIDs: []string{}}
		for _, a := range w.AuthIDs {
			out.AuthIDs = append(out.AuthIDs, a.Type+":"+a.Name)
		}
		slices.Sort(out.AuthIDs)
		return out
	})
}
