package dns

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/mailauth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// wildcard finds records that answer for any name.
func wildcard() check.Check {
	return check.Check{
		ID: "CFL-DNS-003", Title: "No wildcard records",
		Category: "dns", Severity: posture.Medium, Resource: posture.ResourceDNSRecord, Scope: check.PerZone,
		Why: "A wildcard answers for names nobody created. Made-up names resolve and look genuine, and names that were " +
			"given up keep leading somewhere.",
		Fix: "Create records for the names in use, then delete the wildcard record.",
		Words: posture.Words{
			Problem:   "Wildcard {name} leads to a host that anyone can reach directly",
			Impact:    "Anyone can use any made-up name of the domain in a link, and it answers as if it were yours.",
			Breaks:    "Names that only the wildcard covers stop answering; create their records first.",
			Dashboard: "DNS › Records › {name} › Edit › Delete, once the names in use have records.",
			Call:      posture.Call{Method: "DELETE", Path: "/zones/{zone_id}/dns_records/{id}"},
		},
		References: []string{"https://developers.cloudflare.com/dns/manage-dns-records/reference/dns-record-types/"},
		Controls: check.Controls{
			check.Supports("cis 4.8", "Names that nobody needs do not answer."),
			check.Supports("soc2 CC6.6", "Forgotten names cannot be used against visitors."),
			check.Supports("pci 2.2.4", "Only names that are needed are served."),
			check.Supports("nist PR.PS-01", "The zone names what it serves, so the baseline can be compared."),
		},
		Aliases:  []string{"prowler:dns_record_no_wildcard", "flareinspect:CFL-DNS-003", "union:wildcard-to-saas"},
		Needs:    []snapshot.Named{snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: []snapshot.Named{snapshot.PagesProjects, snapshot.Tunnels},
		Unless:   check.NotPublic,
		Evaluate: evaluateWildcard,
	}
}

func wildcardExamples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "only names in use", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "of an internal zone", Want: posture.NotApplicable, Edit: goodtest.Edits(star("A", "45.60.10.9", false),
			goodtest.Type("internal"))},
		{Name: "a direct wildcard", Want: posture.Fail, Resource: "w1", Edit: star("A", "45.60.10.9", false)},
		{Name: "a wildcard into a zone that moved away", Want: posture.Fail, Resource: "w1", Edit: goodtest.Edits(
			star("CNAME", "www.moved.example", true), another("moved.example", "moved", "full"))},
		{Name: "a wildcard to another company", Want: posture.Fail, Resource: "w1", Edit: star("CNAME", "tenant.saas.example", true)},
		{Name: "a proxied wildcard inside the account", Want: posture.Warning, Resource: "w1", Edit: star("CNAME", "www.SHOP.example.", true)},
		{Name: "a wildcard to an own tunnel", Want: posture.Warning, Resource: "w1",
			Edit: star("CNAME", goodtest.Tunnel+".cfargotunnel.com", true)},
		{Name: "a wildcard to a tunnel of somebody else", Want: posture.Fail, Resource: "w1",
			Edit: star("CNAME", "11111111-2222-3333-4444-555555555555.cfargotunnel.com", true)},
		{Name: "a wildcard to a tunnel, and the tunnels are not readable", Want: posture.Unknown, Resource: "w1", Edit: goodtest.Edits(
			star("CNAME", "11111111-2222-3333-4444-555555555555.cfargotunnel.com", true), func(b *snapshot.Builder) {
				b.Mark(snapshot.Tunnels.Source(), snapshot.Denied, "Cloudflare Tunnel Read", "")
			})},
		{Name: "a name that only ends like a zone of the account", Want: posture.Fail, Resource: "w1", Edit: star("CNAME", "workshop.example",
			true)},
		{Name: "an SPF record for names that send no mail", Want: posture.Pass, Edit: star("TXT", `"v=spf1 -all"`, false)},
		{Name: "an SPF record that lets some send", Want: posture.Warning, Resource: "w1", Edit: star("TXT", `"v=spf1 ip4:45.60.10.9 -all"`,
			false)},
		{Name: "a null MX", Want: posture.Pass, Edit: star("MX", ".", false)},
		{Name: "an empty DKIM key", Want: posture.Pass, Edit: goodtest.AddRecord(snapshot.DNSRecord{ID: "w1",
			Name: "*._domainkey." + goodtest.Domain, Type: "TXT", Content: "v=DKIM1; p="})},
		{Name: "another text", Want: posture.Warning, Resource: "w1", Edit: star("TXT", "hello", false)},
		{Name: "a wildcard for mail", Want: posture.Warning, Resource: "w1", Edit: star("MX", "mail.mailhost.example", false)},
	}
}

func star(kind, content string, proxied bool) func(*snapshot.Builder) {
	return goodtest.AddRecord(snapshot.DNSRecord{ID: "w1", Name: "*." + goodtest.Domain, Type: kind, Content: content, Proxied: proxied})
}

func evaluateWildcard(v *check.View) check.Outcome {
	j := v.Judge()
	for _, r := range check.Public(v, v.Zone()) {
		if !strings.HasPrefix(r.Name, "*.") && r.Name != "*" {
			j.Pass()
			continue
		}
		res := v.InZone(posture.ResourceDNSRecord, r.ID, r.Name)
		seen := check.Evidence(snapshot.ZoneDNSRecords, "/"+r.ID+"/name", r.Name, "no wildcard")
		source, there, known := platform(v, canonical(r.Content))
		outside := !there && !inAccount(v, r.Content)
		web := r.Type == "A" || r.Type == "AAAA" || r.Type == "CNAME"
		switch {
		case refusesMail(r):
			j.Pass()
		case web && !r.Proxied:
			j.Fail(res, "The wildcard "+r.Type+" record "+r.Name+" is not proxied and "+answers(r)+".", seen,
				check.Evidence(snapshot.ZoneDNSRecords, "/"+r.ID+"/proxied", "false", "true"))
		case r.Type == "CNAME" && outside && source != nil && !known:
			j.Unread(res, source, v.Account().ID)
		case r.Type == "CNAME" && outside:
			j.Fail(res, "The wildcard CNAME record "+r.Name+" leads to "+r.Content+", which is in no zone of the account.", seen)
			j.As(posture.Words{Problem: "Wildcard {name} leads to a host outside the account",
				Impact: "Whoever runs that host, or gets its name later, can serve pages under any made-up name of the domain."})
		default:
			j.Warn(res, "The wildcard "+r.Type+" record "+r.Name+" answers for every name that has no record.", seen)
			w := posture.Words{Problem: "Wildcard {name} answers for every name"}
			if !web {
				w.Impact = "Names that nobody created answer with this record, so typing errors and forgotten hosts go unnoticed."
			}
			j.As(w)
		}
	}
	if j.Judged() == 0 {
		return v.Pass("The zone publishes no record, hence no wildcard.")
	}
	return j.Done("No record of the zone is a wildcard.", "")
}

// refusesMail reports whether a record says that no mail is sent or received under any name: an SPF
// record with only -all, an empty DKIM key, a null MX, a DMARC policy of reject (M3AAWG, protecting
// parked domains; RFC 7505).
func refusesMail(r snapshot.DNSRecord) bool {
	text := mailauth.Text(r.Content)
	switch {
	case r.Type == "MX":
		return strings.Trim(r.Content, " ") == "."
	case r.Type != "TXT":
		return false
	case mailauth.IsSPF(text):
		return strings.EqualFold(strings.Join(strings.Fields(text), " "), "v=spf1 -all")
	case mailauth.IsDMARC(text):
		return mailauth.ParseDMARC(text).Refuses()
	default:
		return strings.HasPrefix(r.Name, "*._domainkey") && mailauth.ParseKey(text).Revoked
	}
}

// inAccount reports whether a target is in a zone of the account that answers. It reads the whole zone
// list, because a run may judge only some of the zones.
func inAccount(v *check.View, target string) bool {
	target = canonical(target)
	for z := range check.OwnZones(v) {
		if name := canonical(z.Name); target == name || strings.HasSuffix(target, name) && target[len(target)-len(name)-1] == '.' {
			return true
		}
	}
	return false
}
