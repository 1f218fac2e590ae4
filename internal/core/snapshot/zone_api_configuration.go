package snapshot

import "slices"

// ZoneAPIConfiguration holds how API sessions are identified.
const ZoneAPIConfiguration Key[APIConfiguration] = "zone/api_configuration"

// APIConfiguration says how sessions are identified: "header:name", sorted.
type APIConfiguration struct {
	AuthIDs []string `json:"auth_id_characteristics"`
}

type apiConfigurationWire struct {
	AuthIDs []struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"auth_id_characteristics"`
}

// zoneAPIConfiguration reads how API sessions are identified
// (developers.cloudflare.com/api/resources/api_gateway/subresources/configurations/methods/get/).
func zoneAPIConfiguration() Source {
	return object(ZoneAPIConfiguration, Source{
		Path: "/zones/{zone_id}/api_gateway/configuration", Permission: permissionAPI, Plans: []string{"enterprise"},
		After: []string{ZoneAPIOperations.Source()}, Skip: noOperations(),
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
