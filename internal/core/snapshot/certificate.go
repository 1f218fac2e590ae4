package snapshot

import "slices"

// Zone sources of certificates and what hangs on them; the scope is the zone id.
const (
	ZoneCertificatePacks   Key[[]CertificatePack]   = "zone/certificate_packs"
	ZoneUniversalSSL       Key[Switch]              = "zone/universal_ssl"
	ZoneCustomCertificates Key[[]CustomCertificate] = "zone/custom_certificates"
	ZoneCTAlerting         Key[CTAlerting]          = "zone/ct_alerting"
	ZoneHostnameMinTLS     Key[[]HostnameTLS]       = "zone/hostname_min_tls"
	ZoneHostnameCiphers    Key[[]HostnameTLS]       = "zone/hostname_ciphers"
)

// CertificatePack is an edge certificate with its variants. Type is universal,
// advanced, total_tls, legacy_custom, sni_custom, ….
type CertificatePack struct {
	ID           string            `json:"id"`
	Type         string            `json:"type"`
	Status       string            `json:"status"`
	Hosts        []string          `json:"hosts"`
	Authority    string            `json:"certificate_authority,omitempty"`
	Certificates []EdgeCertificate `json:"certificates"`
	Validity     int               `json:"validity_days,omitempty"`
}

// EdgeCertificate is one variant of a pack.
type EdgeCertificate struct {
	Status    string `json:"status"`
	Issuer    string `json:"issuer,omitempty"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
}

// SortKey orders packs by id.
func (p CertificatePack) SortKey() string { return p.ID }

// Uploaded reports whether people brought the certificate and renew it.
func (p CertificatePack) Uploaded() bool { return p.Type == "legacy_custom" || p.Type == "sni_custom" }

// Managed reports whether Cloudflare orders and renews the certificate.
func (p CertificatePack) Managed() bool {
	return slices.Contains([]string{"universal", "advanced", "total_tls", "managed_hostname"}, p.Type)
}

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

// CTAlerting tells who is told about new certificates for the zone.
type CTAlerting struct {
	Enabled *bool `json:"enabled"`
	Emails  int   `json:"emails"`
}

// HostnameTLS is a setting of one host name: one version, or a list of ciphers.
type HostnameTLS struct {
	Hostname string   `json:"hostname"`
	Values   []string `json:"values"`
}

// SortKey orders settings by host name.
func (h HostnameTLS) SortKey() string { return h.Hostname }
