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

// dmarcPublished judges whether receivers find exactly one DMARC record.
func dmarcPublished() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-003", Title: "A DMARC record is published",
		Category: "email", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Receivers look for one DMARC record at _dmarc below the domain. Without it they are not told what to do " +
			"with mail that fails SPF and DKIM, and nobody gets reports.",
		Fix: "Publish one DMARC record with p=none and a report address, read the reports, then raise the policy.",
		Words: posture.Words{
			Problem: "{zone} has no DMARC record",
			Impact:  "Anyone can send mail in the name of the domain, and each receiver decides by itself whether to deliver it.",
			Breaks:  "Nothing while the policy is none; receivers start to send reports.",
			Dashboard: "DNS › Records › Add record › Type TXT, Name _dmarc, Content v=DMARC1; p=none; rua=mailto: and your report " +
				"address.",
			Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records",
				Body: `{"type": "TXT", "name": "_dmarc.{zone}", "ttl": 3600, "content": "\"v=DMARC1; p={$POLICY}; rua=mailto:{$MAILBOX}@{zone}\""}`,
				Choose: `POLICY: none to begin with, or reject for a domain without mail (such as none)
MAILBOX: the mailbox of the domain that takes reports (such as dmarc)`},
			Terraform: `resource "cloudflare_dns_record" "dmarc" {
  zone_id = "{zone_id}"
  name    = "_dmarc.{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"v=DMARC1; p=none; rua=mailto:${var.mailbox}@{zone}\""
}`},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/",
			"https://developers.cloudflare.com/dmarc-management/"},
		Controls: check.Controls{
			check.Supports("cis 9.5", "DMARC is published; whether it is enforced is CFL-EMAIL-005."),
			check.Supports("soc2 CC6.7", "Receivers can tell mail of the domain from forgeries."),
			check.Supports("pci 5.4.1", "Forged mail can be detected by receivers."),
			check.Touches("nist PR.DS-02", "It protects who mail is from, not its content on the wire."),
		},
		Aliases: []string{"cfsi:dmarc-record-errors", "flareinspect:CFL-EMAIL-003"},
		Remedy: &propose.Remedy{Operation: "POST /zones/{zone_id}/dns_records", Risk: "medium", Reversible: true,
			Body: `{"type": "TXT", "name": "_dmarc.<zone name>", "content": "\"v=DMARC1; p=none; rua=mailto:<operator address>\"", "ttl": ` +
				`3600}; for a zone without mail hosts, senders and DKIM keys use p=reject`,
			Inverse: "DELETE the created record id",
			Caution: "Receivers send reports to the address you name, in a domain of your own. The policy is p=none; where " +
				"nothing shows that the domain receives or sends mail it is p=reject, so receivers refuse mail sent from it.",
			Inputs: []change.Input{{Name: "reportAddress", Example: `"dmarc-reports@example.com"`,
				Description: "Mail address in an own domain that receivers send their reports to."}},
			Propose: proposeDMARC},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks:     asksDMARC,
		Unless:   notServed,
		Evaluate: evaluateDMARCPublished,
	}
}

func dmarcPublishedExamples() []goodtest.Example {
	at := "_dmarc." + goodtest.Domain
	return []goodtest.Example{
		{Name: "one record", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "one record, quoted", Want: posture.Pass, Edit: dmarc(`"v=DMARC1; p=none"`)},
		{Name: "none", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.EditRecord(goodDMARC,
			func(r *snapshot.DNSRecord) { r.Name = goodtest.Domain })},
		{Name: "a wildcard answers for it", Want: posture.Pass, Edit: goodtest.EditRecord(goodDMARC,
			func(r *snapshot.DNSRecord) { r.Name = "*." + goodtest.Domain })},
		{Name: "a wildcard, and something below the name", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(
			goodtest.EditRecord(goodDMARC, func(r *snapshot.DNSRecord) { r.Name = "*." + goodtest.Domain }),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: "x." + at, Type: "TXT", Content: "x"}))},
		{Name: "a text of another kind", Want: posture.Fail, Edit: dmarc("p=reject; v=DMARC1")},
		{Name: "two records", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: at, Type: "TXT", Content: "v=DMARC1; p=none"})},
		{Name: "another text beside it", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: at, Type: "TXT", Content: "hello"})},
		{Name: "behind a CNAME", Want: posture.Pass, Resource: goodtest.Zone, Edit: behindAlias("v=DMARC1; p=none")},
		{Name: "behind a CNAME stands another text", Want: posture.Fail, Resource: goodtest.Zone, Edit: behindAlias("hello")},
		{Name: "the CNAME leads to two records", Want: posture.Fail, Edit: behindAlias("v=DMARC1; p=none", "v=DMARC1; p=reject")},
		{Name: "the CNAME leads nowhere", Want: posture.Fail, Edit: goodtest.Edits(dmarcAlias(), answers(dmarcTarget, "NXDOMAIN"))},
		{Name: "another text behind the CNAME", Want: posture.Warning, Edit: behindAlias("v=DMARC1; p=none", "hello")},
		{Name: "behind a CNAME nobody looked up", Want: posture.Unknown, Resource: goodtest.Zone, Edit: dmarcAlias()},
		{Name: "a server failure is not a missing record", Want: posture.Unknown,
			Edit: goodtest.Edits(dmarcAlias(), answers(dmarcTarget, "SERVFAIL"))},
		{Name: "none, and the domain above has one", Want: posture.Pass, Edit: goodtest.Edits(childZone, answers("_dmarc.shop.example",
			"NOERROR", "v=DMARC1; p=reject"))},
		{Name: "none, and the domain above has none", Want: posture.Fail, Edit: goodtest.Edits(childZone, answers("_dmarc.shop.example",
			"NXDOMAIN"))},
		{Name: "none, and nobody looked at the domain above", Want: posture.Unknown, Edit: childZone},
		{Name: "other name servers have one", Want: posture.Pass, Edit: goodtest.Edits(handedOver, answers(at, "NOERROR", "v=DMARC1; p=reject"))},
		{Name: "other name servers, and nobody asked them", Want: posture.Unknown, Edit: handedOver},
		{Name: "a zone that waits for its name servers", Want: posture.NotApplicable, Edit: goodtest.Edits(dmarc("none"),
			goodtest.Status("pending"))},
		{Name: "a partial zone", Want: posture.NotApplicable, Edit: goodtest.Edits(dmarc("none"), partial())},
	}
}

func evaluateDMARCPublished(v *check.View) check.Outcome {
	d := readDMARC(v)
	n := len(d.policies)
	source, _ := d.source()
	seen := check.Evidence(source, "", fmt.Sprintf("%d DMARC texts and %d other texts at %s", n, d.others, d.name), "exactly one DMARC text")
	switch {
	case n > 1:
		return v.Fail(fmt.Sprintf("%s has %d DMARC records, so receivers ignore all of them.", d.name, n), seen).
			As(posture.Words{Problem: "{zone} has several DMARC records", ByHand: true,
				Breaks:    "Nothing, because receivers ignore the records as they are.",
				Dashboard: "DNS › Records › _dmarc (TXT): keep the record with the right policy and report address, and delete the others."})
	case d.unread:
		return v.Unknown(behindCNAME)
	case n == 0:
		out := v.Fail("There is no DMARC record at "+d.name+".", seen)
		if d.alias != "" {
			return out.As(posture.Words{Problem: "The _dmarc name of {zone} leads to no DMARC record", ByHand: true,
				Dashboard: "DNS › Records › _dmarc › Edit: publish the record at the target, or replace the alias by a TXT record."})
		}
		return out
	case d.others > 0:
		return v.Warn(d.name+" has a TXT record that is not DMARC beside the DMARC record.", seen).
			As(posture.Words{Problem: "The _dmarc name of {zone} has another TXT record", ByHand: true,
				Impact:    "A receiver that does not sort the records out treats the domain as one without DMARC.",
				Breaks:    "Nothing that reads DMARC; look up first what the other text is for.",
				Dashboard: "DNS › Records › _dmarc (TXT): delete the record that does not begin with v=DMARC1."})
	}
	if d.parent != "" {
		return v.Pass("The domain inherits the DMARC policy at %s.", d.parent)
	}
	return v.Pass("One DMARC record is published.")
}

// proposeDMARC publishes a first policy: one that only requests reports, or the strictest where
// nothing shows that the domain receives or sends mail. Existing records at the name are left alone.
func proposeDMARC(c *propose.Case) ([]change.Edit, error) {
	zone, _, err := atApex(c)
	if err != nil {
		return nil, err
	}
	name := "_dmarc." + zone
	all, err := c.Records(c.Finding.Resource.ZoneID, "", name)
	if err != nil {
		return nil, err
	}
	if len(all) == 1 && propose.Text(all[0], "type") == "TXT" && mailauth.IsDMARC(mailauth.Text(propose.Text(all[0], "content"))) {
		return nil, nil
	}
	if len(all) > 0 {
		return nil, propose.Refuse("There are other records at %s already. Decide which of them to keep and correct them by hand.", name)
	}
	var address string
	if err := c.Input("reportAddress", &address); err != nil {
		return nil, err
	}
	if err := c.OwnAddress("reportAddress", address); err != nil {
		return nil, err
	}
	mail, err := usesMail(c)
	if err != nil {
		return nil, err
	}
	policy := "none"
	if mail == "" {
		policy = "reject"
	}
	return []change.Edit{publish(c, name, "v=DMARC1; p="+policy+"; rua=mailto:"+address)}, nil
}

// childZone is an example edit: the zone is below another domain and has no policy of its own.
func childZone(b *snapshot.Builder) {
	goodtest.EditZone(func(z *snapshot.Zone) { z.Name = "dev." + goodtest.Domain })(b)
	without("_dmarc")(b)
}

// handedOver is an example edit: NS records delegate the name of the policy.
func handedOver(b *snapshot.Builder) {
	goodtest.EditRecord(goodDMARC, func(r *snapshot.DNSRecord) { r.Type, r.Content = "NS", "ns.policy.test" })(b)
}
