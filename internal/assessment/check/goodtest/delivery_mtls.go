package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// goodMutualTLS adds customer hostnames and mutual TLS. The rule that requires client certificates
// is appended to the existing custom rules.
func goodMutualTLS(b *snapshot.Builder) {
	on := true
	snapshot.Put(b, snapshot.ZoneCustomHostnames, Zone, []snapshot.CustomHostname{{ID: "ch1", Hostname: "shop.customer.example",
		Status: "active", CreatedAt: InDays(-100), SSLStatus: "active", SSLExpires: InDays(60), MinTLS: "1.2"}})
	snapshot.Put(b, snapshot.ZoneFallbackOrigin, Zone, snapshot.FallbackOrigin{Origin: "fallback." + Domain, Status: "active"})
	snapshot.Put(b, snapshot.AccessCertificates, Account, []snapshot.AccessCertificate{{ID: "ac1", Name: "devices", ExpiresOn: InDays(365),
		Hostnames: []string{"admin." + Domain}}})
	snapshot.Put(b, snapshot.MTLSCertificates, Account, []snapshot.MTLSCertificate{{ID: "mc1", Name: "partners", Authority: true,
		Type: "custom", ExpiresOn: InDays(365)}})
	snapshot.Put(b, snapshot.ZoneAOPSettings, Zone, snapshot.OriginPull{Enabled: &on})
	snapshot.Put(b, snapshot.ZoneAOPCertificates, Zone, []snapshot.OriginPullCert{{ID: "op1", Status: "active", ExpiresOn: InDays(365)}})
	b.Set(snapshot.Section{Source: snapshot.ZoneAOPHostCertificates.Source(), Scope: Zone, Status: snapshot.Skipped,
		Reason: "the edge shows a certificate to all origins of the zone"})
	snapshot.Put(b, snapshot.ZoneClientCertificates, Zone, []snapshot.ClientCertificate{{ID: "cc1", Status: "active", ExpiresOn: InDays(300)}})
	snapshot.Put(b, snapshot.ZoneMTLSHostnames, Zone, snapshot.MTLSHostnames{Hostnames: []string{"api." + Domain}})
	snapshot.Edit(b, snapshot.ZonePhaseCustom, Zone, func(r *snapshot.Ruleset) {
		r.Rules = append(r.Rules, snapshot.Rule{ID: "r1m", Enabled: true, Action: "block",
			Expression: `http.host in {"api.shop.example"} and (not cf.tls_client_auth.cert_verified or cf.tls_client_auth.cert_revoked)`})
	})
}
