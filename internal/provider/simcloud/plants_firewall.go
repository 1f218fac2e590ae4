package simcloud

import "slices"

const (
	// slotSharedManaged and slotSharedCustom are the entrypoints of the account.
	slotSharedManaged = "shared-managed"
	slotSharedCustom  = "shared-custom"
	phaseConfig       = "http_config_settings"
	phaseOrigin       = "http_request_origin"
	phaseDDoS         = "ddos_l7"
)

// plantsFirewall misconfigure rulesets and the protection they enforce.
func plantsFirewall() []Plant {
	return slices.Concat(plantsManaged(), plantsProtection(), plantsFloods(), plantsTraffic(), plantsHeaders(), plantsRequests(),
		plantsAnswers())
}

// plantsManaged weaken managed rulesets; what the deployment checks report depends on the state of
// the zone (firewallTruth).
func plantsManaged() []Plant {
	paid := []string{"pro", "business", "enterprise"}
	drop := func(check, variant, id string) Plant {
		return zoneState(check, variant, failed, phaseManaged, func(z *zone) {
			z.entrypoint(phaseManaged).Rules = slices.DeleteFunc(z.entrypoint(phaseManaged).Rules, func(r obj) bool { return executes(r, id) })
		}).on(paid...)
	}
	narrow := func(check, variant, id string) Plant {
		return zoneState(check, variant, warning, phaseManaged, func(z *zone) {
			z.managedRule(id)["expression"] = `(http.host eq "www.` + z.name + `")`
		}).on(paid...)
	}
	strict := func(z *zone) {
		z.override(owaspRuleset, obj{"categories": []obj{{"category": "paranoia-level-4", "enabled": true}},
			"rules": []obj{{"id": owaspScoreRule, "score_threshold": 25}}})
	}
	out := []Plant{
		drop("CFL-WAF-006", "owasp-only", managedRuleset), narrow("CFL-WAF-006", "one-host", managedRuleset),
		drop("CFL-WAF-007", "not-deployed", owaspRuleset), narrow("CFL-WAF-007", "one-host", owaspRuleset),
		zonal("CFL-WAF-007", "strictest", warning, phaseManaged, strict).on(paid...),
		logging("zone-long", failed, 45), logging("zone-trial", warning, 5), sharedLogging(),
	}
	off, on := obj{"enabled": false}, true
	sixRules := []obj{}
	for i := range 6 {
		sixRules = append(sixRules, obj{"id": hexID(0, "managed-rule", num(i)), "enabled": false})
	}
	for _, v := range []struct {
		variant, result, ruleset string
		overrides                obj
	}{
		{"all-off", failed, managedRuleset, off},
		{"category-off", failed, managedRuleset, obj{"categories": []obj{{"category": "wordpress", "enabled": false}}}},
		{"core-level-off", failed, owaspRuleset, obj{"categories": []obj{{"category": "paranoia-level-1", "enabled": false}}}},
		{"score-rule-logs", failed, owaspRuleset, obj{"rules": []obj{{"id": owaspScoreRule, "action": "log"}}}},
		{"a-part", warning, managedRuleset, obj{"enabled": false, "categories": []obj{{"category": "wordpress", "enabled": on}}}},
		{"six-rules", warning, managedRuleset, obj{"rules": sixRules}},
	} {
		out = append(out, Plant{CheckID: "CFL-WAF-013", Variant: v.variant, Result: v.result, ResourceType: "rule", Zonal: true, Plans: paid,
			slots: []string{phaseManaged}, Apply: func(s *Scene) []Planted {
				return one("CFL-WAF-013", "rule", asText(s.zone.override(v.ruleset, v.overrides)["id"]), v.result)
			}})
	}
	return out
}

const owaspScoreRule = "6179ae15870a4bb7b2d480d4843b323c"

func executes(rule obj, id string) bool {
	params, isObject := rule["action_parameters"].(obj)
	return isObject && params["id"] == id
}

// managedRule returns the zone's rule that executes a ruleset.
func (z *zone) managedRule(id string) obj {
	for _, r := range z.entrypoint(phaseManaged).Rules {
		if executes(r, id) {
			return r
		}
	}
	return obj{}
}

func (z *zone) override(id string, overrides obj) obj {
	r := z.managedRule(id)
	r["action_parameters"] = obj{"id": id, "version": "latest", "overrides": overrides}
	return r
}

// logging leaves the managed rules of a zone in log mode for the given number of days.
func logging(variant, result string, days int) Plant {
	return Plant{CheckID: "CFL-WAF-008", Variant: variant, Result: result, ResourceType: "rule", Zonal: true,
		Plans: []string{"pro", "business", "enterprise"}, slots: []string{phaseManaged}, Apply: func(s *Scene) []Planted {
			r := s.zone.override(managedRuleset, obj{"action": "log"})
			r["last_updated"] = s.account.cloud.ago(daysOf(days))
			id := asText(r["id"])
			return []Planted{{"CFL-WAF-008", "rule", id, result}, {"CFL-WAF-013", "rule", id, warning}}
		}}
}

func sharedLogging() Plant {
	return Plant{CheckID: "CFL-WAF-008", Variant: "account", Result: failed, ResourceType: "rule", Plans: []string{"enterprise"},
		slots: []string{slotSharedManaged}, Apply: func(s *Scene) []Planted {
			r := entrypointOf(s.account.rulesets, "root", phaseManaged).Rules[0]
			r["action_parameters"] = obj{"id": leakedRuleset, "version": "latest", "overrides": obj{"action": "log"}}
			id := asText(r["id"])
			return []Planted{{"CFL-WAF-008", "rule", id, failed}, {"CFL-WAF-013", "rule", id, warning},
				{"CFL-ACCTWAF-001", "account", s.account.id, warning}} // what is left is for one path of a zone
		}}
}

// zoneState returns a zonal plant whose findings depend on the state of the zone once all plants
// are applied.
func zoneState(check, variant, result, slot string, change func(*zone)) Plant {
	p := zonal(check, variant, result, slot, change)
	p.Apply = func(s *Scene) []Planted { change(s.zone); return nil }
	return p
}
