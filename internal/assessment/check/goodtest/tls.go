package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodTLS adds certificates and what depends on them.
func goodTLS(b *snapshot.Builder) {
	on := true
	snapshot.Put(b, snapshot.ZoneCertificatePacks, Zone, []snapshot.CertificatePack{{ID: "pack1", Type: "universal", Status: "active",
		Authority: "lets_encrypt", Hosts: []string{Domain, "*." + Domain},
		Certificates: []snapshot.EdgeCertificate{{Status: "active", Issuer: "LetsEncrypt", ExpiresOn: InDays(60)}}}})
	snapshot.Put(b, snapshot.ZoneUniversalSSL, Zone, snapshot.Switch{Enabled: &on})
	snapshot.Put(b, snapshot.ZoneCustomCertificates, Zone,
		[]snapshot.CustomCertificate{{ID: "custom1", Hosts: []string{Domain}, Status: "active", ExpiresOn: InDays(200)}})
	snapshot.Put(b, snapshot.ZoneCTAlerting, Zone, snapshot.CTAlerting{Enabled: &on, Emails: 1})
	snapshot.Put(b, snapshot.ZoneHostnameMinTLS, Zone, []snapshot.HostnameTLS{{Hostname: "admin." + Domain, Values: []string{"1.3"}}})
	snapshot.Put(b, snapshot.ZoneHostnameCiphers, Zone, []snapshot.HostnameTLS{})
	snapshot.Edit(b, snapshot.ZoneSettings, Zone, func(s *snapshot.Settings) {
		*s = s.With("ciphers", []string{"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305"})
	})
}
