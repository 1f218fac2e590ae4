package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// everyone finds applications whose policies admit any visitor.
func everyone() check.Check {
	return check.Check{
		ID: "CFL-ZT-007", Title: "No Access application lets everyone in",
		Category: "access", Severity: posture.Critical, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "An Access policy lets in whoever its Include names. With Everyone in it, the login page keeps nobody " +
			"out, and a Bypass asks for no login at all.",
		Fix: "Replace Everyone by a group of your identity provider or your mail domain, then remove the policy that " +
			"was open.",
		Words: posture.Words{
			Problem: "Everyone who can sign in may open {name}",
			Impact:  "Anyone with an account at one of the login methods opens the application, employees or not.",
			Breaks: "People outside the chosen mail domain lose access, and so does automation that passed by another policy " +
				"of the application.",
			Dashboard: inApplications + ` › {name} › Policies: edit the open policy and replace Everyone in Include by a group or a mail domain.`,
			Call: appCall(`.policies = [{name: "Staff", decision: "allow", precedence: 1, `+
				`include: [{email_domain: {domain: "{$MAIL_DOMAIN}"}}]}]`, chooseMailDomain),
			Terraform: `resource "cloudflare_zero_trust_access_application" "app" {
  account_id = "{account_id}"
  name       = "{name}"
  type       = "self_hosted"
  policies = [{
    name       = "Staff"
    decision   = "allow"
    precedence = 1
    include    = [{ email_domain = { domain = "example.com" } }]
  }]
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 6.1", "An application that lets everyone in has no access process at all; the process itself is not seen."),
			check.Supports("cis 3.3", "Data behind an application is closed to strangers."),
			check.Shows("soc2 CC6.1", "Access software restricts every application to named people, groups or services."),
			check.Supports("soc2 CC6.6", "The boundary has no door that is open to anybody."),
			check.Supports("pci 7.2.1", "No application is left outside the access model; whether the model fits jobs is for people to say."),
			check.Supports("pci 8.3.1", "Whoever enters has signed in with something; how strong it was is judged elsewhere."),
			check.Shows("nist PR.AA-05", "A policy other than everyone stands before each application."),
		},
		Aliases: []string{"cfsi:overprovisioned-access-policy", "flareinspect:CFL-ZT-007", "grclanker:CF-IAM-04"},
		Paths:   []string{"open-access-app"},
		Remedy: &propose.Remedy{Operation: "PUT /accounts/{account_id}/access/policies/{policy_id}", Risk: "high", Reversible: true,
			Body: "the reusable policy as read with include replaced by the group the operator names; for app-owned policies the same through " +
				"PUT /accounts/{account_id}/access/apps/{app_id}/policies/{policy_id}",
			Inverse: "PUT the captured policy object",
			Caution: "People outside the group lose access at once. A reusable policy may serve several applications: all of them " +
				"change.",
			Inputs: []change.Input{{Name: "group", Example: `"4d1e7c52-0a6b-4c0f-9a51-6f0c9f1d2b3a"`,
				Description: "Id of the Access group whose members may pass from now on."}},
			Propose: proposeGroup},
		Needs:    []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.AccessOrg},
		Optional: []snapshot.Named{snapshot.AccessIDPs},
		Evaluate: evaluateEveryone,
	}
}

func everyoneExamples() []goodtest.Example {
	return append(everyoneByRule(), everyoneByLogin()...)
}

// staffIncludes and staffDecides are example edits of the policy for people.
func staffIncludes(rules ...snapshot.AccessRule) func(*snapshot.Builder) {
	return editStaff(func(p *snapshot.AccessPolicy) { p.Include = rules })
}

func staffDecides(d string) func(*snapshot.Builder) {
	return editStaff(func(p *snapshot.AccessPolicy) { p.Decision = d })
}

// everyoneByLogin returns examples of who can sign in, and of policies that require no login.
func everyoneByLogin() []goodtest.Example {
	include, decision := staffIncludes, staffDecides
	all, inGroup := snapshot.AccessRule{Kind: "everyone"}, snapshot.AccessRule{Kind: "group", Value: "g1"}
	return []goodtest.Example{
		{Name: "everyone, with the company's login only", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), goodtest.Logins("okta"))},
		{Name: "everyone, with a mailed code", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), goodtest.Logins("okta", "onetimepin"))},
		{Name: "everyone, with a mailed code that the application does not accept", Want: posture.Fail, Severity: posture.Medium,
			Resource: goodtest.App, Edit: goodtest.Edits(include(all), goodtest.Logins("okta", "onetimepin"),
				editGoodApp(func(a *snapshot.AccessApp) { a.AllowedIDPs = []string{"idp-okta"} }))},
		{Name: "everyone, with a consumer login", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), goodtest.Logins("google"))},
		{Name: "everyone, and the logins are not readable", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), func(b *snapshot.Builder) { b.Mark(snapshot.AccessIDPs.Source(), snapshot.Denied, "x", "") })},
		{Name: "Service Auth for everyone", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), decision("non_identity"), goodtest.Logins("okta"))},
		{Name: "Service Auth for every address", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip", Value: "0.0.0.0/0"}), decision("non_identity"))},
		{Name: "Service Auth for every address of IPv6", Want: posture.Fail, Resource: goodtest.App,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip", Value: "::/0"}), decision("non_identity"))},
		{Name: "Service Auth for a country", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "geo", Value: "DE"}), decision("non_identity"))},
		{Name: "Service Auth for everyone with a token", Want: posture.Pass, Edit: goodtest.Edits(include(all), decision("non_identity"),
			editStaff(func(p *snapshot.AccessPolicy) {
				p.Require = []snapshot.AccessRule{{Kind: "service_token", Value: "t1"}}
			}))},
		{Name: "Service Auth for one address", Want: posture.Pass,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip", Value: "45.60.10.9/32"}), decision("non_identity"))},
		{Name: "Service Auth through a group for everyone", Want: posture.Fail, Resource: goodtest.App,
			Edit: goodtest.Edits(include(inGroup), group("g1", all), decision("non_identity"))},
		{Name: "everyone, after a Block for everyone", Want: posture.Pass, Edit: goodtest.Edits(include(all),
			editApp(func(a *snapshot.AccessApp) {
				a.Policies = append([]snapshot.AccessPolicy{{ID: "d", Name: "None", Decision: "deny", Include: []snapshot.AccessRule{all}}},
					a.Policies...)
			}))},
		{Name: "everyone, before a Block for everyone", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			editApp(func(a *snapshot.AccessApp) {
				a.Policies = append(a.Policies, snapshot.AccessPolicy{ID: "d", Name: "None", Decision: "deny", Include: []snapshot.AccessRule{all}})
			}))},
	}
}

func everyoneByRule() []goodtest.Example {
	include, decision := staffIncludes, staffDecides
	all, inGroup := snapshot.AccessRule{Kind: "everyone"}, snapshot.AccessRule{Kind: "group", Value: "g1"}
	exclude := func(kind, value string) func(*snapshot.Builder) {
		return editStaff(func(p *snapshot.AccessPolicy) { p.Exclude = []snapshot.AccessRule{{Kind: kind, Value: value}} })
	}
	blocked := func(p snapshot.AccessPolicy) func(*snapshot.Builder) {
		p.ID, p.Name, p.Decision = "d", "Not these", "deny"
		return editApp(func(a *snapshot.AccessApp) { a.Policies = append([]snapshot.AccessPolicy{p}, a.Policies...) })
	}
	demand := func(kind, value string) func(*snapshot.Builder) {
		return editStaff(func(p *snapshot.AccessPolicy) { p.Require = []snapshot.AccessRule{{Kind: kind, Value: value}} })
	}
	public := func(p *policy.Policy) { p.PublicHosts = []string{"admin.shop.example"} }
	return []goodtest.Example{
		{Name: "staff only", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "everyone but some", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(all), exclude("geo", "KP"))},
		{Name: "everyone but everyone", Want: posture.Pass, Edit: goodtest.Edits(include(all), exclude("everyone", ""))},
		{Name: "everyone, after a Block for all but the staff", Want: posture.Pass, Edit: goodtest.Edits(include(all), blocked(
			snapshot.AccessPolicy{Include: []snapshot.AccessRule{all}, Exclude: []snapshot.AccessRule{{Kind: "okta", Value: "staff"}}}))},
		{Name: "everyone, after a Block for a country", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			blocked(snapshot.AccessPolicy{Include: []snapshot.AccessRule{{Kind: "geo", Value: "KP"}}}))},
		{Name: "a bypass for everyone, after a Block for everyone", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), decision("bypass"), blocked(snapshot.AccessPolicy{Include: []snapshot.AccessRule{all}}))},
		{Name: "everyone whom an approver lets in", Want: posture.Pass, Edit: goodtest.Edits(include(all),
			editStaff(func(p *snapshot.AccessPolicy) { p.Approval = true }))},
		{Name: "everyone", Want: posture.Fail, Resource: goodtest.App, Edit: include(all)},
		{Name: "everyone through a group of a group", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(inGroup),
			group("g1", snapshot.AccessRule{Kind: "group", Value: "g2"}), group("g2", all))},
		{Name: "groups that name each other", Want: posture.Pass, Edit: goodtest.Edits(include(inGroup),
			group("g1", snapshot.AccessRule{Kind: "group", Value: "g2"}), group("g2", inGroup))},
		{Name: "every address", Want: posture.Fail, Resource: goodtest.App, Edit: include(snapshot.AccessRule{Kind: "ip", Value: "0.0.0.0/0"})},
		{Name: "bypass for everyone", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(all), decision("bypass"))},
		{Name: "bypass for everyone on a public path", Want: posture.Warning, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			decision("bypass")), Policy: public},
		{Name: "allow for everyone on a public path", Want: posture.Fail, Resource: goodtest.App, Edit: include(all), Policy: public},
		{Name: "everyone of the own domain", Want: posture.Pass, Edit: goodtest.Edits(include(all), demand("email_domain", "shop.example"))},
		{Name: "everyone of a group", Want: posture.Pass, Edit: goodtest.Edits(include(all), demand("okta", "admins"))},
		{Name: "everyone from a country", Want: posture.Warning, Resource: goodtest.App, Edit: goodtest.Edits(include(all), demand("geo", "DE"))},
		{Name: "everyone with a healthy device", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), demand("device_posture", "d1"))},
		{Name: "everyone with a password", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			demand("auth_method", "pwd"))},
		{Name: "everyone of a public mail provider", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			demand("email_domain", "gmail.com"))},
		{Name: "everyone of a group that is missing", Want: posture.Unknown, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			demand("group", "g9"))},
		{Name: "a country", Want: posture.Warning, Resource: goodtest.App, Edit: include(snapshot.AccessRule{Kind: "geo", Value: "DE"})},
		{Name: "half of the internet", Want: posture.Fail, Resource: goodtest.App, Edit: include(snapshot.AccessRule{Kind: "ip",
			Value: "128.0.0.0/1"})},
		{Name: "a rule of a kind nobody knows", Want: posture.Unknown, Resource: goodtest.App, Edit: include(snapshot.AccessRule{Kind: "moon"})},
		{Name: "a decision nobody knows", Want: posture.Unknown, Resource: goodtest.App, Edit: goodtest.Edits(include(all), decision("maybe"))},
		{Name: "an app of another type", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), editApp(func(a *snapshot.AccessApp) { a.Type = "bookmark" }))},
		{Name: "a deny policy for everyone is fine", Want: posture.Pass, Edit: goodtest.Edits(include(all), decision("deny"))},
		{Name: "a reusable policy without its rules", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			editApp(func(a *snapshot.AccessApp) { a.Policies[0].Include = nil }))},
		{Name: "a group that is missing", Want: posture.Unknown, Resource: goodtest.App, Edit: include(inGroup)},
		{Name: "only device enrolment", Want: posture.NotApplicable, Edit: goodtest.Edits(include(all),
			editApp(func(a *snapshot.AccessApp) { a.Type = "warp" }))},
		{Name: "Access is not in use", Want: posture.NotApplicable,
			Edit: func(b *snapshot.Builder) { b.Mark(snapshot.AccessOrg.Source(), snapshot.Absent, "", "") }},
	}
}

func evaluateEveryone(v *check.View) check.Outcome {
	if reason := notInUse(v); reason != "" {
		return v.NotApplicable(reason)
	}
	access, reusable := accessOf(v), exposure.IndexPolicies(check.Read(v, snapshot.AccessPolicies))
	guarded := []string{"self_hosted", "ssh", "vnc", "rdp", "infrastructure", "mcp", "mcp_portal", "app_launcher", "saas"}
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if a.Type == "warp" {
			continue
		}
		worst, policy := unmarked, ""
		for _, w := range access.Ways(exposure.Attached(a, reusable), a.AllowedIDPs) {
			o := openness(w, markedPublic(v, a))
			if o > unsureDoor && !slices.Contains(guarded, a.Type) {
				o = halfOpen
			}
			if o > worst {
				worst, policy = o, w.Policy.Name
			}
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		seen := check.Evidence(snapshot.AccessApps, "/"+a.ID+"/policies", policy+" includes everyone",
			"only named groups, domains or addresses")
		switch worst {
		case unasked:
			j.Fail(r, "The policy "+policy+" lets anyone into the application "+a.Name+" without a login.", seen)
			j.As(ofApp(a, posture.Words{Problem: "Anyone can open {name} without a login",
				Impact: "Anyone on the internet uses the application; Access asks for nothing and records nobody."}))
		case openToCompany:
			j.Fail(r, "The policy "+policy+" lets everyone of the company's identity provider into the application "+a.Name+".", seen)
			j.As(posture.Words{Problem: "Everyone in the company's directory may open {name}", ByHand: true,
				Call:   appCall(`.policies = [{name: "Staff", decision: "allow", precedence: 1, include: [{group: {id: "{$GROUP}"}}]}]`, chooseGroup),
				Impact: "Anyone with an account in the directory opens the application, such as a contractor or a guest.",
				Breaks: "People outside the chosen group lose access to the application at once."}).Rated(posture.Medium)
		case openToAnybody:
			j.Fail(r, "The policy "+policy+" lets anyone with a mailbox or a consumer account sign in to the application "+a.Name+".", seen)
			j.As(ofApp(a, posture.Words{Problem: "Anyone with a mailbox or consumer account can open {name}",
				Impact: "Anyone on the internet signs in with a one-time PIN or a free account and uses the application."}))
		case openToLogins:
			j.Fail(r, "The policy "+policy+" lets everyone who can sign in use the application "+a.Name+".", seen)
			j.As(ofApp(a, posture.Words{Problem: "Everyone who can sign in may open {name}"}))
		case halfOpen:
			j.Warn(r, "The policy "+policy+" of the application "+a.Name+" includes everyone under a condition that names nobody.", seen)
			j.As(posture.Words{Problem: "A policy of {name} includes everyone", ByHand: true,
				Impact: "Anyone who meets the condition of the policy, such as a country or a device check, opens the application."})
		case unsureDoor:
			j.Unclear(r, "a policy of the application names a group or rules that Cloudflare did not return")
		default:
			j.Pass()
		}
	}
	return j.Done("No application lets everyone in.", "no application exists besides device enrolment")
}

// opening says how far a way opens an application, from least to worst.
type opening int

const (
	unmarked opening = iota
	unsureDoor
	halfOpen // with a requirement that anyone can meet
	openToCompany
	openToLogins
	openToAnybody
	unasked // without a login
)

// openness grades one way. Bypasses by address, by country or with a requirement are judged by
// CFL-ZT-026; mail domains, login methods and service tokens by CFL-ZT-011.
func openness(w admission.Way, public bool) opening {
	everyone := w.Rule.Kind == "everyone"
	switch {
	case w.Policy.Decision == "bypass" && (w.Rule.Kind != "group" && !everyone || !demandsNothing(w.Policy.Require)):
		return unmarked
	case w.Unsure:
		return unsureDoor
	case w.Policy.Decision == "bypass" && public:
		return halfOpen
	case w.Unasked() && w.Open():
		return unasked
	case w.Unasked() || w.Who < admission.Company || w.Who == admission.AnyToken || !everyone && !tellsNobodyApart(w.Rule):
		return unmarked
	case w.Placed || w.Factor:
		return halfOpen
	case w.Who == admission.Company:
		return openToCompany
	case w.Who == admission.Anybody:
		return openToAnybody
	default:
		return openToLogins
	}
}

// tellsNobodyApart reports whether anyone who signs in can meet a rule.
func tellsNobodyApart(r snapshot.AccessRule) bool {
	return exposure.Anywhere(r) || r.Kind == "auth_method" || r.Kind == "user_risk_score"
}

// demandsNothing reports whether the requirements exclude nobody: requiring everyone requires
// nothing.
func demandsNothing(require []snapshot.AccessRule) bool {
	return !slices.ContainsFunc(require, func(r snapshot.AccessRule) bool { return r.Kind != "everyone" })
}
