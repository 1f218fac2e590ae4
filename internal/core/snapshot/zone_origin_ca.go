package snapshot

// ZoneOriginCA holds the certificates of the provider's origin authority that cover the zone.
const ZoneOriginCA Key[[]OriginCert] = "zone/origin_ca"

// OriginCert is a certificate of the provider's origin authority.
type OriginCert struct {
	ID        string   `json:"id"`
	Hostnames []string `json:"hostnames"`
	ExpiresOn Time     `json:"expires_on,omitzero"`
	Validity  int      `json:"requested_validity"`
	Revoked   bool     `json:"revoked,omitempty"`
}

// SortKey orders certificates by id.
func (c OriginCert) SortKey() string { return c.ID }

type originCertWire struct {
	ID        string   `json:"id"`
	Hostnames []string `json:"hostnames"`
	ExpiresOn Time     `json:"expires_on"`
	Validity  int      `json:"requested_validity"`
	RevokedAt Time     `json:"revoked_at"`
}

// zoneOriginCA lists the certificates of the provider's origin authority that
// cover the zone (developers.cloudflare.com/api/resources/origin_ca_certificates/methods/list/).
func zoneOriginCA() Source {
	return list(ZoneOriginCA, Source{
		Path: "/certificates?zone_id={zone_id}", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true,
		Permission: "Zone: SSL and Certificates Read",
		Example: `[{"id":"c1","hostnames":["acme.example"],"expires_on":"2035-01-01 00:00:00 +0000 UTC","request_type":"origin-rsa",` +
			`"requested_validity":5475,"certificate":"drop","csr":"drop"}]`,
	}, func(w originCertWire) OriginCert {
		return OriginCert{ID: w.ID, Hostnames: ASCIIAll(w.Hostnames), ExpiresOn: w.ExpiresOn, Validity: w.Validity,
			Revoked: !w.RevokedAt.IsZero()}
	})
}
