package notification

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// whenUsed judges whether an alert type is subscribed when the account uses what it is about. used
// lists these items, by the id that the alert's filter takes; none is the reason when there are
// none.
func whenUsed(kind, what, filter, none string, used func(*check.View) []string) func(*check.View) check.Outcome {
	return func(v *check.View) check.Outcome {
		offered := false
		for _, t := range check.Read(v, snapshot.AlertAvailable) {
			offered = offered || t.Type == kind
		}
		items := used(v)
		switch {
		case len(items) == 0:
			return v.NotApplicable(none)
		case !offered:
			return v.NotApplicable("the account cannot subscribe to this alert")
		}
		enabled, fault := subscription{kind, what, filter, items}.judge(check.Read(v, snapshot.AlertPolicies))
		switch {
		case !enabled:
			return v.Fail("No policy raises an alert on "+what+".", check.Evidence(snapshot.AlertPolicies, "",
				"no enabled policy of type "+kind, "one with a destination"))
		case fault != "":
			return v.Warn("The alert policy on "+what+" "+fault+".", check.Evidence(snapshot.AlertPolicies, "",
				"policy of type "+kind+" "+fault, "a destination and no filter"))
		}
		return v.Pass("A policy raises an alert on %s.", what)
	}
}

// usedExamples returns the examples of such a check; unused removes what the alert is about.
func usedExamples(kind, filter string, unused func(*snapshot.Builder)) []goodtest.Example {
	only := func(change func(*snapshot.AlertPolicy)) func(*snapshot.Builder) {
		return editPolicies(func(p *snapshot.AlertPolicy) {
			if p.AlertType == kind {
				change(p)
			}
		})
	}
	gone := only(func(p *snapshot.AlertPolicy) { p.AlertType = somethingOther })
	out := []goodtest.Example{
		{Name: "subscribed", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "no policy of the type", Want: posture.Fail, Resource: goodtest.Account, Edit: gone},
		{Name: "the policy is disabled", Want: posture.Fail, Edit: only(func(p *snapshot.AlertPolicy) { p.Enabled = false })},
		{Name: "the policy has no destination", Want: posture.Warning, Resource: goodtest.Account,
			Edit: only(func(p *snapshot.AlertPolicy) { p.Emails, p.Webhooks, p.PagerDuty = 0, nil, 0 })},
		{Name: "nothing the alert is about", Want: posture.NotApplicable, Edit: goodtest.Edits(gone, unused)},
		{Name: "the account cannot subscribe", Want: posture.NotApplicable, Edit: goodtest.Edits(gone, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AlertAvailable, goodtest.Account, []snapshot.AlertType{{Type: somethingOther}})
		})},
		{Name: "the policies are not readable", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			b.Mark(snapshot.AlertPolicies.Source(), snapshot.Denied, "Notifications Read", "")
		}},
	}
	if filter != "" {
		out = append(out, goodtest.Example{Name: "the policy names another item", Want: posture.Warning,
			Edit: only(func(p *snapshot.AlertPolicy) { p.Filters = map[string][]string{filter: {"another"}} })})
	}
	return out
}

// exportStopped judges the alert on log exports that Cloudflare disabled.
func exportStopped() check.Check {
	return check.Check{
		ID: "CFL-ALERT-013", Title: "A log export that was disabled raises an alert",
		Category: "notifications", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Cloudflare disables a Logpush job whose destination keeps refusing uploads. Requests of the time without a job are " +
			"never sent again.",
		Fix: "Create a notification for failing Logpush jobs with a destination that somebody reads.",
		Words: notify("Failing Logpush Job Disabled", "Logpush job disabled", logpushStopped, posture.Words{
			Problem: "Disabled log exports raise no alert in this account",
			Impact:  "Logs stop unnoticed, and the next investigation finds the days that it needs missing.",
		}),
		References: []string{"https://developers.cloudflare.com/notifications/notification-available/"},
		Controls: check.Controls{
			check.Supports("soc2 CC7.3", "The end of a log export is brought to somebody who can repair it."),
			check.Supports("pci 10.7.2", "A log export that fails is announced."),
			check.Supports("nist DE.AE-06", "Those who watch the logs hear that they ended."),
		},
		Needs: []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable, snapshot.AccountLogpushJobs, snapshot.ZoneLogpushJobs,
			snapshot.ZoneList},
		Evaluate: whenUsed(logpushStopped, "log exports that were disabled", "", "the account exports no logs", enabledJobs),
	}
}

const logpushStopped = "failing_logpush_job_disabled_alert"

// enabledJobs names the datasets that the account and its zones export.
func enabledJobs(v *check.View) (out []string) {
	add := func(jobs []snapshot.LogpushJob) {
		for _, j := range jobs {
			if j.Enabled {
				out = append(out, j.Dataset)
			}
		}
	}
	add(check.Read(v, snapshot.AccountLogpushJobs))
	for _, z := range v.EveryZone() {
		add(check.ReadAt(v, snapshot.ZoneLogpushJobs, z.ID))
	}
	return out
}

func exportStoppedExamples() []goodtest.Example {
	none := func(change func(*snapshot.LogpushJob)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			for k, scope := range map[snapshot.Key[[]snapshot.LogpushJob]]string{snapshot.AccountLogpushJobs: goodtest.Account,
				snapshot.ZoneLogpushJobs: goodtest.Zone} {
				snapshot.Edit(b, k, scope, func(js *[]snapshot.LogpushJob) {
					for i := range *js {
						change(&(*js)[i])
					}
				})
			}
		}
	}
	return usedExamples(logpushStopped, "", none(func(j *snapshot.LogpushJob) { j.Enabled = false }))
}

func exportStoppedGood(b *snapshot.Builder) { goodAlert(b, logpushStopped) }

// goodAlert adds a subscribed alert to the good snapshot.
func goodAlert(b *snapshot.Builder, kind string) {
	snapshot.Edit(b, snapshot.AlertAvailable, goodtest.Account, func(ts *[]snapshot.AlertType) {
		*ts = append(*ts, snapshot.AlertType{Product: "Product", Type: kind, Name: kind})
	})
	snapshot.Edit(b, snapshot.AlertPolicies, goodtest.Account, func(ps *[]snapshot.AlertPolicy) {
		*ps = append(*ps, snapshot.AlertPolicy{ID: "p-" + kind, Name: kind, Enabled: true, AlertType: kind, Emails: 2,
			EmailKeys: []string{"k1", "k2"}, Webhooks: []string{"w1"}})
	})
}
