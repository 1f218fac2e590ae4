package simcloud

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// plantsCertificates misconfigure certificates and the settings that depend on them.
func plantsCertificates() []Plant {
	set := func(check, variant, slot, setting string, value any) Plant {
		return zonal(check, variant, failed, slot, func(z *zone) { z.settings[setting] = value })
	}
	uploaded := func(variant, result, status string, left time.Duration) Plant {
		p := certificate("CFL-SSL-010", variant, result, nil).on("business", "enterprise")
		p.Apply = func(s *Scene) []Planted {
			c := s.zone.newCustomCert(left)
			c["status"] = status
			s.zone.custom = append(s.zone.custom, c)
			out := one("CFL-SSL-010", "certificate", asText(c["id"]), result)
			if status == statusActive && left < 30*day { // its certificate pack expires soon too
				out = append(out, one("CFL-SSL-003", "certificate", asText(c["id"]), failed)...)
			}
			return out
		}
		return p
	}
	pack := func(variant, result, kind, status string, left time.Duration) Plant {
		return certificate("CFL-SSL-003", variant, result, func(z *zone) string {
			return z.addPack(kind, status, []string{variant + ".packs." + z.name}, left)
		})
	}
	host := func(variant, result, value string, prepare func(*zone)) Plant {
		p := certificate("CFL-SSL-013", variant, result, func(z *zone) string {
			prepare(z)
			name := strings.ReplaceAll(variant, ".", "-") + "-tls." + z.name
			z.add("A", name, z.originIP(10), true)
			z.hostTLS = append(z.hostTLS, hostSetting(name, value, z.created))
			return name
		})
		return p.on("enterprise")
	}
	nothing := func(*zone) {}
	weaker := host("below-zone", warning, "1.2", func(z *zone) { z.settings["min_tls_version"] = "1.3" }).claimingOnly("CFL-SSL-013",
		"min-tls")
	return []Plant{
		keyServerPlant("off", failed, func(k obj) { k["enabled"] = false }),
		keyServerPlant("public", warning, func(k obj) { delete(k, "tunnel") }),
		pack("soon", failed, "advanced", statusActive, 9*day), pack("expired", failed, "advanced", "expired", -3*day),
		pack("timed-out", failed, "advanced", "validation_timed_out", 80*day), pack("uploaded", failed, "sni_custom", statusActive, 25*day),
		pack("late", warning, "advanced", statusActive, 17*day),
		set("CFL-SSL-007", "off", "rewrites", "automatic_https_rewrites", "off"), set("CFL-SSL-016", "on", "early-data", "0rtt", "on"),
		zonal("CFL-SSL-008", "off", failed, "https", func(z *zone) {
			z.settings["always_use_https"], z.settings["opportunistic_encryption"] = "off", "off"
		}).with(Planted{"CFL-SSL-005", "zone", "", failed}),
		uploaded("soon", failed, statusActive, 20*day), uploaded("expired", failed, "expired", -2*day), uploaded("later", warning, statusActive,
			40*day),
		host("tls-1.1", failed, "1.1", nothing), weaker,
		zonal("CFL-SSL-014", "legacy", failed, "ciphers",
			func(z *zone) { z.settings["ciphers"] = append(modernSuites(), "AES128-SHA") }).on("business", "enterprise").
			claimingOnly("ciphers", "min-tls"),
		zoneState("CFL-SSL-014", "default", warning, "ciphers", func(z *zone) {
			z.settings["ciphers"],
				z.settings["min_tls_version"] = []string{}, "1.2"
		}).claimingOnly("ciphers", "min-tls"),
		zonal("CFL-SSL-014", "one-host", failed, "ciphers", func(z *zone) {
			z.add("A", "old."+z.name, z.originIP(10), true)
			z.hostCiphers = append(z.hostCiphers, hostSetting("old."+z.name, []string{"ECDHE-RSA-AES128-SHA"}, z.created))
		}).on("enterprise").claimingOnly("ciphers", "min-tls"),
		zoneState("CFL-SSL-015", "uploaded-only", warning, "packs", func(z *zone) { z.universal, z.packs[0]["type"] = false, "sni_custom" }),
		zoneState("CFL-SSL-015", "none", failed, "packs", func(z *zone) {
			z.universal, z.custom = false, nil
			z.packs[0]["status"], z.packs[0]["certificates"] = "pending_validation", []obj{} // the first is yet to be issued
		}).claimingOnly("packs", "CFL-SSL-010/soon", "CFL-SSL-010/expired", "CFL-SSL-010/later", "CFL-SSL-021/off", "CFL-SSL-021/public"),
		zoneState("CFL-SSL-017", "left-out", failed, "hsts", func(z *zone) { z.header("include_subdomains", false) }),
		zoneState("CFL-SSL-018", "too-short", failed, "hsts", func(z *zone) { z.header("max_age", 31535999) }).with(Planted{"CFL-SSL-009",
			"zone", "", warning}),
		zoneState("CFL-SSL-018", "no-preload", warning, "hsts", func(z *zone) { z.header("preload", false) }),
		uncovered("deep", failed, ""), uncovered("pending", warning, "pending_validation"),
		zonal("CFL-SSL-020", "off", failed, "ct", func(z *zone) { z.ctAlerting["enabled"] = false }),
		zonal("CFL-SSL-020", "nobody", warning, "ct", func(z *zone) { z.ctAlerting["emails"] = []string{} }).on("business", "enterprise"),
	}
}

// certificate returns a zonal plant whose finding is a certificate or host setting.
func certificate(check, variant, result string, change func(*zone) string) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "certificate", Zonal: true,
		Apply: func(s *Scene) []Planted { return one(check, "certificate", change(s.zone), result) }}
}

// with adds a finding of another check on the zone that also results from the plant.
func (p Plant) with(more Planted) Plant {
	apply := p.Apply
	p.Apply = func(s *Scene) []Planted {
		more.ResourceID = s.zone.id
		return append(apply(s), more)
	}
	return p
}

// header changes one member of the strict-transport-security setting.
func (z *zone) header(member string, value any) {
	full := obj{}
	old, _ := z.value("security_header").(obj)["strict_transport_security"].(obj)
	maps.Copy(full, old)
	full[member] = value
	z.settings["security_header"] = obj{"strict_transport_security": full}
}

func (z *zone) addPack(kind, status string, hosts []string, left time.Duration) string {
	s, cl := z.next("pack"), z.acct.cloud
	id := s.uuid()
	z.packs = append(z.packs, obj{
		"id": id, "type": kind, "hosts": hosts, "status": status, "validation_method": "txt", "validity_days": 90,
		"certificate_authority": "lets_encrypt",
		"validation_errors":     []obj{}, "validation_records": []obj{},
		"certificates": []obj{{"id": s.hex32(), "hosts": hosts, "issuer": "LetsEncrypt", "status": status, "zone_id": z.id,
			"expires_on": cl.ahead(left), "priority": 1}},
	})
	return id
}

// uncovered adds a proxied name two labels below the zone, which no wildcard covers, and orders a
// certificate for it unless status is empty.
func uncovered(variant, result, status string) Plant {
	p := recordPlant("CFL-SSL-019", variant, result, func(z *zone) []Planted {
		name := variant + ".region." + z.name
		z.plant("A", name, z.originIP(1), true)
		if status != "" {
			z.addPack("advanced", status, []string{name}, 90*day)
		}
		return nil
	})
	return p
}

// tlsTruth returns the findings that result from the settings and certificates of a zone once all
// plants are applied.
func (z *zone) tlsTruth() []Planted {
	if z.status != "active" || !slices.ContainsFunc(z.records, func(r record) bool { return r.Proxied }) {
		return nil
	}
	var out []Planted
	add := func(check, result string) { out = append(out, Planted{check, "zone", z.id, result}) }
	suites, _ := z.value("ciphers").([]string)
	if len(suites) == 0 && z.value("min_tls_version") != "1.3" {
		add("CFL-SSL-014", warning)
	}
	header, _ := z.value("security_header").(obj)["strict_transport_security"].(obj)
	if header["enabled"] == true {
		age, _ := header["max_age"].(int)
		if header["include_subdomains"] != true {
			add("CFL-SSL-017", failed)
		}
		switch {
		case header["preload"] != true:
			add("CFL-SSL-018", warning)
		case header["include_subdomains"] != true || age < 31536000:
			add("CFL-SSL-018", failed)
		}
	}
	for _, r := range z.records {
		if active, any := z.packFor(r.Name); r.Proxied && !active {
			out = append(out, Planted{"CFL-SSL-019", "dns_record", r.ID, resultOf(any)})
		}
	}
	if slices.ContainsFunc(append(slices.Clone(z.balancers), z.acct.balancers[z.index]...), func(lb obj) bool {
		active, _ := z.packFor(asText(lb["name"]))
		return lb["proxied"] == true && lb["enabled"] != false && !active
	}) {
		add("CFL-SSL-019", failed)
	}
	if managed, uploaded := z.certified(); !z.universal && !managed {
		add("CFL-SSL-015", resultOf(uploaded))
	}
	return out
}

// packFor reports whether an active certificate pack, or any, covers a host.
func (z *zone) packFor(name string) (active, any bool) {
	_, parent, _ := strings.Cut(name, ".")
	for _, p := range z.allPacks() {
		hosts, _ := p["hosts"].([]string)
		if slices.Contains(hosts, name) || slices.Contains(hosts, "*."+parent) {
			active, any = active || p["status"] == statusActive, true
		}
	}
	return active, any
}

// certified reports whether the zone has an active certificate renewed by the provider, and an
// uploaded one.
func (z *zone) certified() (managed, uploaded bool) {
	for _, p := range z.allPacks() {
		if p["status"] == statusActive {
			own := p["type"] == "sni_custom" || p["type"] == "legacy_custom"
			managed, uploaded = managed || !own, uploaded || own
		}
	}
	return managed, uploaded
}

// keyServerPlant uploads a certificate whose key is on a key server.
func keyServerPlant(variant, result string, change func(obj)) Plant {
	p := certificate("CFL-SSL-021", variant, result, nil).on("enterprise")
	p.Apply = func(s *Scene) []Planted {
		c := s.zone.newCustomCert(200 * day)
		server, _ := c["keyless_server"].(obj)
		change(server)
		s.zone.custom = append(s.zone.custom, c)
		return one("CFL-SSL-021", "certificate", asText(c["id"]), result)
	}
	return p
}
