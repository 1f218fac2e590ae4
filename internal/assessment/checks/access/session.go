package access

import (
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// session judges how long a login lasts.
func session() check.Check {
	return check.Check{
		ID: "CFL-ZT-008", Title: "Access sessions end within a day",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "Access asks for a login again when a session ends. Until then a stolen cookie, a lost laptop and a " +
			"person who was dismissed keep their access.",
		Fix: "Set the session duration of the application to a working day or less.",
		Words: posture.Words{
			Problem: "Logins to {name} last too long",
			Impact: "Someone with a stolen session cookie or laptop keeps using the application for as long as the session " +
				"lasts.",
			Breaks:    "People have to sign in more often; long uploads and terminals end with the session.",
			Dashboard: inApplications + ` › {name} › Edit › Session Duration: choose 8 hours.`,
			Call:      appCall(`.session_duration = "8h"`, ""),
			Terraform: application(`session_duration = "8h"`)},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/",
			"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/"},
		Controls: check.Controls{
			check.Supports("cis 6.2", "A session that ends makes revoked access take effect within a day."),
			check.Supports("soc2 CC6.1", "An old session cannot be used for long."),
			check.Supports("nist PR.AA-03", "Users authenticate again at least daily."),
		},
		Aliases:  []string{"flareinspect:CFL-ZT-008"},
		Needs:    []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessOrg},
		Unless:   notInUse,
		Evaluate: evaluateSession,
	}
}

func sessionExamples() []goodtest.Example {
	long := func(d string) func(*snapshot.Builder) {
		return editApp(func(a *snapshot.AccessApp) { a.SessionDuration = d })
	}
	org := func(d string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessOrg, goodtest.Account, func(o *snapshot.AccessOrganization) { o.SessionDuration = d })
		}
	}
	policy := func(d string) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) { p.SessionDuration = d })
	}
	kind := func(t string) func(*snapshot.Builder) {
		return editApp(func(a *snapshot.AccessApp) { a.Type = t })
	}
	return []goodtest.Example{
		{Name: "8 hours", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a day in minutes", Want: posture.Pass, Edit: long("1440m")},
		{Name: "a day, written out", Want: posture.Pass, Edit: long("24h0m0s")},
		{Name: "a minute more than a day", Want: posture.Fail, Resource: goodtest.App, Edit: long("1441m")},
		{Name: "a login for each request", Want: posture.Pass, Edit: long("0s")},
		{Name: "exactly a day", Want: posture.Pass, Edit: long("24h")},
		{Name: "a month", Want: posture.Fail, Resource: goodtest.App, Edit: long("730h")},
		{Name: "an empty value inherits", Want: posture.Pass, Edit: long("")},
		{Name: "an empty value inherits a month", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(long(""), org("730h"))},
		{Name: "the policy is longer than the app", Want: posture.Fail, Resource: goodtest.App, Edit: policy("48h")},
		{Name: "the policy is shorter than the app", Want: posture.Pass, Edit: goodtest.Edits(long("730h"), policy("30m"))},
		{Name: "a long shell", Want: posture.Warning, Resource: goodtest.App, Edit: goodtest.Edits(long("18h"), kind("ssh"))},
		{Name: "nothing says how long", Want: posture.Unknown, Resource: goodtest.App, Edit: goodtest.Edits(long(""), org(""))},
		{Name: "a duration nobody can read", Want: posture.Unknown, Resource: goodtest.App, Edit: long("a while")},
		{Name: "a bookmark issues no session", Want: posture.NotApplicable, Edit: goodtest.Edits(long("730h"), kind("bookmark"))},
		{Name: "a bypass issues no session", Want: posture.NotApplicable, Edit: goodtest.Edits(long("730h"),
			editPolicy(func(p *snapshot.AccessPolicy) { p.Decision = "bypass" }))},
		{Name: "Access is not in use", Want: posture.NotApplicable,
			Edit: func(b *snapshot.Builder) { b.Mark(snapshot.AccessOrg.Source(), snapshot.Absent, "", "") }},
	}
}

func evaluateSession(v *check.View) check.Outcome {
	org, reusable := check.Read(v, snapshot.AccessOrg), exposure.IndexPolicies(check.Read(v, snapshot.AccessPolicies))
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		durations := sessions(a, org, reusable)
		if len(durations) == 0 {
			continue
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		limit, shell := time.Duration(v.Policy.SessionHours)*time.Hour, time.Duration(v.Policy.ShellSessionHours)*time.Hour
		high := slices.Contains([]string{"ssh", "vnc", "rdp", "infrastructure"}, a.Type)
		top, ok := longest(durations)
		own := a
		own.SessionDuration = "8h" // the value that the check's call sets
		left, _ := longest(sessions(own, org, reusable))
		lasts := check.Exceeding(top, limit)
		seen := check.Evidence(snapshot.AccessApps, "/"+a.ID+"/session_duration", lasts, check.Lasting(limit)+" or less")
		switch {
		case top > limit:
			j.Fail(r, "A login to the application "+a.Name+" lasts "+lasts+"; the limit is "+check.Lasting(limit)+".", seen)
			j.As(sessionWords(a, left > limit))
		case high && top > shell:
			lasts = check.Exceeding(top, shell)
			seen.Observed, seen.Expected = lasts, check.Lasting(shell)+" or less"
			j.Warn(r, "A login to the "+a.Type+" application "+a.Name+" lasts "+lasts+"; the limit is "+check.Lasting(shell)+".", seen)
			j.As(sessionWords(a, left > shell))
		case !ok:
			j.Unclear(r, "Cloudflare did not return a session duration this check can read")
		default:
			j.Pass()
		}
	}
	return j.Done("Every login ends within a day.", "no application issues sessions")
}

// sessionWords returns the words of the check, unless a policy of the application has a session
// duration of its own.
func sessionWords(a snapshot.AccessApp, byPolicy bool) posture.Words {
	if !byPolicy {
		return ofApp(a, posture.Words{})
	}
	return posture.Words{Problem: "A policy of {name} makes logins last too long", ByHand: true,
		Dashboard: inApplications + " › {name} › Policies: edit the policy and set its session duration to 8 hours."}
}

// sessions lists the effective durations of an application: that of the policy, otherwise of the
// application, otherwise of the organisation. Deny and bypass policies issue no session.
func sessions(a snapshot.AccessApp, org snapshot.AccessOrganization, reusable map[string]snapshot.AccessPolicy) []string {
	if a.Type == "bookmark" {
		return nil
	}
	inherited := a.SessionDuration
	if inherited == "" {
		inherited = org.SessionDuration
	}
	if len(a.Policies) == 0 {
		return []string{inherited}
	}
	var out []string
	for _, p := range exposure.Attached(a, reusable) {
		switch {
		case p.Decision == "deny" || p.Decision == "bypass":
		case p.SessionDuration != "":
			out = append(out, p.SessionDuration)
		default:
			out = append(out, inherited)
		}
	}
	return out
}

// longest parses durations and returns the longest; ok is false when one is invalid.
func longest(durations []string) (top time.Duration, ok bool) {
	ok = true
	for _, text := range durations {
		d, err := time.ParseDuration(text)
		if err != nil {
			ok = false
			continue
		}
		top = max(top, d)
	}
	return top, ok
}
