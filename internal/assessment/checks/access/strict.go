package access

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// strict judges which policies a request with a service token may pass.
func strict() check.Check {
	return check.Check{
		ID: "CFL-ZT-031", Title: "Service tokens pass by Service Auth policies alone",
		Category: "access", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "With strict service token authentication only Service Auth policies decide about a request with a service token, no session " +
			"cookie goes out, and attempts with a wrong secret are logged.",
		Fix: "Turn strict service token authentication on after checking that no automation relies on the session cookie.",
		Words: posture.Words{
			Problem: "Service tokens of this account are not judged strictly",
			Impact: "Someone who tries secrets of a known client ID leaves no log entry, and a stolen cookie of an automation works " +
				"without its secret.",
			Breaks:    "Automation that sends its token once and the cookie afterwards is refused; attempts end with 401 or 403.",
			Dashboard: inSettings + " › Manage service tokens › Strict service token authentication: On.",
			Call:      orgCall(`.strict_service_token_auth = true`),
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/service-credentials/service-tokens/" +
			"#strict-service-token-authentication"},
		Controls: check.Controls{
			check.Supports("cis 8.5", "Failed attempts with service tokens are logged."),
			check.Supports("soc2 CC6.1", "Machines are let in by rules made for machines."),
			check.Supports("nist PR.AA-05", "Permissions of service tokens follow from Service Auth policies."),
		},
		Needs:    []snapshot.Named{snapshot.AccessOrg, snapshot.AccessServiceTokens},
		Unless:   notInUse,
		Evaluate: evaluateStrict,
	}
}

func strictGood(b *snapshot.Builder) {
	on := true
	editOrg(func(o *snapshot.AccessOrganization) { o.StrictTokens = &on })(b)
}

func strictExamples() []goodtest.Example {
	off := false
	loose := editOrg(func(o *snapshot.AccessOrganization) { o.StrictTokens = &off })
	return []goodtest.Example{
		{Name: "strict", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "loose", Want: posture.Fail, Resource: goodtest.Account, Edit: loose},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: editOrg(func(o *snapshot.AccessOrganization) { o.StrictTokens = nil })},
		{Name: "no token", Want: posture.NotApplicable, Edit: goodtest.Edits(loose, noTokens)},
		{Name: "every token is off", Want: posture.NotApplicable, Edit: goodtest.Edits(loose, tokenOff)},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateStrict(v *check.View) check.Outcome {
	strict := check.Read(v, snapshot.AccessOrg).StrictTokens
	switch {
	case len(inUseTokens(check.Read(v, snapshot.AccessServiceTokens))) == 0:
		return v.NotApplicable("the account has no service token in use")
	case strict == nil:
		return v.Unknown("Cloudflare did not return whether service tokens are judged strictly")
	case !*strict:
		return v.Fail("Strict service token authentication is off.",
			check.Evidence(snapshot.AccessOrg, "/strict_service_token_auth", "false", "true"))
	}
	return v.Pass("Service tokens pass by Service Auth policies alone.")
}
