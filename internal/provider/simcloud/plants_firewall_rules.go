package simcloud

import "slices"

// ruled returns a zonal plant whose finding is the rule it adds.
func ruled(check, variant, result, phase, action, expression string, params func(*zone) obj) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "rule", Zonal: true, slots: []string{check},
		Apply: func(s *Scene) []Planted {
			r := s.zone.addRule(phase, action, expression, "Planted "+variant)
			r["action_parameters"] = params(s.zone)
			return one(check, "rule", asText(r["id"]), result)
		}}
}

// plantsTraffic add rules that weaken settings or send traffic elsewhere.
func plantsTraffic() []Plant {
	config := func(variant, result string, params obj) Plant {
		p := ruled("CFL-CFRULE-001", variant, result, phaseConfig, "set_config", `(starts_with(http.request.uri.path, "/legacy/"))`,
			func(*zone) obj { return params })
		if params["ssl"] != nil { // a mode above that of the zone weakens nothing
			p.slots = append(p.slots, "ssl")
		}
		return p
	}
	// Matches requests that use TLS already, so the rule has no effect on plain HTTP.
	redirect := func(variant, result string, target func(*zone) obj) Plant {
		p := ruled("CFL-RULES-001", variant, result, phaseRedirect, "redirect", `(ssl and http.request.uri.path eq "/out")`, func(z *zone) obj {
			return obj{"from_value": obj{"status_code": 302, "preserve_query_string": false, "target_url": target(z)}}
		})
		return p.claimingOnly("CFL-RULES-001", "https")
	}
	origin := func(variant, result, host, rcode string) Plant {
		p := ruled("CFL-RULES-003", variant, result, phaseOrigin, "route", `(starts_with(http.request.uri.path, "/app/"))`, func(z *zone) obj {
			z.acct.say(host, outsideName{rcode: rcode, records: map[string][]string{"A": {"185.220.31.9"}}})
			return obj{"host_header": host, "origin": obj{"host": host}, "sni": obj{"value": host}}
		})
		return p
	}
	page := func(variant, result, path, action string, value any) Plant {
		slots := []string{"CFL-RULES-002/" + variant, "https"}
		if slices.Contains([]string{"ssl", "security_level", "browser_check"}, action) { // a configuration rule overrides the page rule
			slots = append(slots, "CFL-CFRULE-001", action)
		}
		if action == "cache_level" { // a cache rule does, too
			slots = append(slots, "cache-rules")
		}
		return Plant{CheckID: "CFL-RULES-002", Variant: variant, Result: result, ResourceType: "rule", Zonal: true,
			slots: slots, Apply: func(s *Scene) []Planted {
				s.zone.addPageRule("https://www."+s.zone.name+path, action)
				r := s.zone.pageRules[len(s.zone.pageRules)-1]
				if value != nil {
					r["actions"] = []obj{{"id": action, "value": value}}
				}
				out := one("CFL-RULES-002", "rule", asText(r["id"]), result)
				if action == "cache_level" { // the cache checks report it too
					out = append(out, one("CFL-CDA-001", "rule", asText(r["id"]), warning)...)
					out = append(out, one("CFL-CDA-002", "rule", asText(r["id"]), warning)...)
				}
				return out
			}}
	}
	return []Plant{
		idleRuleset(), countedPlant("header", failed, `http.request.headers["x-api-key"]`),
		countedPlant("nobody", warning, "http.request.uri.path"),
		listPlant("plain", failed, func(a *account) string { return "http://www." + a.zoneName(0) + "/start" }),
		listPlant("elsewhere", warning, func(*account) string { return "https://campaign.partner-agency.test/start" }),
		config("flexible", failed, obj{"ssl": "flexible"}), config("security-off", failed, obj{"security_level": "essentially_off"}),
		config("full", warning, obj{"ssl": "full"}), config("no-browser-check", warning, obj{"bic": false}),
		config("no-rewrites", warning, obj{"automatic_https_rewrites": false}), config("low", warning, obj{"security_level": "low"}),
		redirect("query", failed, func(*zone) obj { return obj{"expression": `concat("https://", http.request.uri.args["to"][0])`} }),
		redirect("header", failed, func(*zone) obj { return obj{"expression": `http.request.headers["x-next"][0]`} }),
		redirect("elsewhere", warning, func(*zone) obj { return obj{"value": "https://campaign.partner-agency.test/start"} }),
		redirect("plain", warning, func(z *zone) obj { return obj{"value": "http://www." + z.name + "/start"} }),
		origin("gone", failed, "app.closed-host.test", "NXDOMAIN"), origin("elsewhere", warning, "app.open-host.test", "NOERROR"),
		page("no-security", failed, "/legacy/*", "disable_security", nil), page("flexible", failed, "/legacy/*", "ssl", "flexible"),
		page("waf-off", failed, "/legacy/*", "waf", "off"), page("no-browser-check", failed, "/legacy/*", "browser_check", "off"),
		page("level-off", failed, "/legacy/*", "security_level", "essentially_off"), page("level-low", warning, "/legacy/*", "security_level",
			"low"),
		page("cached-account", warning, "/account/*", "cache_level", "cache_everything"),
	}
}

// say registers the simulated DNS answer for an external name.
func (a *account) say(name string, o outsideName) {
	if a.world == nil {
		a.world = map[string]outsideName{}
	}
	a.world[name] = o
}

// plantsHeaders remove security headers.
func plantsHeaders() []Plant {
	remove := func(variant, result, expression, header string) Plant {
		return ruled("CFL-TXRULE-001", variant, result, phaseHeaders, "rewrite", expression, func(*zone) obj {
			return obj{"headers": obj{header: obj{"operation": "remove"}}}
		}).claimingOnly("CFL-TXRULE-001", "hsts", "standard-headers")
	}
	return []Plant{
		remove("all", failed, "true", "X-Frame-Options").with(Planted{"CFL-TXRULE-002", "zone", "", warning}),
		remove("a-path", warning, `(starts_with(http.request.uri.path, "/embed/"))`, "Content-Security-Policy"),
		zonal("CFL-TXRULE-002", "none", failed, "standard-headers", func(z *zone) { z.responseHeaders["add_security_headers"] = false }),
		zonal("CFL-TXRULE-002", "one", warning, "standard-headers", func(z *zone) {
			z.responseHeaders["add_security_headers"] = false
			r := z.addRule(phaseHeaders, "rewrite", "true", "No frames")
			r["action_parameters"] = obj{"headers": obj{"X-Frame-Options": obj{"operation": "set", "value": "DENY"}}}
		}).claimingOnly("standard-headers", "hsts"),
	}
}

// countedPlant limits a path by a characteristic besides the data centre.
func countedPlant(variant, result, characteristic string) Plant {
	return Plant{CheckID: "CFL-WAF-026", Variant: variant, Result: result, ResourceType: "rule", Zonal: true, slots: []string{phaseRateLimit},
		Apply: func(s *Scene) []Planted {
			r := s.zone.addRule(phaseRateLimit, "block", `(http.request.uri.path eq "/search")`, "Planted "+variant)
			r["ratelimit"] = obj{"characteristics": []string{"cf.colo.id", characteristic}, "period": 10, "requests_per_period": 50,
				"mitigation_timeout": 10}
			return one("CFL-WAF-026", "rule", asText(r["id"]), result)
		}}
}

// listPlant points a bulk redirect to another site.
func listPlant(variant, result string, target func(*account) string) Plant {
	return accountWide("CFL-RULES-004", variant, result, "bulk", func(a *account) {
		for _, l := range a.lists {
			if l["kind"] == "redirect" {
				moved, _ := a.items[asText(l["id"])][0]["redirect"].(obj)
				moved["target_url"] = target(a)
			}
		}
	}).when(func(a *account) bool { return entrypointOf(a.rulesets, "root", "http_request_redirect") != nil })
}
