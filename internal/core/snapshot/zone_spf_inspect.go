package snapshot

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/mailauth"
)

// ZoneSPFInspect holds the provider's inspection of the SPF record of a zone.
const ZoneSPFInspect Key[SPFInspection] = "zone/spf_inspect"

// SPFInspection is what the provider found when it evaluated an SPF record.
type SPFInspection struct {
	TotalLookups *int     `json:"total_lookups,omitempty"`
	Errors       []string `json:"errors,omitempty"` // error codes
}

type spfInspectWire struct {
	TotalLookups *int `json:"total_lookups"`
	Errors       []struct {
		Code string `json:"code"`
	} `json:"errors"`
}

func reduceSPFInspection(w spfInspectWire) SPFInspection {
	out := SPFInspection{TotalLookups: w.TotalLookups}
	for _, e := range w.Errors {
		out.Errors = append(out.Errors, e.Code)
	}
	slices.Sort(out.Errors)
	return out
}

// spfRecord returns the SPF record at the apex of a zone; ok is false unless there is exactly one.
func spfRecord(k *Known, t SourceScope) (record DNSRecord, ok bool) {
	records, _ := Cached(k, ZoneDNSRecords, t.Zone.ID)
	found := 0
	for _, r := range records {
		if r.Type == "TXT" && strings.EqualFold(r.Name, t.Zone.Name) && mailauth.IsSPF(mailauth.Text(r.Content)) {
			record = r
			found++
		}
	}
	return record, found == 1
}

// zoneSPFInspect has the provider evaluate the SPF record of a zone. A record that needs no look-up
// needs no inspection
// (developers.cloudflare.com/api/resources/email_auth/subresources/spf/subresources/inspect/).
func zoneSPFInspect() Source {
	return object(ZoneSPFInspect, Source{
		Path: "/zones/{zone_id}/email/auth/spf/inspect?id={record_id}", Volatile: true, Permission: "Zone: DMARC Management Read",
		After: []string{ZoneDNSRecords.Source()},
		Skip: func(k *Known, t SourceScope) string {
			if r, ok := spfRecord(k, t); !ok {
				return "the zone has not one SPF record"
			} else if mailauth.ParseSPF(mailauth.Text(r.Content)).Lookups() == 0 {
				return "the SPF record of the zone needs no look-up"
			}
			return ""
		},
		Fill: func(k *Known, t SourceScope) map[string]string {
			r, _ := spfRecord(k, t)
			return map[string]string{"record_id": r.ID}
		},
		Example: `{"domain":"drop.example","record":"v=spf1 include:drop.example -all","total_lookups":3,"components":[{"type":"include",` +
			`"value":"drop.example","lookups":3}],"errors":[{"code":"NO_SPF_RECORD","domain":"drop.example","message":"drop","details":null}]}`,
	}, reduceSPFInspection)
}
