package developer

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// scriptLogs finds scripts that leave no trace.
func scriptLogs() check.Check {
	return check.Check{
		ID: "CFL-WORK-007", Title: "Scripts leave logs",
		Category: "workers", Severity: posture.Low, Resource: posture.ResourceWorker, Scope: check.PerWorker,
		Why: "A Worker without Workers Logs, Logpush or a Tail Worker leaves no trace of its requests and errors.",
		Fix: "Turn on Workers Logs, or enable Logpush for the Worker.",
		Words: posture.Words{
			Problem: "Worker {name} leaves no logs",
			Impact: "After an attack on the Worker nobody can tell what was requested, which error it caused and what it " +
				"sent.",
			Breaks:    "Nothing for visitors; stored log lines count towards the plan.",
			Dashboard: "Workers & Pages › {name} › Settings › Observability › Workers Logs: Enable.",
			Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/workers/scripts/{id}/script-settings",
				Body: `{"observability": {"enabled": true}}`},
			Terraform: `resource "cloudflare_worker" "worker" {
  account_id    = "{account_id}"
  name          = "{name}"
  observability = { enabled = true }
}`},
		References: []string{"https://developers.cloudflare.com/workers/", "https://developers.cloudflare.com/logs/"},
		Controls: check.Controls{
			check.Supports("cis 8.2", "Scripts produce records of what they did."),
			check.Supports("cis 8.5", "The records hold requests and errors, enough to begin an investigation."),
			check.Supports("soc2 CC7.2", "Errors and odd behaviour of scripts can be seen."),
			check.Supports("pci 10.2.1", "Logs are on for scripts, one component of many."),
			check.Supports("nist DE.CM-09", "The runtime of scripts leaves logs to monitor."),
		},
		Aliases: []string{"union:observability-off"},
		Needs:   []snapshot.Named{snapshot.Workers},
		Evaluate: func(v *check.View) check.Outcome {
			all := check.Read(v, snapshot.Workers)
			i := slices.IndexFunc(all, func(w snapshot.Worker) bool { return w.ID == v.Item() })
			if i < 0 {
				return v.Unknown("the Worker is missing from the list of Workers")
			}
			if w := all[i]; w.Observed || w.Logpush || w.Tails > 0 {
				return v.Pass("The Worker leaves logs.")
			}
			return v.Fail("The Worker "+v.Resource().Name+" has no Workers Logs, Logpush or Tail Worker.",
				check.Evidence(snapshot.Workers, "/"+v.Item(),
					"no observability, no Logpush, no tail", "one of them"))
		},
	}
}

func scriptLogsExamples() []goodtest.Example {
	script := func(w snapshot.Worker) func(*snapshot.Builder) {
		w.ID = goodtest.Worker
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.Workers, goodtest.Account, []snapshot.Worker{w}) }
	}
	return []goodtest.Example{
		{Name: "Logpush", Want: posture.Pass, Resource: goodtest.Worker, Edit: script(snapshot.Worker{Logpush: true})},
		{Name: "observability", Want: posture.Pass, Edit: script(snapshot.Worker{Observed: true})},
		{Name: "a tail", Want: posture.Pass, Edit: script(snapshot.Worker{Tails: 1})},
		{Name: "nothing", Want: posture.Fail, Resource: goodtest.Worker, Edit: script(snapshot.Worker{})},
		{Name: "no script", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.Workers, goodtest.Account,
				[]snapshot.Worker{})
		}},
	}
}
