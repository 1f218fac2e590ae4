package dns

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// caaInUse judges whether CAA allows the next renewal (RFC 8659).
func caaInUse() check.Check {
	return check.Check{
		ID: "CFL-DNS-010", Title: "CAA admits the authorities in use",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "A certificate authority refuses to issue when CAA records exist and none of them names it. In partial and " +
			"secondary zones Cloudflare cannot add its authorities to the answer.",
		Fix: "Add the missing authority to the CAA records at the DNS provider that holds the zone, before the next " +
			"renewal.",
		Words: posture.Words{
			Problem: "CAA records of {zone} block the renewal of its certificate",
			Impact:  "The certificate is not renewed, and visitors get a certificate error once it has expired.",
			Breaks:  "Nothing; the added authority may issue certificates for the domain from then on.",
			Dashboard: "SSL/TLS › Edge Certificates: see the authority of each certificate, then add it to the CAA records at the " +
				"DNS provider of {zone}.",
		},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/",
			"https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "The zone's CAA records agree with the certificates it uses."),
			check.Touches("soc2 A1.2", "A certificate can be renewed; nothing is recovered by it."),
			check.Touches("pci 4.2.1.1", "It compares authorities with records; it is no inventory."),
			check.Supports("nist PR.IR-04", "Renewal does not fail, so the site stays available."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneCertificatePacks, snapshot.ZoneList},
		Unless:   check.NotPublic,
		Evaluate: evaluateCAAInUse,
	}
}

func caaInUseExamples() []goodtest.Example {
	authority := func(name string, hosts ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneCertificatePacks, goodtest.Zone, []snapshot.CertificatePack{{ID: "p", Type: "advanced", Status: "active",
				Authority: name, Hosts: hosts}})
		}
	}
	add := func(content string) func(*snapshot.Builder) {
		return goodtest.AddRecord(snapshot.DNSRecord{ID: "c1", Name: goodtest.Domain, Type: "CAA", Content: content})
	}
	wild := "*." + goodtest.Domain
	elsewhere := goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "partial" })
	return []goodtest.Example{
		{Name: "the authority is named", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "another authority renews, and Cloudflare adds it", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: authority("google", goodtest.Domain)},
		{Name: "another authority renews, and others answer for the domain", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: goodtest.Edits(elsewhere, authority("google", goodtest.Domain))},
		{Name: "another authority renews a secondary zone", Want: posture.Fail, Edit: goodtest.Edits(authority("google", goodtest.Domain),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "secondary" }))},
		{Name: "it is named, too", Want: posture.Pass, Edit: goodtest.Edits(authority("google", goodtest.Domain),
			add(`0 issue "pki.goog; cansignhttpexchanges=yes"`))},
		{Name: "it is named in capitals", Want: posture.Pass, Edit: goodtest.Edits(elsewhere, authority("google", goodtest.Domain),
			add(`0 issue "PKI.Goog"`))},
		{Name: "wildcards need their own entry when one exists", Want: posture.Fail,
			Edit: goodtest.Edits(elsewhere, authority("lets_encrypt", wild), add(`0 issuewild "ssl.com"`))},
		{Name: "a wildcard entry of its own", Want: posture.Pass, Edit: goodtest.Edits(authority("ssl_com", wild), add(`0 issuewild "ssl.com"`))},
		{Name: "only wildcards are limited", Want: posture.Pass, Edit: goodtest.Edits(keepCAA("iodef"), authority("google", goodtest.Domain),
			add(`0 issuewild "ssl.com"`))},
		{Name: "a name of its own admits another authority", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(elsewhere,
			authority("lets_encrypt", "app."+goodtest.Domain), goodtest.AddRecord(snapshot.DNSRecord{ID: "c1", Name: "app." + goodtest.Domain,
				Type: "CAA", Content: `0 issue "ssl.com"`}))},
		{Name: "a name of its own admits the authority that the domain does not", Want: posture.Pass, Edit: goodtest.Edits(elsewhere,
			authority("ssl_com", "app."+goodtest.Domain), goodtest.AddRecord(snapshot.DNSRecord{ID: "c1", Name: "APP." + goodtest.Domain + ".",
				Type: "CAA", Content: `0 issue "ssl.com"`}))},
		{Name: "a critical tag of no standard", Want: posture.Fail, Edit: add(`128 isue "letsencrypt.org"`)},
		{Name: "a tag of no standard that is not critical", Want: posture.Pass, Edit: add(`0 isue "letsencrypt.org"`)},
		{Name: "a critical contact", Want: posture.Pass, Edit: add(`128 iodef "mailto:a@shop.example"`)},
		{Name: "the records admit nobody", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(elsewhere, issues(`0 issue ";"`))},
		{Name: "a pack that is deleted", Want: posture.NotApplicable, Edit: goodtest.Edits(elsewhere, packStatus("pending_deletion"))},
		{Name: "a renewal that the records keep out", Want: posture.Fail, Edit: goodtest.Edits(elsewhere,
			authority("sectigo", goodtest.Domain), packStatus("pending_validation"), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.ZoneCertificatePacks, goodtest.Zone, func(ps *[]snapshot.CertificatePack) {
					(*ps)[0].Certificates = []snapshot.EdgeCertificate{{Status: "active", ExpiresOn: goodtest.InDays(20)}}
				})
			})},
		{Name: "an authority by its former name", Want: posture.Pass, Edit: goodtest.Edits(elsewhere, authority("sectigo", goodtest.Domain),
			add(`0 issue "comodoca.com"`))},
		{Name: "an authority nobody knows", Want: posture.Unknown, Edit: goodtest.Edits(elsewhere, authority("moon", goodtest.Domain))},
		{Name: "the zone moved away", Want: posture.NotApplicable, Edit: goodtest.Status("moved")},
		{Name: "no CAA", Want: posture.NotApplicable, Edit: goodtest.Edits(keepCAA(""), authority("google", goodtest.Domain))},
		{Name: "only uploaded packs", Want: posture.NotApplicable, Edit: goodtest.Edits(elsewhere, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZoneCertificatePacks, goodtest.Zone, []snapshot.CertificatePack{{ID: "p", Type: "sni_custom", Status: "active",
				Hosts: []string{goodtest.Domain}}})
		})},
	}
}

func packStatus(status string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneCertificatePacks, goodtest.Zone, func(ps *[]snapshot.CertificatePack) {
			for i := range *ps {
				(*ps)[i].Status = status
			}
		})
	}
}

func evaluateCAAInUse(v *check.View) check.Outcome {
	sets := caaSets(v)
	if len(sets) == 0 {
		return v.NotApplicable("no CAA record exists (CFL-DNS-004)")
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		if tag := sets[name].critical; tag != "" {
			return v.Fail("A CAA record at "+name+" has the tag "+tag+
				" and is critical, so an authority that does not know the tag issues nothing there.", check.Evidence(snapshot.ZoneDNSRecords, "",
				"a critical CAA record with the tag "+tag, "no critical record with a tag of no standard")).
				As(posture.Words{ByHand: true, Dashboard: "DNS › Records › {zone} (CAA) › Edit: correct the tag, or set the flags to 0."})
		}
	}
	if v.Zone().Type == "full" {
		return v.Pass("Cloudflare answers for the zone and adds the authorities of its own certificates to the CAA records: CAA cannot keep " +
			"these out, only other authorities.")
	}
	managed, odd := 0, ""
	for _, p := range check.Read(v, snapshot.ZoneCertificatePacks) {
		if !p.InForce(v.Now()) || !slices.Contains([]string{"advanced", "total_tls", "universal"}, p.Type) {
			continue
		}
		managed++
		names := snapshot.CAANames()[p.Authority]
		if len(names) == 0 {
			odd = p.Authority
			continue
		}
		for _, host := range p.Hosts {
			set := sets.of(host)
			allowed := set.issue
			if strings.HasPrefix(host, "*.") && len(set.wild) > 0 {
				allowed = set.wild
			}
			if len(allowed) > 0 && !slices.ContainsFunc(names, func(name string) bool { return slices.Contains(allowed, name) }) {
				admitted := cmp.Or(strings.Join(slices.DeleteFunc(slices.Clone(allowed), func(name string) bool { return name == "" }), ", "), "nobody")
				return v.Fail("The CAA records of "+v.Zone().Name+" admit "+admitted+", but not "+names[0]+
					", which issues the certificate for "+host+".", check.Evidence(snapshot.ZoneDNSRecords, "", admitted, names[0]))
			}
		}
	}
	switch {
	case managed == 0:
		return v.NotApplicable("the zone has no active certificate that Cloudflare renews")
	case odd != "":
		return v.Unknown("the name of an authority in CAA records is not known to this check: " + odd)
	}
	return v.Pass("The CAA records allow every authority in use.")
}

// caaSet is what the CAA records at one name say.
type caaSet struct {
	issue, wild []string // the authorities; "" admits none
	critical    string   // a tag that authorities may not know, in a record that they must not ignore
}

// caaByName holds the sets of a zone by name.
type caaByName map[string]caaSet

// of returns the set that applies to a host: that of the closest name at or above it (RFC 8659,
// section 3).
func (s caaByName) of(host string) caaSet {
	name := canonical(strings.TrimPrefix(host, "*."))
	for {
		if set, there := s[name]; there {
			return set
		}
		_, above, more := strings.Cut(name, ".")
		if !more {
			return caaSet{}
		}
		name = above
	}
}

func caaSets(v *check.View) caaByName {
	sets := caaByName{}
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if r.Type != "CAA" {
			continue
		}
		set := sets[canonical(r.Name)]
		domain := strings.ToLower(strings.Trim(lastWord(strings.Split(r.Content, ";")[0]), `"`))
		switch tag := caaTag(r.Content); tag {
		case "issue":
			set.issue = append(set.issue, domain)
		case "issuewild":
			set.wild = append(set.wild, domain)
		case "iodef", "issuemail", "issuevmc", "contactemail", "contactphone":
		default:
			if flags, err := strconv.Atoi(firstWord(r.Content)); err == nil && flags&128 != 0 {
				set.critical = tag
			}
		}
		sets[canonical(r.Name)] = set
	}
	return sets
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}
