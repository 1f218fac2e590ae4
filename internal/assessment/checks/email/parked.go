package email

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// refusal is the SPF record of a domain that sends no mail.
const refusal = "v=spf1 -all"

// parked judges domains without mail. A CNAME at the apex resolves to addresses, so it counts as an
// address record. Receivers ignore DMARC when there is more than one record, so that counts as
// none. The apex of a partial zone is elsewhere and is not judged.
func parked() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-011", Title: "Domains without mail refuse it",
		Category: "email", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "A domain that sends no mail is a good name to forge when nothing tells receivers so. SPF with -all alone, " +
			"DMARC with p=reject and a null MX say it.",
		Fix: "Publish an SPF record with -all alone, a DMARC record with p=reject, and a null MX.",
		Words: posture.Words{
			Problem: "{zone} has no mail and does not refuse forged mail",
			Impact:  "Anyone can send phishing in the name of the domain, and receivers have no reason to refuse it.",
			Breaks:  "A service that sends mail for the domain unnoticed is refused from then on.",
			Dashboard: "DNS › Records › Add record: TXT at @ with v=spf1 -all, TXT at _dmarc with v=DMARC1; p=reject, and MX at @ " +
				"with the mail server \".\" and priority 0.",
			Terraform: `resource "cloudflare_dns_record" "spf" {
  zone_id = "{zone_id}"
  name    = "{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"v=spf1 -all\""
}

resource "cloudflare_dns_record" "dmarc" {
  zone_id = "{zone_id}"
  name    = "_dmarc.{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"v=DMARC1; p=reject\""
}

resource "cloudflare_dns_record" "null_mx" {
  zone_id  = "{zone_id}"
  name     = "{zone}"
  type     = "MX"
  ttl      = 3600
  priority = 0
  content  = "."
}`},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/",
			"https://developers.cloudflare.com/dmarc-management/"},
		Controls: check.Controls{
			check.Shows("cis 9.5", "A domain without mail publishes that it sends none."),
			check.Supports("soc2 CC6.7", "Nobody can send in the name of a parked domain."),
			check.Supports("pci 5.4.1", "Parked domains of the organisation are of no use for phishing."),
			check.Touches("nist PR.DS-02", "It protects who mail is from, not its content on the wire."),
		},
		Aliases:  []string{"union:null-mx-for-parked"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			if mailZone(v) || notServed(v) != "" {
				return nil
			}
			return asksDMARC(v)
		},
		Evaluate: evaluateParked,
	}
}

func parkedExamples() []goodtest.Example {
	right := goodtest.Edits(noMail(), spf(refusal), goodtest.AddRecord(snapshot.DNSRecord{ID: "n1", Name: goodtest.Domain, Type: "MX",
		Content: "."}))
	open := goodtest.Edits(noMail(), spf(refusal))
	return []goodtest.Example{
		{Name: "all three", Want: posture.Pass, Resource: goodtest.Zone, Edit: right},
		{Name: "reject in capitals", Want: posture.Pass, Edit: goodtest.Edits(right, dmarc("v=DMARC1; P=REJECT"))},
		{Name: "SPF that admits all", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(right, spf("v=spf1 +all"))},
		{Name: "quoted and in capitals", Want: posture.Pass, Edit: goodtest.Edits(right, spf(`"V=SPF1  -ALL"`))},
		{Name: "nothing answers at the apex", Want: posture.Pass,
			Edit: goodtest.Edits(open, only(func(r snapshot.DNSRecord) bool { return r.ID != goodtest.Record }))},
		{Name: "reject behind a CNAME", Want: posture.Pass, Edit: goodtest.Edits(right, behindAlias("v=DMARC1; p=reject"))},
		{Name: "SPF admits senders", Want: posture.Fail, Resource: goodtest.Zone, Edit: noMail()},
		{Name: "SPF ends softly", Want: posture.Fail, Edit: goodtest.Edits(right, spf("v=spf1 ~all"))},
		{Name: "no SPF", Want: posture.Fail, Edit: goodtest.Edits(right, spf("hello"))},
		{Name: "SPF redirects", Want: posture.Unknown, Edit: goodtest.Edits(right, spf("v=spf1 redirect=_spf.parked.example"))},
		{Name: "SPF redirects after a sender", Want: posture.Fail,
			Edit: goodtest.Edits(right, spf("v=spf1 ip4:45.60.1.1 redirect=_spf.parked.example"))},
		{Name: "two SPF records", Want: posture.Fail, Edit: goodtest.Edits(right,
			goodtest.AddRecord(snapshot.DNSRecord{ID: "t2", Name: goodtest.Domain, Type: "TXT", Content: refusal}))},
		{Name: "DMARC quarantines", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(right, dmarc("v=DMARC1; p=quarantine"))},
		{Name: "DMARC only tests to reject", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: goodtest.Edits(right, dmarc("v=DMARC1; p=reject; t=y"))},
		{Name: "DMARC rejects a part", Want: posture.Fail, Edit: goodtest.Edits(right, dmarc("v=DMARC1; p=reject; pct=20"))},
		{Name: "DMARC leaves subdomains out", Want: posture.Fail, Edit: goodtest.Edits(right, dmarc("v=DMARC1; p=reject; sp=none"))},
		{Name: "DMARC leaves names that do not exist out", Want: posture.Fail, Edit: goodtest.Edits(right, dmarc("v=DMARC1; p=reject; np=none"))},
		{Name: "DMARC has a typing error for subdomains", Want: posture.Fail, Edit: goodtest.Edits(right, dmarc("v=DMARC1; p=reject; sp=rejct"))},
		{Name: "DMARC rejects everywhere", Want: posture.Pass, Edit: goodtest.Edits(right, dmarc("v=DMARC1; p=reject; sp=reject; np=reject"))},
		{Name: "no DMARC", Want: posture.Fail, Edit: goodtest.Edits(right, without("_dmarc"))},
		{Name: "two DMARC records", Want: posture.Fail, Edit: goodtest.Edits(right, text("d2", "_dmarc", "v=DMARC1; p=reject"))},
		{Name: "DMARC behind a CNAME does nothing", Want: posture.Fail, Edit: goodtest.Edits(right, behindAlias("v=DMARC1; p=none"))},
		{Name: "SPF is wrong, and nobody looked behind the CNAME", Want: posture.Fail, Edit: goodtest.Edits(noMail(), dmarcAlias())},
		{Name: "no null MX", Want: posture.Warning, Resource: goodtest.Zone, Edit: open},
		{Name: "no null MX, and the apex is a CNAME", Want: posture.Warning,
			Edit: goodtest.Edits(open, goodtest.EditRecord(goodtest.Record, func(r *snapshot.DNSRecord) {
				r.Type, r.Content = "CNAME",
					"shop.hosting.test"
			}))},
		{Name: "nobody looked behind the CNAME", Want: posture.Unknown, Resource: goodtest.Zone, Edit: goodtest.Edits(right, dmarcAlias())},
		{Name: "a mail zone", Want: posture.NotApplicable},
		{Name: "a zone that waits for its name servers", Want: posture.NotApplicable, Edit: goodtest.Edits(noMail(), goodtest.Status("pending"))},
		{Name: "a partial zone", Want: posture.NotApplicable, Edit: goodtest.Edits(noMail(), partial())},
	}
}

func evaluateParked(v *check.View) check.Outcome {
	if mailZone(v) {
		return v.NotApplicable("the zone names a mail host")
	}
	if reason := notServed(v); reason != "" {
		return v.NotApplicable(reason)
	}
	domain, records := v.Zone().Name, spfRecords(v)
	spfSeen := func(observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneDNSRecords, "", observed, refusal)
	}
	switch {
	case len(records) == 0:
		return v.Fail(domain+" has no mail host and no SPF record that says so.", spfSeen("no SPF record")).As(parkedWords(v))
	case len(records) > 1:
		return v.Fail(fmt.Sprintf("%s has no mail host and %d SPF records, so receivers ignore all of them.", domain, len(records)),
			spfSeen("several SPF records")).As(parkedWords(v))
	case redirects(records[0]):
		return v.Unknown("the SPF record of the domain redirects to another one, which was not read")
	case !strings.EqualFold(strings.Join(strings.Fields(mailauth.Text(records[0].Content)), " "), refusal):
		return v.Fail(domain+" has no mail host, and its SPF record does not refuse every sender.", spfSeen("another SPF text")).
			As(parkedWords(v))
	}
	d := readDMARC(v)
	source, pointer := d.source()
	var policy mailauth.DMARC
	if len(d.policies) == 1 {
		policy = mailauth.ParseDMARC(d.policies[0])
	}
	switch {
	case d.unread:
		return v.Unknown(behindCNAME)
	case policy.Policy == "reject" && !policy.Refuses():
		return v.Fail(domain+" has no mail host, and its DMARC record has p=reject with a tag that weakens it (sp, np, pct or t).",
			check.Evidence(source, pointer, "p reject, weakened by another tag", "p reject alone")).As(parkedWords(v))
	case policy.Policy != "reject":
		if len(d.policies) != 1 {
			pointer = ""
		}
		return v.Fail(domain+" has no mail host, and receivers find no DMARC record with p=reject.",
			check.Evidence(source, pointer, "p "+cmp.Or(policy.Policy, "absent"), "reject")).As(parkedWords(v))
	case !refusesMail(v) && answersAtApex(v):
		words := parkedWords(v)
		words.Problem = "{zone} takes no mail and has no null MX"
		words.Impact = "Mail servers try the website instead, and a sender learns only after days that nobody reads the address."
		return v.Warn(domain+" has no mail host and no null MX, so mail servers try the address of its website.", check.Evidence(
			snapshot.ZoneDNSRecords, "", "no MX record and an address at the apex", "a null MX")).As(words)
	}
	return v.Pass("The domain has no mail and says so.")
}

// parkedWords adds the call that makes the domain refuse mail: missing records are added, wrong
// ones replaced, superfluous ones deleted.
func parkedWords(v *check.View) posture.Words {
	d := readDMARC(v)
	if d.alias != "" || d.unread || d.first == "" && len(d.policies) > 0 || len(d.policies) > 1 {
		return posture.Words{ByHand: true}
	}
	var deletes, patches, posts []string
	post := func(kind, name, content string) {
		posts = append(posts, fmt.Sprintf(`{"type": %q, "name": %q, "ttl": 3600, "content": %s}`, kind, name, content))
	}
	patch := func(id, content string) {
		patches = append(patches, fmt.Sprintf(`{"id": %q, "content": %s}`, url.PathEscape(id), content))
	}
	for i, r := range spfRecords(v) {
		if i > 0 {
			deletes = append(deletes, fmt.Sprintf(`{"id": %q}`, url.PathEscape(r.ID)))
		} else {
			patch(r.ID, quoted(refusal))
		}
	}
	if len(patches) == 0 {
		post("TXT", "{zone}", quoted(refusal))
	}
	switch {
	case d.first == "":
		post("TXT", "_dmarc.{zone}", quoted("v=DMARC1; p=reject"))
	case !mailauth.ParseDMARC(d.policies[0]).Refuses():
		patch(d.first, quoted("v=DMARC1; p=reject"))
	}
	if !refusesMail(v) {
		post("MX", "{zone}", `".", "priority": 0`)
	}
	var parts []string
	for _, part := range []struct {
		key string
		all []string
	}{{"deletes", deletes}, {"patches", patches}, {"posts", posts}} {
		if len(part.all) > 0 {
			parts = append(parts, fmt.Sprintf("%q: [%s]", part.key, strings.Join(part.all, ", ")))
		}
	}
	return posture.Words{Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records/batch",
		Body: "{" + strings.Join(parts, ", ") + "}"}}
}

// redirects reports whether an SPF record consists only of a redirect.
func redirects(r snapshot.DNSRecord) bool {
	s := mailauth.ParseSPF(mailauth.Text(r.Content))
	return len(s.Terms) == 1 && s.Redirect() != ""
}

// refusesMail reports whether the apex has a null MX. The caller knows that the zone has no other
// MX.
func refusesMail(v *check.View) bool {
	return slices.ContainsFunc(check.Read(v, snapshot.ZoneDNSRecords), func(r snapshot.DNSRecord) bool {
		return r.Type == "MX" && exposure.Same(r.Name, v.Zone().Name)
	})
}

func answersAtApex(v *check.View) bool {
	return slices.ContainsFunc(check.Read(v, snapshot.ZoneDNSRecords), func(r snapshot.DNSRecord) bool {
		return (r.Type == "A" || r.Type == "AAAA" || r.Type == "CNAME") && exposure.Same(r.Name, v.Zone().Name)
	})
}
