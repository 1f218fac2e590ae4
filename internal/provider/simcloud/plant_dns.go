package simcloud

func plantsDNS() []Plant {
	return []Plant{
		zonal("CFL-DNS-001", "disabled", failed, "dnssec", func(z *zone) { z.dnssec["status"] = "disabled" }),
		zonal("CFL-DNS-001", "pending-disabled", failed, "dnssec", func(z *zone) { z.dnssec["status"] = "pending-disabled" }),
		zonal("CFL-DNS-001", "pending", warning, "dnssec", func(z *zone) {
			z.dnssec["status"] = "pending"
			z.dnssec["modified_on"] = z.acct.cloud.ago(2 * day)
		}).with(Planted{"CFL-DNS-011", "zone", "", warning}),
		recordPlant("CFL-DNS-002", "unproxied-a", failed, plantUnproxied),
		recordPlant("CFL-DNS-002", "unproxied-cname", failed, plantUnproxiedName),
		recordPlant("CFL-DNS-002", "somebody-elses", warning, plantOutsideName),
		recordPlant("CFL-DNS-003", "outside-target", failed, plantWildcardOutside, "wildcard"),
		recordPlant("CFL-DNS-003", "direct", failed, plantWildcardDirect, "wildcard"),
		recordPlant("CFL-DNS-003", "proxied", warning, plantWildcardProxied, "wildcard"),
		zonal("CFL-DNS-004", "no-issue", failed, "caa", func(z *zone) {
			z.drop(func(r record) bool { return r.Type == "CAA" })
		}),
		zonal("CFL-DNS-004", "no-iodef", warning, "caa", func(z *zone) {
			z.drop(func(r record) bool {
				data, _ := r.Data.(obj)
				return r.Type == "CAA" && data["tag"] == "iodef"
			})
		}),
		internalAddress("private", "A", "10.11.12.13"),
		internalAddress("documentation", "A", "192.0.2.44"),
		internalAddress("carrier-grade", "A", "100.64.9.9"),
		internalAddress("link-local", "A", "169.254.10.10"),
		internalAddress("unique-local", "AAAA", "fd12:3456:789a::1"),
		recordPlant("CFL-DNS-009", "same-address", failed, plantSibling),
		directBehindAccess(),
		recordPlant("CFL-DNS-009", "mail-host", failed, plantMailOnOrigin, "mail-host"),
		recordPlant("CFL-DNS-009", "spf-term", failed, plantSPFOrigin, "spf"),
		recordPlant("CFL-DNS-009", "same-network", warning, plantMailNearOrigin, "mail-host"),
		alone(zonal("CFL-ZONE-001", "paused", failed, "paused", func(z *zone) { z.paused = true })),
	}
}

// recordPlant returns a zonal plant whose finding is a DNS record.
func recordPlant(check, variant, result string, apply func(*zone) []Planted, slots ...string) Plant {
	return Plant{CheckID: check, Variant: variant, Result: result, ResourceType: "dns_record", Zonal: true, slots: slots,
		Apply: func(s *Scene) []Planted { return apply(s.zone) }}
}

func plantUnproxied(z *zone) []Planted {
	r := z.plant("A", "legacy."+z.name, z.directIP(20), false)
	return one("CFL-DNS-002", "dns_record", r.ID, failed)
}

func plantUnproxiedName(z *zone) []Planted {
	r := z.plant("CNAME", "partner."+z.name, "partner-shop.azurewebsites.net", false)
	return one("CFL-DNS-002", "dns_record", r.ID, failed)
}

func plantOutsideName(z *zone) []Planted {
	r := z.plant("CNAME", "promo."+z.name, "hosting.partner.test", false)
	return one("CFL-DNS-002", "dns_record", r.ID, warning)
}

func plantWildcardOutside(z *zone) []Planted {
	r := z.plant("CNAME", "*."+z.name, "sites.hosting-partner.test", true)
	return one("CFL-DNS-003", "dns_record", r.ID, failed)
}

// plantWildcardDirect also lacks the proxy, which is a separate finding.
func plantWildcardDirect(z *zone) []Planted {
	r := z.plant("A", "*.dev."+z.name, z.directIP(30), false)
	return append(one("CFL-DNS-003", "dns_record", r.ID, failed), one("CFL-DNS-002", "dns_record", r.ID, failed)...)
}

func plantWildcardProxied(z *zone) []Planted {
	r := z.plant("A", "*."+z.name, z.originIP(220), true)
	return one("CFL-DNS-003", "dns_record", r.ID, warning)
}

// internalAddress adds a record for an address that does not belong in public DNS. The API does not
// proxy such addresses, so there is no other finding.
func internalAddress(variant, kind, address string) Plant {
	return recordPlant("CFL-DNS-008", variant, failed, func(z *zone) []Planted {
		r := z.plant(kind, variant+"-lab."+z.name, address, false)
		r.Proxiable = false
		return one("CFL-DNS-008", "dns_record", r.ID, failed)
	})
}

// plantSibling adds a direct record for the origin of the proxied apex.
func plantSibling(z *zone) []Planted {
	r := z.plant("A", "direct."+z.name, z.originIP(10), false)
	return append(one("CFL-DNS-009", "dns_record", r.ID, failed), one("CFL-DNS-002", "dns_record", r.ID, failed)...)
}

// directBehindAccess exposes the server of a host protected by Access.
func directBehindAccess() Plant {
	p := recordPlant("CFL-DNS-009", "behind-access", failed, nil).when(usesAccess)
	p.Apply = func(s *Scene) []Planted {
		z := s.zone
		z.plant("A", "vault."+z.name, z.originIP(177), true)
		s.account.addApp("Vault of "+z.name, "self_hosted", "vault."+z.name)
		r := z.plant("A", "vault-direct."+z.name, z.originIP(177), false)
		return append(one("CFL-DNS-009", "dns_record", r.ID, failed), one("CFL-DNS-002", "dns_record", r.ID, failed)...)
	}
	return p
}

// plantMailOnOrigin puts the mail host on the web origin; as the target of an MX record it may be direct.
func plantMailOnOrigin(z *zone) []Planted {
	r := z.find("A", "mail."+z.name)
	r.Content = z.originIP(10)
	return one("CFL-DNS-009", "dns_record", r.ID, failed)
}

func plantMailNearOrigin(z *zone) []Planted {
	r := z.find("A", "mail."+z.name)
	r.Content = z.originIP(250)
	return one("CFL-DNS-009", "dns_record", r.ID, warning)
}

func plantSPFOrigin(z *zone) []Planted {
	r := z.apexText("v=spf1")
	r.Content = `"v=spf1 mx ip4:` + z.originIP(11) + ` -all"`
	return one("CFL-DNS-009", "dns_record", r.ID, failed)
}

// alone marks a plant that hides the findings of other plants.
func alone(p Plant) Plant {
	p.alone = true
	return p
}
