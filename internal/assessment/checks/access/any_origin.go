package access

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// anyOrigin finds applications that pages of any other site may call.
func anyOrigin() check.Check {
	return check.Check{
		ID: "CFL-ZT-017", Title: "Applications do not allow credentialed requests from any origin",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why:        "A hostile page could call the internal application with the session of its visitor.",
		Fix:        "List the origins.",
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Access's own cross-origin rules are used safely instead of letting any site send credentials."),
			check.Supports("soc2 CC6.1", "A foreign page cannot use the signed-in session of a visitor to reach the application."),
			check.Supports("pci 6.2.4", "Cross-origin abuse is one of the common attacks that this setting rules out."),
			check.Touches("nist PR.AA-05", "It limits from where a session may be used, not who has which permission."),
		},
		Aliases:  []string{"union:access-cors-any"},
		Needs:    []snapshot.Named{snapshot.AccessApps},
		Evaluate: evaluateAnyOrigin,
	}
}

func anyOriginExamples() []goodtest.Example {
	cors := func(all, credentials bool) func(*snapshot.Builder) {
		return editGoodApp(func(a *snapshot.AccessApp) {
			a.CORS = &snapshot.AccessCORS{AllowAllOrigins: all, AllowCredentials: credentials}
		})
	}
	return []goodtest.Example{
		{Name: "nothing is set", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "named origins with credentials", Want: posture.Pass, Edit: cors(false, true)},
		{Name: "any origin with credentials", Want: posture.Fail, Resource: goodtest.App, Edit: cors(true, true)},
		{Name: "any origin without credentials", Want: posture.Warning, Resource: goodtest.App, Edit: cors(true, false)},
		{Name: "an app of another type", Want: posture.NotApplicable, Edit: goodtest.Edits(cors(true, true),
			editGoodApp(func(a *snapshot.AccessApp) { a.Type = "saas" }))},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateAnyOrigin(v *check.View) check.Outcome {
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if a.Type != "self_hosted" {
			continue
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		seen := check.Evidence(snapshot.AccessApps, "/"+a.ID+"/cors_headers", "allow_all_origins", "a list of origins")
		switch {
		case a.CORS == nil || !a.CORS.AllowAllOrigins:
			j.Pass()
		case a.CORS.AllowCredentials:
			j.Fail(r, "Pages of any site can call the application "+a.Name+" with the session of their visitor.", seen)
		default:
			j.Warn(r, "Pages of any site can call the application "+a.Name+".", seen)
		}
	}
	return j.Done("No application answers credentialed requests of any origin.", "no self-hosted application exists")
}
