package snapshot

// zoneAOPSettings reads whether the edge shows a certificate to origins
// (developers.cloudflare.com/api/resources/origin_tls_client_auth/subresources/settings/methods/get/).
func zoneAOPSettings() Source {
	return object(ZoneAOPSettings, Source{
		Path: "/zones/{zone_id}/origin_tls_client_auth/settings", Permission: permissionCertificates,
		Example: `{"enabled":true}`,
	}, func(w OriginPull) OriginPull { return w })
}

const examplePullCertificates = `[{"id":"c1","enabled":true,"status":"active","certificate":"-----BEGIN CERTIFICATE----- drop",` +
	`"private_key":"drop","issuer":"O=drop","expires_on":"2027-01-01T00:00:00Z","uploaded_on":"2026-01-01T00:00:00Z"}]`

// zoneAOPCertificates lists the own certificates the edge shows for the whole
// zone (developers.cloudflare.com/api/resources/origin_tls_client_auth/methods/list/). Where no check
// asks for tls_client_auth it is not read for this alone: that costs as much as it may save.
func zoneAOPCertificates() Source {
	return list(ZoneAOPCertificates, Source{
		Path: "/zones/{zone_id}/origin_tls_client_auth", Volatile: true, Permission: permissionCertificates,
		After: []string{ZoneAOPSettings.Source(), ZoneSettings.Source()},
		Skip: func(k *Known, t SourceScope) string {
			pull, ok := Cached(k, ZoneAOPSettings, t.Zone.ID)
			settings, read := Cached(k, ZoneSettings, t.Zone.ID)
			if auth, given := settings.Text("tls_client_auth"); ok && read && given && pull.Enabled != nil && !*pull.Enabled && auth == "off" {
				return "the edge shows no certificate to the origins of the zone"
			}
			return ""
		},
		Example: examplePullCertificates,
	}, func(w OriginPullCert) OriginPullCert { return w })
}

// zoneAOPHostCertificates lists those for single hosts, which only matter while
// the whole zone has none
// (developers.cloudflare.com/api/resources/origin_tls_client_auth/subresources/hostnames/subresources/certificates/methods/list/).
func zoneAOPHostCertificates() Source {
	return list(ZoneAOPHostCertificates, Source{
		Path: "/zones/{zone_id}/origin_tls_client_auth/hostnames/certificates", Volatile: true, Permission: permissionCertificates,
		After: []string{ZoneAOPSettings.Source()},
		Skip: func(k *Known, t SourceScope) string {
			if pull, ok := Cached(k, ZoneAOPSettings, t.Zone.ID); ok && pull.Enabled != nil && *pull.Enabled {
				return "the edge shows a certificate to all origins of the zone"
			}
			return ""
		},
		Example: examplePullCertificates,
	}, func(w OriginPullCert) OriginPullCert { return w })
}
