package logpush

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// zoneExport judges whether requests and firewall events of a zone are exported.
func zoneExport() check.Check {
	return check.Check{
		ID: "CFL-LOG-001", Title: "Security logs of the zone are exported",
		Category: "logpush", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Plans: []string{"enterprise"},
		Why:   "The dashboard keeps requests and firewall events for days. An investigation needs them for months.",
		Fix:   "Create Logpush jobs for HTTP requests and firewall events of the zone, with a destination that you control.",
		Words: posture.Words{
			Problem:   "Security logs of {zone} are not exported",
			Impact:    "After an incident nobody can tell which requests came before it.",
			Breaks:    "Nothing for visitors; storage at the destination costs money.",
			Dashboard: "Analytics & Logs › Logpush › Create a Logpush job: HTTP requests, and Firewall events.",
		},
		References: []string{"https://developers.cloudflare.com/logs/"},
		Controls: check.Controls{
			check.Supports("cis 8.2", "Security events of the zone are gathered."),
			check.Shows("cis 8.9", "The zone's security logs arrive in the central place."),
			check.Supports("soc2 CC7.2", "Attacks on the zone can be watched by the organisation's tools."),
			check.Supports("pci 10.2.1", "Logs are on for the edge, one component of many."),
			check.Supports("pci 10.5.1", "What is exported can be kept for twelve months."),
			check.Shows("nist PR.PS-04", "The zone produces logs for monitoring."),
			check.Supports("nist DE.CM-01", "Traffic of the zone can be monitored."),
		},
		Aliases:  []string{"flareinspect:CFL-LOG-001"},
		Needs:    []snapshot.Named{snapshot.ZoneLogpushJobs, snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.ServedNeeds(),
		Evaluate: evaluateZoneExport,
	}
}

func zoneExportExamples() []goodtest.Example {
	requests, events := job(1, "http_requests"), job(2, "firewall_events")
	return []goodtest.Example{
		{Name: "both", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "none", Want: posture.Fail, Resource: goodtest.Zone, Edit: zoneJobs()},
		{Name: "disabled and failing jobs do not count", Want: posture.Fail, Edit: zoneJobs(disabled(requests), failing(events))},
		{Name: "only requests", Want: posture.Warning, Resource: goodtest.Zone, Edit: zoneJobs(requests)},
		{Name: "the events fail", Want: posture.Warning, Edit: zoneJobs(requests, failing(events))},
		{Name: "logs of names are no logs of requests", Want: posture.Warning, Edit: zoneJobs(job(1, "dns_logs"), events)},
		{Name: "a job that failed and works again", Want: posture.Pass, Edit: zoneJobs(requests, snapshot.LogpushJob{ID: 2,
			Dataset: "firewall_events", Enabled: true, HasError: true, LastError: snapshot.At(goodtest.Now().AddDate(0, 0, -2)),
			LastComplete: snapshot.At(goodtest.Now())})},
		{Name: "a second job works", Want: posture.Pass, Edit: zoneJobs(requests, failing(events), job(3, "firewall_events"))},
		{Name: "a filter leaves events out", Want: posture.Warning, Resource: goodtest.Zone, Edit: zoneJobs(requests, filtered(events))},
		{Name: "a filter beside a job for all", Want: posture.Pass, Edit: zoneJobs(requests, filtered(events), job(3, "firewall_events"))},
		{Name: "a filter, and the job for all is off", Want: posture.Warning,
			Edit: zoneJobs(requests, filtered(events), disabled(job(3, "firewall_events")))},
		{Name: "a hundredth of the requests", Want: posture.Warning, Edit: zoneJobs(sampled(requests), events)},
		{Name: "a hundredth of both", Want: posture.Warning, Edit: zoneJobs(sampled(requests), sampled(events))},
		{Name: "a sample beside a job for all", Want: posture.Pass, Edit: zoneJobs(requests, events, sampled(job(3, "firewall_events")))},
		{Name: "the zone is not active", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneJobs(),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
		{Name: "the zone is paused", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneJobs(),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Paused = true }))},
		{Name: "a smaller plan", Want: posture.NotApplicable,
			Edit: goodtest.Edits(zoneJobs(), goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "business" }))},
	}
}

func evaluateZoneExport(v *check.View) check.Outcome {
	var missing, part []string
	for _, d := range []string{"http_requests", "firewall_events"} {
		switch whole, any := exports(check.Read(v, snapshot.ZoneLogpushJobs), d); {
		case !any:
			missing = append(missing, d)
		case !whole:
			part = append(part, d)
		}
	}
	seen := check.Evidence(snapshot.ZoneLogpushJobs, "", "no working job for "+strings.Join(missing, " and "),
		"a working job for http_requests and one for firewall_events")
	switch len(missing) {
	case 0:
		if len(part) > 0 {
			return v.Warn("Every job that exports "+strings.Join(part, " and ")+" of "+v.Zone().Name+" leaves some out, by a filter or a sample.",
				check.Evidence(snapshot.ZoneLogpushJobs, "", "only jobs with a filter or a sample for "+strings.Join(part, " and "),
					"one that exports all"))
		}
		return v.Pass("Requests and firewall events are exported.")
	case 1:
		return v.Warn("No working job exports "+missing[0]+" of "+v.Zone().Name+".", seen)
	default:
		return v.Fail("No working job exports requests or firewall events of "+v.Zone().Name+".", seen)
	}
}
