package simcloud

import (
	"slices"
	"strings"
)

// plantsName misconfigure names and registrations.
func plantsName() []Plant {
	return slices.Concat(plantsTargets(), plantsZones(), plantsTransfers(), plantsRegistrations())
}

// pointing returns a zonal plant: a record for an external name, and the simulated DNS answers for
// that name.
func pointing(variant, result, kind, label, target string, say map[string]outsideName) Plant {
	return recordPlant("CFL-DNS-006", variant, result, func(z *zone) []Planted {
		name := label + "." + z.name
		for asked, o := range say {
			z.acct.say(strings.ReplaceAll(asked, "{name}", name), o)
		}
		r := z.plant(kind, name, target, kind == "CNAME")
		return one("CFL-DNS-006", "dns_record", r.ID, result)
	})
}

func plantsTargets() []Plant {
	gone, ill, there := outsideName{rcode: "NXDOMAIN"}, outsideName{rcode: "SERVFAIL"},
		outsideName{records: map[string][]string{"A": {"185.220.33.1"}}}
	platform := func(variant, result, target string) Plant {
		return recordPlant("CFL-DNS-007", variant, result, func(z *zone) []Planted {
			r := z.plant("CNAME", variant+"-site."+z.name, target, true)
			return one("CFL-DNS-007", "dns_record", r.ID, result)
		})
	}
	return []Plant{
		pointing("azure", failed, "CNAME", "campaign", "spring-sale.azurewebsites.net",
			map[string]outsideName{"spring-sale.azurewebsites.net": gone}),
		pointing("github", failed, "CNAME", "docs-old", "forgotten-team.github.io", map[string]outsideName{"forgotten-team.github.io": gone}),
		pointing("delegation", failed, "NS", "lab", "ns1-04.azure-dns.com", map[string]outsideName{"{name}": ill, "ns1-04.azure-dns.com": there}),
		pointing("gone", warning, "CNAME", "agency", "sites.closed-agency.test", map[string]outsideName{"sites.closed-agency.test": gone}),
		pointing("ill", warning, "CNAME", "shaky", "app.ill-host.test", map[string]outsideName{"app.ill-host.test": ill}),
		pointing("lame", warning, "NS", "branch", "ns1.closed-agency.test", map[string]outsideName{"{name}": ill,
			"ns1.closed-agency.test": there}),
		platform("pages", failed, "forgotten-site.pages.dev"),
		platform("tunnel", warning, "0c0ffee0-0000-4000-8000-00000000dead.cfargotunnel.com"),
		credentialText("key", failed, "build-info", plantedSecrets()[0].value), credentialText("telling-name", warning, "api-token",
			"vQ8w7Zp3Xw9LbT2nRk5Yd0HsUj4Ge6Mi"),
	}
}

// credentialText publishes a value in a TXT record.
func credentialText(variant, result, label, value string) Plant {
	return recordPlant("CFL-DNS-016", variant, result, func(z *zone) []Planted {
		r := z.plant("TXT", label+"."+z.name, `"`+value+`"`, false)
		return one("CFL-DNS-016", "dns_record", r.ID, result)
	})
}

func plantsZones() []Plant {
	ns := func(variant, result string, servers ...string) Plant {
		return zonal("CFL-DNS-013", variant, result, "delegation", func(z *zone) {
			z.acct.say(z.name, outsideName{records: map[string][]string{"NS": servers}})
		})
	}
	return []Plant{
		ns("elsewhere", failed, "ns1.registrar.test", "ns2.registrar.test"), ns("one-of-two", warning, "amy.ns.cloudflare.com"),
		ns("one-too-many", warning, "amy.ns.cloudflare.com", "bob.ns.cloudflare.com", "ns1.registrar.test").
			claimingOnly("delegation", "dnssec").with(Planted{"CFL-DNS-017", "zone", "", failed}),
		signer("one-signs", false), signer("no-key", true),
		zonal("CFL-DNS-017", "former-key", warning, "dnssec", func(z *zone) {
			z.dnssec["dnssec_multi_signer"] = true
			z.addKey()
		}).claimingOnly("dnssec", "delegation"),
		zonal("CFL-DNS-011", "forgotten", failed, "dnssec", func(z *zone) {
			z.dnssec["status"], z.dnssec["modified_on"] = "pending", z.acct.cloud.ago(40*day)
		}).with(Planted{"CFL-DNS-001", "zone", "", warning}),
		zonal("CFL-DNS-011", "error", failed, "dnssec", func(z *zone) { z.dnssec["status"] = "error" }).with(Planted{"CFL-DNS-001", "zone", "",
			warning}),
		alone(zonal("CFL-DNS-010", "not-allowed", failed, "caa", func(z *zone) {
			z.kind = "secondary" // another server is primary, so no CAA records are added automatically
			z.drop(func(r record) bool { return r.Type == "CAA" && strings.Contains(r.Content, "pki.goog") })
		})),
	}
}

// signer adds a second DNS provider to a signed zone whose keys do not include that provider's.
func signer(variant string, several bool) Plant {
	return zonal("CFL-DNS-017", variant, failed, "dnssec", func(z *zone) {
		z.acct.say(z.name, outsideName{records: map[string][]string{"NS": {"amy.ns.cloudflare.com", "bob.ns.cloudflare.com",
			"ns1.second-dns.test"}}})
		z.dnssec["dnssec_multi_signer"] = several
	}).claimingOnly("delegation", "dnssec").with(Planted{"CFL-DNS-013", "zone", "", warning})
}

// addKey publishes the zone signing key of another provider.
func (z *zone) addKey() {
	const key = "oJMRESz5E4gYzS/q6XDrvU1qMPYIjCWzJaOau8XNEZeqCYKD5ar0IRd8KqXXFJkqmVfRvMGPmM1x8fGAa2XhSA=="
	r := z.plant("DNSKEY", z.name, "256 3 13 "+key, false)
	r.Data = obj{"flags": 256, "protocol": 3, "algorithm": 13, "public_key": key}
}

func plantsTransfers() []Plant {
	open := func(variant, result, network string) Plant {
		return Plant{CheckID: "CFL-DNS-012", Variant: variant, Result: result, ResourceType: "zone", Plans: []string{"enterprise"},
			slots: []string{"transfers"}, fits: func(a *account) bool { return len(a.peers) > 0 },
			Apply: func(s *Scene) []Planted {
				s.account.acls = append(s.account.acls, s.account.transferACL("anybody", network))
				return s.account.everyTransfer(result)
			}}
	}
	unsigned := open("unsigned", failed, "")
	unsigned.Apply = func(s *Scene) []Planted {
		delete(s.account.peers[0], "tsig_id")
		return s.account.everyTransfer(failed)
	}
	return []Plant{unsigned, open("anybody", failed, "0.0.0.0/0"), open("wide", warning, "185.220.0.0/18")}
}

// everyTransfer returns a finding for each zone that is transferred.
func (a *account) everyTransfer(result string) []Planted {
	var out []Planted
	for i := range a.zoneCount {
		if a.zonePlan(i) == "enterprise" {
			out = append(out, Planted{"CFL-DNS-012", "zone", a.zoneID(i), result})
		}
	}
	return out
}

func plantsRegistrations() []Plant {
	domain := func(check, variant, result, slot string, change func(*account, obj)) Plant {
		return accountWide(check, variant, result, slot, func(a *account) {
			r := a.registration(variant + "-" + a.zoneName(0))
			change(a, r)
			a.registrations = append(a.registrations, r)
		})
	}
	manual := func(variant, result string, left int) Plant {
		return domain("CFL-REG-002", variant, result, "renewal", func(a *account, r obj) {
			r["auto_renew"], r["expires_at"] = false, a.cloud.ahead(daysOf(left))
		})
	}
	return []Plant{
		domain("CFL-REG-001", "unlocked", failed, "lock", func(_ *account, r obj) { r["locked"] = false }),
		domain("CFL-REG-001", "leaving", warning, "lock", func(_ *account, r obj) { r["locked"], r["status"] = false, "transfer_pending" }),
		domain("CFL-REG-003", "published", failed, "privacy", func(_ *account, r obj) { r["privacy_mode"] = "off" }),
		manual("soon", failed, 27), manual("later", warning, 60),
		domain("CFL-REG-002", "lapsed", failed, "renewal", func(a *account, r obj) { r["expires_at"] = a.cloud.ago(2 * day) }),
	}
}
