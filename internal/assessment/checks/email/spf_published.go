package email

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// spfPublished judges whether the domain declares its senders.
func spfPublished() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-001", Title: "An SPF record is published",
		Category: "email", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "SPF lists the servers that may send mail with the domain in the envelope. Without exactly one record " +
			"receivers cannot tell these servers from others.",
		Fix: "List every service that sends mail for the domain, then publish one SPF record that names them and ends in " +
			"-all.",
		Words: posture.Words{
			Problem: "{zone} has no SPF record",
			Impact: "Anyone can send mail with an address of the domain in the envelope, and receivers have no list to check it " +
				"against.",
			Breaks:    "Mail of a service that the record does not name can be refused.",
			Dashboard: "DNS › Records › Add record › Type TXT, Name @, Content v=spf1, the senders and -all.",
			Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records",
				Body:   `{"type": "TXT", "name": "{zone}", "ttl": 3600, "content": "\"v=spf1 {$SENDERS} -all\""}`,
				Choose: "SENDERS: what sends mail for the domain; a domain without mail has none (such as include:_spf.google.com)"},
			Terraform: `resource "cloudflare_dns_record" "spf" {
  zone_id = "{zone_id}"
  name    = "{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"v=spf1 ${var.senders} -all\""
}`},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 9.5", "SPF is published, one of the three parts of mail authentication."),
			check.Supports("soc2 CC6.7", "Receivers know which servers may send for the domain."),
			check.Supports("pci 5.4.1", "Mail from other servers can be detected."),
			check.Touches("nist PR.DS-02", "It protects who mail is from, not its content on the wire."),
		},
		Aliases: []string{"prowler:zone_record_spf_exists", "cfsi:spf-record-errors", "flareinspect:CFL-EMAIL-001"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/dns_records", Risk: "high", Reversible: true,
			Body:    `{"type": "TXT", "name": "<zone name>", "content": "\"v=spf1 -all\"", "ttl": 3600}`,
			Inverse: "DELETE the created record id",
			Caution: "Receivers may refuse all mail sent from the domain. Planned only where nothing in the zone shows mail; check that " +
				"nothing sends from it either.",
			Propose: proposeSPF},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Unless:   notServed,
		Evaluate: evaluateSPF,
	}
}

func spfPublishedExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "one record", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a blank before the version", Want: posture.Fail, Resource: goodtest.Zone, Edit: spf(`" v=spf1 -all"`)},
		{Name: "in capitals", Want: posture.Pass, Edit: spf("V=SPF1 -ALL")},
		{Name: "one record, quoted and split", Want: posture.Pass, Edit: spf(`"v=sp" "f1 -all"`)},
		{Name: "one record, of a zone that is named in Unicode", Want: posture.Pass, Edit: goodtest.Edits(
			goodtest.EditZone(func(z *snapshot.Zone) { z.Name = "bücher.example" }),
			goodtest.EditRecord(goodSPF, func(r *snapshot.DNSRecord) { r.Name = "xn--bcher-kva.example" }))},
		{Name: "none; another text at the apex is not SPF", Want: posture.Fail, Resource: goodtest.Zone, Edit: spf("site-verification=1")},
		{Name: "one record, in capitals", Want: posture.Pass, Edit: spf("V=SPF1 MX -ALL")},
		{Name: "one record, and a later version of it", Want: posture.Pass,
			Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "t2", Name: goodtest.Domain, Type: "TXT", Content: "spf2.0/pra -all"})},
		{Name: "a record of the retired type", Want: posture.Fail, Edit: goodtest.EditRecord(goodSPF,
			func(r *snapshot.DNSRecord) { r.Type = "SPF" })},
		{Name: "a later version is not SPF", Want: posture.Fail, Edit: spf("v=spf10 -all")},
		{Name: "two records", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "t2", Name: goodtest.Domain, Type: "TXT", Content: "v=spf1 -all"})},
		{Name: "a record below the apex does not count", Want: posture.Fail,
			Edit: goodtest.EditRecord(goodSPF, func(r *snapshot.DNSRecord) { r.Name = "mail." + r.Name })},
		{Name: "a zone that waits for its name servers", Want: posture.NotApplicable, Edit: goodtest.Edits(spf("none"),
			goodtest.Status("pending"))},
		{Name: "an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(spf("none"),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "internal" }))},
		{Name: "a partial zone", Want: posture.NotApplicable, Edit: goodtest.Edits(spf("none"), partial())},
	}
}

func evaluateSPF(v *check.View) check.Outcome {
	zone, n := v.Zone(), len(spfRecords(v))
	seen := check.Evidence(snapshot.ZoneDNSRecords, "", fmt.Sprintf("%d TXT records with v=spf1 at the apex", n), "exactly 1")
	switch n {
	case 0:
		return v.Fail(zone.Name+" has no SPF record.", seen)
	case 1:
		return v.Pass("The domain publishes one SPF record.")
	default:
		return v.Fail(fmt.Sprintf("%s has %d SPF records, which receivers treat as an error.", zone.Name, n), seen).
			As(posture.Words{Problem: "{zone} has several SPF records", ByHand: true,
				Impact:    "Receivers treat SPF of the domain as broken, so anyone can send mail with its addresses in the envelope.",
				Breaks:    "Mail of a service that the remaining record does not name can be refused.",
				Dashboard: "DNS › Records › @ (TXT, v=spf1): enter all senders in one record, then delete the others."})
	}
}

// proposeSPF publishes that nobody sends for the domain, unless something shows that it receives or
// sends mail. The senders of a domain with mail must be listed by people.
func proposeSPF(c *propose.Case) ([]change.Edit, error) {
	zone, texts, err := atApex(c)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, r := range texts {
		if mailauth.IsSPF(mailauth.Text(propose.Text(r, "content"))) {
			n++
		}
	}
	switch {
	case n == 1:
		return nil, nil
	case n > 1:
		return nil, propose.Refuse("The domain has %d SPF records. Decide which senders to keep and merge them into one record by hand.", n)
	}
	mail, err := usesMail(c)
	if err != nil {
		return nil, err
	}
	if mail != "" {
		return nil, propose.Refuse("%s, so a record that refuses every sender may stop its mail; publish one that lists the real senders by "+
			"hand.", mail)
	}
	return []change.Edit{publish(c, zone, "v=spf1 -all")}, nil
}
