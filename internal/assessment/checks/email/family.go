// Package email holds the checks of mail authentication and mail filtering.
package email

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Ids of the records in the good snapshot that examples edit.
const (
	goodSPF   = "1a000000000000000000000000000005"
	goodDMARC = "1a000000000000000000000000000006"
)

// mailZone reports whether the zone has a mail host.
func mailZone(v *check.View) bool {
	return slices.ContainsFunc(check.Read(v, snapshot.ZoneDNSRecords), snapshot.DNSRecord.ReceivesMail)
}

// notServed returns why receivers do not see the records at the apex of a zone, or "".
func notServed(v *check.View) string {
	if v.Zone().Partial() {
		return "the zone is partial and its apex lies elsewhere"
	}
	return check.NotPublic(v)
}

// spfRecords returns the SPF records at the apex.
func spfRecords(v *check.View) []snapshot.DNSRecord {
	var out []snapshot.DNSRecord
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if r.Type == "TXT" && exposure.Same(r.Name, v.Zone().Name) && mailauth.IsSPF(mailauth.Text(r.Content)) {
			out = append(out, r)
		}
	}
	return out
}

// answering returns the records of the zone that answer for a name in it: its own or, where nothing is at or below
// the name, those of the wildcard below the closest name that exists (RFC 4592).
func answering(v *check.View, name string) (out []snapshot.DNSRecord, wild bool) {
	zone, records, closest := v.Zone().Name, check.Read(v, snapshot.ZoneDNSRecords), name
	exists := func(r snapshot.DNSRecord) bool { return exposure.Within(r.Name, closest) }
	for !exposure.Same(closest, zone) && !slices.ContainsFunc(records, exists) {
		_, closest, _ = strings.Cut(closest, ".")
	}
	if wild = closest != name; wild {
		name = "*." + closest
	}
	for _, r := range records {
		if exposure.Same(r.Name, name) {
			out = append(out, r)
		}
	}
	return out, wild
}

func textsOf(name string) snapshot.Question { return snapshot.Question{Type: "TXT", Name: name} }

// lookedUp returns the texts at a name outside the zone; none when the name does not exist. known
// is false when there was no look-up or it failed at the server: nothing can be concluded from
// that.
func lookedUp(v *check.View, name string) (texts []string, known bool) {
	l, ok := check.ReadOptionalAt(v, snapshot.DNSLookup, textsOf(name).Scope())
	if !ok || l.Rcode != "NOERROR" && !l.Missing() {
		return nil, false
	}
	return l.Answers, true
}

// dmarcRecords describes the records at the name where receivers look for DMARC.
type dmarcRecords struct {
	name     string
	policies []string // texts of version DMARC1
	first    string   // record id of the first policy
	others   int      // other TXT records there
	alias    string   // target of the CNAME at that name, or the name itself when NS records delegate it
	parent   string   // the parent name whose policy applies when the domain has none
	unread   bool     // the records are not known
}

// readDMARC reads the records of the zone, and for a CNAME the DNS answer behind it.
func readDMARC(v *check.View) dmarcRecords {
	d := dmarcRecords{name: "_dmarc." + v.Zone().Name}
	records, wild := answering(v, d.name)
	for _, r := range records {
		switch r.Type {
		case "CNAME":
			d.alias = r.Content
		case "NS":
			d.alias = d.name
		case "TXT":
			if d.take(mailauth.Text(r.Content)) && len(d.policies) == 1 {
				d.first = r.ID
			}
		}
	}
	if wild {
		d.others = 0 // texts for every name are none for DMARC
	}
	if d.alias != "" {
		texts, known := lookedUp(v, d.alias)
		d.unread = !known
		for _, t := range texts {
			d.take(t)
		}
	}
	if org := mailauth.Organisation(v.Zone().Name); len(d.policies) == 0 && !d.unread && !exposure.Same(org, v.Zone().Name) {
		d.inherit(v, "_dmarc."+org)
	}
	return d
}

// inherit reads the policy that a parent domain has for names below it.
func (d *dmarcRecords) inherit(v *check.View, name string) {
	d.parent = name
	texts, known := lookedUp(v, name)
	d.unread = !known
	for _, t := range texts {
		if mailauth.IsDMARC(t) {
			d.policies = append(d.policies, mailauth.ParseDMARC(t).Inherited())
		}
	}
}

// take adds a text and reports whether it is a policy.
func (d *dmarcRecords) take(text string) bool {
	if !mailauth.IsDMARC(text) {
		d.others++
		return false
	}
	d.policies = append(d.policies, text)
	return true
}

// weak is Yes unless exactly one policy makes receivers quarantine or reject.
func (d dmarcRecords) weak() truth.Value {
	if d.unread {
		return truth.Undecided
	}
	return truth.Is(len(d.policies) != 1 || mailauth.ParseDMARC(d.policies[0]).Acts() < 1)
}

// source returns the source and the pointer from which the policy was read.
func (d dmarcRecords) source() (source snapshot.Named, pointer string) {
	if d.alias != "" || d.parent != "" {
		return snapshot.DNSLookup, "/answers"
	}
	return snapshot.ZoneDNSRecords, "/" + d.first + "/content"
}

// asksDMARC lists the look-ups that the policy depends on: behind a CNAME, at other name servers,
// and of the parent domain.
func asksDMARC(v *check.View) []snapshot.Question {
	d := readDMARC(v)
	var out []snapshot.Question
	if d.alias != "" {
		out = append(out, textsOf(d.alias))
	}
	if d.parent != "" {
		out = append(out, textsOf(d.parent))
	}
	if len(d.policies) == 1 {
		receivers := d.receivers()
		for _, receiver := range receivers[:min(len(receivers), mostReceivers)] {
			out = append(out, textsOf(mailauth.ReportConsent(d.domain(), receiver)))
		}
	}
	return out
}

// domain returns the domain whose record applies.
func (d dmarcRecords) domain() string { return strings.TrimPrefix(cmp.Or(d.parent, d.name), "_dmarc.") }

// mostReceivers bounds how many domains are checked for accepting reports; senders of reports must
// support at least two.
const mostReceivers = 10

// receivers returns the foreign domains to which reports are sent.
func (d dmarcRecords) receivers() []string {
	return mailauth.ParseDMARC(d.policies[0]).ReportDomains(d.domain())
}

// consents checks the foreign domains to which reports are sent: refuse lists those that did not
// agree to receive them, unread names one for which that is unknown.
func (d dmarcRecords) consents(v *check.View) (refuse []string, unread string) {
	for _, receiver := range d.receivers() {
		name := mailauth.ReportConsent(d.domain(), receiver)
		switch texts, known := lookedUp(v, name); {
		case !known:
			unread = name
		case !slices.ContainsFunc(texts, mailauth.IsDMARC):
			refuse = append(refuse, receiver)
		}
	}
	return refuse, unread
}

const behindCNAME = "the DMARC policy is behind a CNAME, at other name servers or at the domain above, and no look-up told what it says"
