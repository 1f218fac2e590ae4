package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// factor finds applications that a password alone opens.
func factor() check.Check {
	return check.Check{
		ID: "CFL-ZT-009", Title: "Applications demand a second factor or a healthy device",
		Category: "access", Severity: posture.High, Worst: posture.Critical, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "A password can be phished, guessed or bought. A second factor, a device posture check or a client " +
			"certificate is something that the thief does not have. The posture check for WARP is not: the free client passes it.",
		Fix: "Allow MFA methods in the Access settings, then require MFA or a device posture check in the application.",
		Words: posture.Words{
			Problem: "A password alone opens {name}",
			Impact:  "Someone with one stolen or guessed password signs in to the application from any device.",
			Breaks:  "People have to register a second factor at their next sign-in; those who cannot are locked out.",
			Dashboard: "Zero Trust › Access controls › Access settings › Allow multi-factor authentication (MFA), then " +
				"Applications › {name}: require MFA.",
			Call: appCall(`.mfa_config = {mfa_disabled: false, allowed_authenticators: ["totp", "biometrics", "security_key"]}`, ""),
			Terraform: `resource "cloudflare_zero_trust_access_application" "app" {
  account_id = "{account_id}"
  name       = "{name}"
  mfa_config = {
    mfa_disabled           = false
    allowed_authenticators = ["totp", "biometrics", "security_key"]
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/",
			"https://developers.cloudflare.com/cloudflare-one/identity/devices/"},
		Controls: check.Controls{
			check.Shows("cis 6.3", "Each published application demands a second factor or device proof in its policy."),
			check.Supports("cis 6.4", "Applications reached from outside demand it; other ways of remote access are not seen."),
			check.Supports("soc2 CC6.1", "A stolen password alone does not open an application."),
			check.Supports("pci 8.4.2", "It holds for applications behind Access; the card environment may have other entrances."),
			check.Supports("pci 8.4.3", "People who come from outside through Access prove more than a password."),
			check.Shows("nist PR.AA-03", "The policy makes users or devices authenticate with more than one proof."),
		},
		Aliases:  []string{"flareinspect:CFL-ZT-009"},
		Paths:    []string{"open-access-app"},
		Needs:    []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.AccessOrg},
		Optional: []snapshot.Named{snapshot.AccessIDPs, snapshot.GatewayListItems, snapshot.DevicePosture},
		Evaluate: evaluateFactor,
	}
}

func factorExamples() []goodtest.Example {
	noMFA := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessOrg, goodtest.Account, func(o *snapshot.AccessOrganization) { o.MFARequired = false })
	}
	require := func(rules ...snapshot.AccessRule) func(*snapshot.Builder) {
		return goodtest.Edits(noMFA, editPolicy(func(p *snapshot.AccessPolicy) { p.Require = rules }))
	}
	rule := func(kind, value string) snapshot.AccessRule { return snapshot.AccessRule{Kind: kind, Value: value} }
	auth := func(kind, value string) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) {
			p.Decision, p.Include = "non_identity", []snapshot.AccessRule{rule(kind, value)}
		})
	}
	appMFA := func(off bool) func(*snapshot.Builder) {
		return editApp(func(a *snapshot.AccessApp) { a.MFA = &snapshot.AccessMFA{Disabled: off} })
	}
	of := func(kind, mark string) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) {
			p.Require = nil
			if p.Decision == "allow" {
				p.Include = []snapshot.AccessRule{{Kind: kind, Mark: mark}}
			}
		})
	}
	after := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return editApp(func(a *snapshot.AccessApp) {
			block := snapshot.AccessPolicy{ID: "d", Name: "Not these", Decision: "deny", Include: []snapshot.AccessRule{r}}
			a.Policies = append([]snapshot.AccessPolicy{block}, a.Policies...)
		})
	}
	return []goodtest.Example{
		{Name: "Access asks for a second factor everywhere", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a factor that the policy only knows by exclusion", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(noMFA,
			editPolicy(func(p *snapshot.AccessPolicy) {
				p.Require, p.Exclude = nil, []snapshot.AccessRule{rule("auth_method", "pwd")}
			}))},
		{Name: "the policy demands a second factor", Want: posture.Pass, Edit: require(rule("auth_method", "mfa"))},
		{Name: "the policy demands a hardware key", Want: posture.Pass, Edit: require(rule("auth_method", "hwk"))},
		{Name: "the policy demands a healthy device", Want: posture.Pass, Edit: require(rule("device_posture", goodtest.Posture))},
		{Name: "the policy demands a certificate", Want: posture.Pass, Edit: require(rule("certificate", ""))},
		{Name: "the policy demands the device client, which anyone may install", Want: posture.Fail, Resource: goodtest.App,
			Edit: goodtest.Edits(require(rule("device_posture", "w")), goodtest.AnyDevice)},
		{Name: "the policy demands the device client and a certificate", Want: posture.Pass,
			Edit: goodtest.Edits(require(rule("device_posture", "w"), rule("certificate", "")), goodtest.AnyDevice)},
		{Name: "the policy demands a posture check, and nobody knows which", Want: posture.Unknown, Resource: goodtest.App,
			Edit: goodtest.Edits(require(rule("device_posture", goodtest.Posture)), noPosture)},
		{Name: "a group of certificates is demanded", Want: posture.Pass, Edit: goodtest.Edits(require(rule("group", "g1")),
			group("g1", rule("common_name", "laptop")))},
		{Name: "only devices are included", Want: posture.Pass,
			Edit: goodtest.Edits(noMFA, editPolicy(func(p *snapshot.AccessPolicy) {
				p.Include = []snapshot.AccessRule{rule("device_posture", goodtest.Posture)}
			}))},
		{Name: "the application asks for it", Want: posture.Pass, Edit: goodtest.Edits(noMFA, appMFA(false))},
		{Name: "the policy asks for it", Want: posture.Pass,
			Edit: goodtest.Edits(noMFA, editPolicy(func(p *snapshot.AccessPolicy) { p.MFA = &snapshot.AccessMFA{} }))},
		{Name: "a deny policy needs none", Want: posture.Pass,
			Edit: goodtest.Edits(noMFA, editPolicy(func(p *snapshot.AccessPolicy) { p.Decision = "deny" }))},
		{Name: "nothing is demanded", Want: posture.Fail, Resource: goodtest.App, Edit: require()},
		{Name: "nothing is demanded of a group of a directory, after a Block for another", Want: posture.Fail, Resource: goodtest.App,
			Edit: goodtest.Edits(noMFA, goodtest.Logins("saml"), of("saml", "a"), after(snapshot.AccessRule{Kind: "saml", Mark: "b"}))},
		{Name: "nothing is demanded of a group of a directory, after a Block for it", Want: posture.Pass,
			Edit: goodtest.Edits(noMFA, goodtest.Logins("saml"), of("saml", "a"), after(snapshot.AccessRule{Kind: "saml", Mark: "a"}))},
		{Name: "nothing is demanded of a group of a directory, after a Block for one that was not stored", Want: posture.Unknown,
			Edit: goodtest.Edits(noMFA, goodtest.Logins("saml"), of("saml", "a"), after(snapshot.AccessRule{Kind: "saml"}))},
		{Name: "nothing is demanded of the company's people", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(require(), goodtest.Logins("azureAD"))},
		{Name: "nothing is demanded of whoever has a mailbox", Want: posture.Fail, Severity: posture.High, Resource: goodtest.App,
			Edit: goodtest.Edits(require(), goodtest.Logins("azureAD", "onetimepin"))},
		{Name: "Service Auth for everyone", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App, Edit: auth("everyone", "")},
		{Name: "Service Auth for every address", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: auth("ip", "0.0.0.0/0")},
		{Name: "Service Auth for a country", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App, Edit: auth("geo", "DE")},
		{Name: "Service Auth for a token", Want: posture.Pass, Edit: auth("service_token", "t1")},
		{Name: "the application switches it off", Want: posture.Fail, Resource: goodtest.App, Edit: appMFA(true)},
		{Name: "an address book entry is no second factor", Want: posture.Fail, Resource: goodtest.App,
			Edit: require(rule("email_domain", "shop.example"))},
		{Name: "a password is no second factor", Want: posture.Fail, Resource: goodtest.App, Edit: require(rule("auth_method", "pwd"))},
		{Name: "only an address is demanded", Want: posture.Warning, Resource: goodtest.App, Edit: require(rule("ip", "45.60.10.0/24"))},
		{Name: "only a country is demanded", Want: posture.Warning, Resource: goodtest.App, Edit: require(rule("geo", "DE"))},
		{Name: "a group of which some rules are certificates", Want: posture.Fail, Resource: goodtest.App,
			Edit: goodtest.Edits(require(rule("group", "g1")), group("g1", rule("certificate", ""), rule("email_domain", "shop.example")))},
		{Name: "an app of another type", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(require(), editApp(func(a *snapshot.AccessApp) { a.Type = "saas" }))},
		{Name: "a group that is missing", Want: posture.Unknown, Resource: goodtest.App, Edit: require(rule("group", "g1"))},
		{Name: "Cloudflare of logins enforces it", Want: posture.NotApplicable, Edit: require(),
			Policy: func(p *policy.Policy) { p.FactorAtIDP = true }},
		{Name: "only a link", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessApps, goodtest.Account, []snapshot.AccessApp{{ID: "b1", Name: "Wiki", Type: "bookmark"}})
		}},
		{Name: "no application", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessApps, goodtest.Account, []snapshot.AccessApp{})
		}},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

func evaluateFactor(v *check.View) check.Outcome {
	if v.Policy.FactorAtIDP {
		return v.NotApplicable("the operator declared that the identity provider enforces a second factor")
	}
	access, reusable := check.AccessWithLogins(v)
	org := check.Read(v, snapshot.AccessOrg)
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if a.Link() {
			continue
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		worst, policy, own := factorAsked, "", false
		for _, w := range access.Ways(exposure.Attached(a, reusable), a.AllowedIDPs) {
			d := demandOf(w, exposure.AsksMFA(w.Policy, a, org.MFARequired))
			if d == loginAlone && !slices.Contains([]string{"self_hosted", "ssh", "vnc", "rdp", "infrastructure"}, a.Type) {
				d = loginAndPlace
			}
			if d > worst {
				worst, policy, own = d, w.Policy.Name, w.Policy.MFA != nil
			}
		}
		seen := check.Evidence(snapshot.AccessApps, "/"+a.ID+"/policies", policy+" asks for no second factor",
			"a second factor, a device rule or a certificate in every allow policy")
		switch worst {
		case noLogin:
			j.Fail(r, "The policy "+policy+" opens the application "+a.Name+" to anyone without a login.", check.Evidence(snapshot.AccessApps,
				"/"+a.ID+"/policies", policy+" asks for no login", "a second factor, a device rule or a certificate in every policy"))
			j.As(posture.Words{Problem: "Anyone can open {name} without a login", ByHand: true,
				Impact:    "Anyone on the internet uses the application; its Service Auth policy accepts requests without a token.",
				Breaks:    "Clients that send no service token or certificate are refused.",
				Dashboard: inApplications + " › {name} › Policies: name a service token or certificate in the Service Auth policy."})
			j.Rated(posture.Critical)
		case loginAlone:
			j.Fail(r, "The policy "+policy+" of the application "+a.Name+" asks for a login and no second factor, so a password is enough.", seen)
			j.As(ofApp(a, posture.Words{Problem: "A password alone opens {name}", ByHand: own}))
			switch access.SignIn(a.AllowedIDPs) {
			case admission.Company:
				j.Rated(posture.Medium) // the company's identity provider may require a factor itself
			case admission.SomeLogin:
				j.Provisional()
			}
		case loginAndPlace:
			j.Warn(r, "The policy "+policy+" of the application "+a.Name+" asks for no second factor.", seen)
			j.As(ofApp(a, posture.Words{Problem: "No second factor is required for {name}", ByHand: own}))
		case unsureDemand:
			j.Unknown(r, "a policy of the application names a group, a login, a posture check, rules or a list of addresses that are not known")
		default:
			j.Pass()
		}
	}
	return j.Done("Every allow policy demands a second factor, a device or a certificate.", "no application exists besides links")
}

// demand says what a way requires, from most to least.
type demand int

const (
	factorAsked demand = iota
	unsureDemand
	loginAndPlace
	loginAlone
	noLogin
)

// demandOf grades one way. Ways without a login are judged by CFL-ZT-007 and CFL-ZT-026, except for
// Service Auth that is open.
func demandOf(w admission.Way, mfa bool) demand {
	switch {
	case w.Policy.Decision == "bypass", w.Policy.Decision == "allow" && mfa:
		return factorAsked
	case w.Unsure && !w.Factor, w.Tested:
		return unsureDemand
	case w.Policy.Decision == "non_identity" && w.Open():
		return noLogin
	case w.Policy.Decision == "non_identity" || w.Factor:
		return factorAsked
	case w.Placed:
		return loginAndPlace
	default:
		return loginAlone
	}
}
