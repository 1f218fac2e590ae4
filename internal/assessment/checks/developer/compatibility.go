package developer

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// The age from which a script lacks runtime changes that fix security gaps.
const (
	yearsDoubtful = 2
	yearsBehind   = 4
)

// compatibility finds scripts that request the runtime behaviour of years ago.
func compatibility() check.Check {
	return check.Check{
		ID: "CFL-WORK-012", Title: "Workers run on a recent compatibility date",
		Category: "workers", Severity: posture.Low, Resource: posture.ResourceWorker, Scope: check.PerWorker,
		Why: "A Worker keeps the behaviour that the runtime had at its compatibility date. Later fixes, of how addresses, headers " +
			"and errors are handled among others, do not reach it.",
		Fix: "Read what changed since, set a recent compatibility_date in the Wrangler configuration, then test and deploy.",
		Words: posture.Words{
			Problem:   "Worker {name} runs on an old compatibility date",
			Impact:    "Faults of the runtime that were fixed since still work against the Worker, and nobody has maintained it for years.",
			Breaks:    "Code that relies on the old behaviour; the list of compatibility flags says what changed when.",
			Dashboard: "Workers & Pages › {name} › Settings › Runtime › Compatibility date: choose a recent day, then deploy.",
			Terraform: `resource "cloudflare_workers_script" "script" {
  account_id         = "{account_id}"
  script_name        = "{id}"
  main_module        = "index.js"
  content_file       = "index.js"
  content_sha256     = filesha256("index.js")
  compatibility_date = "2026-06-01"
}`},
		References: []string{"https://developers.cloudflare.com/workers/configuration/compatibility-dates/"},
		Controls: check.Controls{
			check.Touches("soc2 CC7.1", "An old date hints at code that is not maintained."),
			check.Touches("pci 6.3.3", "It says that fixes of the runtime are left out; patches of the code are not seen."),
			check.Supports("nist PR.PS-02", "Software is kept up to date with its platform."),
		},
		Needs:    []snapshot.Named{snapshot.Workers},
		Evaluate: evaluateCompatibility,
	}
}

func compatibilityGood(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.Workers, goodtest.Account, func(ws *[]snapshot.Worker) {
		for i := range *ws {
			(*ws)[i].Compatibility = goodtest.InDays(-90).Format(time.DateOnly)
		}
	})
}

func compatibilityExamples() []goodtest.Example {
	on := func(date string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.Workers, goodtest.Account, []snapshot.Worker{{ID: goodtest.Worker, Compatibility: date}})
		}
	}
	ago := func(years, days int) func(*snapshot.Builder) {
		return on(goodtest.Now().AddDate(-years, 0, -days).Format(time.DateOnly))
	}
	return []goodtest.Example{
		{Name: "of this year", Want: posture.Pass, Resource: goodtest.Worker},
		{Name: "of just under two years ago", Want: posture.Pass, Edit: ago(2, -2)},
		{Name: "of two years ago", Want: posture.Warning, Resource: goodtest.Worker, Edit: ago(2, 2)},
		{Name: "of four years ago", Want: posture.Fail, Resource: goodtest.Worker, Edit: ago(4, 2)},
		{Name: "not told", Want: posture.Unknown, Edit: on("")},
		{Name: "no date", Want: posture.Unknown, Edit: on("latest")},
		{Name: "no script", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.Workers, goodtest.Account, []snapshot.Worker{})
		}},
	}
}

func evaluateCompatibility(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.Workers)
	i := slices.IndexFunc(all, func(w snapshot.Worker) bool { return w.ID == v.Item() })
	if i < 0 {
		return v.Unknown("the Worker is missing from the list of Workers")
	}
	date, err := time.Parse(time.DateOnly, all[i].Compatibility)
	if err != nil {
		return v.Unknown("Cloudflare does not tell the compatibility date of the Worker")
	}
	row := check.Evidence(snapshot.Workers, "/"+v.Item()+"/compatibility_date", all[i].Compatibility, "less than 2 years ago")
	said := "The Worker " + v.Resource().Name + " runs as the runtime was on " + check.Day(date) + "."
	switch {
	case date.Before(v.Now().AddDate(-yearsBehind, 0, 0)):
		return v.Fail(said, row)
	case date.Before(v.Now().AddDate(-yearsDoubtful, 0, 0)):
		return v.Warn(said, row)
	}
	return v.Pass("The compatibility date of the Worker is recent.")
}
