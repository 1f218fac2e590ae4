package snapshot

// Sources of mutual TLS: certificates clients show to the edge, and the edge to
// origins.
const (
	AccessCertificates      Key[[]AccessCertificate] = "account/access_certificates"
	MTLSCertificates        Key[[]MTLSCertificate]   = "account/mtls_certificates"
	ZoneAOPSettings         Key[OriginPull]          = "zone/aop_settings"
	ZoneAOPCertificates     Key[[]OriginPullCert]    = "zone/aop_certificates"
	ZoneAOPHostCertificates Key[[]OriginPullCert]    = "zone/aop_host_certificates"
	ZoneClientCertificates  Key[[]ClientCertificate] = "zone/client_certificates"
	ZoneMTLSHostnames       Key[MTLSHostnames]       = "zone/mtls_hostnames"
)

// AccessCertificate is an authority whose client certificates Access takes.
type AccessCertificate struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	ExpiresOn Time     `json:"expires_on,omitzero"`
	Hostnames []string `json:"associated_hostnames"`
}

// SortKey orders certificates by id.
func (c AccessCertificate) SortKey() string { return c.ID }

// MTLSCertificate is an uploaded authority, or a certificate of a client.
type MTLSCertificate struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Authority bool   `json:"ca"`
	Type      string `json:"type,omitempty"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
}

// SortKey orders certificates by id.
func (c MTLSCertificate) SortKey() string { return c.ID }

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

// ClientCertificate was issued by the provider for a client of the zone.
type ClientCertificate struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
}

// SortKey orders certificates by id.
func (c ClientCertificate) SortKey() string { return c.ID }

// MTLSHostnames are the hosts at which the edge asks for a client certificate.
// Asking alone refuses nobody.
type MTLSHostnames struct {
	Hostnames []string `json:"hostnames"`
}
