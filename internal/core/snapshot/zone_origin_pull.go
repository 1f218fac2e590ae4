package snapshot

const (
	// ZoneAOPSettings tells whether the edge shows a certificate to origins.
	ZoneAOPSettings Key[OriginPull] = "zone/aop_settings"
	// ZoneAOPCertificates holds the own certificates the edge shows for the whole zone.
	ZoneAOPCertificates Key[[]OriginPullCert] = "zone/aop_certificates"
	// ZoneAOPHostCertificates holds the certificates the edge shows to the origins of single hosts.
	ZoneAOPHostCertificates Key[[]OriginPullCert] = "zone/aop_host_certificates"
)

// OriginPull tells whether the edge shows a certificate to the origins of a zone;
// nil when the provider did not say.
type OriginPull struct {
	Enabled *bool `json:"enabled,omitempty"`
}

// OriginPullCert is an own certificate the edge shows to origins.
type OriginPullCert struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
}

// SortKey orders certificates by id.
func (c OriginPullCert) SortKey() string { return c.ID }

// Active reports whether the certificate is deployed.
func (c OriginPullCert) Active() bool { return c.Status == "active" }

// Gone reports whether the certificate is being taken away.
func (c OriginPullCert) Gone() bool { return c.Status == "deleted" || c.Status == "pending_deletion" }

// zoneAOPSettings reads whether the edge shows a certificate to origins
// (developers.cloudflare.com/api/resources/origin_tls_client_auth/subresources/settings/methods/get/).
func zoneAOPSettings() Source {
	return object(ZoneAOPSettings, Source{
		Path: "/zones/{zone_id}/origin_tls_client_auth/settings", Permission: permissionCertificates,
		Example: `{"enabled":true}`,
	}, asRead[OriginPull])
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
	}, asRead[OriginPullCert])
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
	}, asRead[OriginPullCert])
}
