package snapshot

import "slices"

const (
	// ZoneClientCertificates holds the certificates issued for clients of a zone.
	ZoneClientCertificates Key[[]ClientCertificate] = "zone/client_certificates"
	// ZoneMTLSHostnames holds the hosts at which the edge requests a certificate of the provider's
	// authority.
	ZoneMTLSHostnames Key[MTLSHostnames] = "zone/mtls_hostnames"
)

// ClientCertificate was issued by the provider for a client of the zone.
type ClientCertificate struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	ExpiresOn Time   `json:"expires_on,omitzero"`
}

// SortKey orders certificates by id.
func (c ClientCertificate) SortKey() string { return c.ID }

// MTLSHostnames are the hosts at which the edge requests a client certificate. The request alone
// rejects nobody.
type MTLSHostnames struct {
	Hostnames []string `json:"hostnames"`
}

// zoneClientCertificates lists the certificates issued for clients of a zone
// (developers.cloudflare.com/api/resources/client_certificates/methods/list/).
func zoneClientCertificates() Source {
	return list(ZoneClientCertificates, Source{
		Path: "/zones/{zone_id}/client_certificates", Paging: Paging{Kind: ByPage, Size: 50}, Volatile: true, Permission: permissionCertificates,
		Example: `[{"id":"c1","status":"active","common_name":"drop","certificate":"-----BEGIN CERTIFICATE----- drop","csr":"drop",` +
			`"expires_on":"2027-01-01T00:00:00Z","validity_days":365}]`,
	}, asRead[ClientCertificate])
}

// zoneMTLSHostnames reads the hosts at which the edge requests a certificate of the provider's
// authority
// (developers.cloudflare.com/api/resources/certificate_authorities/subresources/hostname_associations/methods/get/).
func zoneMTLSHostnames() Source {
	return object(ZoneMTLSHostnames, Source{
		Path: "/zones/{zone_id}/certificate_authorities/hostname_associations", Permission: permissionCertificates,
		After: []string{ZoneClientCertificates.Source(), MTLSCertificates.Source()},
		Skip: func(k *Known, t SourceScope) string {
			clients, read := Cached(k, ZoneClientCertificates, t.Zone.ID)
			uploaded, known := Cached(k, MTLSCertificates, t.AccountID)
			authority := slices.ContainsFunc(uploaded, func(c MTLSCertificate) bool { return c.Authority })
			if read && known && len(clients) == 0 && !authority {
				return "no client certificate was issued and no authority was uploaded"
			}
			return ""
		},
		Example: `{"hostnames":["api.acme.example"]}`,
	}, func(w MTLSHostnames) MTLSHostnames {
		hosts := append([]string{}, w.Hostnames...)
		hosts = ASCIIAll(hosts)
		slices.Sort(hosts)
		return MTLSHostnames{Hostnames: hosts}
	})
}
