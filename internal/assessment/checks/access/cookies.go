package access

import (
	"maps"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// cookies judges the cookie settings of an application's session.
func cookies() check.Check {
	return check.Check{
		ID: "CFL-ZT-014", Title: "Session cookies are protected",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "The cookie CF_Authorization is the session of a person in an application. HttpOnly, SameSite and the " +
			"binding cookie keep scripts, other sites and other browsers from using it.",
		Fix: "Turn HttpOnly on, set SameSite to Lax or Strict, then turn the binding cookie on.",
		Words: posture.Words{
			Problem:   "Scripts can read the session cookie of {name}",
			Impact:    "An attacker who gets a script into one page of the application reads the session and uses it elsewhere.",
			Breaks:    "A single-page application that reads CF_Authorization in JavaScript stops working.",
			Dashboard: inApplications + ` › {name} › Advanced settings › Cookie settings › HTTP Only: On.`,
			Call:      appCall(".http_only_cookie_attribute = true", ""),
			Terraform: application("http_only_cookie_attribute = true")},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/self-hosted-public-app/"},
		Controls: check.Controls{
			check.Supports("cis 16.11", "HttpOnly, SameSite and binding are the cookie protections that Access brings along."),
			check.Supports("soc2 CC6.1", "A stolen or foreign-site cookie does not open the application."),
			check.Supports("pci 6.2.4", "Session theft through scripts and foreign pages is among the attacks to be engineered out."),
			check.Shows("nist PR.AA-04", "The cookie is the identity assertion of Access, and these flags protect it."),
		},
		Aliases: []string{"union:access-cookie-flags"},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}/access/apps/{app_id}", Risk: "medium", Reversible: true,
			Body:    "the whole app as read with http_only_cookie_attribute true and policies given as references",
			Inverse: "PUT the captured app object",
			Caution: "Single-page applications that read the cookie in JavaScript break. The policies of the application stay as they " +
				"are.",
			Propose: proposeHidden},
		Needs:    []snapshot.Named{snapshot.AccessApps},
		Evaluate: evaluateCookies,
	}
}

func cookiesExamples() []goodtest.Example {
	on, off := true, false
	return []goodtest.Example{
		{Name: "hidden, lax and bound", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "strict", Want: posture.Pass, Edit: editGoodApp(func(a *snapshot.AccessApp) { a.SameSite = "strict" })},
		{Name: "scripts may read it", Want: posture.Fail, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.HTTPOnly = &off })},
		{Name: "any site may send it", Want: posture.Warning, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.SameSite = "none" })},
		{Name: "nothing says which site may send it", Want: posture.Warning, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.SameSite = "" })},
		{Name: "not bound", Want: posture.Warning, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.BindingCookie = &off })},
		{Name: "binding is not told", Want: posture.Pass, Edit: editGoodApp(func(a *snapshot.AccessApp) { a.BindingCookie = nil })},
		{Name: "preflight requests pass", Want: posture.Warning, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.PreflightBypass = &on })},
		{Name: "nobody tells whether scripts may read it", Want: posture.Unknown, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.HTTPOnly = nil })},
		{Name: "a word nobody knows", Want: posture.Unknown, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.SameSite = "tight" })},
		{Name: "scripts may read that of a terminal in the browser", Want: posture.Fail, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.Type, a.HTTPOnly = "ssh", &off })},
		{Name: "any site may send that of a desktop in the browser", Want: posture.Warning, Resource: goodtest.App,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.Type, a.SameSite = "rdp", "none" })},
		{Name: "that of a terminal in the browser is not bound", Want: posture.Pass,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.Type, a.BindingCookie = "ssh", &off })},
		{Name: "an app of another type", Want: posture.NotApplicable,
			Edit: editGoodApp(func(a *snapshot.AccessApp) { a.Type, a.HTTPOnly = "saas", &off })},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateCookies(v *check.View) check.Outcome {
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if !inBrowser(a) {
			continue
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		seen := func(member, observed, expected string) posture.Evidence {
			return check.Evidence(snapshot.AccessApps, "/"+a.ID+"/"+member, observed, expected)
		}
		switch {
		case a.HTTPOnly != nil && !*a.HTTPOnly:
			j.Fail(r, "Scripts in pages of the application "+a.Name+" can read its session cookie.",
				seen("http_only_cookie_attribute", "false", "true"))
		case a.SameSite == "none" || a.SameSite == "":
			j.Warn(r, "Browsers send the session cookie of the application "+a.Name+" with requests of other sites, as SameSite is none.",
				seen("same_site_cookie_attribute", "none", "lax or strict"))
			j.As(sameSite())
		case a.Type == "self_hosted" && a.BindingCookie != nil && !*a.BindingCookie: // not available for SSH, VNC and RDP
			j.Warn(r, "The session cookie of the application "+a.Name+" is not bound to the browser that got it.",
				seen("enable_binding_cookie", "false", "true"))
			j.As(binding())
		case is(a.PreflightBypass):
			j.Warn(r, "OPTIONS requests reach the application "+a.Name+" without a login.",
				seen("options_preflight_bypass", "true", "false"))
			j.As(preflight())
		case a.HTTPOnly == nil || a.SameSite != "lax" && a.SameSite != "strict":
			j.Unclear(r, "Cloudflare returned cookie settings this check cannot read")
		default:
			j.Pass()
		}
	}
	return j.Done("Every session cookie is protected.", "no self-hosted application exists")
}

// proposeHidden hides the session cookie from scripts. Which sites may send it, and whether it is
// bound, is left to people.
func proposeHidden(c *propose.Case) ([]change.Edit, error) {
	place := appPlace(c)
	live, err := c.Locate(place)
	switch {
	case err != nil:
		return nil, err
	case live == nil:
		return nil, nil
	case live["http_only_cookie_attribute"] == true:
		return nil, propose.Refuse("Scripts cannot read the cookie; which sites may send it, whether it is bound to the browser and whether " +
			"preflight requests pass are for people to choose.")
	case writeOnly(live):
		return nil, propose.Refuse("The application holds a credential that Cloudflare does not return, so it cannot be sent back whole; " +
			"change it in the dashboard.")
	}
	captured := sendable(live)
	written := maps.Clone(captured)
	written["http_only_cookie_attribute"] = true
	return []change.Edit{propose.Replace("PUT", place, place.Path, live, written, captured, "http_only_cookie_attribute")}, nil
}

func sameSite() posture.Words {
	return posture.Words{Problem: "Other sites can send the session cookie of {name}",
		Impact:    "Someone who gets a signed-in person to open a web page sends requests to the application with the session of that person.",
		Breaks:    "Applications that are shown in a frame of another site, or called by its pages, lose the session there.",
		Dashboard: inApplications + " › {name} › Advanced settings › Cookie settings › Same Site Attribute: Lax.",
		Call:      appCall(`.same_site_cookie_attribute = "lax"`, ""), Terraform: application(`same_site_cookie_attribute = "lax"`)}
}

func binding() posture.Words {
	return posture.Words{Problem: "The session cookie of {name} works in any browser",
		Impact:    "Someone who copies the session cookie out of a browser or a log uses the application elsewhere until the session ends.",
		Breaks:    "Clients that are no browsers and store only the first cookie, such as SSH or RDP tools, have to sign in anew.",
		Dashboard: inApplications + " › {name} › Advanced settings › Cookie settings › Binding Cookie: On.",
		Call:      appCall(".enable_binding_cookie = true", ""), Terraform: application("enable_binding_cookie = true")}
}

func preflight() posture.Words {
	return posture.Words{Problem: "OPTIONS requests reach {name} without a login",
		Impact: "Anyone can send OPTIONS requests to the server of the application and use a hole in how it answers them.",
		Breaks: "Web pages of other origins that call the application, unless Access answers their preflight requests.",
		Dashboard: inApplications + " › {name} › Advanced settings › Cross-Origin Resource Sharing (CORS) settings › " +
			"Bypass OPTIONS requests to origin: Off.",
		Call: appCall(".options_preflight_bypass = false", ""), Terraform: application("options_preflight_bypass = false")}
}
