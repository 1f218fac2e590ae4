package export

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/compliance"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func reportNow() time.Time { return time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC) }

// reportListing gives findings the way the store does.
func reportListing(findings []posture.Finding) func(...posture.Result) iter.Seq2[posture.Finding, error] {
	return func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for _, f := range findings {
				if len(results) > 0 && !slices.Contains(results, f.Result) {
					continue
				}
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

// reportMade makes the finding of one check on the n-th resource.
func reportMade(check, title string, c posture.Category, s posture.Severity, r posture.Result, n int) posture.Finding {
	res := posture.Resource{Type: posture.ResourceDNSRecord, ID: fmt.Sprintf("%032x", n), Name: fmt.Sprintf("host-%d.shop.example", n),
		ZoneID: "z1", Zone: "shop.example"}
	return posture.Finding{
		ID: posture.FindingID("a1", check, res.Type, res.ID), CheckID: check, Title: title, Category: c, Severity: s, Result: r, Resource: res,
		Message: fmt.Sprintf("The record host-%d.shop.example gives away the address of an origin.", n),
		Evidence: []posture.Evidence{{Source: "zone/dns_records", Pointer: fmt.Sprintf("/%d/content", n), Observed: "203.0.113.7",
			Expected: "a proxied record"}},
		Why:      "Whoever knows the address can go around the edge, and with it around every rule there.",
		Fix:      "Proxy the record, or move the service to an address that nobody knows.",
		Controls: posture.Controls{CIS: []string{"12.2", "13.10"}, SOC2: []string{"CC6.6"}, PCI: []string{"1.4.1"}, NIST: []string{"PR.IR-01"}},
		NodeID:   "dns:z1:" + res.ID, FirstSeen: reportNow().Add(-72 * time.Hour), LastSeen: reportNow(), Status: posture.StatusOpen,
	}
}

func reportSmallFindings() []posture.Finding {
	path := reportMade("CFL-DNS-009", "No record reveals the origin of a proxied host", "dns", posture.Critical, posture.Fail, 1)
	path.AttackPathIDs, path.Status, path.Remediable = []string{"ap:exposed-origin:internet:dns:z1:1:origin:203.0.113.7"},
		posture.StatusReopened, true
	long := reportMade("CFL-DNS-009", "No record reveals the origin of a proxied host", "dns", posture.Critical, posture.Fail, 2)
	long.Resource.Name = "a-name-that-never-ends-" + fmt.Sprintf("%0180d", 7) + ".shop.example"
	long.Message = "The record " + long.Resource.Name + " gives away the address of an origin."
	odd := reportMade("CFL-DNS-004", "CAA limits who may issue certificates", "dns", posture.Medium, posture.Warning, 3)
	odd.Resource.Name, odd.Message = "\u202egnp.<script>alert(1)</script>", `The zone "><img src=x onerror=alert(1)> has no CAA record.`
	accepted := "behind a maintenance page until March"
	odd.Exception, odd.Evidence = &accepted, nil
	tls := reportMade("CFL-SSL-002", "The edge refuses TLS below 1.2", "ssl", posture.High, posture.Fail, 4)
	tls.Resource = posture.Resource{Type: posture.ResourceZone, ID: "z1", Name: "shop.example", ZoneID: "z1", Zone: "shop.example"}
	tls.Message, tls.Why, tls.Fix = "The edge accepts TLS 1.0.", "Old protocol versions allow downgrade and decryption attacks.",
		"Set the minimum to 1.2."
	tls.Evidence = []posture.Evidence{{Source: "zone/settings", Pointer: "/min_tls_version", Observed: "1.0", Expected: "1.2 or 1.3"},
		{Source: "zone/settings", Pointer: "/tls_1_3", Observed: "", Expected: "on"}}
	tls.Controls = posture.Controls{CIS: []string{"3.10"}, PCI: []string{"4.2.1"}}
	waf := reportMade("CFL-WAF-001", "The managed rules are on", "waf", posture.High, posture.Unknown, 5)
	waf.Message, waf.Evidence, waf.Reason, waf.Permission = "This could not be judged.", nil, "Cloudflare refused the read.",
		"Zone: Zone WAF: Read"
	low := reportMade("CFL-STX-001", "There is a security.txt", "securitytxt", posture.Low, posture.Warning, 6)
	low.Message = "There is no security.txt at shop.example."
	info := reportMade("CFL-CAC-003", "The cache does not keep what is private", "cache", posture.Informational, posture.Fail, 7)
	pass := reportMade("CFL-SSL-001", "Traffic to the origin is encrypted and its certificate checked", "ssl", posture.Critical,
		posture.Pass, 8)
	none := reportMade("CFL-TUN-001", "Every tunnel has an Access application", "tunnels", posture.High, posture.NotApplicable, 9)
	return []posture.Finding{path, long, tls, info, odd, low, waf, pass, none}
}

func reportSmallPaths() []posture.AttackPath {
	return []posture.AttackPath{{
		ID: "ap:exposed-origin:internet:dns:z1:1:origin:203.0.113.7", Kind: "exposed-origin",
		Title:    "The origin of shop.example can be reached without the edge",
		Severity: posture.Critical, HopCount: 2, EntryNodeID: "internet", TargetNodeID: "origin:203.0.113.7",
		Nodes: []string{"internet", "dns:z1:1", "origin:203.0.113.7", "account:a1"},
		Edges: []posture.PathEdge{{From: "internet", To: "dns:z1:1", Type: graph.InternetTo}, {From: "dns:z1:1", To: "origin:203.0.113.7",
			Type: graph.ResolvesTo},
			{From: "account:a1", To: "origin:203.0.113.7", Type: graph.BelongsTo}},
		Explanation: "host-1.shop.example resolves to 203.0.113.7, which also serves proxied hosts. Rules at the edge do not apply to " +
			"requests that go there directly.",
		RelatedCheckIDs: []string{"CFL-DNS-009", "CFL-NOT-RUN"}, FindingIDs: []string{reportSmallID(), "f-of-another-run"},
		Breaks: []posture.Break{{Change: "Proxy host-1.shop.example", NodeID: "dns:z1:1", CheckIDs: []string{"CFL-DNS-009"}, Remediable: true},
			{Change: "Let the origin accept Cloudflare's addresses only", NodeID: "origin:203.0.113.7"}},
	}}
}

func reportSmallID() string {
	return posture.FindingID("a1", "CFL-DNS-009", posture.ResourceDNSRecord, fmt.Sprintf("%032x", 1))
}

// reportTallies counts findings by check, as if each stood for one resource.
func reportTallies(findings []posture.Finding) []posture.CheckTally {
	var out []posture.CheckTally
	for _, f := range findings {
		i := slices.IndexFunc(out, func(c posture.CheckTally) bool { return c.CheckID == f.CheckID })
		if i < 0 {
			i, out = len(out), append(out, posture.CheckTally{CheckID: f.CheckID, Category: f.Category, Severity: f.Severity})
		}
		switch f.Result {
		case posture.Fail:
			out[i].Fail++
		case posture.Warning:
			out[i].Warning++
		case posture.Unknown:
			out[i].Unknown++
		case posture.Pass:
			out[i].Pass += 12
		default:
			out[i].NotApplicable++
		}
	}
	return out
}

func reportSmallCompliance() []compliance.Report {
	half, all, score := 0.5, 1.0, 75
	return []compliance.Report{
		{Framework: compliance.Framework{ID: "cis", Title: "CIS Critical Security Controls", Version: "8.1"}, Score: &score,
			Controls: []compliance.Control{
				{ID: "3.10", Title: "Encrypt sensitive traffic on the wire", Group: "3 Data protection", Status: compliance.Partial, PassRate: &half,
					CheckIDs: []string{"CFL-SSL-001", "CFL-SSL-002"}, FindingIDs: []string{"x"},
					Checks: []compliance.Reason{{CheckID: "CFL-SSL-001", Strength: posture.Shows, Reason: "Traffic to the origin is encrypted."},
						{CheckID: "CFL-SSL-002", Strength: posture.Supports, Reason: "Old protocols are refused <b>."}}},
				{ID: "3.11", Title: "Encrypt sensitive data where it is stored", Group: "3 Data protection", Status: compliance.NotAssessed,
					CheckIDs: []string{"CFL-NOT-RUN"},
					Checks:   []compliance.Reason{{CheckID: "CFL-NOT-RUN", Strength: posture.Touches, Reason: "It is about something else."}}},
				{ID: "12.2", Title: "Keep the network design secure", Group: "12 Network", Status: compliance.Pass, PassRate: &all,
					CheckIDs: []string{"CFL-SSL-001"}},
				{ID: "13.10", Title: "Filter at the application layer", Group: "13 Monitoring", Status: compliance.Fail,
					CheckIDs: []string{"CFL-DNS-009"}, FindingIDs: []string{"x", "y"}},
				{ID: "13.11", Title: "Tune alerts", Group: "13 Monitoring", Status: compliance.NotApplicable},
			}, Totals: compliance.Totals{Controls: 5, Pass: 1, Partial: 1, Fail: 1, NotAssessed: 1, NotApplicable: 1}},
		{Framework: compliance.Framework{ID: "soc2", Title: "SOC 2 Trust Services Criteria", Version: "2017"},
			Controls: []compliance.Control{{ID: "CC6.6", Title: "Guard the boundary", Group: "CC6", Status: compliance.NotAssessed}},
			Totals:   compliance.Totals{Controls: 1, NotAssessed: 1}},
	}
}

// reportDocument is a whole document around findings.
func reportSummary(findings []posture.Finding) posture.Summary {
	s := posture.Summary{Total: len(findings), BySeverity: map[posture.Severity]int{}}
	for _, v := range posture.Severities() {
		s.BySeverity[v] = 0
	}
	for _, f := range findings {
		s.Count(f.Result, f.Severity)
	}
	return s
}

func reportDocument(findings []posture.Finding) Document {
	grade, days, expires := "D", 12, reportNow().Add(12*24*time.Hour)
	return Document{
		Version: "1.4.0",
		Assessment: posture.AssessmentSummary{
			ID: "0192f7a0-7d10-7c3e-9a53-0c1f5f1b2a01", Account: posture.AccountRef{ID: "023e105f4ecef8ad9ca31a8372d0c353", Name: "Example Shop"},
			Status: posture.CompletedWithGaps, StartedAt: reportNow().Add(-95 * time.Second), CompletedAt: reportNow(), DurationMS: 95_000,
			Demo:    true,
			Profile: posture.ProfileFull, Sensitivity: posture.SensitivityHigh, Note: "before the change of the firewall",
			TokenInfo:        posture.TokenInfo{Kind: "account", Status: "active", DaysLeft: &days, ExpiresOn: &expires},
			CatalogueVersion: "2026.11.2", SnapshotDigest: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
			Zones: []posture.ZoneRef{{ID: "z1", Name: "shop.example", Plan: "enterprise", Status: "active"},
				{ID: "z2", Name: "static.example", Plan: "free", Status: "paused"}, {ID: "z3", Name: "müller.example", Plan: "free",
					Status: "active"}},
			Requests: 412,
			Score: posture.Score{Mark: posture.Mark{Value: 74, Grade: &grade, Held: "held at D by 2 findings"},
				ByCategory: map[posture.Category]posture.CategoryScore{"dns": {Value: 40, Pass: 3, Fail: 3}, "ssl": {Value: 62, Pass: 12, Fail: 1}}},
			Coverage: posture.Coverage{Percent: 93.49, Evaluated: 196, Unknown: 14, MissingPermissions: []posture.MissingPermission{
				{Permission: "Zone: Zone WAF: Read", CheckIDs: []string{"CFL-WAF-001", "CFL-WAF-002"}},
				{Permission: "Account: Access: Audit Logs: Read", CheckIDs: []string{"CFL-ACC-004"}}}},
			Summary: reportSummary(findings), AttackPaths: 1,
		},
		Checks: reportTallies(findings), Paths: Listed(reportSmallPaths()), Compliance: reportSmallCompliance(),
		Findings: reportListing(findings),
		Graph: graph.Graph{Nodes: []graph.Node{{ID: "internet", Type: graph.Internet, Label: "Internet"},
			{ID: "dns:z1:1", Type: graph.DNSRecord, Label: "host-1.shop.example"}, {ID: "origin:203.0.113.7", Type: graph.Origin,
				Label: "203.0.113.7"}}},
	}
}
