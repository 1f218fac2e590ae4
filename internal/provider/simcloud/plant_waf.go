package simcloud

import (
	"strings"
	"time"
)

func plantsWAF() []Plant {
	paid := []string{"pro", "business", "enterprise"}
	table := []Plant{
		zonal("CFL-WAF-001", "essentially-off", failed, "level", func(z *zone) { z.settings["security_level"] = "essentially_off" }),
		zonal("CFL-WAF-001", "off", failed, "level", func(z *zone) { z.settings["security_level"] = "off" }),
		zonal("CFL-WAF-001", "low", warning, "level", func(z *zone) { z.settings["security_level"] = "low" }),
		zonal("CFL-WAF-002", "log-only", failed, slotCustom, func(z *zone) { z.entrypoint(phaseCustom).Rules = z.logOnly() }),
		zonal("CFL-WAF-002", "disabled", failed, slotCustom, func(z *zone) {
			for _, r := range z.entrypoint(phaseCustom).Rules {
				r["enabled"] = false
			}
		}),
		zonal("CFL-WAF-002", "none", warning, slotCustom, func(z *zone) { z.dropEntrypoint(phaseCustom) }),
		zonal("CFL-WAF-003", "none", failed, phaseRateLimit, func(z *zone) { z.dropEntrypoint(phaseRateLimit) }),
		zonal("CFL-WAF-003", "empty", failed, phaseRateLimit, func(z *zone) { z.entrypoint(phaseRateLimit).Rules = []obj{} }),
		zonal("CFL-WAF-003", "log-only", failed, phaseRateLimit, func(z *zone) {
			z.entrypoint(phaseRateLimit).Rules[0]["action"] = "log"
		}),
		zonal("CFL-WAF-005", "not-deployed", failed, phaseManaged, func(z *zone) { z.dropEntrypoint(phaseManaged) }).on(paid...),
		zonal("CFL-WAF-005", "disabled", failed, phaseManaged, func(z *zone) {
			for _, r := range z.entrypoint(phaseManaged).Rules {
				r["enabled"] = false
			}
		}).on(paid...),
		zonal("CFL-WAF-005", "one-path", warning, phaseManaged, func(z *zone) {
			for _, r := range z.entrypoint(phaseManaged).Rules {
				r["expression"] = `(starts_with(http.request.uri.path, "/shop/"))`
			}
		}).on(paid...),
		skipAll(),
		skipHost(),
		skipPlant("header-anywhere", failed, `(any(http.request.headers["x-debug"][*] eq "1"))`),
		skipPlant("header", failed, `(any(http.request.headers["x-debug"][*] eq "1") and starts_with(http.request.uri.path, "/api/"))`),
		skipPlant("wide-range", failed, `(ip.src in {11.0.0.0/8} and starts_with(http.request.uri.path, "/api/"))`),
		skipPlant("weak-branch", failed, `(ip.src eq 185.220.20.7 and http.request.uri.path eq "/a") or (http.user_agent contains "monitor")`),
		skipPlant("country", warning, `(ip.src.country eq "DE" and starts_with(http.request.uri.path, "/api/"))`),
		skipPlant("no-path", warning, `(ip.src in {185.220.20.7 185.220.20.8})`),
		managedSkip().on(paid...),
		accountSkip().on("enterprise"),
		allowPlant("country", failed, "country", "FR", "Sales", 30*day),
		allowPlant("asn", failed, "asn", "AS64496", "Partner", 30*day),
		allowPlant("wide-range", failed, "ip_range", "11.0.0.0/8", "Old office", 30*day),
		allowPlant("middle-range", warning, "ip_range", "185.220.0.0/20", "Data centre", 30*day),
		allowPlant("forgotten", warning, "ip", "185.220.20.99", "", 500*day),
		accountAllow(),
	}
	return table
}

// slotCustom is the state of a zone's custom rules: plants about whether any rule exists must not
// be combined with plants that add one.
const slotCustom = "custom-rules"

// logOnly returns the zone's custom rules with every action changed to log, without exceptions:
// skip rules are assessed elsewhere and enforce nothing.
func (z *zone) logOnly() []obj {
	var out []obj
	for _, r := range z.entrypoint(phaseCustom).Rules {
		if r["action"] == "skip" {
			continue
		}
		r["action"] = "log"
		delete(r, "action_parameters")
		out = append(out, r)
	}
	return out
}

// skipPlant adds an exception to the custom rules of a zone.
func skipPlant(variant, result, expression string) Plant {
	return Plant{CheckID: "CFL-WAF-010", Variant: variant, Result: result, ResourceType: "rule", Zonal: true, slots: []string{slotCustom},
		Apply: func(s *Scene) []Planted {
			return s.zone.plantSkip(phaseCustom, result, strings.ReplaceAll(expression, "{zone}", s.zone.name))
		}}
}

// skipHost lets everyone bypass the firewall of one host, where managed rules for that host alone
// would have no effect.
func skipHost() Plant {
	p := skipPlant("host-only", failed, `(http.host eq "www.{zone}")`)
	p.slots = append(p.slots, phaseManaged)
	return p
}

// skipAll lets everyone bypass the rules after it, so that none of them counts.
func skipAll() Plant {
	p := alone(skipPlant("always", failed, `true`))
	p.Apply = func(s *Scene) []Planted {
		z := s.zone
		out := z.plantSkip(phaseCustom, failed, `true`)
		for _, id := range []string{"CFL-WAF-002", "CFL-WAF-003", "CFL-WAF-005", "CFL-WAF-015"} {
			out = append(out, Planted{id, "zone", z.id, failed})
		}
		if z.plan != "free" {
			out = append(out, Planted{"CFL-WAF-006", "zone", z.id, failed}, Planted{"CFL-WAF-007", "zone", z.id, failed})
		}
		if z.scan == "enabled" && z.plan == "enterprise" {
			out = append(out, Planted{"CFL-WAF-025", "zone", z.id, warning})
		}
		if len(z.mutual.clientHosts) > 0 {
			out = append(out, Planted{"CFL-MTLS-003", "zone", z.id, failed})
		}
		return out
	}
	return p
}

func (z *zone) plantSkip(phase, result, expression string) []Planted {
	r := skipRule(z.next("skip"), z.acct.cloud.ago(30*day), expression, "Exception for a partner")
	s := z.entrypoint(phase)
	s.Rules = append([]obj{r}, s.Rules...)
	return one("CFL-WAF-010", "rule", asText(r["id"]), result)
}

func managedSkip() Plant {
	return Plant{CheckID: "CFL-WAF-010", Variant: "managed-phase", Result: failed, ResourceType: "rule", Zonal: true,
		slots: []string{phaseManaged}, Apply: func(s *Scene) []Planted {
			return s.zone.plantSkip(phaseManaged, failed, `(starts_with(http.request.uri.path, "/upload/"))`)
		}}
}

// accountSkip is an exception in the account's entrypoint, for one path of a zone.
func accountSkip() Plant {
	return Plant{CheckID: "CFL-WAF-010", Variant: "account", Result: failed, ResourceType: "rule", slots: []string{slotSharedCustom},
		Plans: []string{"enterprise"},
		Apply: func(s *Scene) []Planted {
			a := s.account
			r := skipRule(a.next("skip"), a.cloud.ago(30*day),
				`(cf.zone.name eq "`+a.enterpriseZone()+`" and starts_with(http.request.uri.path, "/migration/"))`, "Migration")
			root := entrypointOf(a.rulesets, "root", phaseCustom)
			root.Rules = append([]obj{r}, root.Rules...)
			return one("CFL-WAF-010", "rule", asText(r["id"]), failed)
		}}
}

// allowPlant adds an allow entry to the IP access rules of a zone.
func allowPlant(variant, result, target, value, notes string, age time.Duration) Plant {
	return Plant{CheckID: "CFL-WAF-011", Variant: variant, Result: result, ResourceType: "rule", Zonal: true,
		Apply: func(s *Scene) []Planted {
			r := newAccessRule(s.zone.next("allow"), s.account.cloud, "whitelist", target, value, notes, age)
			s.zone.ipRules = append(s.zone.ipRules, r)
			return one("CFL-WAF-011", "rule", asText(r["id"]), result)
		}}
}

func accountAllow() Plant {
	return Plant{CheckID: "CFL-WAF-011", Variant: "account", Result: failed, ResourceType: "rule",
		Apply: func(s *Scene) []Planted {
			r := newAccessRule(s.account.next("allow"), s.account.cloud, "whitelist", "ip_range", "2001::/20", "Transition", 30*day)
			s.account.ipRules = append(s.account.ipRules, r)
			return one("CFL-WAF-011", "rule", asText(r["id"]), failed)
		}}
}
