package email

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// transport judges whether senders are told to use TLS. The policy host may be
// covered by a wildcard. A text behind a CNAME is not known: this check makes no
// DNS look-ups.
func transport() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-009", Title: "MTA-STS is announced",
		Category: "email", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "Without it mail transport falls back to plain text when an attacker strips encryption.",
		Fix:        "Publish the policy host and the TXT record.",
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 3.10", "Servers that send to the domain are told to use TLS."),
			check.Supports("soc2 CC6.7", "Mail is protected while it is sent to the domain."),
			check.Supports("pci 4.2.1", "Card data in mail would travel encrypted; sending it is another matter."),
			check.Supports("nist PR.DS-02", "Inbound mail is protected on the wire by policy."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
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
		{Name: "two texts", Want: posture.Warning, Resource: goodtest.Zone, Edit: text("m2", "_mta-sts", "v=STSv1; id=2")},
		{Name: "another text beside it", Want: posture.Pass, Edit: text("m2", "_mta-sts", "hello")},
		{Name: "two texts for reports", Want: posture.Warning, Edit: text("m2", "_smtp._tls", "v=TLSRPTv1; rua=mailto:tls@shop.example")},
		{Name: "no reports", Want: posture.Warning, Edit: noReports},
		{Name: "reports without an address", Want: posture.Warning, Edit: goodtest.Edits(noReports, text("m2", "_smtp._tls", "v=TLSRPTv1"))},
		{Name: "no host, and the text is behind a CNAME", Want: posture.Unknown, Edit: goodtest.Edits(noText, noHost,
			alias("m2", "_mta-sts", "sts.mailhost.test"))},
		{Name: "a host, and the text is behind a CNAME", Want: posture.Unknown,
			Edit: goodtest.Edits(noText, alias("m2", "_mta-sts", "sts.mailhost.test"))},
		{Name: "no reports, and the text is behind a CNAME", Want: posture.Warning, Edit: goodtest.Edits(noText, noReports,
			alias("m2", "_mta-sts", "sts.mailhost.test"))},
		{Name: "reports behind a CNAME", Want: posture.Unknown, Edit: goodtest.Edits(noReports, alias("m2", "_smtp._tls", "tls.mailhost.test"))},
		{Name: "the names are delegated", Want: posture.Unknown, Edit: goodtest.Edits(noText, noHost, delegated("d1", "_mta-sts"),
			delegated("d2", "mta-sts"))},
		{Name: "the host is delegated, and no text", Want: posture.Unknown, Edit: goodtest.Edits(noText, noHost, delegated("d2", "mta-sts"))},
		{Name: "the reports are delegated", Want: posture.Unknown, Edit: goodtest.Edits(noReports, delegated("d3", "_smtp._tls"))},
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
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if (r.Type == "A" || r.Type == "AAAA" || r.Type == "CNAME") && (exposure.Same(r.Name, "mta-sts."+domain) ||
			exposure.Same(r.Name, "*."+domain)) {
			host = truth.Yes
		}
		if r.Type == "NS" && exposure.Same(r.Name, "mta-sts."+domain) && host == truth.No {
			host = truth.Undecided
		}
	}
	seen := func(name, observed string) posture.Evidence {
		return check.Evidence(snapshot.ZoneDNSRecords, "", name+" "+observed, "a record")
	}
	switch {
	case policy == truth.No && host == truth.No:
		return v.Fail("The mail domain "+domain+" does not announce MTA-STS.", seen("_mta-sts", "has no policy text"),
			seen("mta-sts", "does not exist"))
	case policy == truth.Yes && host == truth.No:
		return v.Warn("The mail domain "+domain+" announces MTA-STS and has no host for the policy.", seen("mta-sts", "does not exist"))
	case policy == truth.No && host == truth.Yes:
		return v.Warn("The mail domain "+domain+" has a host for MTA-STS and does not announce it.", seen("_mta-sts", "has no policy text"))
	case reports == truth.No:
		open := ""
		if policy == truth.Undecided {
			open = " Whether MTA-STS is announced is not known, as its text is behind a CNAME."
		}
		return v.Warn("The mail domain "+domain+" asks for no reports of failed TLS."+open, seen("_smtp._tls", "has no report address"))
	case policy == truth.Undecided, reports == truth.Undecided, host == truth.Undecided:
		return v.Unknown("a name is delegated or its text is behind a CNAME, and this check looks up nothing outside the zone")
	}
	return v.Pass("MTA-STS is announced and reports of failed TLS are asked for.")
}

// published reports whether one text of a kind stands at a name of the zone: of several, senders heed none (RFC 8461, section 3.1;
// RFC 8460, section 3).
func published(v *check.View, name string, kind func(string) bool) truth.Value {
	out, texts := truth.No, 0
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		switch {
		case !exposure.Same(r.Name, name):
		case r.Type == "TXT" && kind(mailauth.Text(r.Content)):
			texts++
		case r.Type == "CNAME" || r.Type == "NS":
			out = truth.Undecided
		}
	}
	if texts > 0 {
		return truth.If(true, texts == 1)
	}
	return out
}
