// Package email holds the checks of mail authentication.
package email

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/check"
	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{
		spfPublished(),
		dmarcPublished(),
		dmarcActs(),
	}
}

// The good records that examples edit.
const (
	goodSPF   = "1a000000000000000000000000000005"
	goodDMARC = "1a000000000000000000000000000006"
)

// text joins the strings of a TXT record the way a resolver hands them out; the
// provider returns them quoted or bare.
func text(content string) string {
	content = strings.TrimSpace(content)
	if !strings.HasPrefix(content, `"`) {
		return content
	}
	var b strings.Builder
	inside := false
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\\' && inside && i+1 < len(content):
			i++
			b.WriteByte(content[i])
		case c == '"':
			inside = !inside
		case inside:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// dmarcRecords are what stands at the name where receivers look for DMARC.
type dmarcRecords struct {
	name     string
	policies []string // texts of version DMARC1
	first    string   // record id of the first of them
	others   int      // other TXT records there
	cname    bool
}

func readDMARC(v *check.View) dmarcRecords {
	d := dmarcRecords{name: "_dmarc." + v.Zone().Name}
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if r.Type != "TXT" && r.Type != "CNAME" || !check.Same(r.Name, d.name) {
			continue
		}
		if r.Type == "CNAME" {
			d.cname = true
			continue
		}
		t := text(r.Content)
		if tag, _, _ := strings.Cut(t, ";"); strings.ReplaceAll(tag, " ", "") != "v=DMARC1" {
			d.others++
			continue
		}
		if len(d.policies) == 0 {
			d.first = r.ID
		}
		d.policies = append(d.policies, t)
	}
	return d
}

const behindCNAME = "the record is a CNAME and needs a DNS lookup that this run did not make"

// dmarc is an example edit of the DMARC text.
func dmarc(content string) func(*snapshot.Builder) {
	return check.EditRecord(goodDMARC, func(r *snapshot.DNSRecord) { r.Content = content })
}

// dmarcAlias is an example edit that puts a CNAME in place of the text.
func dmarcAlias() func(*snapshot.Builder) {
	return check.EditRecord(goodDMARC, func(r *snapshot.DNSRecord) { r.Type, r.Content = "CNAME", "shop.dmarc.example" })
}

func partial() func(*snapshot.Builder) {
	return check.EditZone(func(z *snapshot.Zone) { z.Type = "partial" })
}
