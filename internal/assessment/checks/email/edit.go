package email

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Example edits.

// dmarcTarget is the target of the CNAME in the examples.
const dmarcTarget = "shop.dmarc.example"

// spf changes the SPF record.
func spf(content string) func(*snapshot.Builder) {
	return goodtest.EditRecord(goodSPF, func(r *snapshot.DNSRecord) { r.Content = content })
}

// dmarc changes the DMARC record.
func dmarc(content string) func(*snapshot.Builder) {
	return goodtest.EditRecord(goodDMARC, func(r *snapshot.DNSRecord) { r.Content = content })
}

// dmarcAlias replaces the DMARC record with a CNAME.
func dmarcAlias() func(*snapshot.Builder) {
	return goodtest.EditRecord(goodDMARC, func(r *snapshot.DNSRecord) { r.Type, r.Content = "CNAME", dmarcTarget })
}

// behindAlias replaces the DMARC record with a CNAME, and sets the texts behind it.
func behindAlias(texts ...string) func(*snapshot.Builder) {
	return goodtest.Edits(dmarcAlias(), answers(dmarcTarget, "NOERROR", texts...))
}

// answers sets the TXT answers of DNS for a name.
func answers(name, rcode string, texts ...string) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.DNSLookup, textsOf(name).Scope(), snapshot.Lookup{Rcode: rcode, Answers: append([]string{}, texts...)})
	}
}

func partial() func(*snapshot.Builder) {
	return goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "partial" })
}

// only keeps the records that a condition accepts.
func only(stays func(snapshot.DNSRecord) bool) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.ZoneDNSRecords, goodtest.Zone, func(rs *[]snapshot.DNSRecord) {
			out := []snapshot.DNSRecord{}
			for _, r := range *rs {
				if stays(r) {
					out = append(out, r)
				}
			}
			*rs = out
		})
	}
}

// noMail removes every MX record.
func noMail() func(*snapshot.Builder) {
	return only(func(r snapshot.DNSRecord) bool { return r.Type != "MX" })
}

// without removes the records at a name of the zone.
func without(label string) func(*snapshot.Builder) {
	return only(func(r snapshot.DNSRecord) bool { return r.Name != label+"."+goodtest.Domain })
}

// text adds a TXT record below the zone.
func text(id, label, content string) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: id, Name: label + "." + goodtest.Domain, Type: "TXT", Content: content})
}

// toAlias adds a CNAME below the zone.
func toAlias(id, label, target string) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: id, Name: label + "." + goodtest.Domain, Type: "CNAME", Content: target})
}
