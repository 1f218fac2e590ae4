package zerotrust

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// appPolicy finds applications without a policy. Such an application denies everyone, so it is not
// exposed. A bypass admits those it covers; other checks judge whom. The App Launcher, device
// enrolment and clientless isolation are off until a policy exists
// (developers.cloudflare.com/cloudflare-one/access-controls/access-settings/app-launcher/).
func appPolicy() check.Check {
	return check.Check{
		ID: "CFL-ZT-002", Title: "Every Access application has a policy",
		Category: "zerotrust", Severity: posture.Low, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "Access denies everyone who meets no policy. An application without one is of use to nobody, and people " +
			"tend to delete it to make the site work.",
		Fix: "Attach a policy that names the people of the application, or delete the application with its hostname.",
		Words: posture.Words{
			Problem: "Application {name} has no policy",
			Impact: "People cannot sign in, and someone in a hurry may delete the application, after which anyone reaches " +
				"the site.",
			Breaks:    "Nothing that works today; the people whom the policy names can sign in.",
			Dashboard: "Zero Trust › Access controls › Applications › {name} › Policies: choose a policy or create one.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/access/apps/{id}/policies",
				Body:   `{"name": "Staff", "decision": "allow", "include": [{"email_domain": {"domain": "{$MAIL_DOMAIN}"}}]}`,
				Choose: "MAIL_DOMAIN: the mail domain of the people who may sign in (such as corp.example)"},
			Terraform: `resource "cloudflare_zero_trust_access_application" "app" {
  account_id = "{account_id}"
  name       = "{name}"
  policies = [{
    name       = "Staff"
    decision   = "allow"
    precedence = 1
    include    = [{ email_domain = { domain = var.mail_domain } }]
  }]
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/"},
		Controls: check.Controls{
			check.Supports("cis 6.1", "Each application has a policy, so access is granted by rule; how rules come about is not seen."),
			check.Shows("soc2 CC6.1", "Access to each application is decided by software."),
			check.Supports("pci 7.2.1", "Each application is part of the access model; whether it fits jobs is for people to say."),
			check.Supports("nist PR.AA-05", "Permissions of each application follow from a policy."),
		},
		Aliases:  []string{"flareinspect:CFL-ZT-002"},
		Needs:    []snapshot.Named{snapshot.AccessApps},
		Evaluate: evaluateAppPolicy,
	}
}

func appPolicyExamples() []goodtest.Example {
	policies := func(decisions ...string) func(*snapshot.Builder) {
		return editApp(goodtest.App, func(a *snapshot.AccessApp) {
			a.Policies = nil
			for _, d := range decisions {
				a.Policies = append(a.Policies, snapshot.AccessPolicy{ID: d, Decision: d})
			}
		})
	}
	kind := func(t string) func(*snapshot.Builder) {
		return editApp(goodtest.App, func(a *snapshot.AccessApp) { a.Type = t })
	}
	return []goodtest.Example{
		{Name: "staff", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "only machines", Want: posture.Pass, Edit: policies("non_identity")},
		{Name: "a bypass besides staff", Want: posture.Pass, Edit: policies("bypass", "allow")},
		{Name: "none", Want: posture.Fail, Resource: goodtest.App, Edit: policies()},
		{Name: "a shell without one", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(policies(), kind("ssh"))},
		{Name: "only denied", Want: posture.Warning, Resource: goodtest.App, Edit: policies("deny")},
		{Name: "only denied and passed by", Want: posture.Pass, Edit: policies("deny", "bypass")},
		{Name: "only passed by", Want: posture.Pass, Edit: policies("bypass")},
		{Name: "only denied, twice", Want: posture.Warning, Resource: goodtest.App, Edit: policies("deny", "deny")},
		{Name: "only denied, and a decision nobody knows", Want: posture.Unknown, Resource: goodtest.App, Edit: policies("deny", "ask")},
		{Name: "an App Launcher that is off", Want: posture.Pass, Edit: goodtest.Edits(policies(), kind("app_launcher"))},
		{Name: "no device may enrol", Want: posture.Pass, Edit: goodtest.Edits(policies(), kind("warp"))},
		{Name: "an App Launcher that only denies", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(policies("deny"), kind("app_launcher"))},
		{Name: "nobody may sign in to the dashboard", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(policies(), kind("dash_sso"))},
		{Name: "a cloud application without one", Want: posture.Warning, Resource: goodtest.App, Edit: goodtest.Edits(policies(), kind("saas"))},
		{Name: "only a link", Want: posture.NotApplicable, Edit: editApps(func(as *[]snapshot.AccessApp) {
			*as = []snapshot.AccessApp{{ID: "b1", Name: "Wiki", Type: "bookmark"}}
		})},
		{Name: "a link takes no policy", Want: posture.Pass, Edit: goodtest.Edits(policies(), kind("bookmark"))},
		{Name: "no application", Want: posture.NotApplicable, Edit: editApps(func(as *[]snapshot.AccessApp) { *as = nil })},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateAppPolicy(v *check.View) check.Outcome {
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if a.Link() {
			continue
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		seen := func(observed string) posture.Evidence {
			return check.Evidence(snapshot.AccessApps, "/"+a.ID+"/policies", observed, "a policy that lets the right people in")
		}
		admits, odd := false, ""
		for _, p := range a.Policies {
			switch p.Decision {
			case "allow", "non_identity", "bypass":
				admits = true
			case "deny":
			default:
				odd = p.Decision
			}
		}
		switch {
		case !admits && odd != "":
			j.Unclear(r, "a policy of the application "+a.Name+" has a decision this check does not know: "+odd)
		case admits || len(a.Policies) == 0 && slices.Contains([]string{"app_launcher", "warp", "biso"}, a.Type):
			j.Pass()
		case len(a.Policies) > 0:
			j.Warn(r, "The policies of the application "+a.Name+" only block people.", seen("deny only"))
			j.As(posture.Words{Problem: "No policy of {name} lets anyone in"})
		case slices.Contains([]string{"self_hosted", "ssh", "vnc", "rdp", "infrastructure"}, a.Type):
			j.Fail(r, "The application "+a.Name+" has no policy, so nobody can use it.", seen("none"))
		default:
			j.Warn(r, "The "+a.Type+" application "+a.Name+" has no policy, so nobody can use it.", seen("none"))
		}
	}
	return j.Done("Every application has a policy.", "no application takes a policy")
}
