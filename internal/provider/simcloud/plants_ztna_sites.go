package simcloud

import "maps"

// plantsSites misconfigure site tunnels, their packet filter and DNS Firewall. They need an account
// on the highest plan.
func plantsSites() []Plant {
	packets := func(variant, result string, change func(*ruleset)) Plant {
		return accountWide("CFL-MAGIC-001", variant, result, phaseMagic,
			func(a *account) { change(entrypointOf(a.rulesets, "root", phaseMagic)) }).on("enterprise")
	}
	last := func(s *ruleset) obj { return s.Rules[len(s.Rules)-1] }
	site := func(variant, result string, change func(*account, obj)) Plant {
		return found("CFL-MAGIC-002", variant, result, "tunnel", func(a *account) string {
			t := a.addIPsec("site-" + variant)
			change(a, t)
			return asText(t["id"])
		}).on("enterprise")
	}
	cluster := func(variant, result string, members obj) Plant {
		return accountWide("CFL-DNS-005", variant, result, "dns-firewall", func(a *account) {
			c := a.addCluster("Cluster " + variant)
			maps.Copy(c, members)
		}).on("enterprise")
	}
	return []Plant{
		accountWide("CFL-MAGIC-001", "no-entry-point", failed, phaseMagic, func(a *account) {
			for i, s := range a.rulesets {
				if s.Kind == "root" && s.Phase == phaseMagic {
					a.rulesets = append(a.rulesets[:i:i], a.rulesets[i+1:]...)
					return
				}
			}
		}).on("enterprise"),
		packets("disabled", failed, func(s *ruleset) {
			for _, r := range s.Rules {
				r["enabled"] = false
			}
		}),
		packets("allows-last", failed, func(s *ruleset) { last(s)["action"] = "skip" }),
		packets("some-packets", warning, func(s *ruleset) { last(s)["expression"] = "ip.src in {198.51.100.0/24}" }),
		site("null-cipher", failed, func(_ *account, t obj) { t["allow_null_cipher"] = true }),
		packets("allows-first", failed, func(s *ruleset) { s.Rules[0]["expression"] = "true" }),
		site("old-key", warning, func(a *account, t obj) { t["psk_metadata"] = obj{"last_generated_on": a.cloud.ago(500 * day)} }),
		cluster("open", failed, obj{"attack_mitigation": obj{"enabled": false}, "ratelimit": nil}),
		cluster("never-set", failed, obj{"attack_mitigation": nil, "ratelimit": nil}),
		cluster("no-mitigation", warning, obj{"attack_mitigation": obj{"enabled": false}}),
		cluster("no-limit", warning, obj{"ratelimit": nil}),
		cluster("answers-any", warning, obj{"deprecate_any_requests": false}),
	}
}
