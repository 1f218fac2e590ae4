package snapshot

import "slices"

// ZoneAPIConfiguration tells how sessions are told apart.
const ZoneAPIConfiguration Key[APIConfiguration] = "zone/api_configuration"

// APIConfiguration tells how sessions are recognised: "header:name", sorted.
type APIConfiguration struct {
	AuthIDs []string `json:"auth_id_characteristics"`
}

type apiConfigurationWire struct {
	AuthIDs []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"auth_id_characteristics"`
}

// zoneAPIConfiguration reads how sessions are told apart
// (developers.cloudflare.com/api/resources/api_gateway/subresources/configurations/methods/get/).
func zoneAPIConfiguration() Source {
	return object(ZoneAPIConfiguration, Source{
		Path: "/zones/{zone_id}/api_gateway/configuration", Permission: permissionAPI, Plans: []string{"enterprise"},
		After: []string{ZoneAPIOperations.Source()}, Skip: noOperations,
		Example: `{"auth_id_characteristics":[{"name":"authorization","type":"header"}]}`,
	}, func(w apiConfigurationWire) APIConfiguration {
		out := APIConfiguration{AuthIDs: []string{}}
		for _, a := range w.AuthIDs {
			out.AuthIDs = append(out.AuthIDs, a.Type+":"+a.Name)
		}
		slices.Sort(out.AuthIDs)
		return out
	})
}
