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

// manyLookups is where a record comes close to the limit; mostAddresses the share of all addresses beyond which it names nobody;
// spfDepth how deep includes are followed for their ranges.
const (
	manyLookups   = 8
	mostAddresses = 1.0 / 8
	spfDepth      = 4
)

// spfStrict judges how the SPF record ends and whether receivers can follow it.
// A record that redirects ends where the redirect leads.
func spfStrict() check.Check {
	return check.Check{
		ID: "CFL-EMAIL-004", Title: "SPF is strict and within the lookup limit",
		Category: "email", Severity: posture.High, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "A soft or broken record is ignored by receivers, so forged mail passes.",
		Fix: "Remove unused includes and end with -all once all senders are covered.",
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
			if len(records) != 1 {
				return nil
			}
			w, s := &spfWalk{view: v}, mailauth.ParseSPF(mailauth.Text(records[0].Content))
			w.cost(s)
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
	records := spfRecords(v)
	switch {
	case len(records) == 0:
		return v.NotApplicable("the domain has no SPF record; that is judged by CFL-EMAIL-001")
	case len(records) > 1:
		return v.NotApplicable("more than one SPF record stands at the apex and receivers ignore all of them; that is judged by CFL-EMAIL-001")
	}
	s := mailauth.ParseSPF(mailauth.Text(records[0].Content))
	w := &spfWalk{view: v}
	cost := w.cost(s)
	end, ended := w.end(s)
	domain := v.Zone().Name
	share := mailauth.Share(w.ranges(s, spfDepth))
	seen := func(source snapshot.Named, observed, want string) posture.Evidence {
		pointer := ""
		if source == snapshot.Named(snapshot.ZoneDNSRecords) {
			pointer = "/" + records[0].ID + "/content"
		}
		return check.Evidence(source, pointer, observed, want)
	}
	lookups := seen(cost.source, fmt.Sprintf("%d look-ups", cost.lookups), fmt.Sprintf("at most %d", manyLookups))
	switch {
	case ended && end == 0:
		return v.Fail("The SPF record of "+domain+" does not say what to do with other senders.", seen(snapshot.ZoneDNSRecords, "no all term",
			"-all"))
	case ended && end != '-' && end != '~':
		return v.Fail("The SPF record of "+domain+" lets every sender pass.", seen(snapshot.ZoneDNSRecords, string(end)+"all", "-all"))
	case share > mostAddresses:
		return v.Fail(fmt.Sprintf("The SPF record of %s lets %.0f %% of all addresses pass.", domain, 100*share), seen(snapshot.ZoneDNSRecords,
			fmt.Sprintf("ranges over %.0f %% of all addresses, includes counted", 100*share), "the addresses that send mail for the domain"))
	case cost.above(mailauth.LookupLimit) == truth.Yes:
		return v.Fail(fmt.Sprintf("The SPF record of %s needs more than %d look-ups, so receivers ignore it.", domain, mailauth.LookupLimit),
			lookups)
	case cost.broken != "":
		return v.Fail("The SPF record of "+domain+" is broken: "+cost.broken+".", seen(cost.source, cost.broken, "a record receivers can follow"))
	}
	soft := truth.And(truth.If(ended, end == '~'), softIsWeak(v, end, ended))
	many := truth.And(truth.If(cost.known, true), cost.above(manyLookups))
	open := ""
	if !ended || !cost.known {
		open = " Whether receivers can follow it to the end is not known."
	}
	switch {
	case soft == truth.Yes:
		return v.Warn("The SPF record of "+domain+" ends softly and its DMARC record does not make up for it."+open,
			seen(snapshot.ZoneDNSRecords, "~all", "-all"))
	case s.Uses("ptr"):
		return v.Warn("The SPF record of "+domain+" uses ptr, which many receivers ignore."+open, seen(snapshot.ZoneDNSRecords, "ptr", "no ptr"))
	case many == truth.Yes:
		return v.Warn(fmt.Sprintf("The SPF record of %s needs %d look-ups, close to the limit of %d.", domain, cost.lookups,
			mailauth.LookupLimit), lookups)
	case !ended || !cost.known:
		return v.Unknown("the SPF record refers to other records and nobody could follow it to the end")
	case soft == truth.Undecided:
		return v.Unknown(behindCNAME)
	}
	return v.Pass("The SPF record is strict and needs %d look-ups.", cost.lookups)
}

// softIsWeak reads the DMARC record only when a soft end makes it count, so that
// an unread one blocks nothing else.
func softIsWeak(v *check.View, end byte, ended bool) truth.Value {
	if ended && end != '~' {
		return truth.No
	}
	return readDMARC(v).weak()
}
