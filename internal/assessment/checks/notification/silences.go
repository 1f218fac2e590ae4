package notification

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
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
	parted := func(parts ...[2]int) func(*snapshot.Builder) {
		var all []snapshot.AlertSilence
		for i, p := range parts {
			all = append(all, snapshot.AlertSilence{ID: "s" + strconv.Itoa(i), PolicyID: "p-dos_attack_l7", StartTime: goodtest.InDays(p[0]),
				EndTime: goodtest.InDays(p[1])})
		}
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.AlertSilences, goodtest.Account, all) }
	}
	const day = 24 * time.Hour
	return []goodtest.Example{
		{Name: "ends tomorrow", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "exactly 72 hours", Want: posture.Pass, Edit: silence(-day, 72*time.Hour)},
		{Name: "73 hours", Want: posture.Warning, Resource: goodtest.Account, Edit: silence(-day, 73*time.Hour)},
		{Name: "exactly 30 days", Want: posture.Warning, Edit: silence(-day, 30*day)},
		{Name: "31 days", Want: posture.Fail, Resource: goodtest.Account, Edit: silence(-day, 31*day)},
		{Name: "no end", Want: posture.Fail, Edit: silence(-day, 0)},
		{Name: "31 days in two parts", Want: posture.Fail, Resource: goodtest.Account, Edit: parted([2]int{-1, 2}, [2]int{2, 31})},
		{Name: "four days in parts that overlap, in another order", Want: posture.Warning, Resource: goodtest.Account,
			Edit: parted([2]int{1, 4}, [2]int{-1, 2})},
		{Name: "two parts with a gap", Want: posture.Pass, Edit: parted([2]int{-1, 2}, [2]int{3, 60})},
		{Name: "no end, of a policy without a name", Want: posture.Fail, Edit: goodtest.Edits(silence(-day, 0),
			editPolicies(func(p *snapshot.AlertPolicy) { p.Name = "" }))},
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
	for id := range names {
		last := lastOf(all, id, v.Now())
		if last == nil || !last.EndTime.IsZero() && !last.EndTime.After(warn) {
			continue
		}
		if longest == nil || outlasts(*last, *longest) {
			longest = last
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

// lastOf returns the silence of a policy that ends last among those in force and those that follow
// without a gap, or nil when none is in force.
func lastOf(all []snapshot.AlertSilence, policy string, now time.Time) *snapshot.AlertSilence {
	reach, last := now, (*snapshot.AlertSilence)(nil)
	for longer := true; longer && (last == nil || !last.EndTime.IsZero()); {
		longer = false
		for i, s := range all {
			if s.PolicyID == policy && !s.StartTime.After(reach) && (s.EndTime.IsZero() || s.EndTime.After(reach)) {
				reach, last, longer = s.EndTime.Time, &all[i], true
				if s.EndTime.IsZero() {
					break
				}
			}
		}
	}
	return last
}

// outlasts orders silences by their end, and those of one end by policy and id.
func outlasts(a, b snapshot.AlertSilence) bool {
	if !a.EndTime.Equal(b.EndTime.Time) {
		return a.EndTime.IsZero() || !b.EndTime.IsZero() && a.EndTime.After(b.EndTime.Time)
	}
	return cmp.Or(cmp.Compare(a.PolicyID, b.PolicyID), cmp.Compare(a.ID, b.ID)) < 0
}

// proposeEnd ends every silence that makes a policy silent for too long. Undo sets it again with its own times;
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
	var typed []snapshot.AlertSilence
	for _, s := range all {
		typed = append(typed, snapshot.AlertSilence{ID: propose.Text(s, "id"), PolicyID: propose.Text(s, "policy_id"),
			StartTime: propose.Moment(s, "start_time"), EndTime: propose.Moment(s, "end_time")})
	}
	var out []change.Edit
	for i, s := range all {
		long := func(s snapshot.AlertSilence) bool { return s.EndTime.IsZero() || s.EndTime.After(limit) }
		// What begins later than the limit adds to no silence once the others end in time.
		last := lastOf(typed, typed[i].PolicyID, c.Now)
		if last == nil || !long(*last) || !long(typed[i]) || typed[i].StartTime.After(limit) {
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
