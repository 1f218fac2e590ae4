package simcloud

import "time"

// daysOf returns the duration of n days.
func daysOf(n int) time.Duration { return time.Duration(n) * day }

// plantsProtection misconfigure settings around the firewall, and rate limits.
func plantsProtection() []Plant {
	set := func(check, variant, result, setting string, value any) Plant {
		return zonal(check, variant, result, setting, func(z *zone) { z.settings[setting] = value })
	}
	attacked := func(variant, result string, days int) Plant {
		return zonal("CFL-ZONE-004", variant, result, "level", func(z *zone) {
			z.settings["security_level"], z.changed["security_level"] = "under_attack", z.acct.cloud.ago(daysOf(days))
		})
	}
	normal := func(variant, result, kind, scope string) Plant {
		return zonal("CFL-WAF-020", variant, result, "normalization", func(z *zone) { z.normalization = obj{"type": kind, "scope": scope} })
	}
	held := func(variant, result string, state obj) Plant {
		return zonal("CFL-HOLD-001", variant, result, "hold", func(z *zone) { z.hold = state }).on("enterprise")
	}
	limits := func(variant, result, action, expression string) Plant {
		return zoneState("CFL-WAF-015", variant, result, phaseRateLimit, func(z *zone) {
			r := newRule(z.next("limit"), z.acct.cloud.ago(20*day), action, expression, "Limit")
			r["ratelimit"] = obj{"characteristics": []string{"cf.colo.id", "ip.src"}, "period": 10, "requests_per_period": 20,
				"mitigation_timeout": 10}
			z.entrypoint(phaseRateLimit).Rules = []obj{r}
			if action == "log" { // some other limit is still enforced
				other := newRule(z.next("limit"), z.acct.cloud.ago(20*day), "block", `(http.request.uri.path eq "/search")`, "Limit searches")
				other["ratelimit"] = r["ratelimit"]
				z.entrypoint(phaseRateLimit).Rules = append(z.entrypoint(phaseRateLimit).Rules, other)
			}
		})
	}
	return []Plant{
		set("CFL-WAF-009", "off", failed, "browser_check", "off"), set("CFL-WAF-021", "week", failed, "challenge_ttl", 604800),
		set("CFL-WAF-021", "day", warning, "challenge_ttl", 86400), set("CFL-WAF-021", "minutes", warning, "challenge_ttl", 300),
		set("CFL-WAF-022", "off", failed, "hotlink_protection", "off"), set("CFL-WAF-023", "off", failed, "ip_geolocation", "off"),
		attacked("permanent", failed, 9), attacked("now", warning, 1),
		normal("none", failed, "cloudflare", "none"), normal("rfc3986", warning, "rfc3986", "incoming"),
		limits("another-path", failed, "block", `(http.request.uri.path eq "/search")`),
		limits("log-only", warning, "log", `(http.request.uri.path contains "/login")`),
		zonal("CFL-LEAK-001", "off", failed, "leaked", func(z *zone) { z.leaked = false }),
		zoneState("CFL-LEAK-002", "unused", failed, "leaked",
			func(z *zone) { z.requestHeaders["add_waf_credential_check_status_header"] = false }),
		zoneState("CFL-LEAK-002", "log-only", warning, "leaked", func(z *zone) {
			z.requestHeaders["add_waf_credential_check_status_header"] = false
			z.addRule(phaseCustom, "log", "(cf.waf.credential_check.password_leaked)", "Count leaked passwords")
		}).claimingOnly("leaked", slotCustom),
		zonal("CFL-WAF-025", "off", failed, "scan", func(z *zone) { z.scan = "disabled" }).on("enterprise"),
		zoneState("CFL-WAF-025", "unused", warning, "scan", func(z *zone) {
			for _, r := range z.entrypoint(phaseCustom).Rules {
				if r["description"] == "Block malicious uploads" {
					r["enabled"] = false
				}
			}
		}).on("enterprise").claimingOnly("scan", slotCustom),
		held("none", failed, obj{"hold": false, "hold_after": "", "include_subdomains": "false"}),
		held("no-subdomains", warning, obj{"hold": true, "hold_after": "", "include_subdomains": "false"}),
		held("lifted", warning, obj{"hold": true, "hold_after": "2036-01-31T15:56:36+00:00", "include_subdomains": "true"}),
		sharedRules("none", failed, false), sharedRules("another-zone", warning, true),
		bypassList("wide", failed, "11.0.0.0/8"), bypassList("between", warning, "185.220.0.0/20"),
	}
}

// claimingOnly replaces the slots of a plant.
func (p Plant) claimingOnly(slots ...string) Plant {
	p.slots = slots
	return p
}

func (z *zone) addRule(phase, action, expression, description string) obj {
	r := newRule(z.next("rule"), z.acct.cloud.ago(30*day), action, expression, description)
	s := z.entrypoint(phase)
	s.Rules = append(s.Rules, r)
	return r
}

// sharedRules leaves the account without a rule for its enterprise zones, or with one for a zone
// that has been removed.
func sharedRules(variant, result string, keep bool) Plant {
	p := accountWide("CFL-ACCTWAF-001", variant, result, slotSharedManaged, func(a *account) {
		shared := entrypointOf(a.rulesets, "root", phaseManaged)
		shared.Rules[0]["expression"] = `(cf.zone.name eq "retired.test")`
		if keep {
			return
		}
		shared.Rules = []obj{}
		for _, r := range entrypointOf(a.rulesets, "root", phaseCustom).Rules {
			r["enabled"] = false
		}
	})
	if !keep { // the account's custom ruleset is then not executed anywhere
		apply := p.Apply
		p.Apply = func(s *Scene) []Planted {
			out := apply(s)
			for _, r := range s.account.rulesets {
				if r.Kind == "custom" {
					out = append(out, Planted{"CFL-ACCTWAF-002", "rule", r.ID, failed})
				}
			}
			return out
		}
	}
	return p.on("enterprise").claimingOnly(slotSharedManaged, slotSharedCustom)
}

// idleRuleset adds a ruleset that no rule of the account executes.
func idleRuleset() Plant {
	return Plant{CheckID: "CFL-ACCTWAF-002", Variant: "idle", Result: failed, ResourceType: "rule", Plans: []string{"enterprise"},
		Apply: func(s *Scene) []Planted {
			a := s.account
			r := &ruleset{ID: a.next("idle-ruleset").hex32(), Kind: "custom", Phase: phaseCustom, Name: "Partner rules", Version: "1",
				Updated: a.cloud.ago(45 * day), Rules: []obj{}}
			a.rulesets = append(a.rulesets, r)
			return one("CFL-ACCTWAF-002", "rule", r.ID, failed)
		}}
}

// bypassList adds an account skip rule that trusts a list for one path of a zone.
func bypassList(variant, result, network string) Plant {
	return Plant{CheckID: "CFL-WAF-012", Variant: variant, Result: result, ResourceType: "account", Plans: []string{"enterprise"},
		slots: []string{slotSharedCustom}, Apply: func(s *Scene) []Planted {
			a := s.account
			a.addList("partners", 1)
			a.lists[len(a.lists)-1]["num_referencing_filters"] = 1
			id := asText(a.lists[len(a.lists)-1]["id"])
			a.items[id] = []obj{{"id": a.next("item").hex32(), "ip": network, "comment": "", "created_on": a.cloud.ago(90 * day),
				"modified_on": a.cloud.ago(90 * day)}}
			r := skipRule(a.next("skip"), a.cloud.ago(30*day),
				`(cf.zone.name eq "`+a.enterpriseZone()+`" and ip.src in $partners and starts_with(http.request.uri.path, "/feed/"))`, "Partners")
			root := entrypointOf(a.rulesets, "root", phaseCustom)
			root.Rules = append([]obj{r}, root.Rules...)
			return one("CFL-WAF-012", "account", a.id, result)
		}}
}

// plantsFloods weaken the DDoS protection.
func plantsFloods() []Plant {
	on := func(variant, result string, overrides obj) Plant {
		return zonal("CFL-DDOS-001", variant, result, phaseDDoS, func(z *zone) {
			r := executeRule(z.next("floods"), z.acct.cloud.ago(30*day), "true", ddosRuleset)
			r["action_parameters"] = obj{"id": ddosRuleset, "version": "latest", "overrides": overrides}
			z.entrypoint(phaseDDoS).Rules = []obj{r}
		})
	}
	shared := func(variant, result, phase string, overrides obj) Plant {
		return accountWide("CFL-DDOS-002", variant, result, "account-floods", func(a *account) {
			s := a.next("floods")
			r := executeRule(s, a.cloud.ago(30*day), "true", ddosRuleset)
			r["action_parameters"] = obj{"id": ddosRuleset, "version": "latest", "overrides": overrides}
			a.rulesets = append(a.rulesets, &ruleset{ID: s.hex32(), Kind: "root", Phase: phase, Name: "default", Version: "1",
				Updated: a.cloud.ago(30 * day), Rules: []obj{r}})
		}).on("enterprise")
	}
	return []Plant{
		on("log", failed, obj{"action": "log"}), on("off", failed, obj{"enabled": false}),
		on("essentially-off", failed, obj{"rules": []obj{{"id": hexID(0, "flood-rule"), "sensitivity_level": "eoff"}}}),
		on("medium", warning, obj{"sensitivity_level": "medium"}),
		shared("network-log", failed, "ddos_l4", obj{"rules": []obj{{"id": hexID(0, "flood-rule"), "action": "log"}}}),
		shared("http-off", failed, phaseDDoS, obj{"categories": []obj{{"category": "botnets", "enabled": false}}}),
		shared("low", warning, "ddos_l4", obj{"sensitivity_level": "low"}),
	}
}
