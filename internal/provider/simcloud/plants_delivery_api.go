package simcloud

import "time"

// plantsAPI use zones with API Shield. The plant without any managed operation shares the slots of
// the others, which need an operation to be assessed.
func plantsAPI() []Plant {
	const discovery, schema, labels, sessions = "api-discovery", "api-schema", "api-labels", "api-sessions"
	top := []string{"business", "enterprise"}
	alone := zonal("CFL-API-001", "unmanaged", failed, discovery, func(z *zone) {
		z.addDiscovered("/v2/users", "review")
		z.shielded.operations = nil
	}).on("enterprise")
	alone.slots = []string{discovery, schema, labels, sessions}
	mark := func(name string, n int) func(*zone) {
		return func(z *zone) {
			z.shielded.labels[byKey(z.shielded.labels, "name", name)]["mapped_resources"] = obj{"operations": n}
		}
	}
	settings := func(byDefault string, override any) func(*zone) {
		return func(z *zone) {
			z.shielded.settings["validation_default_mitigation_action"], z.shielded.settings["validation_override_mitigation_action"] = byDefault,
				override
		}
	}
	config := func(check, variant, result string, ago time.Duration, action string) Plant {
		return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "rule", Zonal: true, Plans: []string{"enterprise"},
			slots: []string{sessions}, Apply: func(s *Scene) []Planted {
				id := s.zone.addTokenConfig("Partner tokens", ago)
				if action != "" {
					s.zone.addTokenRule(action, true)
					rules := s.zone.shielded.tokenRules
					rules[len(rules)-1]["expression"] = `is_jwt_valid("` + id + `")`
				}
				return one(check, "rule", id, result)
			}}
	}
	return []Plant{
		config("CFL-API-006", "no-rule", failed, 40*day, ""), config("CFL-API-006", "log", warning, 40*day, "log"),
		config("CFL-API-007", "old", failed, 900*day, "block"), config("CFL-API-007", "aged", warning, 500*day, "block"),
		alone,
		zonal("CFL-API-001", "waiting", warning, discovery, func(z *zone) { z.addDiscovered("/v2/users", "review") }).on("enterprise"),
		zonal("CFL-API-003", "no-schema", failed, schema, func(z *zone) {
			z.shielded.schemas = z.shielded.schemas[1:]
			for _, o := range z.shielded.operations {
				schemaOf(o)["active_schema"] = nil
			}
		}).on(top...),
		zonal("CFL-API-003", "no-action", failed, schema, settings("none", nil)).on(top...),
		zonal("CFL-API-003", "overridden-off", failed, schema, settings("block", "none")).on(top...),
		zonal("CFL-API-003", "log", warning, schema, settings("log", nil)).on(top...),
		zonal("CFL-API-003", "overridden", warning, schema, settings("block", "log")).on(top...),
		zonal("CFL-API-004", "missing", failed, labels, mark("cf-risk-missing-auth", 2)).on("enterprise"),
		zonal("CFL-API-004", "mixed", warning, labels, mark("cf-risk-mixed-auth", 1)).on("enterprise"),
		zonal("CFL-API-004", "sensitive", warning, labels, mark("cf-risk-sensitive", 1)).on("enterprise"),
		zonal("CFL-API-005", "nothing", failed, sessions, func(z *zone) {
			z.shielded.configuration["auth_id_characteristics"], z.shielded.tokenRules = []obj{}, nil
		}).on("enterprise"),
		zonal("CFL-API-005", "no-rule", warning, sessions, func(z *zone) { z.shielded.tokenRules = nil }).on("enterprise"),
		zonal("CFL-API-005", "log-rule", warning, sessions, func(z *zone) { z.shielded.tokenRules[0]["action"] = "log" }).on("enterprise"),
		zonal("CFL-API-005", "no-session", warning, sessions, func(z *zone) {
			z.shielded.configuration["auth_id_characteristics"] = []obj{}
		}).on("enterprise"),
	}
}

// schemaOf returns the schema information of an operation.
func schemaOf(operation obj) obj { return operation["features"].(obj)["schema_info"].(obj) }
