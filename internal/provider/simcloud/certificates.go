package simcloud

import (
	"encoding/json"
	"slices"
	"time"
)

// makeCertificates adds one universal edge certificate and the Origin CA certificates of the zone.
func (z *zone) makeCertificates() {
	cl := z.acct.cloud
	s := z.next("pack")
	hosts := []string{z.name, "*." + z.name}
	cert := s.hex32()
	z.packs = []obj{{
		"id": s.uuid(), "type": "universal", "hosts": hosts, "status": "active", "primary_certificate": cert,
		"validation_method": "txt", "validity_days": 90, "certificate_authority": "google", "cloudflare_branding": false,
		"validation_errors":  []obj{},
		"validation_records": []obj{{"txt_name": "_acme-challenge." + z.name, "txt_value": canaryValidation, "status": "active"}},
		"certificates": []obj{{
			"id": cert, "hosts": hosts, "issuer": "GoogleTrustServices", "signature": "ECDSAWithSHA256", "status": "active",
			"bundle_method": "ubiquitous", "zone_id": z.id, "uploaded_on": cl.ago(20 * day), "modified_on": cl.ago(20 * day),
			"expires_on": cl.ahead(65 * day), "priority": 1,
		}},
	}}
	z.origin = []obj{z.newOriginCert(hosts, 400*day)}
	if z.index%4 == 1 {
		// An expiring certificate that was replaced is not a finding: another valid one covers its names
		// for longer.
		z.origin = append(z.origin, z.newOriginCert(hosts, 10*day))
	}
}

// newOriginCert writes the expiry in the format of this endpoint, which differs from the other endpoints.
func (z *zone) newOriginCert(hosts []string, left time.Duration) obj {
	return obj{
		"id": z.next("origin").hex32(), "certificate": canaryCertificate, "csr": canaryCSR, "hostnames": hosts,
		"expires_on": originDate(z.acct.cloud.born.Add(left)), "request_type": "origin-ecc", "requested_validity": 5475,
	}
}

func originDate(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 -0700 MST") }

// allPacks returns the provider's certificates and the uploaded ones.
func (z *zone) allPacks() []obj {
	out := slices.Clone(z.packs)
	universal := false
	for i, p := range out {
		if z.issued && p["type"] == "universal" {
			universal, out[i] = true, merged(p, obj{"status": statusActive})
		}
	}
	if z.issued && !universal {
		out = append(out, obj{"id": hexID(0, "issued", z.id), "type": "universal", "hosts": []string{z.name, "*." + z.name},
			"status": statusActive, "certificates": []obj{}})
	}
	for _, c := range z.custom {
		out = append(out, obj{
			"id": c["id"], "type": "sni_custom", "hosts": c["hosts"], "status": c["status"], "primary_certificate": c["id"],
			"certificates": []obj{{"id": c["id"], "hosts": c["hosts"], "issuer": c["issuer"], "status": c["status"], "expires_on": c["expires_on"]}},
		})
	}
	return out
}

func listPacks(c *call) answer {
	if c.query.Get("status") == "all" {
		return listOf(c, c.zone.allPacks())
	}
	var active []obj
	for _, p := range c.zone.allPacks() {
		if p["status"] == statusActive {
			active = append(active, p)
		}
	}
	return listOf(c, active)
}

// orderPack issues a certificate at once, whereas the real API waits for validation.
func orderPack(c *call) answer {
	var body struct {
		Type  string   `json:"type"`
		Hosts []string `json:"hosts"`
	}
	if json.Unmarshal(c.body, &body) != nil || body.Type != "advanced" || !slices.Contains(body.Hosts, c.zone.name) {
		return badBody()
	}
	c.zone.addPack(body.Type, statusActive, body.Hosts, 90*day)
	return ok(c.zone.packs[len(c.zone.packs)-1])
}

func listOriginCerts(c *call) answer { return listOf(c, c.zone.origin) }
