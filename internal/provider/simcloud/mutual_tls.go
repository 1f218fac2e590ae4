package simcloud

import "time"

const (
	permAccessCerts  = "Account: Access: Mutual TLS Certificates Read"
	permAccountCerts = "Account: Account: SSL and Certificates Read"
	canaryPrivateKey = "leakcanary-private-key"
	canaryClientName = "leakcanary-client-name"
)

// mutualTLS is the state of a zone's client certificates, both those clients present to the edge
// and those the edge presents to origins.
type mutualTLS struct {
	pullEnabled          bool
	pullCerts, hostCerts []obj
	clients              []obj
	clientHosts          []string // hosts that request a client certificate
	guards               []string // ids of the rules that refuse requests without one
}

// makeAuthorities adds one certificate authority for Access and one for rules, see
// https://developers.cloudflare.com/api/resources/mtls_certificates/.
func (a *account) makeAuthorities() {
	if a.org != nil {
		a.addAccessCert("Devices", 500*day)
	}
	if rank(a.bestPlan()) >= 2 && !a.spec.Plain {
		a.addAuthority("Partners", 500*day)
	}
}

func (a *account) addAccessCert(name string, left time.Duration) obj {
	c := obj{
		"id": a.next("access-cert").uuid(), "name": name, "fingerprint": "MD5 Fingerprint=" + canaryCertificate,
		"expires_on":           a.cloud.ahead(left),
		"associated_hostnames": []string{"portal1." + a.zoneName(0)}, "created_at": a.cloud.ago(100 * day), "updated_at": a.cloud.ago(100 * day),
	}
	a.accessCerts = append(a.accessCerts, c)
	return c
}

func (a *account) addAuthority(name string, left time.Duration) obj {
	c := obj{
		"id": a.next("authority").uuid(), "name": name, "ca": true, "type": "custom", "certificates": canaryCertificate,
		"issuer":        "O=Partner authority",
		"serial_number": "235217144297995885180570755458463043449861756659", "signature": "SHA256WithRSA", "expires_on": a.cloud.ahead(left),
		"uploaded_on": a.cloud.ago(100 * day),
	}
	a.authorities = append(a.authorities, c)
	return c
}

// makeMutualTLS presents the zone's own certificate to every origin; business and enterprise zones
// also demand client certificates at one host, see
// https://developers.cloudflare.com/api/resources/origin_tls_client_auth/ and
// https://developers.cloudflare.com/api/resources/client_certificates/.
func (z *zone) makeMutualTLS() {
	z.mutual.pullEnabled = true
	z.mutual.pullCerts = []obj{z.newPullCert("active", 400*day)}
	if rank(z.plan) < 2 || z.acct.spec.Plain {
		return
	}
	z.addClient("active", 300*day)
	z.addClient("revoked", 5*day) // revoked certificates are not assessed
	z.ask("devices." + z.name)
	r := newRule(z.next("rule"), z.acct.cloud.ago(45*day), "block", z.guardExpression(true), "Demand client certificates")
	entry := z.entrypoint(phaseCustom)
	entry.Rules = append(entry.Rules, r)
	z.mutual.guards = []string{asText(r["id"])}
}

// ask requests a client certificate at a new host.
func (z *zone) ask(host string) {
	z.plant("A", host, z.originIP(9), true)
	z.mutual.clientHosts = append(z.mutual.clientHosts, host)
}

func (z *zone) guardExpression(revoked bool) string {
	if !revoked {
		return `(http.host eq "devices.` + z.name + `" and not cf.tls_client_auth.cert_verified)`
	}
	return `(http.host eq "devices.` + z.name + `" and (not cf.tls_client_auth.cert_verified or cf.tls_client_auth.cert_revoked))`
}

func (z *zone) newPullCert(status string, left time.Duration) obj {
	return obj{
		"id": z.next("pull-cert").uuid(), "enabled": true, "status": status, "certificate": canaryCertificate, "private_key": canaryPrivateKey,
		"issuer": "O=Edge pull", "signature": "SHA256WithRSA", "expires_on": z.acct.cloud.ahead(left), "uploaded_on": z.acct.cloud.ago(100 * day),
	}
}

func (z *zone) addClient(status string, left time.Duration) {
	z.mutual.clients = append(z.mutual.clients, obj{
		"id": z.next("client-cert").uuid(), "status": status, "common_name": canaryClientName, "certificate": canaryCertificate, "csr": canaryCSR,
		"certificate_authority": obj{"id": hexID(0, "managed-ca"), "name": "Managed authority"}, "issued_on": z.acct.cloud.ago(60 * day),
		"expires_on": z.acct.cloud.ahead(left), "validity_days": 365, "organization": "", "country": "DE",
		"serial_number": z.next("serial").hex32(),
	})
}

// neglectDelivery leaves a never-activated zone without client certificates, which depend on its
// custom rules, and without a certificate for origins.
func (z *zone) neglectDelivery() {
	z.mutual.clients, z.mutual.clientHosts = nil, nil
	z.mutual.pullEnabled, z.mutual.pullCerts = false, nil
}

// settleDelivery adds the client certificate findings caused by plants of other checks that weaken
// the custom rules.
func (z *zone) settleDelivery(found []Planted) []Planted {
	if len(z.mutual.clientHosts) == 0 {
		return found
	}
	result := failed
	if entry := entrypointOf(z.rulesets, "zone", phaseCustom); entry != nil {
		for _, id := range z.mutual.guards {
			i := byKey(entry.Rules, "id", id)
			switch {
			case i < 0 || entry.Rules[i]["enabled"] != true:
			case entry.Rules[i]["action"] == "block":
				return found
			case entry.Rules[i]["action"] == "managed_challenge":
				result = warning
			}
		}
	}
	return append(found, one("CFL-MTLS-003", "zone", z.id, result)...)
}

func listAccessCerts(c *call) answer {
	return c.whenEnabled(func() []obj { return c.acct.accessCerts })
}

func listAuthorities(c *call) answer { return listOf(c, c.acct.authorities) }

func readPullSettings(c *call) answer { return ok(obj{"enabled": c.zone.mutual.pullEnabled}) }

func writePullSettings(c *call) answer {
	sent, valid := c.sent()
	on, isSwitch := sent["enabled"].(bool)
	if !valid || !isSwitch {
		return badBody()
	}
	c.zone.mutual.pullEnabled = on
	return readPullSettings(c)
}

func listPullCerts(c *call) answer { return listOf(c, c.zone.mutual.pullCerts) }

func listHostPullCerts(c *call) answer { return listOf(c, c.zone.mutual.hostCerts) }

func listClientCerts(c *call) answer { return listOf(c, c.zone.mutual.clients) }

func readClientHosts(c *call) answer {
	return ok(obj{"hostnames": append([]string{}, c.zone.mutual.clientHosts...)})
}

func identityRoutes(a, z string) []Route {
	return []Route{
		list(z+"/custom_hostnames", permCerts, "zone/custom_hostnames", pages(20, 50), listCustomHostnames),
		read(z+"/custom_hostnames/fallback_origin", permCerts, "zone/fallback_origin", readFallbackOrigin),
		again(z+"/custom_hostnames/{custom_hostname_id}", permCerts, readCustomHostname),
		change("PATCH", z+"/custom_hostnames/{custom_hostname_id}", permCerts, patchCustomHostname),
		list(a+"/access/certificates", permAccessCerts, "account/access_certificates", clamped(50, 100), listAccessCerts),
		read(a+"/mtls_certificates", permAccountCerts, "account/mtls_certificates", listAuthorities),
		read(z+"/origin_tls_client_auth/settings", permCerts, "zone/aop_settings", readPullSettings),
		change("PUT", z+"/origin_tls_client_auth/settings", permCerts, writePullSettings),
		read(z+"/origin_tls_client_auth", permCerts, "zone/aop_certificates", listPullCerts),
		read(z+"/origin_tls_client_auth/hostnames/certificates", permCerts, "zone/aop_host_certificates", listHostPullCerts),
		list(z+"/client_certificates", permCerts, "zone/client_certificates", pages(20, 50), listClientCerts),
		read(z+"/certificate_authorities/hostname_associations", permCerts, "zone/mtls_hostnames", readClientHosts),
	}
}
