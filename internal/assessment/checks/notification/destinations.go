package notification

import (
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// destinations judges whether alerts are delivered.
func destinations() check.Check {
	return check.Check{
		ID: "CFL-ALERT-005", Title: "Alert destinations work",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A notification that goes to a dead webhook or a left mailbox is as good as none.",
		Fix: "Repair the destination, or replace it in every notification that uses it.",
		Words: posture.Words{
			Problem:   "Alert destinations of this account do not work",
			Impact:    "An attack or an outage is reported to nobody.",
			Breaks:    "Nothing; notifications change no traffic.",
			Dashboard: "Notifications › Destinations: test and repair each one.",
		},
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Alerts have a destination that works."),
			check.Supports("soc2 CC7.3", "Events can be assessed because the message arrives."),
			check.Supports("pci 10.7.2", "Alerts about failed controls do arrive."),
			check.Shows("nist DE.AE-06", "Information about events reaches the people and tools it was meant for."),
		},
		Aliases:  []string{"union:alert-policies-no-destination"},
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertWebhooks},
		Evaluate: evaluateDestinations,
	}
}

func destinationsExamples() []goodtest.Example {
	at := func(days int) snapshot.Time { return snapshot.At(goodtest.Now().AddDate(0, 0, days)) }
	times := func(success, failure snapshot.Time) func(*snapshot.Builder) {
		return editWebhook(func(w *snapshot.AlertWebhook) { w.LastSuccess, w.LastFailure = success, failure })
	}
	return []goodtest.Example{
		{Name: "all arrive", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a policy without destination", Want: posture.Fail, Resource: goodtest.Account, Edit: editPolicies(func(p *snapshot.AlertPolicy) {
			if p.AlertType == "dos_attack_l7" {
				p.Emails, p.EmailKeys, p.Webhooks = 0, nil, nil
			}
		})},
		{Name: "the webhook fails since yesterday", Want: posture.Fail, Edit: times(at(-9), at(-1))},
		{Name: "the webhook only ever failed", Want: posture.Fail, Edit: times(snapshot.Time{}, at(-1))},
		{Name: "the webhook was never used", Want: posture.Warning, Resource: goodtest.Account, Edit: times(snapshot.Time{}, snapshot.Time{})},
		{Name: "everything goes to one address", Want: posture.Warning, Edit: editPolicies(func(p *snapshot.AlertPolicy) {
			p.Emails, p.EmailKeys, p.Webhooks = 1, []string{"k1"}, nil
		})},
		{Name: "a failing webhook nobody uses", Want: posture.Pass, Edit: goodtest.Edits(times(at(-9), at(-1)),
			editPolicies(func(p *snapshot.AlertPolicy) { p.Webhooks = nil }))},
		{Name: "a webhook that is missing from the list", Want: posture.Unknown,
			Edit: editPolicies(func(p *snapshot.AlertPolicy) { p.Webhooks = []string{"w9"} })},
		{Name: "no policy", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AlertPolicies, goodtest.Account, []snapshot.AlertPolicy{})
		}},
		{Name: "no policy is enabled", Want: posture.NotApplicable, Edit: editPolicies(func(p *snapshot.AlertPolicy) { p.Enabled = false })},
	}
}

func evaluateDestinations(v *check.View) check.Outcome {
	hooks := map[string]snapshot.AlertWebhook{}
	for _, w := range check.Read(v, snapshot.AlertWebhooks) {
		hooks[w.ID] = w
	}
	var silent, broken, unused []string
	var wrong, doubts []posture.Evidence
	used, addresses := map[string]bool{}, map[string]bool{}
	enabled, elsewhere, missing := 0, false, false
	for _, p := range check.Read(v, snapshot.AlertPolicies) {
		if !p.Enabled {
			continue
		}
		enabled++
		if p.Mechanisms() == 0 {
			silent = append(silent, "the policy "+p.Name+" has no destination")
			wrong = append(wrong, check.Evidence(snapshot.AlertPolicies, "/"+p.ID+"/mechanisms", "none", "at least one"))
		}
		elsewhere = elsewhere || p.PagerDuty > 0 || len(p.Webhooks) > 0 || p.Emails > len(p.EmailKeys)
		for _, k := range p.EmailKeys {
			addresses[k] = true
		}
		for _, id := range p.Webhooks {
			w, ok := hooks[id]
			missing = missing || !ok
			if !ok || used[id] {
				continue
			}
			used[id] = true
			switch {
			case !w.LastFailure.IsZero() && w.LastFailure.After(w.LastSuccess.Time):
				broken = append(broken, "the webhook "+w.Name+" fails")
				wrong = append(wrong, check.Evidence(snapshot.AlertWebhooks, "/"+id+"/last_failure", w.LastFailure.Format(time.RFC3339),
					"before last_success"))
			case w.LastSuccess.IsZero():
				unused = append(unused, "the webhook "+w.Name+" never succeeded")
				doubts = append(doubts, check.Evidence(snapshot.AlertWebhooks, "/"+id+"/last_success", "none", "a date"))
			}
		}
	}
	if enabled > 0 && !elsewhere && len(addresses) == 1 {
		unused = append(unused, "all alerts go to one e-mail address")
		doubts = append(doubts, check.Evidence(snapshot.AlertPolicies, "/mechanisms", "one e-mail address", "a second destination"))
	}
	switch {
	case enabled == 0:
		return v.NotApplicable("no alert policy is enabled")
	case len(wrong) > 0:
		return v.Fail("Alerts get lost: "+strings.Join(append(silent, broken...), "; ")+".", wrong...)
	case len(unused) > 0:
		return v.Warn("Alerts may get lost: "+strings.Join(unused, "; ")+".", doubts...)
	case missing:
		return v.Unknown("an alert policy uses a webhook that Cloudflare did not return")
	}
	return v.Pass("Every enabled alert policy has a destination that works.")
}
