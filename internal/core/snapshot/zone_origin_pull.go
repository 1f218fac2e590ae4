package snapshot

const (
	// ZoneAOPSettings holds whether the edge presents a certificate to origins.
	ZoneAOPSettings Key[OriginPull] = "zone/aop_settings"
	// ZoneAOPCertificates holds the zone's own certificates that the edge presents for the whole
	// zone.
	ZoneAOPCertificates Key[[]OriginPullCert] = "zone/aop_certificates"
	// ZoneAOPHostCertificates holds the certificates that the edge presents to the origins of
	// individual hosts.
	ZoneAOPHostCertificates Key[[]OriginPullCert] = "zone/aop_host_certificates"
)

// OriginPull says whether the edge presents a certificate to the origins of a zone; nil when not
// returned.
type OriginPull struct {
	Enabled *bool `json:"enabled,omitempty"`
}

// OriginPullCert is a certificate of the zone's own that the edge presents to origins.
type OriginPullCert struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
}

// SortKey orders certificates by id.
func (c OriginPullCert) SortKey() string { return c.ID }

// Active reports whether the certificate is deployed.
func (c OriginPullCert) Active() bool { return c.Status == "active" }

// Gone reports whether the certificate is deleted or being deleted.
func (c OriginPullCert) Gone() bool { return c.Status == "deleted" || c.Status == "pending_deletion" }

// zoneAOPSettings reads whether the edge presents a certificate to origins
// (developers.cloudflare.com/api/resources/origin_tls_client_auth/subresources/settings/methods/get/).
func zoneAOPSettings() Source {
	return object(ZoneAOPSettings, Source{
		Path: "/zones/{zone_id}/origin_tls_client_auth/settings", Permission: permissionCertificates,
		Example: `{"enabled":true}`,
	}, asRead[OriginPull])
}

const examplePullCertificates = `[{"id":"c1","enabled":true,"status":"active","certificate":"-----BEGIN CERTIFICATE----- drop",` +
	`"private_key":"drop","issuer":"O=drop","expires_on":"2027-01-01T00:00:00Z","uploaded_on":"2026-01-01T00:00:00Z"}]`

// zoneAOPCertificates lists the zone's own certificates that the edge presents for the whole zone
// (developers.cloudflare.com/api/resources/origin_tls_client_auth/methods/list/). If no check needs
// tls_client_auth, that setting is not read just for this, because it would cost as much as it may
// save.
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

// zoneAOPHostCertificates lists the certificates for individual hosts, which matter only if the
// whole zone has none
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
