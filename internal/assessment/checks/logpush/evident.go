package logpush

import (
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// evident judges whether exported records show who requested what and what was done. A second job
// with the fields that one lacks compensates for it.
func evident() check.Check {
	return check.Check{
		ID: "CFL-LOG-007", Title: "Exported security logs say who did what",
		Category: "logpush", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Edge: true,
		Plans: []string{"enterprise"},
		Why: "A Logpush job exports only the fields that it names. A record without address, time, path or action proves nothing " +
			"afterwards, and fields cannot be added to the past.",
		Fix: "Add the missing fields to the Logpush job; the destination takes new columns.",
		Words: posture.Words{
			Problem:   "Exported logs of {zone} lack fields that an investigation needs",
			Impact:    "After an incident the records cannot be joined to a client, a request or a rule, so its extent stays open.",
			Breaks:    "Nothing for visitors; records get longer, and a parser at the destination that expects fixed columns needs them too.",
			Dashboard: "Analytics & Logs › Logpush › the job › Edit › Send the following fields.",
		},
		References: []string{"https://developers.cloudflare.com/logs/logpush/logpush-job/datasets/"},
		Controls: check.Controls{
			check.Supports("cis 8.5", "Records hold source, time and what was done."),
			check.Supports("soc2 CC7.2", "What is exported can be analysed."),
			check.Supports("pci 10.2.1", "Records hold the details that an audit log needs."),
			check.Supports("nist PR.PS-04", "The logs are of use for monitoring."),
		},
		Needs:    []snapshot.Named{snapshot.ZoneLogpushJobs},
		Evaluate: evaluateEvident,
	}
}

func evaluateEvident(v *check.View) check.Outcome {
	var lacking check.Found
	var odd []string
	judged := 0
	for _, dataset := range []string{"http_requests", "firewall_events"} {
		var fields []string
		there, reported, silent := false, false, false
		for _, j := range check.Read(v, snapshot.ZoneLogpushJobs) {
			if j.Dataset == dataset && j.Enabled {
				there, reported, silent = true, reported || j.FieldsTold, silent || !j.FieldsTold
				fields = append(fields, j.Fields...)
			}
		}
		switch {
		case !there:
			continue // judged by CFL-LOG-001
		case !reported:
			odd = append(odd, dataset)
			continue
		}
		judged++
		var missing []string
		wanted := snapshot.EvidentFields(dataset)
		for _, f := range slices.Sorted(maps.Keys(wanted)) {
			if !slices.ContainsFunc(fields, func(got string) bool { return got == f || slices.Contains(wanted[f], got) }) {
				missing = append(missing, f)
			}
		}
		if len(missing) > 0 && silent { // a job that does not tell its fields may have them
			odd = append(odd, dataset)
		} else if len(missing) > 0 {
			without := dataset + " without " + strings.Join(missing, ", ")
			lacking.Add(without, check.Evidence(snapshot.ZoneLogpushJobs, "", without, "these fields"))
		}
	}
	switch {
	case len(lacking.Names) > 0:
		return v.Fail("Logs of "+v.Zone().Name+" are exported without fields that an investigation needs: "+strings.Join(lacking.Names, "; ")+".",
			lacking.Rows...)
	case len(odd) > 0:
		return v.Unknown("Cloudflare did not name the fields that are exported of " + strings.Join(odd, " and "))
	case judged == 0:
		return v.NotApplicable("neither requests nor firewall events of the zone are exported")
	}
	return v.Pass("What is exported says who did what.")
}

func evidentExamples() []goodtest.Example {
	with := func(id int, dataset string, without ...string) snapshot.LogpushJob {
		j := job(id, dataset)
		j.FieldsTold = true
		for _, f := range slices.Sorted(maps.Keys(snapshot.EvidentFields(dataset))) {
			if !slices.Contains(without, f) {
				j.Fields = append(j.Fields, f)
			}
		}
		return j
	}
	path := with(1, "http_requests", "ClientRequestURI", "EdgeStartTimestamp")
	path.Fields = append(path.Fields, "ClientRequestPath", "EdgeEndTimestamp")
	none := with(1, "http_requests")
	none.Fields = nil
	return []goodtest.Example{
		{Name: "all fields", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "the path instead of the address, the end instead of the start", Want: posture.Pass, Edit: zoneJobs(path)},
		{Name: "no address of the client", Want: posture.Fail, Resource: goodtest.Zone, Edit: zoneJobs(with(1, "http_requests", "ClientIP"))},
		{Name: "no rule and no action", Want: posture.Fail, Edit: zoneJobs(with(1, "http_requests"),
			with(2, "firewall_events", "Action", "RuleID"))},
		{Name: "none of them", Want: posture.Fail, Edit: zoneJobs(none)},
		{Name: "a second job has what the first lacks", Want: posture.Pass, Edit: zoneJobs(with(1, "http_requests", "ClientIP"),
			with(2, "http_requests", "ClientRequestHost"))},
		{Name: "the second job is off", Want: posture.Fail, Edit: zoneJobs(with(1, "http_requests", "ClientIP"),
			disabled(with(2, "http_requests")))},
		{Name: "the fields are not told", Want: posture.Unknown, Edit: zoneJobs(job(1, "http_requests"))},
		{Name: "a second job does not tell its fields", Want: posture.Unknown, Edit: zoneJobs(with(1, "http_requests", "ClientIP"),
			job(2, "http_requests"))},
		{Name: "all fields, and a second job that does not tell its own", Want: posture.Pass, Edit: zoneJobs(with(1, "http_requests"),
			job(2, "http_requests"))},
		{Name: "no address of the client, and the zone has no requests", Want: posture.NotApplicable,
			Edit: goodtest.Edits(zoneJobs(with(1, "http_requests", "ClientIP")), goodtest.Status("pending"))},
		{Name: "other datasets", Want: posture.NotApplicable, Edit: zoneJobs(job(1, "nel_reports"))},
		{Name: "a smaller plan", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) { z.Plan = "business" })},
	}
}

func evidentGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.ZoneLogpushJobs, goodtest.Zone, func(js *[]snapshot.LogpushJob) {
		for i := range *js {
			(*js)[i].FieldsTold = true
			(*js)[i].Fields = slices.Sorted(maps.Keys(snapshot.EvidentFields((*js)[i].Dataset)))
		}
	})
}
