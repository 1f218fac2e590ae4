package dns

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// caa judges whether the domain restricts its certificate authorities.
func caa() check.Check {
	return check.Check{
		ID: "CFL-DNS-004", Title: "CAA limits who may issue certificates",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Any public certificate authority may issue for a domain without CAA records. CAA names the authorities that " +
			"may, and they must look before they issue.",
		Fix: "List the authorities that issue your certificates, then publish an issue record for each and an iodef " +
			"record with a contact.",
		Words: posture.Words{
			Problem: "{zone} lets every certificate authority issue certificates",
			Impact: "Someone who passes the domain validation of the weakest authority gets a certificate for the domain and can " +
				"impersonate it.",
			Breaks: "Certificates of authorities that no record names fail to renew; Cloudflare adds the authorities of its own " +
				"certificates.",
			Dashboard: "DNS › Records › Add record › Type CAA, Name @, tag Only allow specific hostnames, and the authority; add " +
				"one with the tag iodef.",
			Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records/batch",
				Body: `{"posts": [{"type": "CAA", "name": "{zone}", "data": {"flags": 0, "tag": "issue", "value": "{$AUTHORITY}"}},
{"type": "CAA", "name": "{zone}", "data": {"flags": 0, "tag": "iodef", "value": "mailto:{$CONTACT}"}}]}`,
				Choose: `AUTHORITY: the authority that issues your certificates (such as letsencrypt.org)
CONTACT: the mailbox that is told of refused requests (such as security@shop.example)`},
			Terraform: `resource "cloudflare_dns_record" "caa_issue" {
  zone_id = "{zone_id}"
  name    = "{zone}"
  type    = "CAA"
  ttl     = 3600
  data = {
    flags = 0
    tag   = "issue"
    value = var.authority
  }
}

resource "cloudflare_dns_record" "caa_iodef" {
  zone_id = "{zone_id}"
  name    = "{zone}"
  type    = "CAA"
  ttl     = 3600
  data = {
    flags = 0
    tag   = "iodef"
    value = "mailto:${var.contact}"
  }
}`},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "A CAA record is part of a hardened zone."),
			check.Supports("soc2 CC6.7", "Fewer authorities can issue a certificate that would let others read the traffic."),
			check.Touches("pci 4.2.1.1", "It limits who may issue; it is no inventory of keys and certificates."),
			check.Supports("nist PR.DS-02", "A certificate for eavesdropping is harder to get."),
		},
		Aliases:  []string{"prowler:zone_record_caa_exists", "flareinspect:CFL-DNS-004"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Unless:   check.NotPublic,
		Evaluate: evaluateCAA,
	}
}

func caaExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "issue and iodef; a missing issuewild is no gap", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "nobody may issue", Want: posture.Pass, Edit: issues(`0 ISSUE ";"`)},
		{Name: "only for mail certificates", Want: posture.Fail, Edit: issues(`0 issuemail "ca.example"`)},
		{Name: "parameters and the critical flag", Want: posture.Pass,
			Edit: issues(`128 issue "letsencrypt.org; validationmethods=dns-01"`)},
		{Name: "no CAA at all", Want: posture.Fail, Resource: goodtest.Zone, Edit: keepCAA("")},
		{Name: "no CAA, in an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(keepCAA(""), goodtest.Type("internal"))},
		{Name: "no CAA, in a zone that moved away", Want: posture.NotApplicable, Edit: goodtest.Edits(keepCAA(""), goodtest.Status("moved"))},
		{Name: "only a contact", Want: posture.Fail, Resource: goodtest.Zone, Edit: keepCAA("iodef")},
		{Name: "only a wildcard authority", Want: posture.Fail, Edit: goodtest.Edits(keepCAA("iodef"),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "w", Name: goodtest.Domain, Type: "CAA", Content: `0 issuewild "ca.example"`}))},
		{Name: "no contact", Want: posture.Warning, Resource: goodtest.Zone, Edit: keepCAA("issue")},
		{Name: "a record below the apex does not count", Want: posture.Fail, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Type == "CAA" {
				r.Name = "www." + r.Name
			}
		})},
		{Name: "none, and the zone above has them", Want: posture.Pass, Edit: goodtest.Edits(keepCAA(""), zoneAbove(
			snapshot.DNSRecord{ID: "c", Name: goodtest.Domain, Type: "CAA", Content: `0 issue "pki.goog"`}))},
		{Name: "none, and the zone above has none", Want: posture.Fail, Edit: goodtest.Edits(keepCAA(""), zoneAbove())},
		{Name: "a contact of its own, and the zone above names authorities", Want: posture.Fail, Edit: goodtest.Edits(keepCAA("iodef"),
			zoneAbove(snapshot.DNSRecord{ID: "c", Name: goodtest.Domain, Type: "CAA", Content: `0 issue "pki.goog"`}),
			goodtest.EditRecords(func(r *snapshot.DNSRecord) { r.Name = "dev." + r.Name }))},
		{Name: "none, and the zone above names only a contact", Want: posture.Fail, Edit: goodtest.Edits(keepCAA(""), zoneAbove(
			snapshot.DNSRecord{ID: "c", Name: goodtest.Domain, Type: "CAA", Content: `0 iodef "mailto:a@shop.example"`}))},
		{Name: "none, and the domain above is not in the account", Want: posture.Unknown, Edit: goodtest.Edits(keepCAA(""),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Name = "dev." + goodtest.Domain }))},
		{Name: "a partial zone without apex", Want: posture.NotApplicable, Edit: goodtest.Edits(
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "partial" }),
			goodtest.EditRecords(func(r *snapshot.DNSRecord) {
				if r.Name == goodtest.Domain {
					r.Name = "www." + r.Name
				}
			}))},
	}
}

// issues is an example edit that sets the content of the CAA issue record.
func issues(content string) func(*snapshot.Builder) {
	return goodtest.EditRecords(func(r *snapshot.DNSRecord) {
		if r.Type == "CAA" && caaTag(r.Content) == "issue" {
			r.Content = content
		}
	})
}

// keepCAA turns the CAA records with other tags into text records.
func keepCAA(tag string) func(*snapshot.Builder) {
	return goodtest.EditRecords(func(r *snapshot.DNSRecord) {
		if r.Type == "CAA" && (tag == "" || caaTag(r.Content) != tag) {
			r.Type, r.Content = "TXT", "removed"
		}
	})
}

// caaTag returns the tag of a CAA content (flags, tag and value).
func caaTag(content string) string {
	f := strings.Fields(content)
	if len(f) < 2 {
		return ""
	}
	return strings.ToLower(f[1])
}

func evaluateCAA(v *check.View) check.Outcome {
	apex := false
	var tags []string
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if !exposure.Same(r.Name, v.Zone().Name) {
			continue
		}
		apex = true
		if r.Type == "CAA" {
			tags = append(tags, caaTag(r.Content))
		}
	}
	from, above, known := "", []string(nil), true
	if len(tags) == 0 && !(v.Zone().Partial() && !apex) {
		from, above, known = inheritedCAA(v)
	}
	issue, iodef := slices.Contains(tags, "issue"), slices.Contains(tags, "iodef")
	switch {
	case !known:
		return v.Unknown("the zone has no CAA records of its own, and those of the domain above are not in the account")
	case slices.Contains(above, "issue"):
		return v.Pass("The zone inherits the CAA records of %s.", from)
	case v.Zone().Partial() && !apex:
		return v.NotApplicable("the zone is partial and its apex lies elsewhere")
	case !issue:
		out := v.Fail("No CAA record of "+v.Zone().Name+" names an authority that may issue certificates.",
			check.Evidence(snapshot.ZoneDNSRecords, "", "no CAA record with tag issue at the apex", "at least one"))
		if iodef {
			return out.As(posture.Words{Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records",
				Body:   `{"type": "CAA", "name": "{zone}", "data": {"flags": 0, "tag": "issue", "value": "{$AUTHORITY}"}}`,
				Choose: "AUTHORITY: the authority that issues your certificates (such as letsencrypt.org)"}})
		}
		return out
	case !iodef:
		return v.Warn("The CAA records of "+v.Zone().Name+" name no contact (iodef) for refused requests.", check.Evidence(
			snapshot.ZoneDNSRecords, "", "no CAA record with tag iodef at the apex", "at least one")).As(noContactWords())
	}
	return v.Pass("CAA records name the authorities and a contact.")
}

// noContactWords returns the words for a zone that names authorities but no contact.
func noContactWords() posture.Words {
	return posture.Words{Problem: "CAA records of {zone} name no contact",
		Impact:    "Nobody is told when someone asks another authority for a certificate of the domain and is refused.",
		Breaks:    "Nothing; certificate authorities only read the contact.",
		Dashboard: "DNS › Records › Add record › Type CAA, Name @, tag Send violation reports to URL, and a mailto: address.",
		Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records",
			Body:   `{"type": "CAA", "name": "{zone}", "data": {"flags": 0, "tag": "iodef", "value": "mailto:{$CONTACT}"}}`,
			Choose: "CONTACT: the mailbox that is told of refused requests (such as security@shop.example)"}}
}

// inheritedCAA finds the closest parent name with CAA records, which are those that apply, and their
// tags (RFC 8659, section 3). known is false when one of the names up to there is in no zone of the
// run that the public sees.
func inheritedCAA(v *check.View) (from string, tags []string, known bool) {
	org := mailauth.Organisation(v.Zone().Name)
	for name := v.Zone().Name; !exposure.Same(name, org); {
		_, name, _ = strings.Cut(name, ".")
		var of snapshot.Zone
		for _, z := range v.Zones() {
			public := check.PublicDNS(z) == "" && !z.Partial()
			if public && z.ID != v.Zone().ID && exposure.Within(name, z.Name) && len(z.Name) > len(of.Name) {
				of = z
			}
		}
		records, read := check.ReadOptionalAt(v, snapshot.ZoneDNSRecords, of.ID)
		if of.ID == "" || !read {
			return "", nil, false
		}
		for _, r := range records {
			if r.Type == "CAA" && exposure.Same(r.Name, name) {
				tags = append(tags, caaTag(r.Content))
			}
		}
		if len(tags) > 0 {
			return name, tags, true
		}
	}
	return "", nil, true
}

// zoneAbove is an example edit: the zone is below another zone of the account, which has the given
// records.
func zoneAbove(records ...snapshot.DNSRecord) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		goodtest.EditZone(func(z *snapshot.Zone) { z.Name = "dev." + goodtest.Domain })(b)
		above := b.Zones[0]
		above.ID, above.Name = "0b000000000000000000000000000002", goodtest.Domain
		b.Zones = append(b.Zones, above)
		snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
		snapshot.Put(b, snapshot.ZoneDNSRecords, above.ID, records)
	}
}
