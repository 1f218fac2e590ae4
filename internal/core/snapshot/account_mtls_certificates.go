package snapshot

import "slices"

const (
	// AccessCertificates holds the authorities whose client certificates Access accepts.
	AccessCertificates Key[[]AccessCertificate] = "account/access_certificates"
	// MTLSCertificates holds the uploaded authorities and client certificates.
	MTLSCertificates Key[[]MTLSCertificate] = "account/mtls_certificates"
)

// AccessCertificate is an authority whose client certificates Access accepts.
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

// accessCertificates lists the authorities whose client certificates Access accepts
// (developers.cloudflare.com/api/resources/zero_trust/subresources/access/subresources/certificates/methods/list/).
func accessCertificates() Source {
	return list(AccessCertificates, Source{
		Path: "/accounts/{account_id}/access/certificates", Paging: Paging{Kind: ByPage, Size: 100},
		Permission: "Account: Access: Mutual TLS Certificates Read",
		After:      []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"id":"c1","name":"devices","expires_on":"2027-01-01T00:00:00Z","fingerprint":"MD5 Fingerprint=drop",` +
			`"associated_hostnames":["admin.acme.example"]}]`,
	}, func(c AccessCertificate) AccessCertificate {
		c.Hostnames = ASCIIAll(append([]string{}, c.Hostnames...)) // an empty list instead of nil
		slices.Sort(c.Hostnames)
		return c
	})
}

// mtlsCertificates lists the uploaded authorities and client certificates,
// without their bodies
// (developers.cloudflare.com/api/resources/mtls_certificates/methods/list/).
func mtlsCertificates() Source {
	return list(MTLSCertificates, Source{
		Path: "/accounts/{account_id}/mtls_certificates", Permission: "Account: Account: SSL and Certificates Read",

		Example: `[{"id":"c1","name":"partners","ca":true,"type":"custom","certificates":"-----BEGIN CERTIFICATE----- drop","issuer":"O=drop",` +
			`"expires_on":"2027-01-01T00:00:00Z","serial_number":"drop"}]`,
	}, asRead[MTLSCertificate])
}
