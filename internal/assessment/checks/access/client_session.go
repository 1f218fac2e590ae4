package access

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// clientSession judges how long a login through the device client is valid for applications.
func clientSession() check.Check {
	return check.Check{
		ID: "CFL-ZT-033", Title: "The device client's sign-in to applications ends within a day",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "With authentication by the Cloudflare One Client, its session opens applications without another sign-in. Only the length of " +
			"that session says how often a person is asked.",
		Fix: "Set the session duration of the client to a working day, or let applications ask for a sign-in of their own.",
		Words: posture.Words{
			Problem:   "Device sessions of this account open applications for too long",
			Impact:    "Someone who takes over a running device, or malware on it, opens every such application until the session ends.",
			Breaks:    "People sign in again in the client as soon as the shorter session ends.",
			Dashboard: inSettings + " › Allow users to authenticate via the Cloudflare One Client: set the session duration to 8 hours.",
			Call:      orgCall(`.warp_auth_session_duration = "8h"`),
		},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/team-and-resources/devices/cloudflare-one-client/configure/client-sessions/"},
		Controls: check.Controls{
			check.Supports("soc2 CC6.1", "People are asked again who they are."),
			check.Touches("pci 8.2.8", "A session ends in time; idle time is not what it measures."),
			check.Supports("nist PR.AA-03", "Users authenticate anew within a day."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessApps},
		Unless:   notInUse,
		Evaluate: evaluateClientSession,
	}
}

func clientSessionGood(b *snapshot.Builder) {
	on := true
	editOrg(func(o *snapshot.AccessOrganization) { o.ByClient, o.ClientSession = &on, "8h" })(b)
}

func clientSessionExamples() []goodtest.Example {
	on, off := true, false
	lasts := func(d string) func(*snapshot.Builder) {
		return editOrg(func(o *snapshot.AccessOrganization) { o.ClientSession = d })
	}
	closed := editOrg(func(o *snapshot.AccessOrganization) { o.ByClient = &off })
	return []goodtest.Example{
		{Name: "a working day", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a day", Want: posture.Pass, Edit: lasts("24h")},
		{Name: "a week", Want: posture.Warning, Resource: goodtest.Account, Edit: lasts("168h")},
		{Name: "a month", Want: posture.Fail, Resource: goodtest.Account, Edit: lasts("720h0m0s")},
		{Name: "a month, for one application", Want: posture.Fail, Edit: goodtest.Edits(lasts("720h"), closed,
			editGoodApp(func(a *snapshot.AccessApp) { a.ByClient = &on }))},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: lasts("")},
		{Name: "a duration nobody can read", Want: posture.Unknown, Edit: lasts("a month")},
		{Name: "whether the client signs in is not told", Want: posture.Unknown, Edit: goodtest.Edits(lasts("720h"),
			editOrg(func(o *snapshot.AccessOrganization) { o.ByClient = nil }))},
		{Name: "no application takes it", Want: posture.NotApplicable, Edit: goodtest.Edits(lasts("720h"), closed)},
		{Name: "every application refuses it", Want: posture.NotApplicable, Edit: goodtest.Edits(lasts("720h"),
			editApp(func(a *snapshot.AccessApp) { a.ByClient = &off }))},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateClientSession(v *check.View) check.Outcome {
	org, opened, unreported := check.Read(v, snapshot.AccessOrg), 0, false
	for _, a := range check.Read(v, snapshot.AccessApps) {
		switch {
		case a.Type == "warp" || a.Type == "bookmark" || a.ByClient != nil && !*a.ByClient:
		case a.ByClient != nil || org.ByClient != nil && *org.ByClient:
			opened++
		case org.ByClient == nil:
			unreported = true
		}
	}
	d, err := time.ParseDuration(org.ClientSession)
	limit := time.Duration(v.Policy.SessionHours) * time.Hour
	seen := check.Evidence(snapshot.AccessOrg, "/warp_auth_session_duration", org.ClientSession, check.Lasting(limit)+" or less")
	switch {
	case opened == 0 && !unreported:
		return v.NotApplicable("no application takes the sign-in of the device client")
	case opened == 0:
		return v.Unknown("Cloudflare did not return whether applications take the sign-in of the device client")
	case err != nil:
		return v.Unknown("Cloudflare did not return how long the session of the device client lasts")
	case d > 7*24*time.Hour && d > limit:
		return v.Fail("The sign-in of the device client opens "+check.Count(opened, "application", "")+" for "+check.Lasting(d)+".", seen)
	case d > limit:
		return v.Warn("The sign-in of the device client opens "+check.Count(opened, "application", "")+" for "+check.Lasting(d)+".", seen).
			Rated(posture.Low)
	}
	return v.Pass("The sign-in of the device client lasts %s.", check.Lasting(d))
}
