package dns

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// caa judges whether the domain names its certificate authorities.
func caa() check.Check {
	return check.Check{
		ID: "CFL-DNS-004", Title: "CAA limits who may issue certificates",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why:        "Without CAA any authority in the world may issue for the domain.",
		Fix:        "Publish issue and issuewild entries for the authorities in use and an iodef contact.",
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls:   posture.Controls{CIS: []string{"4.1"}, SOC2: []string{"CC6.7"}, PCI: []string{"4.2.1.1"}, NIST: []string{"PR.DS-02"}},
		Aliases:    []string{"prowler:zone_record_caa_exists", "flareinspect:CFL-DNS-004"},
		Needs:      []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Evaluate:   evaluateCAA,
	}
}

func caaExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "issue and iodef; a missing issuewild is no gap", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "no CAA at all", Want: posture.Fail, Resource: goodtest.Zone, Edit: keepCAA("")},
		{Name: "only a contact", Want: posture.Fail, Resource: goodtest.Zone, Edit: keepCAA("iodef")},
		{Name: "only a wildcard authority", Want: posture.Fail, Edit: goodtest.Edits(keepCAA("iodef"),
			goodtest.AddRecord(snapshot.DNSRecord{ID: "w", Name: goodtest.Domain, Type: "CAA", Content: `0 issuewild "ca.example"`}))},
		{Name: "no contact", Want: posture.Warning, Resource: goodtest.Zone, Edit: keepCAA("issue")},
		{Name: "a record below the apex does not count", Want: posture.Fail, Edit: goodtest.EditRecords(func(r *snapshot.DNSRecord) {
			if r.Type == "CAA" {
				r.Name = "www." + r.Name
			}
		})},
		{Name: "a partial zone without apex", Want: posture.NotApplicable, Edit: goodtest.Edits(
			goodtest.EditZone(func(z *snapshot.Zone) { z.Type = "partial" }),
			goodtest.EditRecords(func(r *snapshot.DNSRecord) {
				if r.Name == goodtest.Domain {
					r.Name = "www." + r.Name
				}
			}))},
	}
}

// keepCAA turns the CAA records of other tags into text.
func keepCAA(tag string) func(*snapshot.Builder) {
	return goodtest.EditRecords(func(r *snapshot.DNSRecord) {
		if r.Type == "CAA" && (tag == "" || caaTag(r.Content) != tag) {
			r.Type, r.Content = "TXT", "removed"
		}
	})
}

// caaTag reads the tag of flags, tag and value.
func caaTag(content string) string {
	f := strings.Fields(content)
	if len(f) < 2 {
		return ""
	}
	return strings.ToLower(f[1])
}

func evaluateCAA(v *check.View) check.Outcome {
	apex, issue, iodef := false, false, false
	for _, r := range check.Read(v, snapshot.ZoneDNSRecords) {
		if !exposure.Same(r.Name, v.Zone().Name) {
			continue
		}
		apex = true
		if r.Type == "CAA" {
			tag := caaTag(r.Content)
			issue, iodef = issue || tag == "issue", iodef || tag == "iodef"
		}
	}
	switch {
	case v.Zone().Partial() && !apex:
		return v.NotApplicable("the zone is partial and its apex lies elsewhere")
	case !issue:
		return v.Fail("No CAA record of "+v.Zone().Name+" names the authorities that may issue.", check.Evidence(snapshot.ZoneDNSRecords, "",
			"no CAA record with tag issue at the apex", "at least one"))
	case !iodef:
		return v.Warn("The CAA records of "+v.Zone().Name+" name no contact for refused requests.", check.Evidence(snapshot.ZoneDNSRecords, "",
			"no CAA record with tag iodef at the apex", "at least one"))
	}
	return v.Pass("CAA records name the authorities and a contact.")
}
