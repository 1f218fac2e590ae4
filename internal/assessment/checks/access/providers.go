package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// providers judges the configuration of the company's own logins.
func providers() check.Check {
	return check.Check{
		ID: "CFL-ZT-013", Title: "Identity providers are hardened",
		Category: "access", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Access trusts what an identity provider says about a person. Signed requests and PKCE protect that " +
			"exchange, and SCIM ends the access of people who leave.",
		Fix: "Turn on signed requests (SAML) or PKCE (OpenID Connect), then SCIM with user deprovisioning.",
		Words: posture.Words{
			Problem: "Identity providers of this account are not hardened",
			Impact: "Someone who left the company keeps signing in, or an attacker replays a login that is not bound to its " +
				"request.",
			Breaks: "Sign-ins fail until the identity provider accepts signed requests or PKCE; SCIM removes people whom it " +
				"does not list.",
			Dashboard: "Zero Trust › Integrations › Identity providers › Edit: Sign SAML authentication request " +
				"or PKCE, and Enable SCIM.",
			Terraform: `resource "cloudflare_zero_trust_access_identity_provider" "company" {
  account_id = "{account_id}"
  name       = "Company login"
  type       = "oidc" # as it is: with another type the login method is deleted
  config = {
    client_id     = var.client_id
    client_secret = var.client_secret
    auth_url      = var.auth_url
    token_url     = var.token_url
    certs_url     = var.certs_url
    pkce_enabled  = true
  }
  scim_config = {
    enabled          = true
    user_deprovision = true
    seat_deprovision = true
  }
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/",
			"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/"},
		Controls: check.Controls{
			check.Supports("cis 6.7", "Cloudflare through which everybody signs on is set up to resist misuse."),
			check.Supports("soc2 CC6.2", "SCIM brings the register of users from the identity provider, approvals included."),
			check.Supports("soc2 CC6.3", "People who leave lose access when the identity provider removes them."),
			check.Supports("pci 8.2.5", "Deprovisioning ends the access of people who left, without anybody having to remember."),
			check.Touches("pci 8.3.1", "It hardens how a factor is checked and does not itself demand one."),
			check.Shows("nist PR.AA-04", "Signed requests and PKCE protect the assertions of identity providers."),
		},
		Needs: []snapshot.Named{snapshot.AccessIDPs, snapshot.AccessApps},
		Optional: []snapshot.Named{snapshot.AccessGroups, snapshot.AccessPolicies, snapshot.GatewayListItems,
			snapshot.DevicePosture},
		Evaluate: evaluateProviders,
	}
}

func providersExamples() []goodtest.Example {
	on, off := true, false
	idp := func(change func(*snapshot.IdentityProvider)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessIDPs, goodtest.Account, func(ps *[]snapshot.IdentityProvider) { change(&(*ps)[0]) })
		}
	}
	saml := func(sign, scim *bool) func(*snapshot.Builder) {
		return idp(func(p *snapshot.IdentityProvider) { p.Type, p.PKCE, p.SignRequest, p.SCIM = "saml", nil, sign, scim })
	}
	pin := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessIDPs, goodtest.Account, func(ps *[]snapshot.IdentityProvider) {
			*ps = append(*ps, snapshot.IdentityProvider{ID: "pin", Name: "Mailed code", Type: "onetimepin"})
		})
	}
	allowed := func(ids ...string) func(*snapshot.Builder) {
		return editGoodApp(func(a *snapshot.AccessApp) { a.AllowedIDPs = ids })
	}
	rule := goodtest.AccessRule
	everyone := rule("everyone", "")
	unread := func(b *snapshot.Builder) {
		b.Mark(snapshot.AccessGroups.Source(), snapshot.Denied, "Account: Access Read", "")
	}
	ruled := func(decision string, include snapshot.AccessRule, require ...snapshot.AccessRule) func(*snapshot.Builder) {
		return editGoodApp(func(a *snapshot.AccessApp) {
			a.Policies = []snapshot.AccessPolicy{{ID: "p9", Name: "All", Decision: decision, Include: []snapshot.AccessRule{include},
				Require: require}}
		})
	}
	without := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return goodtest.Edits(ruled("allow", everyone), editGoodApp(func(a *snapshot.AccessApp) {
			a.Policies[0].Exclude = []snapshot.AccessRule{r}
		}))
	}
	leavesOut := editGoodApp(func(a *snapshot.AccessApp) { a.Policies[0].Exclude = []snapshot.AccessRule{rule("ip", "45.60.10.9")} })
	return []goodtest.Example{
		{Name: "a directory with provisioning", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "signed requests and provisioning", Want: posture.Pass, Edit: saml(&on, &on)},
		{Name: "a one-time PIN no application accepts", Want: posture.Pass, Edit: pin},
		{Name: "an office suite that knows neither setting", Want: posture.Pass, Edit: idp(func(p *snapshot.IdentityProvider) {
			*p = snapshot.IdentityProvider{ID: p.ID, Name: p.Name, Type: "google-apps"}
		})},
		{Name: "a consumer login beside it is not judged here", Want: posture.Pass, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessIDPs, goodtest.Account, func(ps *[]snapshot.IdentityProvider) {
				*ps = append(*ps, snapshot.IdentityProvider{ID: "gh", Name: "Code", Type: "github"})
			})
		}},
		{Name: "unsigned and without provisioning", Want: posture.Fail, Resource: goodtest.Account, Edit: saml(&off, &off)},
		{Name: "nothing is said about signing or provisioning", Want: posture.Fail, Resource: goodtest.Account, Edit: saml(nil, nil)},
		{Name: "unsigned with provisioning", Want: posture.Warning, Resource: goodtest.Account, Edit: saml(&off, &on)},
		{Name: "signed without provisioning", Want: posture.Warning, Resource: goodtest.Account, Edit: saml(&on, &off)},
		{Name: "no proof key", Want: posture.Warning, Resource: goodtest.Account,
			Edit: idp(func(p *snapshot.IdentityProvider) { p.PKCE = &off })},
		{Name: "an OpenID provider without a proof key", Want: posture.Warning,
			Edit: idp(func(p *snapshot.IdentityProvider) { p.Type, p.PKCE = "oidc", nil })},
		{Name: "leavers stay", Want: posture.Warning, Resource: goodtest.Account,
			Edit: idp(func(p *snapshot.IdentityProvider) { p.UserDeprovision = &off })},
		{Name: "an application accepts a one-time PIN", Want: posture.Warning, Resource: goodtest.Account,
			Edit: goodtest.Edits(pin, allowed(goodtest.IDP, "pin"))},
		{Name: "an application accepts every provider", Want: posture.Warning, Resource: goodtest.Account, Edit: goodtest.Edits(pin, allowed())},
		{Name: "an application accepts every provider and there is no one-time PIN", Want: posture.Pass, Edit: allowed()},
		{Name: "a policy demands the company's login", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", everyone, rule("login_method", goodtest.IDP)))},
		{Name: "a policy demands the mailed code", Want: posture.Warning, Resource: goodtest.Account,
			Edit: goodtest.Edits(pin, allowed(), ruled("allow", everyone, rule("login_method", "pin")))},
		{Name: "a policy is for a group of the directory", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", rule("azureAD", "g7")))},
		{Name: "a policy demands a second factor of the directory", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", everyone, rule("auth_method", "mfa")))},
		{Name: "a rule group is for a group of the directory", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", rule("group", "g1")), group("g1", rule("okta", "staff")))},
		{Name: "a rule group is for mail addresses", Want: posture.Warning, Resource: goodtest.Account, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", rule("group", "g1")), group("g1", rule("email_domain", goodtest.Domain)))},
		{Name: "a rule group that was not returned", Want: posture.Unknown, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", rule("group", "g9")))},
		{Name: "the rule groups are not readable", Want: posture.Unknown, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", rule("group", "g1")), unread)},
		{Name: "the rule groups are not readable, and no policy names one", Want: posture.Warning, Resource: goodtest.Account,
			Edit: goodtest.Edits(pin, allowed(), unread)},
		{Name: "nobody signs in, since everyone is let past", Want: posture.Pass,
			Edit: goodtest.Edits(pin, allowed(), ruled("bypass", everyone))},
		{Name: "only services pass", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			ruled("non_identity", rule("service_token", goodtest.ServiceToken)))},
		{Name: "a Block for the mailed code comes first", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			editGoodApp(func(a *snapshot.AccessApp) {
				a.Policies = slices.Insert(a.Policies, 0, snapshot.AccessPolicy{ID: "b", Decision: "deny",
					Include: []snapshot.AccessRule{rule("login_method", "pin")}})
			}))},
		{Name: "a policy excludes the mailed code", Want: posture.Pass,
			Edit: goodtest.Edits(pin, allowed(), without(rule("login_method", "pin")))},
		{Name: "a policy excludes the company's login", Want: posture.Warning, Resource: goodtest.Account,
			Edit: goodtest.Edits(pin, allowed(), without(rule("login_method", goodtest.IDP)))},
		{Name: "a policy excludes a rule group for the mailed code", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			without(rule("group", "g1")), group("g1", rule("login_method", "pin")))},
		{Name: "a policy excludes a rule group that was not returned", Want: posture.Unknown, Edit: goodtest.Edits(pin, allowed(),
			without(rule("group", "g9")))},
		{Name: "a Block for the mailed code comes last", Want: posture.Warning, Resource: goodtest.Account, Edit: goodtest.Edits(pin, allowed(),
			editGoodApp(func(a *snapshot.AccessApp) {
				a.Policies = append(a.Policies, snapshot.AccessPolicy{ID: "b", Decision: "deny",
					Include: []snapshot.AccessRule{rule("login_method", "pin")}})
			}))},
		{Name: "a Block for all but the company's login comes first", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			editGoodApp(func(a *snapshot.AccessApp) {
				a.Policies = slices.Insert(a.Policies, 0, snapshot.AccessPolicy{ID: "b", Decision: "deny", Include: []snapshot.AccessRule{everyone},
					Exclude: []snapshot.AccessRule{rule("login_method", goodtest.IDP)}})
			}))},
		{Name: "a policy is for a login method that is gone", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", rule("login_method", "i9")))},
		{Name: "a policy for a list of addresses that leaves out one of them", Want: posture.Warning, Resource: goodtest.Account,
			Edit: goodtest.Edits(pin, allowed(), ruled("allow", rule("ip_list", "l1")), leavesOut,
				goodtest.GatewayList("l1", "45.60.10.9", "45.60.10.10"))},
		{Name: "a policy for a list of addresses that leaves out all of them", Want: posture.Pass, Edit: goodtest.Edits(pin, allowed(),
			ruled("allow", rule("ip_list", "l1")), leavesOut, goodtest.GatewayList("l1", "45.60.10.9"))},
		{Name: "the rules of a policy were not returned", Want: posture.Unknown, Edit: goodtest.Edits(pin, allowed(),
			editGoodApp(func(a *snapshot.AccessApp) { a.Policies = []snapshot.AccessPolicy{{ID: "p9", Decision: "allow"}} }))},
		{Name: "only a one-time PIN", Want: posture.NotApplicable, Edit: idp(func(p *snapshot.IdentityProvider) { p.Type = "onetimepin" })},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

// evaluateProviders reports the account once, with one row per weakness.
func evaluateProviders(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.AccessIDPs)
	var severe, mild []posture.Evidence
	company, odd := 0, ""
	for _, p := range all {
		if p.Mailed() || p.Consumer() {
			continue
		}
		if company++; !p.Company() {
			odd = p.Type
		}
		found := weaknesses(p)
		if p.Type == "saml" && !is(p.SignRequest) && !is(p.SCIM) {
			severe = append(severe, found...)
		} else {
			mild = append(mild, found...)
		}
	}
	if company == 0 {
		return v.NotApplicable("no company identity provider exists, which CFL-ZT-001 judges")
	}
	mailed, unsure := mailedLogins(v, all)
	mild = append(mild, mailed...)
	switch {
	case len(severe) > 0:
		return v.Fail("A SAML identity provider accepts unsigned requests and does not report people who leave, as SCIM is off.",
			append(severe, mild...)...)
	case len(mild) > 0 && len(mailed) == len(mild):
		return v.Warn("A one-time PIN is accepted besides the company's identity provider by "+check.Count(len(mailed), "application", "")+".",
			mailed...).As(posture.Words{Problem: "Applications of this account also accept a one-time PIN", ByHand: true,
			Impact:    "Someone who reads the mailbox of a person signs in without the password and second factor of the company.",
			Breaks:    "People who have only a mailbox, such as guests, can no longer sign in to these applications.",
			Dashboard: inApplications + " › the application › Login methods: choose the company's identity provider only."})
	case len(mild) > 0:
		return v.Warn(check.Count(len(mild), "setting", "")+" of the company's identity providers should be stronger.", mild...).
			As(posture.Words{Problem: "Identity providers of this account have weak settings"})
	case unsure != "":
		return v.Unknown("a group or a policy that decides who passes the application " + unsure + " is not known, so whether it takes a " +
			"one-time PIN is not known")
	case odd != "":
		return v.Unknown("an identity provider has a type this check does not know: " + odd)
	}
	return v.Pass("Connected with the recommended settings: %s.", check.Count(company, "company identity provider", ""))
}

// weaknesses lists the weaknesses of one provider: request signing applies to SAML, PKCE to OpenID,
// SCIM to the types that offer it. A setting the provider did not return counts as off only where
// the type has it.
func weaknesses(p snapshot.IdentityProvider) []posture.Evidence {
	var out []posture.Evidence
	need := func(b *bool, has bool, member string) {
		if has && !is(b) || b != nil && !*b && member == "config/pkce_enabled" {
			out = append(out, check.Evidence(snapshot.AccessIDPs, "/"+p.ID+"/"+member, "off", "on"))
		}
	}
	provisions := slices.Contains([]string{"saml", "oidc", "okta", "azureAD", "onelogin", "pingone"}, p.Type)
	need(p.SignRequest, p.Type == "saml", "config/sign_request")
	need(p.PKCE, p.Type == "oidc", "config/pkce_enabled")
	need(p.SCIM, provisions, "scim_config/enabled")
	need(p.UserDeprovision, provisions && is(p.SCIM), "scim_config/user_deprovision")
	return out
}

func is(b *bool) bool { return b != nil && *b }
