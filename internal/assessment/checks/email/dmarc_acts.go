package email

import (
	"cmp"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dmarcActs judges what the DMARC record requests of receivers.
func dmarcActs() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-005", Title: "DMARC tells receivers to act",
		Category: "email", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "DMARC tells receivers what to do with mail that fails SPF and DKIM. With p=none they deliver it, and only " +
			"the reports show that it was forged.",
		Fix: "Read the reports until every sender passes, then raise the policy to quarantine and later to reject, for " +
			"all mail and all subdomains.",
		Words: posture.Words{
			Problem:   "DMARC of {zone} does not stop forged mail",
			Impact:    "Anyone can send mail in the name of the domain, and receivers put it into the inbox.",
			Breaks:    "Mail of services that neither SPF nor DKIM covers goes to spam; the reports name them.",
			Dashboard: "DNS › Records › _dmarc (TXT) › Edit › Content: p=quarantine, later p=reject, and a rua address for reports.",
			Terraform: `resource "cloudflare_dns_record" "dmarc" {
  zone_id = "{zone_id}"
  name    = "_dmarc.{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"v=DMARC1; p=quarantine; rua=mailto:dmarc@{zone}\""
}`},
		References: []string{"https://developers.cloudflare.com/dmarc-management/",
			"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Shows("cis 9.5", "Receivers are told to quarantine or reject mail that fails."),
			check.Supports("soc2 CC6.7", "Forged mail in the name of the domain is not delivered."),
			check.Supports("pci 5.4.1", "Staff and customers are shielded from mail that forges the domain; other phishing is not seen."),
			check.Touches("nist PR.DS-02", "It protects who mail is from, not its content on the wire."),
		},
		Aliases:  []string{"prowler:zone_record_dmarc_exists", "cfsi:dmarc-record-errors"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			out := asksDMARC(v)
			aliases := aliasesBelow(v)
			for _, r := range aliases[:min(len(aliases), mostReceivers)] {
				out = append(out, textsOf(r.Content))
			}
			return out
		},
		Evaluate: evaluateDMARCActs,
	}
}

func dmarcActsExamples() []goodtest.Example {
	const abroad, consent = "v=DMARC1; p=reject; rua=mailto:a@b.test", "shop.example._report._dmarc.b.test"
	newsAlias := goodtest.AddRecord(snapshot.DNSRecord{ID: "d2", Name: "_dmarc.news." + goodtest.Domain, Type: "CNAME",
		Content: "news.policy.test"})
	return []goodtest.Example{
		{Name: "reject", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "reject, in a zone that moved away", Want: posture.NotApplicable, Edit: goodtest.Status("moved")},
		{Name: "a test of quarantine, which is nothing", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: dmarc("v=DMARC1; p=quarantine; t=y; rua=mailto:a@shop.example")},
		{Name: "split over strings", Want: posture.Pass, Edit: dmarc(`"v=DMARC1; p=re" "ject; rua=mailto:a@shop.example"`)},
		{Name: "blanks around the signs", Want: posture.Pass, Edit: dmarc("v = DMARC1 ; p = reject ; rua = mailto:a@shop.example")},
		{Name: "quarantine of no mail", Want: posture.Fail, Resource: goodtest.Zone,
			Edit: dmarc("v=DMARC1; p=quarantine; pct=0; rua=mailto:a@shop.example")},
		{Name: "reject of no mail, which quarantines", Want: posture.Warning,
			Edit: dmarc("v=DMARC1; p=reject; pct=0; rua=mailto:a@shop.example")},
		{Name: "strict below only", Want: posture.Fail, Edit: dmarc("v=DMARC1; p=none; sp=reject; rua=mailto:a@shop.example")},
		{Name: "the policy before the version", Want: posture.NotApplicable, Edit: dmarc("p=reject; v=DMARC1")},
		{Name: "quarantine, stricter below", Want: posture.Pass,
			Edit: dmarc("v=DMARC1;p=Quarantine;sp=reject;pct=100;rua=mailto:a@shop.example")},
		{Name: "none", Want: posture.Fail, Resource: goodtest.Zone, Edit: dmarc("v=DMARC1; p=none; rua=mailto:a@shop.example")},
		{Name: "no policy", Want: posture.Fail, Edit: dmarc("v=DMARC1; rua=mailto:a@shop.example")},
		{Name: "a policy nobody knows", Want: posture.Fail, Edit: dmarc("v=DMARC1; p=block; rua=mailto:a@shop.example")},
		{Name: "half of the mail", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: dmarc("v=DMARC1; p=reject; pct=50; rua=mailto:a@shop.example")},
		{Name: "weaker below", Want: posture.Warning, Edit: dmarc("v=DMARC1; p=reject; sp=none; rua=mailto:a@shop.example")},
		{Name: "weaker for names that do not exist", Want: posture.Warning,
			Edit: dmarc("v=DMARC1; p=reject; np=none; rua=mailto:a@shop.example")},
		{Name: "a subdomain has a policy of its own that asks for nothing", Want: posture.Warning, Resource: goodtest.Zone, ByHand: true,
			Edit: text("d2", "_dmarc.news", "v=DMARC1; p=none; rua=mailto:a@shop.example")},
		{Name: "a subdomain has two records, which are none", Want: posture.Warning, Edit: goodtest.Edits(
			text("d2", "_dmarc.news", "v=DMARC1; p=reject"), text("d3", "_dmarc.news", "v=DMARC1; p=reject"))},
		{Name: "a subdomain has an alias to a policy that asks for nothing", Want: posture.Warning, Resource: goodtest.Zone, ByHand: true,
			Edit: goodtest.Edits(newsAlias, goodtest.Answer("TXT", "news.policy.test", "NOERROR", "v=DMARC1; p=none"))},
		{Name: "a subdomain has an alias to a policy that is as strict", Want: posture.Pass,
			Edit: goodtest.Edits(newsAlias, goodtest.Answer("TXT", "news.policy.test", "NOERROR", "v=DMARC1; p=reject"))},
		{Name: "a subdomain has an alias to no policy, so that of the domain counts", Want: posture.Pass,
			Edit: goodtest.Edits(newsAlias, goodtest.Answer("TXT", "news.policy.test", "NXDOMAIN"))},
		{Name: "a subdomain has an alias nobody looked up", Want: posture.Unknown, Resource: goodtest.Zone, Edit: newsAlias},
		{Name: "a subdomain is as strict", Want: posture.Pass, Edit: text("d2", "_dmarc.news", "v=DMARC1; p=reject")},
		{Name: "as strict for names that do not exist", Want: posture.Pass,
			Edit: dmarc("v=DMARC1; p=reject; np=reject; rua=mailto:a@shop.example")},
		{Name: "a test", Want: posture.Warning, Edit: dmarc("v=DMARC1; p=reject; t=y; rua=mailto:a@shop.example")},
		{Name: "no test", Want: posture.Pass, Edit: dmarc("v=DMARC1; p=reject; t=n; rua=mailto:a@shop.example")},
		{Name: "no reports", Want: posture.Warning, Edit: dmarc("v=DMARC1; p=reject")},
		{Name: "a share nobody can read", Want: posture.Unknown, Edit: dmarc("v=DMARC1; p=reject; pct=most; rua=mailto:a@shop.example")},
		{Name: "behind a CNAME", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: behindAlias("v=DMARC1; p=reject; rua=mailto:a@shop.example")},
		{Name: "none behind a CNAME", Want: posture.Fail, Resource: goodtest.Zone, Edit: behindAlias("v=DMARC1; p=none")},
		{Name: "no reports behind a CNAME", Want: posture.Warning, Edit: behindAlias("v=DMARC1; p=quarantine")},
		{Name: "behind a CNAME nobody looked up", Want: posture.Unknown, Resource: goodtest.Zone, Edit: dmarcAlias()},
		{Name: "the CNAME leads nowhere", Want: posture.NotApplicable, Edit: goodtest.Edits(dmarcAlias(), answers(dmarcTarget, "NXDOMAIN"))},
		{Name: "two records", Want: posture.NotApplicable, Edit: text("d2", "_dmarc", "v=DMARC1; p=none")},
		{Name: "no record", Want: posture.NotApplicable, Edit: dmarc("hello")},
		{Name: "reports to a domain that did not agree", Want: posture.Warning, Resource: goodtest.Zone,
			Edit: goodtest.Edits(dmarc(abroad), goodtest.Answer("TXT", consent, "NXDOMAIN"))},
		{Name: "reports to a domain that says something else there", Want: posture.Warning,
			Edit: goodtest.Edits(dmarc(abroad), goodtest.Answer("TXT", consent, "NOERROR", "v=spf1 -all"))},
		{Name: "reports to a domain that agreed", Want: posture.Pass, Resource: goodtest.Zone,
			Edit: goodtest.Edits(dmarc(abroad), goodtest.Answer("TXT", consent, "NOERROR", "v=DMARC1;"))},
		{Name: "nobody looked whether the domain agreed", Want: posture.Unknown, Resource: goodtest.Zone, Edit: dmarc(abroad)},
		{Name: "the domain's servers fail", Want: posture.Unknown, Edit: goodtest.Edits(dmarc(abroad),
			goodtest.Answer("TXT", consent, "SERVFAIL"))},
		{Name: "nobody looked, and there are gaps anyway", Want: posture.Warning,
			Edit: dmarc("v=DMARC1; p=reject; pct=50; rua=mailto:a@b.test")},
		{Name: "nobody looked, and it asks for nothing anyway", Want: posture.Fail, Edit: dmarc("v=DMARC1; p=none; rua=mailto:a@b.test")},
		{Name: "one of two domains did not agree", Want: posture.Warning, Edit: goodtest.Edits(
			dmarc("v=DMARC1; p=reject; rua=mailto:a@shop.example, MAILTO:b@B.test!10m"), goodtest.Answer("TXT", consent, "NOERROR"))},
		{Name: "single reports to a domain that did not agree", Want: posture.Warning, Edit: goodtest.Edits(
			dmarc("v=DMARC1; p=reject; rua=mailto:a@shop.example; ruf=mailto:b@b.test"), goodtest.Answer("TXT", consent, "NXDOMAIN"))},
		{Name: "reports to a name of the own domain", Want: posture.Pass,
			Edit: dmarc("v=DMARC1; p=reject; rua=mailto:a@Reports.Shop.Example.")},
		{Name: "reports to an address without mailto", Want: posture.Warning, Edit: dmarc("v=DMARC1; p=reject; rua=dmarc@shop.example")},
		{Name: "a policy for subdomains that nobody knows", Want: posture.Fail,
			Edit: dmarc("v=DMARC1; p=reject; sp=rejct; rua=mailto:a@shop.example")},
		{Name: "a policy for missing names that nobody knows", Want: posture.Fail,
			Edit: dmarc("v=DMARC1; p=reject; np=off; rua=mailto:a@shop.example")},
		{Name: "reports to no address", Want: posture.Warning, Edit: dmarc("v=DMARC1; p=reject; rua=https://b.test/r,mailto:,mailto:@")},
		{Name: "behind a CNAME, to a domain that did not agree", Want: posture.Warning,
			Edit: goodtest.Edits(behindAlias(abroad), goodtest.Answer("TXT", consent, "NXDOMAIN"))},
		{Name: "the domain above rejects", Want: posture.Pass, Edit: inherits("v=DMARC1; p=reject; rua=mailto:a@shop.example")},
		{Name: "the domain above quarantines no mail", Want: posture.Fail,
			Edit: inherits("v=DMARC1; p=quarantine; pct=0; rua=mailto:a@shop.example")},
		{Name: "the domain above only tests to quarantine", Want: posture.Fail,
			Edit: inherits("v=DMARC1; p=quarantine; t=y; rua=mailto:a@shop.example")},
		{Name: "the domain above rejects a part", Want: posture.Warning,
			Edit: inherits("v=DMARC1; p=reject; pct=5; rua=mailto:a@shop.example")},
	}
}

// inherits is an example edit: the zone has no policy, and the domain above has one.
func inherits(text string) func(*snapshot.Builder) {
	return goodtest.Edits(childZone, answers("_dmarc."+goodtest.Domain, "NOERROR", text))
}

func evaluateDMARCActs(v *check.View) check.Outcome {
	d, hidden := readDMARC(v), notServed(v)
	switch {
	case hidden != "":
		return v.NotApplicable(hidden)
	case len(d.policies) > 1:
		return v.NotApplicable("more than one DMARC record stands at " + d.name +
			" and receivers ignore all of them; that is judged by CFL-EMAIL-003")
	case d.unread:
		return v.Unknown(behindCNAME)
	case len(d.policies) == 0:
		return v.NotApplicable("the domain has no DMARC record; that is judged by CFL-EMAIL-003")
	}
	policy := mailauth.ParseDMARC(d.policies[0])
	source, pointer := d.source()
	seen := func(tag, value, want string) posture.Evidence {
		return check.Evidence(source, pointer, tag+" "+cmp.Or(value, "absent"), want)
	}
	_, ok := policy.Percent()
	if policy.Acts() < 1 {
		return v.Fail("The DMARC record at "+d.name+" "+asks(policy)+", so receivers deliver forged mail.",
			seen("p", policy.Policy, "quarantine or reject")).As(d.rewritten(policy, posture.Words{}))
	}
	weak, gaps, refuse, unread := d.weaknesses(v, policy, seen)
	weaker, behind := d.weakerBelow(v, policy.Acts())
	unread = cmp.Or(unread, behind)
	for _, name := range weaker {
		weak = append(weak, check.Evidence(snapshot.ZoneDNSRecords, "", name+" asks for less than "+d.name, "no policy below that is weaker"))
		gaps = append(gaps, "a weaker policy at "+name)
	}
	switch {
	case len(weak) > 0:
		words := d.rewritten(policy, posture.Words{Problem: "DMARC of {zone} has gaps",
			Impact: "Forged mail that falls into the gap is delivered, or nobody learns that it was sent."})
		words.ByHand = words.ByHand || len(refuse)+len(weaker) > 0 // the other domain has to consent, the other record to change
		return v.Warn("The DMARC record at "+d.name+" has p="+policy.Policy+", but "+strings.Join(gaps, "; ")+".", weak...).As(words)
	case !ok:
		return v.Unknown("the pct of the DMARC record is not a number from 0 to 100")
	}
	if unread != "" {
		return v.Unknown("reports go to another domain, or the policy of a name below is behind a CNAME, and no look-up told what is " +
			"there (TXT " + unread + ")")
	}
	return v.Pass("The DMARC record asks receivers to %s forged mail.", policy.Policy)
}

// asks describes what a record without effect requests.
func asks(p mailauth.DMARC) string {
	switch {
	case p.Policy == "":
		return "has no policy"
	case p.Odd() != "" && mailauth.Strictness(p.Policy) > 0:
		return "has " + p.Odd() + ", which is no policy and makes receivers take p for none"
	case p.Testing:
		return "is marked as a test (t=y)"
	case p.Share != "" && mailauth.Strictness(p.Policy) > 0:
		return "applies p=" + p.Policy + " to " + p.Share + " % of the mail"
	default:
		return "has p=" + p.Policy
	}
}

// rewritten adds the call that changes the record, if it is in the zone.
func (d dmarcRecords) rewritten(p mailauth.DMARC, w posture.Words) posture.Words {
	if d.first == "" {
		w.ByHand = true
		w.Dashboard = "DNS › Records › _dmarc: change the policy where the record is kept, at the target of the alias or at the domain above."
		return w
	}
	program, choose := withPolicy(p)
	w.Call = rewriteText(d.first, program)
	w.Call.Choose = choose
	return w
}

// weaknesses returns what weakens a policy that acts, as evidence and in words; refuse and unread
// are the results of consents.
func (d dmarcRecords) weaknesses(v *check.View, policy mailauth.DMARC, seen func(tag, value, want string) posture.Evidence) (
	weak []posture.Evidence, gaps, refuse []string, unread string) {
	p := mailauth.Strictness(policy.Policy)
	share, ok := policy.Percent()
	if policy.Subdomains != "" && mailauth.Strictness(policy.Subdomains) < p {
		weak = append(weak, seen("sp", policy.Subdomains, "absent or not weaker than p"))
		gaps = append(gaps, "sp="+policy.Subdomains+" for subdomains")
	}
	if policy.Missing != "" && mailauth.Strictness(policy.Missing) < p {
		weak = append(weak, seen("np", policy.Missing, "absent or not weaker than p"))
		gaps = append(gaps, "np="+policy.Missing+" for names that do not exist")
	}
	if policy.Testing {
		weak = append(weak, seen("t", "y", "absent: with t=y receivers do not act"))
		gaps = append(gaps, "t=y, a test")
	}
	if ok && share < 100 {
		weak = append(weak, seen("pct", policy.Share, "absent or 100"))
		gaps = append(gaps, "pct="+policy.Share+", a part of the mail")
	}
	if !policy.Reported() {
		weak = append(weak, seen("rua", policy.Reports, "a mailto: address for reports"))
		gaps = append(gaps, "no address for reports")
	}
	refuse, unread = d.consents(v)
	for _, receiver := range refuse {
		weak = append(weak, check.Evidence(snapshot.DNSLookup, "/"+mailauth.ReportConsent(d.domain(), receiver), "reports to "+receiver+
			", which did not agree to take them", "a TXT record v=DMARC1 there"))
		gaps = append(gaps, "reports to "+receiver+", which did not agree to take them")
	}
	return weak, gaps, refuse, unread
}
