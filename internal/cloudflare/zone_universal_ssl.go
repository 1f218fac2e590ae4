package cloudflare

import "github.com/edgeposture/edgeposture/internal/snapshot"

// zoneUniversalSSL reads whether the provider issues a certificate by itself
// (developers.cloudflare.com/api/resources/ssl/subresources/universal/subresources/settings/methods/get/).
func zoneUniversalSSL() Source {
	return object(snapshot.ZoneUniversalSSL, Source{
		Path: "/zones/{zone_id}/ssl/universal/settings", Permission: permissionCertificates,
		Example: `{"enabled":true,"certificate_authority":"google"}`,
	}, func(w snapshot.Switch) snapshot.Switch { return w })
}
