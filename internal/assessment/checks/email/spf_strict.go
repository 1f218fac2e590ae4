package email

import (
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// manyLookups is close to the look-up limit; mostAddresses is the share of all addresses above
// which a record is too wide.
const (
	manyLookups   = 8
	mostAddresses = 1.0 / 8
)

// spfStrict judges how the SPF record ends and whether receivers can evaluate it. A record that
// redirects ends as its target does.
func spfStrict() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-004", Title: "SPF is strict and within the lookup limit",
		Category: "email", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "The last term of an SPF record says what happens to mail from servers it does not name. Receivers give up " +
			"on a record that needs more than 10 DNS look-ups (RFC 7208).",
		Fix: "Name every real sender, remove includes that are not used, then end the record in -all.",
		Words: posture.Words{
			Problem:   "SPF of {zone} lets other servers send",
			Impact:    "Anyone can send mail with an address of the domain from any server, and it passes SPF or is not checked.",
			Breaks:    "Mail of a service that the record does not name can be refused.",
			Dashboard: "DNS › Records › {zone} (TXT, v=spf1) › Edit › Content: end in -all.",
			Terraform: `resource "cloudflare_dns_record" "spf" {
  zone_id = "{zone_id}"
  name    = "{zone}"
  type    = "TXT"
  ttl     = 3600
  content = "\"v=spf1 ${var.senders} -all\""
}`},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/",
			"https://developers.cloudflare.com/dmarc-management/"},
		Controls: check.Controls{
			check.Supports("cis 9.5", "SPF ends in a refusal and can be evaluated, so it is enforced."),
			check.Supports("soc2 CC6.7", "Servers that were not named cannot send for the domain."),
			check.Supports("pci 5.4.1", "Receivers can refuse forged mail by the policy."),
			check.Touches("nist PR.DS-02", "It protects who mail is from, not its content on the wire."),
		},
		Aliases:  []string{"prowler:zone_record_spf_exists", "cfsi:spf-record-errors", "subjack:spf"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords},
		Optional: []snapshot.Named{snapshot.ZoneSPFInspect, snapshot.DNSLookup},
		Asks: func(v *check.View) []snapshot.Question {
			records := spfRecords(v)
			if len(records) != 1 || notServed(v) != "" {
				return nil
			}
			w, s := &spfWalk{view: v}, mailauth.ParseSPF(mailauth.Text(records[0].Content))
			w.cost(s)
			w.givesUp(s)
			w.ranges(s)
			if q, _ := w.end(s); q == '~' {
				w.asked = append(w.asked, asksDMARC(v)...)
			}
			return w.asked
		},
		Evaluate: evaluateSPFStrict,
	}
}

func spfStrictExamples() []goodtest.Example {
	return append(spfEndExamples(), spfCostExamples()...)
}

func evaluateSPFStrict(v *check.View) check.Outcome {
	records, hidden := spfRecords(v), notServed(v)
	switch {
	case hidden != "":
		return v.NotApplicable(hidden)
	case len(records) == 0:
		return v.NotApplicable("the domain has no SPF record; that is judged by CFL-EMAIL-001")
	case len(records) > 1:
		return v.NotApplicable("more than one SPF record stands at the apex and receivers ignore all of them; that is judged by CFL-EMAIL-001")
	}
	s := mailauth.ParseSPF(mailauth.Text(records[0].Content))
	w := &spfWalk{view: v}
	cost := w.cost(s)
	if why := w.givesUp(s); why != "" && cost.broken == "" {
		cost.broken, cost.source = why, snapshot.ZoneDNSRecords
	}
	end, ended := w.end(s)
	domain := v.Zone().Name
	ranges, read := w.ranges(s)
	share := mailauth.Share(ranges)
	seen := func(source snapshot.Named, observed, want string) posture.Evidence {
		return spfEvidence(records[0], source, observed, want)
	}
	lookups := seen(cost.source, fmt.Sprintf("%d look-ups", cost.lookups), fmt.Sprintf("at most %d", manyLookups))
	switch {
	case w.unowned != "":
		return v.Fail("The SPF record of "+domain+" refers to the domain "+w.unowned+", which nobody owns, so whoever registers it sends mail "+
			"that passes.", seen(snapshot.DNSLookup, w.unowned+" does not exist", "domains of the services that send mail")).As(unownedWords())
	case ended && end == 0:
		return v.Fail("The SPF record of "+domain+" has no all term, so mail from other servers is neither passed nor refused.",
			seen(snapshot.ZoneDNSRecords, "no all term", "-all")).As(endWords(records[0], s))
	case ended && end != '-' && end != '~':
		return v.Fail("The SPF record of "+domain+" ends in "+string(end)+"all, which refuses no server.", seen(snapshot.ZoneDNSRecords,
			string(end)+"all", "-all")).As(endWords(records[0], s))
	case share > mostAddresses:
		return v.Fail(fmt.Sprintf("The SPF record of %s does not refuse %.0f %% of all addresses.", domain, 100*share), seen(
			snapshot.ZoneDNSRecords, fmt.Sprintf("ranges over %.0f %% of all addresses, includes counted", 100*share),
			"the addresses that send mail for the domain")).As(wideWords())
	case cost.above(mailauth.LookupLimit) == truth.Yes:
		return v.Provisional(v.Fail(fmt.Sprintf("The SPF record of %s needs %d DNS look-ups or more; receivers stop at %d.", domain,
			cost.lookups, mailauth.LookupLimit), lookups).As(brokenWords("SPF of {zone} needs too many DNS look-ups")))
	case cost.broken != "":
		return v.Provisional(v.Fail("The SPF record of "+domain+" is broken: "+cost.broken+".", seen(cost.source, cost.broken,
			"a record receivers can follow")).As(brokenWords("SPF of {zone} is broken")))
	}
	soft := truth.And(truth.If(ended, end == '~'), softIsWeak(v, end, ended))
	many := truth.And(truth.If(cost.known, true), cost.above(manyLookups))
	open := ""
	if !ended || !cost.known || !read {
		open = " Whether receivers can follow the record to its end is not known."
	}
	switch {
	case soft == truth.Yes:
		return v.Warn("The SPF record of "+domain+" ends in ~all, and no DMARC policy makes receivers act on it."+open,
			seen(snapshot.ZoneDNSRecords, "~all", "-all")).As(softWords(records[0], s))
	case s.Uses("ptr"):
		return v.Warn("The SPF record of "+domain+" uses ptr, which many receivers ignore."+open, seen(snapshot.ZoneDNSRecords, "ptr",
			"no ptr")).As(ptrWords(records[0]))
	case many == truth.Yes:
		return v.Provisional(v.Warn(fmt.Sprintf("The SPF record of %s needs %d of the %d DNS look-ups that receivers make.", domain,
			cost.lookups, mailauth.LookupLimit), lookups).As(brokenWords("SPF of {zone} is close to the look-up limit")))
	case !ended || !cost.known || !read:
		return v.Unknown("the SPF record refers to other names and nobody could follow it to the end")
	case soft == truth.Undecided:
		return v.Unknown(behindCNAME)
	}
	return v.Pass("The SPF record is strict and needs %d look-ups.", cost.lookups)
}

// spfEvidence points to the record if the result comes from the zone's records.
func spfEvidence(r snapshot.DNSRecord, source snapshot.Named, observed, want string) posture.Evidence {
	pointer := ""
	if source == snapshot.Named(snapshot.ZoneDNSRecords) {
		pointer = "/" + r.ID + "/content"
	}
	return check.Evidence(source, pointer, observed, want)
}

// softIsWeak reads the DMARC record only when a soft end makes it relevant, so that an unread one
// blocks nothing else.
func softIsWeak(v *check.View, end byte, ended bool) truth.Value {
	if ended && end != '~' {
		return truth.No
	}
	return readDMARC(v).weak()
}
