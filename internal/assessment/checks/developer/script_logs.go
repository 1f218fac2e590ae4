package developer

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// scriptLogs finds scripts without logs. The Logpush switch of a script only includes its events in
// a job of the account, so without such a job nothing is exported
// (developers.cloudflare.com/workers/observability/logs/logpush/).
func scriptLogs() check.Check {
	return check.Check{
		ID: "CFL-WORK-007", Title: "Scripts leave logs",
		Category: "workers", Severity: posture.Low, Resource: posture.ResourceWorker, Scope: check.PerWorker,
		Why: "A Worker without Workers Logs, Logpush or a Tail Worker leaves no trace of its requests and errors.",
		Fix: "Turn on Workers Logs, or enable Logpush for the Worker beside a job of the account for Workers trace events.",
		Words: posture.Words{
			Problem: "Worker {name} leaves no logs",
			Impact: "After an attack on the Worker nobody can tell what was requested, which error it caused and what it " +
				"sent.",
			Breaks:    "Nothing for visitors; stored log lines count towards the plan.",
			Dashboard: "Workers & Pages › {name} › Settings › Observability › Workers Logs: Enable.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/workers/scripts/{id}/script-settings",
				Body: `{"observability": {"enabled": true, "logs": {"enabled": true, "invocation_logs": true}}}`},
			Terraform: `resource "cloudflare_worker" "worker" {
  account_id    = "{account_id}"
  name          = "{name}"
  observability = { enabled = true }
}`},
		References: []string{"https://developers.cloudflare.com/workers/observability/logs/"},
		Controls: check.Controls{
			check.Supports("cis 8.2", "Scripts produce records of what they did."),
			check.Supports("cis 8.5", "The records hold requests and errors, enough to begin an investigation."),
			check.Supports("soc2 CC7.2", "Errors and odd behaviour of scripts can be seen."),
			check.Supports("pci 10.2.1", "Logs are on for scripts, one component of many."),
			check.Supports("nist DE.CM-09", "The runtime of scripts leaves logs to monitor."),
		},
		Aliases: []string{"union:observability-off"},
		Needs:   []snapshot.Named{snapshot.Workers}, Optional: []snapshot.Named{snapshot.AccountLogpushJobs},
		Evaluate: evaluateScriptLogs,
	}
}

func evaluateScriptLogs(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.Workers)
	i := slices.IndexFunc(all, func(w snapshot.Worker) bool { return w.ID == v.Item() })
	if i < 0 {
		return v.Unknown("the Worker is missing from the list of Workers")
	}
	w := all[i]
	if w.Observed || w.Tails > 0 {
		return v.Pass("The Worker leaves logs.")
	}
	if !w.Logpush {
		return v.Fail("The Worker "+v.Resource().Name+" has no Workers Logs, Logpush or Tail Worker.",
			check.Evidence(snapshot.Workers, "/"+v.Item(), "no observability, no Logpush, no tail", "one of them"))
	}
	jobs, known := check.ReadOptional(v, snapshot.AccountLogpushJobs)
	if !known {
		return v.Unknown("the Worker leaves its log to Logpush; whether a job of the account exports it is not known")
	}
	exports := slices.DeleteFunc(slices.Clone(jobs), func(j snapshot.LogpushJob) bool { return !j.Exports(traceEvents) })
	switch {
	case slices.ContainsFunc(exports, func(j snapshot.LogpushJob) bool { return !j.Filtered }):
		return v.Pass("A Logpush job exports the log of the Worker.")
	case len(exports) > 0:
		return v.Unknown("every Logpush job of Workers trace events has a filter; whether it leaves this Worker out is not known")
	}
	return v.Fail("The Worker "+v.Resource().Name+" leaves its log to Logpush, and no working job exports Workers trace events.",
		check.Evidence(snapshot.AccountLogpushJobs, "", "no working job of the dataset "+traceEvents, "one"))
}

// traceEvents is the dataset of Workers trace events.
const traceEvents = "workers_trace_events"

func scriptLogsGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.Workers, goodtest.Account, func(ws *[]snapshot.Worker) {
		for i := range *ws {
			(*ws)[i].Observed = true
		}
	})
}

func scriptLogsExamples() []goodtest.Example {
	script := func(w snapshot.Worker) func(*snapshot.Builder) {
		w.ID = goodtest.Worker
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.Workers, goodtest.Account, []snapshot.Worker{w}) }
	}
	jobs := func(all ...snapshot.LogpushJob) func(*snapshot.Builder) {
		return goodtest.Edits(script(snapshot.Worker{Logpush: true}), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountLogpushJobs, goodtest.Account, all)
		})
	}
	job := snapshot.LogpushJob{ID: 1, Dataset: traceEvents, Enabled: true, LastComplete: goodtest.InDays(0), SampleRate: 1}
	disabled, failing, other, filtered := job, job, job, job
	filtered.Filtered = true
	disabled.Enabled, failing.LastError, other.Dataset = false, snapshot.At(goodtest.Now().AddDate(0, 0, 1)), "audit_logs"
	return []goodtest.Example{
		{Name: "Logpush", Want: posture.Pass, Resource: goodtest.Worker, Edit: jobs(job)},
		{Name: "Logpush without a job", Want: posture.Fail, Resource: goodtest.Worker, Edit: jobs()},
		{Name: "Logpush and a job of another dataset", Want: posture.Fail, Edit: jobs(other)},
		{Name: "Logpush and a job that is disabled", Want: posture.Fail, Edit: jobs(disabled)},
		{Name: "Logpush and a job that fails", Want: posture.Fail, Edit: jobs(failing)},
		{Name: "Logpush, one job that fails and one that works", Want: posture.Pass, Edit: jobs(failing, job)},
		{Name: "Logpush and a job with a filter", Want: posture.Unknown, Resource: goodtest.Worker, Edit: jobs(filtered)},
		{Name: "Logpush, one job with a filter and one without", Want: posture.Pass, Edit: jobs(filtered, job)},
		{Name: "a job, but not for this Worker", Want: posture.Fail, Edit: goodtest.Edits(jobs(job), script(snapshot.Worker{}))},
		{Name: "Logpush, and the jobs are not readable", Want: posture.Unknown, Edit: goodtest.Edits(jobs(),
			func(b *snapshot.Builder) {
				b.Mark(snapshot.AccountLogpushJobs.Source(), snapshot.Denied, "Account: Logs Read", "")
			})},
		{Name: "Workers Logs, and the jobs are not readable", Want: posture.Pass, Edit: goodtest.Edits(jobs(),
			script(snapshot.Worker{Observed: true, Logpush: true}), func(b *snapshot.Builder) {
				b.Mark(snapshot.AccountLogpushJobs.Source(), snapshot.Denied, "Account: Logs Read", "")
			})},
		{Name: "observability", Want: posture.Pass, Edit: script(snapshot.Worker{Observed: true})},
		{Name: "a tail", Want: posture.Pass, Edit: script(snapshot.Worker{Tails: 1})},
		{Name: "nothing", Want: posture.Fail, Resource: goodtest.Worker, Edit: script(snapshot.Worker{})},
		{Name: "no script", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.Workers, goodtest.Account,
				[]snapshot.Worker{})
		}},
	}
}
