package snapshot

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
		return w
	})
}
