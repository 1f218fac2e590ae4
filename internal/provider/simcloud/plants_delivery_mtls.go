package simcloud

import "time"

func plantsMutualTLS() []Plant {
	const pull, clients = "origin-pull", "client-certificates"
	top := []string{"business", "enterprise"}
	guard := func(variant string, change func(z *zone, rule obj)) Plant {
		return zonal("CFL-MTLS-003", variant, warning, slotCustom, func(z *zone) {
			rules := z.entrypoint(phaseCustom).Rules
			change(z, rules[byKey(rules, "id", z.mutual.guards[0])])
		}).on(top...)
	}
	return []Plant{
		authorityPlant("access-soon", failed, (*account).addAccessCert, 12*day).when(usesAccess),
		authorityPlant("access-later", warning, (*account).addAccessCert, 45*day).when(usesAccess),
		authorityPlant("authority-ended", failed, (*account).addAuthority, -3*day),
		authorityPlant("authority-later", warning, (*account).addAuthority, 45*day),
		pullCertPlant("origin-pull-soon", failed, 12*day),
		pullCertPlant("origin-pull-later", warning, 40*day),
		hostPullPlant("host-pull-soon"),
		zonal("CFL-MTLS-003", "open-host", failed, clients, func(z *zone) { z.ask("partners." + z.name) }).on(top...),
		zonal("CFL-MTLS-003", "no-host", warning, clients, func(z *zone) { z.mutual.clientHosts = nil }).on(top...),
		zonal("CFL-MTLS-003", "client-ends", warning, clients, func(z *zone) { z.addClient("active", 20*day) }).on(top...),
		guard("no-revocation", func(z *zone, rule obj) { rule["expression"] = z.guardExpression(false) }),
		guard("challenge", func(_ *zone, rule obj) { rule["action"] = "managed_challenge" }),
		zonal("CFL-MTLS-004", "off", failed, pull, func(z *zone) { z.mutual.pullEnabled, z.mutual.pullCerts = false, nil }),
		zonal("CFL-MTLS-004", "unused", failed, pull, func(z *zone) { z.mutual.pullEnabled = false }), // has a certificate
		zonal("CFL-MTLS-004", "shared", warning, pull, func(z *zone) { z.mutual.pullCerts = nil }),
		zonal("CFL-MTLS-004", "old-setting", warning, pull, func(z *zone) {
			z.mutual.pullEnabled, z.mutual.pullCerts = false, nil
			z.settings["tls_client_auth"] = "on"
		}),
		zonal("CFL-MTLS-004", "not-active", warning, pull,
			func(z *zone) { z.mutual.pullCerts = []obj{z.newPullCert("pending_deployment", 400*day)} }),
		zonal("CFL-MTLS-004", "single-hosts", warning, pull, func(z *zone) {
			z.mutual.pullEnabled, z.mutual.pullCerts = false, nil
			z.mutual.hostCerts = []obj{z.newPullCert("active", 400*day)}
		}),
	}
}

func authorityPlant(variant, result string, add func(*account, string, time.Duration) obj, left time.Duration) Plant {
	return Plant{CheckID: "CFL-MTLS-002", Variant: variant, Result: result, ResourceType: "certificate",
		Apply: func(s *Scene) []Planted {
			return one("CFL-MTLS-002", "certificate", asText(add(s.account, variant, left)["id"]), result)
		}}
}

// pullCertPlant adds a second certificate of the zone's own that is about to expire.
func pullCertPlant(variant, result string, left time.Duration) Plant {
	return Plant{CheckID: "CFL-MTLS-002", Variant: variant, Result: result, ResourceType: "certificate", Zonal: true,
		slots: []string{"origin-pull"}, Apply: func(s *Scene) []Planted {
			c := s.zone.newPullCert("active", left)
			s.zone.mutual.pullCerts = append(s.zone.mutual.pullCerts, c)
			return one("CFL-MTLS-002", "certificate", asText(c["id"]), result)
		}}
}

// hostPullPlant leaves the zone with only a per-host certificate that is about to expire; the other
// origins then cannot identify the edge.
func hostPullPlant(variant string) Plant {
	return Plant{CheckID: "CFL-MTLS-002", Variant: variant, Result: failed, ResourceType: "certificate", Zonal: true,
		slots: []string{"origin-pull"}, Apply: func(s *Scene) []Planted {
			z := s.zone
			c := z.newPullCert("active", 9*day)
			z.mutual.pullEnabled, z.mutual.pullCerts, z.mutual.hostCerts = false, nil, []obj{c}
			return append(one("CFL-MTLS-002", "certificate", asText(c["id"]), failed), one("CFL-MTLS-004", "zone", z.id, warning)...)
		}}
}
