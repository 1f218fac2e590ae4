package snapshot

import (
	"slices"
	"strings"
	"time"
)

// ZoneCertificatePacks holds edge certificates of every status.
const ZoneCertificatePacks Key[[]CertificatePack] = "zone/certificate_packs"

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

// Uploaded reports whether the certificate was uploaded, so that its owner must renew it.
func (p CertificatePack) Uploaded() bool {
	return slices.Contains([]string{"legacy_custom", "sni_custom", "mh_custom", "keyless"}, p.Type)
}

// InForce reports whether the edge uses the pack. One that is being renewed is pending again, or has timed out, while its
// active certificate stays in use until it expires.
func (p CertificatePack) InForce(now time.Time) bool {
	renewing := []string{"initializing", "pending_validation", "pending_issuance", "pending_deployment", "pending_expiration"}
	return p.Status == "active" || (p.Stuck() || slices.Contains(renewing, p.Status)) &&
		slices.ContainsFunc(p.Certificates, func(c EdgeCertificate) bool { return c.Status == "active" && c.ExpiresOn.After(now) })
}

// Stuck reports whether Cloudflare gave up ordering or renewing the pack
// (developers.cloudflare.com/ssl/edge-certificates/changing-dcv-method/validation-backoff-schedule/).
func (p CertificatePack) Stuck() bool {
	return strings.HasSuffix(p.Status, "_timed_out") && p.Status != "deletion_timed_out"
}

// Ended reports whether every certificate of the pack has expired. A pack without a certificate, or
// with one that says no date, has not.
func (p CertificatePack) Ended(now time.Time) bool {
	return len(p.Certificates) > 0 && !slices.ContainsFunc(p.Certificates, func(c EdgeCertificate) bool {
		return c.ExpiresOn.IsZero() || c.ExpiresOn.After(now)
	})
}

// Managed reports whether Cloudflare orders and renews the certificate.
func (p CertificatePack) Managed() bool {
	return slices.Contains([]string{"universal", "advanced", "total_tls", "managed_hostname"}, p.Type)
}

// CAANames lists, by authority that issues for Cloudflare, the names under which CAA records admit
// it (developers.cloudflare.com/ssl/reference/certificate-authorities/). Sectigo issues under its
// former name, too.
func CAANames() map[string][]string {
	return map[string][]string{"google": {"pki.goog"}, "lets_encrypt": {"letsencrypt.org"}, "ssl_com": {"ssl.com"},
		"digicert": {"digicert.com"}, "sectigo": {"sectigo.com", "comodoca.com"}}
}

const permissionCertificates = "Zone: SSL and Certificates Read"

// zoneCertificatePacks lists edge certificates of every status: without the
// parameter only active ones are listed
// (developers.cloudflare.com/api/resources/ssl/subresources/certificate_packs/methods/list/).
func zoneCertificatePacks() Source {
	return list(ZoneCertificatePacks, Source{
		Path: "/zones/{zone_id}/ssl/certificate_packs?status=all", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true,
		Permission: permissionCertificates,
		Example: `[{"id":"p1","type":"universal","status":"active","hosts":["acme.example"],"certificate_authority":"google",` +
			`"certificates":[{"id":"c","status":"active","issuer":"GoogleTrustServices","expires_on":"2026-09-01T00:00:00Z"}],` +
			`"validation_records":[{"txt_value":"drop"}]}]`,
	}, func(w CertificatePack) CertificatePack {
		if w.Certificates == nil {
			w.Certificates = []EdgeCertificate{}
		}
		w.Hosts = ASCIIAll(w.Hosts)
		return w
	})
}
