package notification

import (
	"fmt"
	"net/url"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// silences judges how long alerts are muted.
func silences() check.Check {
	return check.Check{
		ID: "CFL-ALERT-011", Title: "No alert is silenced for long",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A silence that was set for maintenance also hides what happens after it.",
		Fix: "End the silence, or give it an end within a week.",
		Words: posture.Words{
			Problem:   "Alerts of this account are silenced",
			Impact:    "The next attack or outage raises no alert.",
			Breaks:    "People get the notifications again.",
			Dashboard: "Notifications › Silences › the silence › Delete.",
		},
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Alerts are not silenced for long."),
			check.Supports("soc2 CC7.3", "Events stay visible to those who assess them."),
			check.Supports("pci 10.7.2", "The alerting itself is not switched off unnoticed."),
			check.Supports("nist DE.AE-06", "Information about events goes on reaching people."),
		},
		Remedy: &propose.Remedy{Operation: "DELETE /accounts/{account_id}/alerting/v3/silences/{silence_id}", Risk: "low", Reversible: true,
			Body:    "none",
			Inverse: "POST /accounts/{account_id}/alerting/v3/silences with the captured policy and times",
			Caution: "Ask the person who set it.",
			Propose: proposeEnd},
		Needs:    []snapshot.Named{snapshot.AlertSilences, snapshot.AlertPolicies},
		Unless:   check.Empty(snapshot.AlertSilences, "no alert is silenced"),
		Evaluate: evaluateSilences,
	}
}

func silencesExamples() []goodtest.Example {
	silence := func(start, end time.Duration) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			s := snapshot.AlertSilence{ID: "s1", PolicyID: "p-dos_attack_l7", StartTime: snapshot.At(goodtest.Now().Add(start))}
			if end != 0 {
				s.EndTime = snapshot.At(goodtest.Now().Add(end))
			}
			snapshot.Put(b, snapshot.AlertSilences, goodtest.Account, []snapshot.AlertSilence{s})
		}
	}
	const day = 24 * time.Hour
	return []goodtest.Example{
		{Name: "ends tomorrow", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "exactly 72 hours", Want: posture.Pass, Edit: silence(-day, 72*time.Hour)},
		{Name: "73 hours", Want: posture.Warning, Resource: goodtest.Account, Edit: silence(-day, 73*time.Hour)},
		{Name: "exactly 30 days", Want: posture.Warning, Edit: silence(-day, 30*day)},
		{Name: "31 days", Want: posture.Fail, Resource: goodtest.Account, Edit: silence(-day, 31*day)},
		{Name: "no end", Want: posture.Fail, Edit: silence(-day, 0)},
		{Name: "over", Want: posture.Pass, Edit: silence(-400*day, -day)},
		{Name: "not begun", Want: posture.Pass, Edit: silence(day, 90*day)},
		{Name: "no end, of a policy that is off", Want: posture.Pass, Edit: goodtest.Edits(silence(-day, 0),
			editPolicies(func(p *snapshot.AlertPolicy) { p.Enabled = p.AlertType != "dos_attack_l7" }))},
		{Name: "no end, of a policy that is gone", Want: posture.Pass, Edit: goodtest.Edits(silence(-day, 0),
			editPolicies(func(p *snapshot.AlertPolicy) { p.ID = "new-" + p.ID }))},
		{Name: "no silence", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AlertSilences, goodtest.Account, []snapshot.AlertSilence{})
		}},
	}
}

func evaluateSilences(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.AlertSilences)
	names := map[string]string{}
	for _, p := range check.Read(v, snapshot.AlertPolicies) {
		if p.Enabled {
			names[p.ID] = p.Name
		}
	}
	warn, fail := v.Now().Add(time.Duration(v.Policy.SilenceWarnHours)*time.Hour), v.Now().AddDate(0, 0, v.Policy.SilenceFailDays)
	var longest *snapshot.AlertSilence
	for i, s := range all {
		inForce := !s.StartTime.After(v.Now()) && (s.EndTime.IsZero() || s.EndTime.After(v.Now()))
		if !inForce || names[s.PolicyID] == "" || !s.EndTime.IsZero() && !s.EndTime.After(warn) {
			continue
		}
		if longest == nil || s.EndTime.IsZero() || !longest.EndTime.IsZero() && s.EndTime.After(longest.EndTime.Time) {
			longest = &all[i]
		}
	}
	if longest == nil {
		return v.Pass("No silence in force lasts more than %d hours.", v.Policy.SilenceWarnHours)
	}
	name, until := names[longest.PolicyID], "until further notice"
	if !longest.EndTime.IsZero() {
		until = "until " + check.Day(longest.EndTime)
	}
	message := "The alert " + name + " is silenced " + until + "."
	seen := check.Evidence(snapshot.AlertSilences, "/"+longest.ID+"/end_time", until,
		fmt.Sprintf("within %d hours", v.Policy.SilenceWarnHours))
	if longest.EndTime.IsZero() || longest.EndTime.After(fail) {
		return v.Fail(message, seen)
	}
	return v.Warn(message, seen)
}

// proposeEnd ends every active silence that lasts too long. Undo sets it again with its own times;
// the API takes a list and returns no id.
func proposeEnd(c *propose.Case) ([]change.Edit, error) {
	collection := c.Path("/accounts/{account_id}/alerting/v3/silences")
	all, err := c.List(collection)
	if err != nil {
		return nil, err
	}
	policies, err := c.List(c.Path(policiesPath))
	if err != nil {
		return nil, err
	}
	limit := c.Now.Add(time.Duration(c.Policy.SilenceWarnHours) * time.Hour)
	var out []change.Edit
	for _, s := range all {
		start, end := propose.Moment(s, "start_time"), propose.Moment(s, "end_time")
		if start.After(c.Now) || !end.IsZero() && !end.After(limit) {
			continue
		}
		members := map[string]any{"policy_id": s["policy_id"], "start_time": s["start_time"], "end_time": s["end_time"]}
		place := change.Place{Path: collection, Match: map[string]any{"id": s["id"]}}
		e := propose.Delete(place, change.Place{Path: collection, Match: members}, collection+"/"+url.PathEscape(propose.Text(s, "id")),
			collection, s, members)
		e.Undo.Body = change.Encode([]any{members})
		e.Label = propose.Text(s, "policy_id")
		for _, p := range policies {
			if p["id"] == s["policy_id"] {
				e.Label = propose.Text(p, "name")
			}
		}
		out = append(out, e)
	}
	return out, nil
}
