package logpush

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// working judges whether the jobs of account and zones deliver.
func working() check.Check {
	return check.Check{
		ID: "CFL-LOG-002", Title: "Log export works",
		Category: "logpush", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A Logpush job that stopped is noticed on the day the logs are needed.",
		Fix: "Repair the destination, then enable the job again and watch its first upload.",
		Words: posture.Words{
			Problem:   "Logpush jobs of this account do not deliver",
			Impact:    "An attack in the gap leaves no evidence, and an auditor finds days without logs.",
			Breaks:    "Nothing; requests from the gap are not sent again.",
			Dashboard: "Analytics & Logs › Logpush: open each failing job, read the last error and edit the destination.",
		},
		References: []string{"https://developers.cloudflare.com/logs/"},
		Controls: check.Controls{
			check.Supports("cis 8.9", "Logs do arrive in the central place."),
			check.Supports("soc2 CC7.2", "Watching goes on because logs are delivered."),
			check.Supports("pci 10.7.2", "A log delivery that failed is noticed."),
			check.Supports("nist DE.CM-01", "Monitoring does not go blind."),
		},
		Aliases:  []string{"union:failing-log-jobs"},
		Needs:    []snapshot.Named{snapshot.AccountLogpushJobs, snapshot.ZoneLogpushJobs, snapshot.ZoneList},
		Evaluate: evaluateWorking,
	}
}

func workingExamples() []goodtest.Example {
	sampled, stale, fresh, gone := job(1, "firewall_events"), job(1, "http_requests"), job(1, "http_requests"), job(1, "http_requests")
	sampled.SampleRate = 0.1
	stale.LastComplete = snapshot.At(goodtest.Now().Add(-25 * time.Hour))
	fresh.LastComplete = snapshot.Time{}
	gone.HasError = true
	other := sampled
	other.Dataset = "nel_reports"
	browser, warp, newer := sampled, sampled, sampled
	browser.Dataset, warp.Dataset, newer.Dataset = "biso_user_actions", "warp_toggle_changes", "a_dataset_to_come"
	return []goodtest.Example{
		{Name: "all deliver", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "one is failing", Want: posture.Fail, Resource: goodtest.Account, Edit: zoneJobs(failing(job(1, "http_requests")))},
		{Name: "disabled with an error", Want: posture.Fail, Edit: zoneJobs(disabled(gone))},
		{Name: "an error that was followed by success", Want: posture.Pass, Edit: zoneJobs(gone)},
		{Name: "disabled", Want: posture.Warning, Resource: goodtest.Account, Edit: zoneJobs(disabled(job(1, "http_requests")))},
		{Name: "a security dataset is sampled", Want: posture.Warning, Edit: zoneJobs(sampled)},
		{Name: "another dataset is sampled", Want: posture.Pass, Edit: zoneJobs(other)},
		{Name: "actions in isolated browsers are sampled", Want: posture.Warning, Edit: zoneJobs(browser)},
		{Name: "who turns WARP off is sampled", Want: posture.Warning, Edit: zoneJobs(warp)},
		{Name: "a dataset nobody knows is sampled", Want: posture.Warning, Edit: zoneJobs(newer)},
		{Name: "nothing for 25 hours", Want: posture.Warning, Edit: zoneJobs(stale)},
		{Name: "never ran", Want: posture.Unknown, Edit: zoneJobs(fresh)},
		{Name: "a zone whose plan lacks export hides nothing", Want: posture.Fail,
			Edit: goodtest.Edits(zoneJobs(failing(job(1, "http_requests"))), func(b *snapshot.Builder) {
				b.Zones = append(b.Zones, snapshot.Zone{ID: "z2", Name: "other.example", Plan: "free"})
				b.Set(snapshot.Section{Source: snapshot.ZoneLogpushJobs.Source(), Scope: "z2", Status: snapshot.NotEntitled})
			})},
		{Name: "no job", Want: posture.NotApplicable, Edit: goodtest.Edits(zoneJobs(), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountLogpushJobs, goodtest.Account, []snapshot.LogpushJob{})
		})},
	}
}

// operationalDatasets are the logs that an investigation does not need in full; all others it does.
func operationalDatasets() []string {
	return []string{"dex_application_tests", "dex_device_state_events", "ipsec_logs", "magic_bgp_logs", "mnm_flow_logs", "nel_reports",
		"turnstile_events", "websocket_analytics", "workers_trace_events", "zaraz_events"}
}

// report collects the problems of the jobs.
type report struct {
	jobs             int
	broken, doubtful []string
	brokenRows       []posture.Evidence
	doubtfulRows     []posture.Evidence
	unknown          []string
}

func evaluateWorking(v *check.View) check.Outcome {
	var r report
	for _, j := range check.Read(v, snapshot.AccountLogpushJobs) {
		r.judge(j, snapshot.AccountLogpushJobs, "the account", v.Now())
	}
	for _, z := range v.EveryZone() {
		for _, j := range check.ReadAt(v, snapshot.ZoneLogpushJobs, z.ID) {
			r.judge(j, snapshot.ZoneLogpushJobs, z.Name, v.Now())
		}
	}
	switch {
	case r.jobs == 0:
		return v.NotApplicable("no Logpush job exists")
	case len(r.broken) > 0:
		return v.Fail("Log export is broken: "+strings.Join(r.broken, "; ")+".", r.brokenRows...)
	case len(r.doubtful) > 0:
		return v.Warn("Log export is incomplete: "+strings.Join(r.doubtful, "; ")+".", r.doubtfulRows...).
			As(posture.Words{Problem: "Some Logpush jobs of this account may not deliver"})
	case len(r.unknown) > 0:
		return v.Unknown("these jobs never completed and show no error, so nobody knows whether they work: " + strings.Join(r.unknown, "; "))
	}
	return v.Pass("All %d Logpush jobs deliver.", r.jobs)
}

func (r *report) judge(j snapshot.LogpushJob, source snapshot.Named, owner string, now time.Time) {
	r.jobs++
	name := fmt.Sprintf("job %d (%s) of %s", j.ID, j.Dataset, owner)
	at := func(field string) string { return fmt.Sprintf("/%d/%s", j.ID, field) }
	broken := func(what string, e posture.Evidence) {
		r.broken, r.brokenRows = append(r.broken, name+" "+what), append(r.brokenRows, e)
	}
	doubtful := func(what string, e posture.Evidence) {
		r.doubtful, r.doubtfulRows = append(r.doubtful, name+" "+what), append(r.doubtfulRows, e)
	}
	sampled := j.Sampled() && !slices.Contains(operationalDatasets(), j.Dataset)
	switch {
	case j.Failing():
		broken("is failing", check.Evidence(source, at("last_error"), j.LastError.Format(time.RFC3339), "no error after last_complete"))
	case !j.Enabled && j.HasError:
		broken("was disabled with an error", check.Evidence(source, at("enabled"), "false, with an error", "true"))
	case !j.Enabled:
		doubtful("is disabled", check.Evidence(source, at("enabled"), "false", "true"))
	case sampled:
		doubtful("keeps a sample only", check.Evidence(source, at("sample_rate"), fmt.Sprint(j.SampleRate), "1"))
	case j.LastComplete.IsZero():
		r.unknown = append(r.unknown, name)
	case j.LastComplete.Before(now.Add(-24 * time.Hour)):
		doubtful("delivered nothing for a day", check.Evidence(source, at("last_complete"), j.LastComplete.Format(time.RFC3339),
			"within 24 hours"))
	}
}
