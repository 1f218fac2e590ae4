package simcloud

const (
	canaryOwnership = "leakcanary-ownership-value"
	canaryCustomKey = "leakcanary-custom-key"
)

// makeCustomHostnames adds custom hostnames to business and enterprise zones, see
// https://developers.cloudflare.com/api/resources/custom_hostnames/.
func (z *zone) makeCustomHostnames() {
	if rank(z.plan) < 2 || z.acct.spec.Plain {
		return
	}
	z.addHostname("shop.customer-one.test", nil)
	z.addHostname("shop.customer-two.test", nil)
	z.addHostname("new.customer-three.test", func(h, ssl obj) {
		// A new entry may be pending for up to a week.
		h["status"], h["created_at"], ssl["status"] = "pending", z.acct.cloud.ago(2*day), "pending_validation"
		delete(ssl, "expires_on")
	})
	z.fallback = obj{
		"origin": "fallback." + z.name, "status": "active", "errors": []string{}, "created_at": z.acct.cloud.ago(400 * day),
		"updated_at": z.acct.cloud.ago(300 * day),
	}
}

func (z *zone) addHostname(name string, change func(h, ssl obj)) obj {
	s, cl := z.next("custom-hostname"), z.acct.cloud
	ssl := obj{
		"id": s.uuid(), "type": "dv", "method": "http", "status": "active", "hosts": []string{name}, "issuer": "GoogleTrustServices",
		"wildcard":              false,
		"certificate_authority": "google", "expires_on": cl.ahead(60 * day), "uploaded_on": cl.ago(20 * day), "bundle_method": "ubiquitous",
		"settings": obj{"http2": "on", "min_tls_version": "1.2", "tls_1_3": "on"}, "custom_key": canaryCustomKey,
		"validation_records": []obj{{"txt_name": "_acme-challenge." + name, "txt_value": canaryValidation, "status": "active"}},
	}
	h := obj{
		"id": s.uuid(), "hostname": name, "status": "active", "created_at": cl.ago(200 * day), "custom_origin_server": "customers." + z.name,
		"ssl":             ssl,
		"custom_metadata": obj{"customer": canaryOwnership}, "ownership_verification": obj{"type": "txt", "name": "_cf-custom-hostname." + name,
			"value": canaryOwnership},
		"verification_errors": []string{},
	}
	if change != nil {
		change(h, ssl)
	}
	z.hostnames = append(z.hostnames, h)
	return h
}

func listCustomHostnames(c *call) answer { return listOf(c, c.zone.hostnames) }

func readFallbackOrigin(c *call) answer {
	if c.zone.fallback == nil {
		return notFound("fallback origin")
	}
	return ok(c.zone.fallback)
}

func readCustomHostname(c *call) answer {
	return c.one(c.zone.hostnames, "custom_hostname_id", notFound("custom hostname"))
}

// patchCustomHostname changes only the members in the request, and within ssl.settings only those
// given there.
func patchCustomHostname(c *call) answer {
	return c.patch(c.zone.hostnames, "custom_hostname_id", notFound("custom hostname"), acceptAny)
}
