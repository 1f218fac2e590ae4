package access

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// idle judges what happens to unused service tokens.
func idle() check.Check {
	return check.Check{
		ID: "CFL-ZT-032", Title: "Service tokens that nobody uses are switched off",
		Category: "access", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A service token that no automation sends any more still passes every policy that takes any token. Access can disable or " +
			"delete tokens after 30 to 365 days without use.",
		Fix: "Turn on the cleanup of inactive service tokens, with disabling as the action and 90 days as the period.",
		Words: posture.Words{
			Problem:   "Unused service tokens of this account stay valid",
			Impact:    "Someone who finds a forgotten token in an old script or backup uses it until its own end.",
			Breaks:    "Automation that runs less often than the period, and that no policy names, has to be enabled again.",
			Dashboard: inSettings + " › Manage service tokens › Automatically clean up inactive service tokens: On, action Disable.",
			Call: orgCall(`.service_token_inactivity = {enabled: true, inactivity_threshold_days: 90, ` +
				`action: "disable"}`),
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/service-credentials/service-tokens/" +
			"#manage-inactive-service-tokens"},
		Controls: check.Controls{
			check.Supports("cis 5.3", "Accounts of machines that nobody uses are disabled."),
			check.Supports("soc2 CC6.3", "Access that is no longer needed ends by itself."),
			check.Supports("pci 8.2.6", "Inactive accounts of machines are disabled within 90 days."),
			check.Supports("nist PR.AA-01", "Credentials of services are managed to their end."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessServiceTokens},
		Unless:   notInUse,
		Evaluate: evaluateIdle,
	}
}

func idleGood(b *snapshot.Builder) {
	editOrg(func(o *snapshot.AccessOrganization) { o.IdleTokens = &snapshot.IdleTokens{Enabled: true} })(b)
}

func idleExamples() []goodtest.Example {
	kept := editOrg(func(o *snapshot.AccessOrganization) { o.IdleTokens = &snapshot.IdleTokens{} })
	return []goodtest.Example{
		{Name: "cleaned up", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "kept", Want: posture.Fail, Resource: goodtest.Account, Edit: kept},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: editOrg(func(o *snapshot.AccessOrganization) { o.IdleTokens = nil })},
		{Name: "no token", Want: posture.NotApplicable, Edit: goodtest.Edits(kept, noTokens)},
		{Name: "every token is off", Want: posture.NotApplicable, Edit: goodtest.Edits(kept, tokenOff)},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateIdle(v *check.View) check.Outcome {
	idle := check.Read(v, snapshot.AccessOrg).IdleTokens
	switch {
	case len(inUseTokens(check.Read(v, snapshot.AccessServiceTokens))) == 0:
		return v.NotApplicable("the account has no service token in use")
	case idle == nil:
		return v.Unknown("Cloudflare did not return what becomes of service tokens that nobody uses")
	case !idle.Enabled:
		return v.Fail("Service tokens that nobody uses stay valid.",
			check.Evidence(snapshot.AccessOrg, "/service_token_inactivity/enabled", "false", "true"))
	}
	return v.Pass("Service tokens that nobody uses are disabled or deleted.")
}
