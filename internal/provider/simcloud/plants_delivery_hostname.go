package simcloud

import "time"

// plantsHostnames use zones that have custom hostnames.
func plantsHostnames() []Plant {
	top := []string{"business", "enterprise"}
	host := func(check, variant, result string, change func(z *zone, h, ssl obj)) Plant {
		return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "certificate", Zonal: true, Plans: top,
			Apply: func(s *Scene) []Planted {
				h := s.zone.addHostname(variant+".customer-four.test", func(h, ssl obj) { change(s.zone, h, ssl) })
				return one(check, "certificate", asText(h["id"]), result)
			}}
	}
	status := func(value string) func(*zone, obj, obj) { return func(_ *zone, h, _ obj) { h["status"] = value } }
	certificate := func(value string) func(*zone, obj, obj) { return func(_ *zone, _, ssl obj) { ssl["status"] = value } }
	ends := func(left time.Duration) func(*zone, obj, obj) {
		return func(z *zone, _, ssl obj) { ssl["expires_on"] = z.acct.cloud.ahead(left) }
	}
	fallback := func(variant, result string, change func(*zone)) Plant {
		return zonal("CFL-CH-001", variant, result, "fallback-origin", change).on(top...)
	}
	return []Plant{
		host("CFL-CH-001", "moved", failed, status("moved")),
		host("CFL-CH-001", "blocked", failed, status("blocked")),
		host("CFL-CH-001", "certificate-expired", failed, certificate("expired")),
		host("CFL-CH-001", "certificate-timed-out", failed, certificate("validation_timed_out")),
		host("CFL-CH-001", "certificate-ended", failed, ends(-day)),
		host("CFL-CH-001", "pending", warning, status("pending")),
		host("CFL-CH-001", "certificate-pending", warning, func(_ *zone, _, ssl obj) {
			ssl["status"] = "pending_validation"
			delete(ssl, "expires_on")
		}),
		host("CFL-CH-001", "no-certificate", warning, func(_ *zone, h, ssl obj) {
			h["status"] = "pending_migration"
			delete(ssl, "status")
		}),
		host("CFL-CH-001", "errors", warning, func(_ *zone, h, _ obj) {
			h["verification_errors"] = []string{"None of the A or AAAA records are owned by this account"}
		}),
		host("CFL-CH-001", "certificate-soon", warning, ends(10*day)),
		fallback("fallback-timed-out", failed, func(z *zone) { z.fallback["status"] = "deployment_timed_out" }),
		fallback("fallback-pending", warning, func(z *zone) { z.fallback["status"] = "pending_deployment" }),
		fallback("no-fallback", warning, func(z *zone) { z.fallback = nil }),
		host("CFL-CH-002", "tls-1.0", failed, func(_ *zone, _, ssl obj) { ssl["settings"] = obj{"min_tls_version": "1.0"} }),
		host("CFL-CH-002", "tls-1.1", failed, func(_ *zone, _, ssl obj) { ssl["settings"] = obj{"min_tls_version": "1.1"} }),
		zoneDefaultTLS(top),
	}
}

// zoneDefaultTLS adds a hostname without its own setting to a zone that accepts old TLS.
func zoneDefaultTLS(plans []string) Plant {
	return Plant{CheckID: "CFL-CH-002", Variant: "zone-default", Result: failed, ResourceType: "certificate", Zonal: true, Plans: plans,
		slots: []string{"min-tls"}, Apply: func(s *Scene) []Planted {
			z := s.zone
			z.settings["min_tls_version"] = "1.1"
			h := z.addHostname("plain.customer-four.test", func(_, ssl obj) { ssl["settings"] = obj{} })
			return append(one("CFL-CH-002", "certificate", asText(h["id"]), failed), one("CFL-SSL-002", "zone", z.id, failed)...)
		}}
}
