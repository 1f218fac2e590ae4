package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// canaryCertMail is in an address; a client may store only how many such addresses there are.
const canaryCertMail = "leakcanary.certificates"

// tlsZone is the certificate state of a zone other than its packs.
type tlsZone struct {
	universal   bool
	issued      bool // universal certificates were issued by a write
	custom      []obj
	ctAlerting  obj
	hostTLS     []obj
	hostCiphers []obj
}

// modernSuites returns the cipher suites of a well-kept zone.
func modernSuites() []string {
	return []string{"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-AES128-GCM-SHA256"}
}

// makeTLS generates a good configuration. Ciphers cannot be chosen below business; such a zone
// requires TLS 1.3 instead.
func (z *zone) makeTLS() {
	z.universal = true
	z.settings["security_header"] = obj{"strict_transport_security": obj{"enabled": true, "max_age": 31536000, "include_subdomains": true,
		"preload": true, "nosniff": true}}
	z.ctAlerting = obj{"enabled": true, "emails": []string{}}
	if rank(z.plan) < 2 {
		z.settings["min_tls_version"] = "1.3"
		return
	}
	z.settings["ciphers"] = modernSuites()
	z.ctAlerting["emails"] = []string{canaryCertMail + "@corp." + z.name}
	if !z.acct.spec.Plain {
		z.custom = []obj{z.newCustomCert(200 * day)}
	}
	if z.plan == "enterprise" {
		z.hostTLS = []obj{hostSetting("www."+z.name, "1.3", z.created)}
		z.hostCiphers = []obj{hostSetting("www."+z.name, modernSuites()[:1], z.created)}
	}
}

func hostSetting(host string, value any, created string) obj {
	return obj{"hostname": host, "value": value, "status": "active", "created_at": created, "updated_at": created}
}

func (z *zone) newCustomCert(left time.Duration) obj {
	cl := z.acct.cloud
	return obj{"id": z.next("custom-cert").hex32(), "hosts": []string{z.name, "www." + z.name}, "issuer": "Example CA",
		"signature": "SHA256WithRSA", "status": "active", "bundle_method": "ubiquitous", "zone_id": z.id, "uploaded_on": cl.ago(100 * day),
		"modified_on": cl.ago(100 * day), "expires_on": cl.ahead(left), "priority": 1,
		"keyless_server": obj{"id": z.next("keyless").hex32(), "name": "Key server", "host": canaryTunnelHost, "port": 24008, "enabled": true,
			"status": statusActive, "tunnel": obj{"private_ip": "10.0.0.9", "vnet_id": z.next("keyless-net").uuid()}}}
}

// tlsCanaries returns values no client may store.
func tlsCanaries() []string { return []string{canaryCertMail} }

// tlsRoutes returns the operations of certificates and the settings that depend on them.
func tlsRoutes() []Route {
	const z = "/zones/{zone_id}"
	return []Route{
		read(z+"/ssl/universal/settings", permCerts, "zone/universal_ssl", readUniversal),
		change(http.MethodPatch, z+"/ssl/universal/settings", permCerts, writeUniversal),
		list(z+"/custom_certificates", permCerts, "zone/custom_certificates", pages(20, 50),
			func(c *call) answer { return listOf(c, c.zone.custom) }),
		read(z+"/ct/alerting", permCerts, "zone/ct_alerting", func(c *call) answer { return ok(c.zone.ctAlerting) }),
		change(http.MethodPatch, z+"/ct/alerting", permCerts, writeCTAlerting),
		read(z+"/hostnames/settings/min_tls_version", permCerts, "zone/hostname_min_tls",
			func(c *call) answer { return listOf(c, c.zone.hostTLS) }),
		change(http.MethodPut, z+"/hostnames/settings/min_tls_version/{hostname}", permCerts, writeHostTLS),
		change(http.MethodDelete, z+"/hostnames/settings/min_tls_version/{hostname}", permCerts, deleteHostTLS),
		read(z+"/hostnames/settings/ciphers", permCerts, "zone/hostname_ciphers", func(c *call) answer { return listOf(c, c.zone.hostCiphers) }),
		change(http.MethodPut, z+"/hostnames/settings/ciphers/{hostname}", permCerts, writeHostCiphers),
	}
}

func (z *zone) universalObject() obj {
	return obj{"enabled": z.universal}
}

func readUniversal(c *call) answer { return ok(c.zone.universalObject()) }

func writeUniversal(c *call) answer {
	var body struct {
		Enabled *bool `json:"enabled"`
	}
	if json.Unmarshal(c.body, &body) != nil || body.Enabled == nil {
		return badBody()
	}
	if *body.Enabled != c.zone.universal {
		c.zone.universal, c.zone.issued = *body.Enabled, *body.Enabled
	}
	return ok(c.zone.universalObject())
}

func writeCTAlerting(c *call) answer {
	var body struct {
		Enabled *bool     `json:"enabled"`
		Emails  *[]string `json:"emails"`
	}
	if json.Unmarshal(c.body, &body) != nil {
		return badBody()
	}
	if body.Emails != nil && len(*body.Emails) > 0 && rank(c.zone.plan) < 2 {
		return invalid("The plan of the zone does not let recipients be chosen")
	}
	if body.Enabled != nil {
		c.zone.ctAlerting["enabled"] = *body.Enabled
	}
	if body.Emails != nil {
		c.zone.ctAlerting["emails"] = *body.Emails
	}
	return ok(c.zone.ctAlerting)
}

func writeHostTLS(c *call) answer {
	var body struct {
		Value string `json:"value"`
	}
	if json.Unmarshal(c.body, &body) != nil || !slices.Contains(allowedValues()["min_tls_version"], any(body.Value)) {
		return badBody()
	}
	return c.setForHost(&c.zone.hostTLS, body.Value)
}

func writeHostCiphers(c *call) answer {
	var body struct {
		Value []string `json:"value"`
	}
	if json.Unmarshal(c.body, &body) != nil || len(body.Value) == 0 {
		return badBody()
	}
	return c.setForHost(&c.zone.hostCiphers, body.Value)
}

func (c *call) setForHost(settings *[]obj, value any) answer {
	host := c.id("hostname")
	if c.zone.plan != "enterprise" && !slices.ContainsFunc(c.zone.packs, func(p obj) bool { return p["type"] == "advanced" }) {
		return notEntitled()
	}
	if host != c.zone.name && !strings.HasSuffix(host, "."+c.zone.name) {
		return invalid("The hostname is not one of the zone")
	}
	made := hostSetting(host, value, stamp(c.now))
	*settings = append(without(*settings, host), made)
	return ok(made)
}

func deleteHostTLS(c *call) answer {
	if byKey(c.zone.hostTLS, "hostname", c.id("hostname")) < 0 {
		return notFound("hostname setting")
	}
	c.zone.hostTLS = without(c.zone.hostTLS, c.id("hostname"))
	return ok(obj{"hostname": c.id("hostname"), "status": "pending_deletion", "value": ""})
}

func without(settings []obj, host string) []obj {
	return slices.DeleteFunc(slices.Clone(settings), func(o obj) bool { return o["hostname"] == host })
}
