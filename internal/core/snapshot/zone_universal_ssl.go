package snapshot

// ZoneUniversalSSL holds whether the provider issues a certificate automatically.
const ZoneUniversalSSL Key[Switch] = "zone/universal_ssl"

// Switch is a feature that is on or off; nil when not returned.
type Switch struct {
	Enabled *bool `json:"enabled"`
}

// zoneUniversalSSL reads whether the provider issues a certificate automatically; an active pack of
// that kind already shows it
// (developers.cloudflare.com/api/resources/ssl/subresources/universal/subresources/settings/methods/get/).
func zoneUniversalSSL() Source {
	return object(ZoneUniversalSSL, Source{
		Path: "/zones/{zone_id}/ssl/universal/settings", Permission: permissionCertificates,
		After: []string{ZoneCertificatePacks.Source()},
		Skip: func(k *Known, t SourceScope) string {
			packs, _ := Cached(k, ZoneCertificatePacks, t.Zone.ID)
			for _, p := range packs {
				if p.Type == "universal" && p.Status == "active" {
					return "the zone has an active universal certificate"
				}
			}
			return ""
		},
		Example: `{"enabled":true,"certificate_authority":"google"}`,
	}, asRead[Switch])
}
