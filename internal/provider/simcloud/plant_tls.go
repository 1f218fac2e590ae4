package simcloud

import "time"

func plantsTLS() []Plant {
	set := func(check, variant, result, slot, setting string, value any) Plant {
		return zonal(check, variant, result, slot, func(z *zone) { z.settings[setting] = value })
	}
	return []Plant{
		set("CFL-SSL-001", "off", failed, "ssl", "ssl", "off"),
		set("CFL-SSL-001", "flexible", failed, "ssl", "ssl", "flexible"),
		set("CFL-SSL-001", "full", warning, "ssl", "ssl", "full"),
		set("CFL-SSL-002", "tls-1.0", failed, "min-tls", "min_tls_version", "1.0"),
		set("CFL-SSL-002", "tls-1.1", failed, "min-tls", "min_tls_version", "1.1"),
		zonal("CFL-SSL-004", "off", failed, "hsts", func(z *zone) { z.hsts(false, 0) }),
		zonal("CFL-SSL-004", "part-of-traffic", warning, "hsts", plantPartialHeader).with(Planted{"CFL-SSL-017", "zone", "", failed}).
			with(Planted{"CFL-SSL-018", "zone", "", warning}),
		set("CFL-SSL-005", "off", failed, "https", "always_use_https", "off"),
		zonal("CFL-SSL-005", "one-path", warning, "https", func(z *zone) {
			z.settings["always_use_https"] = "off"
			z.addPageRule("http://www."+z.name+"/shop/*", "always_use_https")
		}),
		zonal("CFL-SSL-005", "one-host", warning, "https", plantPartialRedirect),
		set("CFL-SSL-006", "off", failed, "tls13", "tls_1_3", "off"),
		zonal("CFL-SSL-009", "one-day", failed, "hsts", func(z *zone) { z.hsts(true, 86400) }).
			with(Planted{"CFL-SSL-004", "zone", "", warning}),
		zonal("CFL-SSL-009", "half-year", warning, "hsts", func(z *zone) { z.hsts(true, 15552000) }),
		originCert("expired", failed, -2*day),
		originCert("soon", failed, 12*day),
		weakOriginCert(),
	}
}

func (z *zone) hsts(enabled bool, maxAge int) {
	z.settings["security_header"] = obj{"strict_transport_security": obj{
		"enabled": enabled, "max_age": maxAge, "include_subdomains": enabled, "preload": false, "nosniff": enabled,
	}}
}

// plantPartialHeader leaves the setting off and sets the header on one host.
func plantPartialHeader(z *zone) {
	z.hsts(false, 0)
	rule := newRule(z.next("rule"), z.acct.cloud.ago(30*day), "rewrite", `(http.host eq "www.`+z.name+`")`, "Header for the shop")
	rule["action_parameters"] = obj{"headers": obj{"Strict-Transport-Security": obj{"operation": "set", "value": "max-age=31536000"}}}
	z.entrypoint(phaseHeaders).Rules = []obj{rule}
}

// plantPartialRedirect leaves the setting off and redirects one host.
func plantPartialRedirect(z *zone) {
	z.settings["always_use_https"] = "off"
	rule := newRule(z.next("rule"), z.acct.cloud.ago(30*day), "redirect", `(not ssl and http.host eq "www.`+z.name+`")`, "Shop to HTTPS")
	rule["action_parameters"] = obj{"from_value": obj{
		"status_code": 301, "preserve_query_string": true,
		"target_url": obj{"expression": `concat("https://", http.host, http.request.uri.path)`},
	}}
	z.entrypoint(phaseRedirect).Rules = []obj{rule}
}

// originCert replaces the zone's certificates by one that is about to expire.
func originCert(variant, result string, left time.Duration) Plant {
	return Plant{CheckID: "CFL-ORIGCERT-001", Variant: variant, Result: result, ResourceType: "certificate", Zonal: true,
		slots: []string{"origin-cert"}, Apply: func(s *Scene) []Planted {
			return s.zone.plantOriginCert(result, left)
		}}
}

func (z *zone) plantOriginCert(result string, left time.Duration) []Planted {
	c := z.newOriginCert([]string{z.name, "*." + z.name}, left)
	z.origin = []obj{c}
	return one("CFL-ORIGCERT-001", "certificate", asText(c["id"]), result)
}

// weakOriginCert also lowers the mode, so that the certificate is not checked.
func weakOriginCert() Plant {
	p := originCert("not-checked", warning, 5*day)
	p.slots = []string{"origin-cert", "ssl"}
	p.Apply = func(s *Scene) []Planted {
		s.zone.settings["ssl"] = "full"
		return append(s.zone.plantOriginCert(warning, 5*day), one("CFL-SSL-001", "zone", s.zone.id, warning)...)
	}
	return p
}
