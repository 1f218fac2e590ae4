package simcloud

func plantsCache() []Plant {
	return []Plant{
		cachePlant("CFL-CDA-001", "api-override", failed, `(starts_with(http.request.uri.path, "/api/"))`, "override_origin", true),
		cachePlant("CFL-CDA-001", "all-override", failed, `true`, "override_origin", true),
		cachePlant("CFL-CDA-001", "login-origin", warning, `(http.request.uri.path contains "/login")`, "respect_origin", true),
		cachePagePlant("page-override", failed, "admin", true),
		cachePagePlant("page-origin", warning, "cart", false),
		cachePlant("CFL-CDA-002", "extension", failed, `(http.request.uri.path.extension in {"png" "jpg"})`, "override_origin", false),
		cachePlant("CFL-CDA-002", "all", failed, `true`, "respect_origin", false, "CFL-CDA-001"),
		cachePlant("CFL-CDA-002", "one-path", warning, `(starts_with(http.request.uri.path, "/blog/"))`, "override_origin", false),
		zonal("CFL-ZONE-002", "on", warning, "development-mode", func(z *zone) {
			z.devMode = 5400
			z.settings["development_mode"] = "on"
		}),
		zonal("CFL-ZONE-005", "on", failed, "always-online", func(z *zone) { z.settings["always_online"] = "on" }),
		zonal("CFL-PERF-006", "off", failed, "email-obfuscation", func(z *zone) { z.settings["email_obfuscation"] = "off" }),
	}
}

// cachePlant adds a cache rule. The checks in warns also report it, as a warning.
func cachePlant(check, variant, result, expression, mode string, armor bool, warns ...string) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "rule", Zonal: true,
		slots: []string{"cache-rules"}, // the last matching rule decides
		Apply: func(s *Scene) []Planted {
			r := cacheRule(s.zone.next("cache"), s.account.cloud.ago(20*day), expression, "Cache "+variant, mode, armor)
			entry := s.zone.entrypoint(phaseCache)
			entry.Rules = append(entry.Rules, r)
			out := one(check, "rule", asText(r["id"]), result)
			for _, id := range warns {
				out = append(out, one(id, "rule", asText(r["id"]), warning)...)
			}
			return out
		}}
}

// cachePagePlant adds a legacy page rule that caches everything below a path. It uses the slot of
// the redirect plants, which use page rules too.
func cachePagePlant(variant, result, path string, ownTTL bool) Plant {
	return Plant{CheckID: "CFL-CDA-001", Variant: variant, Result: result, ResourceType: "rule", Zonal: true,
		slots: []string{"https", "cache-rules"}, // a cache rule overrides the page rule
		Apply: func(s *Scene) []Planted {
			z := s.zone
			z.addPageRule("*"+z.name+"/"+path+"/*", "cache_level")
			r := z.pageRules[len(z.pageRules)-1]
			actions := []obj{{"id": "cache_level", "value": "cache_everything"}}
			if ownTTL {
				actions = append(actions, obj{"id": "edge_cache_ttl", "value": 7200})
			}
			r["actions"] = actions
			out := append(one("CFL-CDA-001", "rule", asText(r["id"]), result), one("CFL-RULES-002", "rule", asText(r["id"]), warning)...)
			return append(out, one("CFL-CDA-002", "rule", asText(r["id"]), warning)...)
		}}
}
