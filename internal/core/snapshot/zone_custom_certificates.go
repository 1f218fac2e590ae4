package snapshot

import "slices"

// ZoneCustomCertificates holds the certificates people uploaded.
const ZoneCustomCertificates Key[[]CustomCertificate] = "zone/custom_certificates"

// CustomCertificate is one people uploaded.
type CustomCertificate struct {
	ID        string   `json:"id"`
	Hosts     []string `json:"hosts"`
	Issuer    string   `json:"issuer,omitempty"`
	Status    string   `json:"status"`
	ExpiresOn Time     `json:"expires_on,omitzero"`
}

// SortKey orders certificates by id.
func (c CustomCertificate) SortKey() string { return c.ID }

// zoneCustomCertificates lists the certificates people uploaded. The packs name
// those, too, so a zone whose packs are all the provider's has none
// (developers.cloudflare.com/api/resources/custom_certificates/methods/list/).
func zoneCustomCertificates() Source {
	return list(ZoneCustomCertificates, Source{
		Path: "/zones/{zone_id}/custom_certificates", Paging: Paging{Kind: ByPage, Size: 50}, Permission: permissionCertificates,
		Plans: []string{"business", "enterprise"}, After: []string{ZoneCertificatePacks.Source()},
		Skip: func(k *Known, t SourceScope) string {
			packs, ok := Cached(k, ZoneCertificatePacks, t.Zone.ID)
			if !ok || slices.ContainsFunc(packs, CertificatePack.Uploaded) {
				return ""
			}
			return "the zone has no uploaded certificate"
		},
		Example: `[{"id":"c1","hosts":["acme.example"],"issuer":"Example CA","status":"active","expires_on":"2026-09-01T00:00:00Z",` +
			`"keyless_server":{"host":"drop"}}]`,
	}, asRead[CustomCertificate])
}
