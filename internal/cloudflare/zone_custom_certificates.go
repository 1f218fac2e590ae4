package cloudflare

import "github.com/edgeposture/edgeposture/internal/snapshot"

// zoneCustomCertificates lists the certificates people uploaded
// (developers.cloudflare.com/api/resources/custom_certificates/methods/list/).
func zoneCustomCertificates() Source {
	return list(snapshot.ZoneCustomCertificates, Source{
		Path: "/zones/{zone_id}/custom_certificates", Paging: Paging{Kind: ByPage, Size: 50}, Permission: permissionCertificates,
		Plans:   []string{"business", "enterprise"},
		Example: `[{"id":"c1","hosts":["acme.example"],"issuer":"Example CA","status":"active","expires_on":"2026-09-01T00:00:00Z","keyless_server":{"host":"drop"}}]`,
	}, func(w snapshot.CustomCertificate) snapshot.CustomCertificate { return w })
}
