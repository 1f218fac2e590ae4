package cloudflare

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// zoneUniversalSSL reads whether the provider issues a certificate by itself; an
// active pack of that kind says so already
// (developers.cloudflare.com/api/resources/ssl/subresources/universal/subresources/settings/methods/get/).
func zoneUniversalSSL() Source {
	return object(snapshot.ZoneUniversalSSL, Source{
		Path: "/zones/{zone_id}/ssl/universal/settings", Permission: permissionCertificates,
		After: []string{snapshot.ZoneCertificatePacks.Source()},
		Skip: func(k *Known, t Target) string {
			packs, _ := Peek(k, snapshot.ZoneCertificatePacks, t.Zone.ID)
			for _, p := range packs {
				if p.Type == "universal" && p.Status == "active" {
					return "the zone has an active universal certificate"
				}
			}
			return ""
		},
		Example: `{"enabled":true,"certificate_authority":"google"}`,
	}, func(w snapshot.Switch) snapshot.Switch { return w })
}
