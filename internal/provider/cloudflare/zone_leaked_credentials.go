package cloudflare

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// zoneLeakedCredentials reads whether passwords known to be stolen are noticed
// (developers.cloudflare.com/api/resources/leaked_credential_checks/methods/get/).
func zoneLeakedCredentials() Source {
	return object(snapshot.ZoneLeakedCredentials, Source{
		Path: "/zones/{zone_id}/leaked-credential-checks", Permission: "Zone: Zone WAF Read",
		Example: `{"enabled":true}`,
	}, func(w snapshot.Switch) snapshot.Switch { return w })
}
