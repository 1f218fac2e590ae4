package access

import (
	"strconv"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// anyOrigin finds applications that allow credentialed requests from pages of any site.
func anyOrigin() check.Check {
	return check.Check{
		ID: "CFL-ZT-017", Title: "Applications do not allow credentialed requests from any origin",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "A CORS answer of Access decides which web pages may call an application from a browser. With any origin " +
			"and credentials, a page elsewhere calls it with the session of its visitor.",
		Fix: "List the origins that call the application, then turn Allow all origins off.",
		Words: posture.Words{
			Problem: "Pages of any site may call {name}",
			Impact: "Someone who gets a signed-in person to open a web page can read and change data of the application as " +
				"that person.",
			Breaks:    "Web pages of origins that are not in the list can no longer call the application.",
			Dashboard: inApplications + ` › {name} › Advanced settings › Cross-Origin Resource Sharing (CORS) settings: list the allowed origins.`,
			Call: appCall(`.cors_headers |= (.allow_all_origins = false | .allowed_origins = ["{$ORIGIN}"])`,
				"ORIGIN: the origin whose pages may call the application (such as https://app.shop.example)"),
			Terraform: oneOrigin(true)},
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
		{Name: "any origin with credentials, of a terminal in the browser", Want: posture.Fail, Resource: goodtest.App,
			Edit: goodtest.Edits(cors(true, true), editGoodApp(func(a *snapshot.AccessApp) { a.Type = "ssh" }))},
		{Name: "any origin without credentials, of a screen in the browser", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(cors(true, false), editGoodApp(func(a *snapshot.AccessApp) { a.Type = "vnc" }))},
		{Name: "a terminal in the browser for its own pages", Want: posture.Pass,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.Type = "ssh" })},
		{Name: "an app of another type", Want: posture.NotApplicable, Edit: goodtest.Edits(cors(true, true),
			editGoodApp(func(a *snapshot.AccessApp) { a.Type = "saas" }))},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateAnyOrigin(v *check.View) check.Outcome {
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if !inBrowser(a) {
			continue
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		seen := check.Evidence(snapshot.AccessApps, "/"+a.ID+"/cors_headers", "allow_all_origins", "a list of origins")
		switch {
		case a.CORS == nil || !a.CORS.AllowAllOrigins:
			j.Pass()
		case a.CORS.AllowCredentials:
			j.Fail(r, "The application "+a.Name+" answers pages of any origin, with the session of the person who opened them.", seen)
		default:
			j.Warn(r, "The application "+a.Name+" answers pages of any origin, without the session of the person who opened them.", seen)
			j.As(posture.Words{Problem: "Pages of any site may read public answers of {name}",
				Impact:    "A web page elsewhere can read what the application answers without a session, such as error pages and public data.",
				Terraform: oneOrigin(false)})
		}
	}
	return j.Done("No application answers credentialed requests of any origin.", "no self-hosted application exists")
}

// oneOrigin is the Terraform of an application that answers pages of one origin, with the session of the person or without.
func oneOrigin(session bool) string {
	return application(`cors_headers = {
    allowed_origins   = [var.origin]
    allowed_methods   = ["GET"]
    allow_credentials = ` + strconv.FormatBool(session) + ` # as it is
  }`)
}
