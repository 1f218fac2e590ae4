package check

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodTLS adds certificates and what hangs on them.
func goodTLS(b *snapshot.Builder) {
	on := true
	snapshot.Put(b, snapshot.ZoneCertificatePacks, GoodZone, []snapshot.CertificatePack{{ID: "pack1", Type: "universal", Status: "active", Authority: "lets_encrypt",
		Hosts: []string{GoodDomain, "*." + GoodDomain}, Certificates: []snapshot.EdgeCertificate{{Status: "active", Issuer: "LetsEncrypt", ExpiresOn: days(60)}}}})
	snapshot.Put(b, snapshot.ZoneUniversalSSL, GoodZone, snapshot.Switch{Enabled: &on})
	snapshot.Put(b, snapshot.ZoneCustomCertificates, GoodZone, []snapshot.CustomCertificate{{ID: "custom1", Hosts: []string{GoodDomain}, Status: "active", ExpiresOn: days(200)}})
	snapshot.Put(b, snapshot.ZoneCTAlerting, GoodZone, snapshot.CTAlerting{Enabled: &on, Emails: 1})
	snapshot.Put(b, snapshot.ZoneHostnameMinTLS, GoodZone, []snapshot.HostnameTLS{{Hostname: "admin." + GoodDomain, Values: []string{"1.3"}}})
	snapshot.Put(b, snapshot.ZoneHostnameCiphers, GoodZone, []snapshot.HostnameTLS{})
	snapshot.Edit(b, snapshot.ZoneSettings, GoodZone, func(s *snapshot.Settings) {
		*s = s.With("ciphers", []string{"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305"})
	})
}
