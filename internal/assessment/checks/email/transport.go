package email

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// transport judges whether senders are told to use TLS. A wildcard may cover the policy host. A
// text behind a CNAME is unknown, because this check makes no DNS look-ups.
func transport() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-009", Title: "MTA-STS is announced",
		Category: "email", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "Mail servers fall back to plain text when TLS is not offered, and do not check certificates. MTA-STS tells " +
			"senders to use TLS with a valid certificate for the domain.",
		Fix: "Serve the policy at https://mta-sts below the domain in testing mode, publish the _mta-sts record, then " +
			"switch the policy to enforce.",
		Words: posture.Words{
			Problem: "{zone} does not announce MTA-STS",
			Impact:  "Someone between two mail servers can suppress TLS, then read and change the mail that is sent to the domain.",
			Breaks:  "In enforce mode, senders hold mail back when the certificate of a mail host is not valid.",
			Dashboard: "Workers & Pages › Create: serve .well-known/mta-sts.txt at mta-sts.{zone}; then DNS › Records › Add record " +
				"› Type TXT, Name _mta-sts.",
			Terraform: textRecord("_mta-sts", "v=STSv1; id=1") + "\n\n" + policyHost},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Servers that send to the domain are told to use TLS."),
			check.Supports("soc2 CC6.7", "Mail is protected while it is sent to the domain."),
			check.Supports("pci 4.2.1", "Card data in mail would travel encrypted; sending it is another matter."),
			check.Supports("nist PR.DS-02", "Inbound mail is protected on the wire by policy."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			if notServed(v) != "" || !mailZone(v) {
				return nil
			}
			var out []snapshot.Question
			for _, label := range []string{"_mta-sts.", "_smtp._tls."} {
				records, _ := answering(v, label+v.Zone().Name)
				for _, r := range records {
					if alias(r) {
						out = append(out, textsOf(r.Content))
					}
				}
			}
			return out
		},
		Unless:   notServed,
		Evaluate: evaluateTransport,
	}
}

func transportExamples() []goodtest.Example {
	host := func(id, name string) func(*snapshot.Builder) {
		return goodtest.AddRecord(snapshot.DNSRecord{ID: id, Name: name, Type: "A", Content: "45.60.10.1", Proxied: true})
	}
	delegated := func(id, label string) func(*snapshot.Builder) {
		return goodtest.AddRecord(snapshot.DNSRecord{ID: id, Name: label + "." + goodtest.Domain, Type: "NS", Content: "ns1.mailhost.test"})
	}
	noText, noHost, noReports := without("_mta-sts"), without("mta-sts"), without("_smtp._tls")
	return []goodtest.Example{
		{Name: "all three", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "a wildcard covers the host", Want: posture.Pass, Edit: goodtest.Edits(noHost, host("w1", "*."+goodtest.Domain))},
		{Name: "neither text nor host", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Edits(noText, noHost)},
		{Name: "nothing at all", Want: posture.Fail, Edit: goodtest.Edits(noText, noHost, noReports)},
		{Name: "another text and no host", Want: posture.Fail, Edit: goodtest.Edits(noText, noHost, text("m2", "_mta-sts", "hello"))},
		{Name: "no host", Want: posture.Warning, Resource: goodtest.Zone, Edit: noHost},
		{Name: "no text", Want: posture.Warning, Edit: noText},
		{Name: "a text without an id", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Edits(noText,
			text("m2", "_mta-sts", "v=STSv1;"))},
		{Name: "a text with an id that senders refuse", Want: posture.Warning, Edit: goodtest.Edits(noText,
			text("m2", "_mta-sts", "v=STSv1; id=2026-03-01"))},
		{Name: "reports to an address without mailto", Want: posture.Warning, Edit: goodtest.Edits(noReports,
			text("m2", "_smtp._tls", "v=TLSRPTv1; rua=tls@shop.example"))},
		{Name: "two texts", Want: posture.Warning, Resource: goodtest.Zone, Edit: text("m2", "_mta-sts", "v=STSv1; id=2")},
		{Name: "another text beside it", Want: posture.Pass, Edit: text("m2", "_mta-sts", "hello")},
		{Name: "two texts for reports", Want: posture.Warning, Edit: text("m2", "_smtp._tls", "v=TLSRPTv1; rua=mailto:tls@shop.example")},
		{Name: "no reports", Want: posture.Warning, Edit: noReports},
		{Name: "reports without an address", Want: posture.Warning, Edit: goodtest.Edits(noReports, text("m2", "_smtp._tls", "v=TLSRPTv1"))},
		{Name: "no host, and the text is behind a CNAME", Want: posture.Unknown, Edit: goodtest.Edits(noText, noHost,
			toAlias("m2", "_mta-sts", "sts.mailhost.test"))},
		{Name: "a host, and the text is behind a CNAME", Want: posture.Unknown,
			Edit: goodtest.Edits(noText, toAlias("m2", "_mta-sts", "sts.mailhost.test"))},
		{Name: "no reports, and the text is behind a CNAME", Want: posture.Warning, Edit: goodtest.Edits(noText, noReports,
			toAlias("m2", "_mta-sts", "sts.mailhost.test"))},
		{Name: "reports behind a CNAME", Want: posture.Unknown,
			Edit: goodtest.Edits(noReports, toAlias("m2", "_smtp._tls", "tls.mailhost.test"))},
		{Name: "the names are delegated", Want: posture.Unknown, Edit: goodtest.Edits(noText, noHost, delegated("d1", "_mta-sts"),
			delegated("d2", "mta-sts"))},
		{Name: "the host is delegated, and no text", Want: posture.Unknown, Edit: goodtest.Edits(noText, noHost, delegated("d2", "mta-sts"))},
		{Name: "the reports are delegated", Want: posture.Unknown, Edit: goodtest.Edits(noReports, delegated("d3", "_smtp._tls"))},
		{Name: "the text is behind a CNAME that was looked up", Want: posture.Pass, Edit: goodtest.Edits(noText, toAlias("m2", "_mta-sts",
			"sts.mailhost.test"), answers("sts.mailhost.test", "NOERROR", "v=STSv1; id=7"))},
		{Name: "another text is behind a CNAME, and no host", Want: posture.Fail, Edit: goodtest.Edits(noText, noHost, toAlias("m2", "_mta-sts",
			"sts.mailhost.test"), answers("sts.mailhost.test", "NOERROR", "hello"))},
		{Name: "a wildcard has the text", Want: posture.Pass, Edit: goodtest.Edits(noText, text("m2", "*", "v=STSv1; id=7"))},
		{Name: "a wildcard that is proxied has no text", Want: posture.Warning, Resource: goodtest.Zone, Edit: goodtest.Edits(noText,
			goodtest.AddRecord(snapshot.DNSRecord{ID: "m2", Name: "*." + goodtest.Domain, Type: "CNAME", Content: "sts.mailhost.test",
				Proxied: true}))},
		{Name: "a wildcard leads to a text elsewhere", Want: posture.Pass, Edit: goodtest.Edits(noText, toAlias("m2", "*", "sts.mailhost.test"),
			answers("sts.mailhost.test", "NOERROR", "v=STSv1; id=7"))},
		{Name: "a wildcard that the name below hides is no host", Want: posture.Warning, Edit: goodtest.Edits(noHost,
			host("w1", "*."+goodtest.Domain), text("m2", "mta-sts", "hello"))},
		{Name: "a zone that has moved away", Want: posture.NotApplicable, Edit: goodtest.Status("moved")},
		{Name: "no mail", Want: posture.NotApplicable, Edit: noMail()},
	}
}

func evaluateTransport(v *check.View) check.Outcome {
	if !mailZone(v) {
		return v.NotApplicable("the zone names no mail host")
	}
	domain := v.Zone().Name
	policy := published(v, "_mta-sts."+domain, mailauth.TransportPolicy)
	reports := published(v, "_smtp._tls."+domain, mailauth.TransportReports)
	host := truth.No
	records, _ := answering(v, "mta-sts."+domain)
	for _, r := range records {
		switch {
		case r.Type == "A" || r.Type == "AAAA" || r.Type == "CNAME":
			host = truth.Yes
		case r.Type == "NS" && host == truth.No:
			host = truth.Undecided
		}
	}
	seen := func(name, observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneDNSRecords, "", name+" "+observed, "a record")
	}
	switch {
	case policy == truth.No && host == truth.No:
		return v.Fail(domain+" has mail hosts, and neither the record _mta-sts nor the policy host mta-sts.", seen("_mta-sts",
			"has no policy text"), seen("mta-sts", "does not exist"))
	case policy == truth.Yes && host == truth.No:
		return v.Warn(domain+" announces MTA-STS, but the policy host mta-sts."+domain+" does not exist.", seen("mta-sts", "does not exist")).
			As(posture.Words{Problem: "MTA-STS of {zone} has no policy host", Terraform: policyHost})
	case policy == truth.No && host == truth.Yes:
		return v.Warn(domain+" has the policy host mta-sts, but not exactly one valid record at _mta-sts.", seen("_mta-sts",
			"has no policy text")).
			As(oneText(v, "_mta-sts", posture.Words{Problem: "MTA-STS policy of {zone} is not announced"},
				"v=STSv1; id={$POLICY_ID}", "POLICY_ID: a number that changes with each change of the policy (such as 20260301000000)"))
	case reports == truth.No:
		open := ""
		if policy == truth.Undecided {
			open = " Whether MTA-STS is announced is not known, as its record stands elsewhere."
		}
		return v.Warn(domain+" does not have exactly one valid record at _smtp._tls, so nobody is told when TLS fails."+open, seen("_smtp._tls",
			"has no report address")).As(oneText(v, "_smtp._tls", posture.Words{Problem: "{zone} asks for no TLS reports",
			Impact: "An attack on the encryption of inbound mail, or an expired certificate of a mail host, goes unnoticed.",
			Breaks: "Nothing; mail servers send a report a day."},
			"v=TLSRPTv1; rua=mailto:{$REPORT_ADDRESS}", "REPORT_ADDRESS: a mailbox for reports (such as tls@shop.example)"))
	case policy == truth.Undecided, reports == truth.Undecided, host == truth.Undecided:
		return v.Unknown("a name is delegated, or its text is behind a CNAME and was not looked up")
	}
	return v.Pass("MTA-STS is announced and reports of failed TLS are asked for.")
}

// oneText adds the call and the Terraform that publish a text. If one exists already, it is wrong or one of
// several, so the change is left to people.
func oneText(v *check.View, label string, w posture.Words, text, choose string) posture.Words {
	name := label + "." + v.Zone().Name
	if slices.ContainsFunc(check.Read(v, snapshot.ZoneDNSRecords), func(r snapshot.DNSRecord) bool { return exposure.Same(r.Name, name) }) {
		w.ByHand = true
		w.Dashboard = "DNS › Records › " + label + " (TXT): keep one record, with all that belongs to it."
		return w
	}
	w.Dashboard = "DNS › Records › Add record › Type TXT, Name " + label + ", Content " +
		strings.NewReplacer("{$", "", "}", "").Replace(text) + "."
	w.Call = posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records", Choose: choose,
		Body: `{"type": "TXT", "name": "` + label + `.{zone}", "ttl": 3600, "content": ` + quoted(text) + `}`}
	w.Terraform = textRecord(label, text)
	return w
}

// policyHost is the Terraform of the host that serves the policy.
const policyHost = `resource "cloudflare_dns_record" "mta_sts_host" {
  zone_id = "{zone_id}"
  name    = "mta-sts.{zone}"
  type    = "CNAME"
  ttl     = 1
  content = var.mta_sts_policy_host
  proxied = true
}`

// textRecord is the Terraform of a text; what a person chooses is a variable.
func textRecord(label, text string) string {
	if before, rest, open := strings.Cut(text, "{$"); open {
		name, after, _ := strings.Cut(rest, "}")
		text = before + "${var." + strings.ToLower(name) + "}" + after
	}
	return `resource "cloudflare_dns_record" "` + strings.NewReplacer(".", "", "-", "_").Replace(label[1:]) + `" {
  zone_id = "{zone_id}"
  name    = "` + label + `.{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"` + text + `\""
}`
}

// alias reports whether a record gives a name the texts of another: one that is proxied answers with addresses only.
func alias(r snapshot.DNSRecord) bool { return r.Type == "CNAME" && !r.Proxied }

// published reports whether exactly one text of a kind is at a name of the zone: with several,
// senders ignore them all (RFC 8461, section 3.1; RFC 8460, section 3).
func published(v *check.View, name string, kind func(string) bool) truth.Value {
	out, texts := truth.No, 0
	records, _ := answering(v, name)
	for _, r := range records {
		switch {
		case r.Type == "TXT" && kind(mailauth.Text(r.Content)):
			texts++
		case r.Type == "NS":
			out = truth.Undecided
		case alias(r):
			behind, known := lookedUp(v, r.Content)
			for _, t := range behind {
				if kind(t) {
					texts++
				}
			}
			if !known {
				out = truth.Undecided
			}
		}
	}
	if texts > 0 {
		return truth.If(true, texts == 1)
	}
	return out
}
