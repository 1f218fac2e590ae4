package snapshot

// ZoneCustomCertificates holds the uploaded certificates.
const ZoneCustomCertificates Key[[]CustomCertificate] = "zone/custom_certificates"

// CustomCertificate is an uploaded certificate.
type CustomCertificate struct {
	ID        string   `json:"id"`
	Hosts     []string `json:"hosts"`
	Issuer    string   `json:"issuer,omitempty"`
	Status    string   `json:"status"`
	ExpiresOn Time     `json:"expires_on,omitzero"`
	Keyless   *Keyless `json:"keyless_server,omitempty"`
}

// Keyless is the server that holds the private key of a certificate. Tunneled says that it is
// reached through a tunnel.
type Keyless struct {
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"`
	Enabled  *bool  `json:"enabled,omitempty"`
	Status   string `json:"status,omitempty"`
	Tunneled bool   `json:"tunneled,omitempty"`
}

type customCertificateWire struct {
	ID        string   `json:"id"`
	Hosts     []string `json:"hosts"`
	Issuer    string   `json:"issuer"`
	Status    string   `json:"status"`
	ExpiresOn Time     `json:"expires_on"`
	Keyless   *struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Enabled *bool  `json:"enabled"`
		Status  string `json:"status"`
		Tunnel  *struct {
			VNet string `json:"vnet_id"`
		} `json:"tunnel"`
	} `json:"keyless_server"`
}

func reduceCustomCertificate(w customCertificateWire) CustomCertificate {
	c := CustomCertificate{ID: w.ID, Hosts: ASCIIAll(w.Hosts), Issuer: w.Issuer, Status: w.Status, ExpiresOn: w.ExpiresOn}
	if k := w.Keyless; k != nil && k.ID != "" {
		c.Keyless = &Keyless{ID: k.ID, Name: k.Name, Enabled: k.Enabled, Status: k.Status, Tunneled: k.Tunnel != nil && k.Tunnel.VNet != ""}
	}
	return c
}

// SortKey orders certificates by id.
func (c CustomCertificate) SortKey() string { return c.ID }

// zoneCustomCertificates lists the uploaded certificates. The packs include them too, so a zone
// with only the provider's packs has none
// (developers.cloudflare.com/api/resources/custom_certificates/methods/list/).
func zoneCustomCertificates() Source {
	return list(ZoneCustomCertificates, Source{
		Path: "/zones/{zone_id}/custom_certificates", Paging: Paging{Kind: ByPage, Size: 50}, Permission: permissionCertificates,
		Plans: []string{"business", "enterprise"}, After: []string{ZoneCertificatePacks.Source()},
		Skip: unlessAny(ZoneCertificatePacks, CertificatePack.Uploaded, "the zone has no uploaded certificate"),
		Example: `[{"id":"c1","hosts":["acme.example"],"issuer":"Example CA","status":"active","expires_on":"2026-09-01T00:00:00Z",` +
			`"keyless_server":{"id":"k1","name":"keys","enabled":true,"status":"active","host":"drop"}}]`,
	}, reduceCustomCertificate)
}
