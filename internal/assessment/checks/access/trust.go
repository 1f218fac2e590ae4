package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// trust finds policies that admit people and machines without naming them.
func trust() check.Check {
	return check.Check{
		ID: "CFL-ZT-011", Title: "Policies do not trust public mail domains or any service token",
		Category: "access", Severity: posture.Critical, Resource: posture.ResourceAccessPolicy, Scope: check.PerAccount,
		Why: "A policy should name people, groups or machines of the organization. A public mail domain, a consumer " +
			"login or any service token stands for whoever has one.",
		Fix: "Replace the rule in Include by named people, a group of your identity provider or your mail domain.",
		Words: posture.Words{
			Problem: "Policy {name} lets in people who are not named",
			Impact: "Anyone who meets the rule opens the applications of the policy, whether or not they belong to the " +
				"organization.",
			Breaks:    "Everyone whom the new rule does not name loses access to each application that uses the policy.",
			Dashboard: inPolicies + ` › {name} › Edit: replace the rule in Include by a group, your mail domain or one service token.`,
			Terraform: allowPolicy},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/",
			"https://developers.cloudflare.com/cloudflare-one/identity/service-tokens/"},
		Controls: check.Controls{
			check.Supports("cis 6.1", "Access is granted to people the organisation knows and not to any mailbox."),
			check.Supports("soc2 CC6.1", "A login that anyone can open, or any token of the account, opens no application."),
			check.Supports("pci 7.2.1", "Groups that anybody can join do not fit job needs."),
			check.Supports("nist PR.AA-05", "Permissions name somebody in particular."),
		},
		Aliases:  []string{"union:any-valid-token-policies"},
		Paths:    []string{"open-access-app"},
		Needs:    []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.AccessOrg},
		Optional: []snapshot.Named{snapshot.AccessIDPs, snapshot.GatewayListItems, snapshot.DevicePosture},
		Unless:   notInUse,
		Evaluate: evaluateTrust,
	}
}

func trustExamples() []goodtest.Example {
	rule, include, require := goodtest.AccessRule, staffPasses, policiesDemand
	noIDPs := func(b *snapshot.Builder) { b.Mark(snapshot.AccessIDPs.Source(), snapshot.Denied, "Some Read", "") }
	public, token := rule("email_domain", "GMail.com"), rule("any_valid_service_token", "")
	login := func(id string) func(*snapshot.Builder) { return include("allow", rule("login_method", id)) }
	return append(trustByLogin(), []goodtest.Example{
		{Name: "staff and a named token", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a public mail domain but for one address", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(
			include("allow", public), editStaff(func(p *snapshot.AccessPolicy) {
				p.Exclude = []snapshot.AccessRule{rule("email", "a•••@gmail.com")}
			}))},
		{Name: "a public mail domain that is excluded again", Want: posture.Pass, Edit: goodtest.Edits(
			include("allow", public), editStaff(func(p *snapshot.AccessPolicy) { p.Exclude = []snapshot.AccessRule{public} }))},
		{Name: "a public mail domain", Want: posture.Fail, Resource: goodtest.Policy, Edit: include("allow", public)},
		{Name: "a public mail domain, and no application has the policy", Want: posture.Warning, Severity: posture.Low, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", public), editApp(func(a *snapshot.AccessApp) { a.Policies = nil }))},
		{Name: "a public mail domain besides the staff", Want: posture.Fail, Resource: goodtest.Policy,
			Edit: include("allow", rule("email_domain", "shop.example"), public)},
		{Name: "a public mail domain in a group", Want: posture.Fail, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", rule("group", "g1")), group("g1", public))},
		{Name: "a single address at a public mail provider is named", Want: posture.Pass,
			Edit: include("allow", rule("email", "a•••@gmail.com"))},
		{Name: "a denied public mail domain", Want: posture.Pass, Edit: include("deny", public)},
		{Name: "a public mail domain, after a Block for everyone", Want: posture.Pass, Edit: goodtest.Edits(include("allow", public),
			afterBlock(snapshot.AccessPolicy{Include: []snapshot.AccessRule{rule("everyone", "")}}))},
		{Name: "a public mail domain, after a Block in one application of two", Want: posture.Fail, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", public), afterBlock(snapshot.AccessPolicy{Include: []snapshot.AccessRule{rule("everyone", "")}}),
				func(b *snapshot.Builder) {
					snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
						other := (*as)[0]
						other.ID, other.Policies = "other", slices.DeleteFunc(slices.Clone(other.Policies), func(p snapshot.AccessPolicy) bool {
							return p.Decision == "deny"
						})
						*as = append(*as, other)
					})
				})},
		{Name: "any service token", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.Policy,
			Edit: include("non_identity", token)},
		{Name: "any service token in a group", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("non_identity", rule("group", "g1")), group("g1", token))},
		{Name: "Service Auth for everyone", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.Policy,
			Edit: include("non_identity", rule("everyone", ""))},
		{Name: "Service Auth for every address", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.Policy,
			Edit: include("non_identity", rule("ip", "0.0.0.0/0"))},
		{Name: "Service Auth for a country", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.Policy,
			Edit: include("non_identity", rule("geo", "DE"))},
		{Name: "Service Auth for a country with a token", Want: posture.Pass,
			Edit: goodtest.Edits(include("non_identity", rule("geo", "DE")), require(rule("service_token", "t1")))},
		{Name: "any service token passes by", Want: posture.Fail, Resource: goodtest.Policy, Edit: include("bypass", token)},
		{Name: "any service token from one address", Want: posture.Pass, Edit: goodtest.Edits(include("non_identity", token),
			require(rule("ip", "45.60.10.9")))},
		{Name: "any service token from a list of addresses", Want: posture.Unknown, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("non_identity", token), require(rule("ip_list", "l1")))},
		{Name: "any service token from a list of single addresses", Want: posture.Pass, Edit: goodtest.Edits(include("non_identity", token),
			require(rule("ip_list", "l1")), goodtest.GatewayList("l1", "45.60.10.9"))},
		{Name: "any service token from a list of all addresses", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(
			include("non_identity", token), require(rule("ip_list", "l1")), goodtest.GatewayList("l1", "0.0.0.0/0"))},
		{Name: "any service token in an allow policy with a demand", Want: posture.Warning, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", token), require(rule("geo", "DE")))},
		{Name: "the company's login", Want: posture.Pass, Edit: login(goodtest.IDP)},
		{Name: "a login method that is gone", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(login("i9"),
			editApp(func(a *snapshot.AccessApp) { a.AllowedIDPs = nil }))},
		{Name: "a login method that is gone, and the applications accept another alone", Want: posture.Pass, Edit: login("i9")},
		{Name: "nobody knows the login methods", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(login(goodtest.IDP),
			noIDPs)},
		{Name: "the login methods do not matter", Want: posture.Pass, Edit: noIDPs},
		{Name: "a public mail domain whatever the login methods", Want: posture.Fail, Edit: goodtest.Edits(include("allow", public), noIDPs)},
		{Name: "a group that is missing", Want: posture.Unknown, Resource: goodtest.Policy, Edit: include("allow", rule("group", "g1"))},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}...)
}

// staffPasses is an example edit of the policy for people; policiesDemand of all policies.
func staffPasses(decision string, rules ...snapshot.AccessRule) func(*snapshot.Builder) {
	return editStaff(func(p *snapshot.AccessPolicy) { p.Decision, p.Include = decision, rules })
}

func policiesDemand(r snapshot.AccessRule) func(*snapshot.Builder) {
	return editPolicy(func(p *snapshot.AccessPolicy) { p.Require = []snapshot.AccessRule{r} })
}

// trustByLogin returns examples of login methods that anyone can have.
func trustByLogin() []goodtest.Example {
	rule, include, require := goodtest.AccessRule, staffPasses, policiesDemand
	idp := func(kind string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			editApp(func(a *snapshot.AccessApp) { a.AllowedIDPs = nil })(b)
			snapshot.Edit(b, snapshot.AccessIDPs, goodtest.Account, func(ps *[]snapshot.IdentityProvider) {
				*ps = append(*ps, snapshot.IdentityProvider{ID: "i9", Name: "Other", Type: kind})
			})
		}
	}
	public, token := rule("email_domain", "GMail.com"), rule("any_valid_service_token", "")
	login := func(id string) func(*snapshot.Builder) { return include("allow", rule("login_method", id)) }
	return []goodtest.Example{
		{Name: "a consumer login", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(login("i9"), idp("github"))},
		{Name: "a one-time PIN", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(login("i9"), idp("onetimepin"))},
		{Name: "a one-time PIN besides the staff", Want: posture.Fail, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", rule("email", "b•••@shop.example"), rule("login_method", "i9")), idp("onetimepin"))},
		{Name: "a one-time PIN that the application does not accept", Want: posture.Pass, Edit: goodtest.Edits(login("i9"), idp("onetimepin"),
			editApp(func(a *snapshot.AccessApp) { a.AllowedIDPs = []string{goodtest.IDP} }))},
		{Name: "a one-time PIN in a group", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(
			include("allow", rule("group", "g1")), group("g1", rule("login_method", "i9")), idp("onetimepin"))},
		{Name: "a one-time PIN with a healthy device", Want: posture.Pass, Edit: goodtest.Edits(login("i9"), idp("onetimepin"),
			require(rule("device_posture", goodtest.Posture)))},
		{Name: "a one-time PIN with any device", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(login("i9"),
			idp("onetimepin"), require(rule("device_posture", "w")), goodtest.AnyDevice)},
		{Name: "a public mail domain of a named group", Want: posture.Pass,
			Edit: goodtest.Edits(include("allow", public), require(rule("azureAD", "admins")))},
		{Name: "a public mail domain in one country", Want: posture.Fail, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", public), require(rule("geo", "DE")))},
		{Name: "a public mail domain in the company's directory", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", public), goodtest.Logins("okta"))},
		{Name: "a public mail domain with a mailed code", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", public), goodtest.Logins("okta", "onetimepin"))},
		{Name: "any service token from a country", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("non_identity", token), require(rule("geo", "DE")))},
		{Name: "a consumer login of named people", Want: posture.Pass, Edit: goodtest.Edits(login("i9"), idp("google"),
			require(rule("email_domain", "shop.example")))},
		{Name: "a consumer login in one country", Want: posture.Warning, Resource: goodtest.Policy,
			Edit: goodtest.Edits(login("i9"), idp("google"), require(rule("geo", "DE")))},
	}
}

// evaluateTrust judges every policy that admits someone, including bypass. A login only with the
// company's own provider counts as good.
func evaluateTrust(v *check.View) check.Outcome {
	access, reusable := check.AccessWithLogins(v)
	ways := map[string][]admission.Way{} // into applications, by policy: with their logins, after the Blocks before it
	for _, a := range check.Read(v, snapshot.AccessApps) {
		for _, w := range access.Ways(exposure.Attached(a, reusable), a.AllowedIDPs) {
			ways[w.Policy.ID] = append(ways[w.Policy.ID], w)
		}
	}
	j := v.Judge()
	for _, p := range check.EveryPolicy(v) {
		worst, by := nobody, admission.Way{}
		into := ways[p.ID]
		if unattached(v, p.ID) {
			into = access.Ways([]snapshot.AccessPolicy{p}, nil)
		}
		for _, w := range into {
			if t := trusted(w); t > worst {
				worst, by = t, w
			}
		}
		r := posture.Resource{Type: posture.ResourceAccessPolicy, ID: p.ID, Name: p.Name}
		seen := func(observed, expected string) posture.Evidence {
			return check.Evidence(snapshot.AccessPolicies, "/"+p.ID+"/include", observed, expected)
		}
		if worst > unsureTrust && unattached(v, p.ID) {
			judgeUnattached(j, r, seen("admits more than named people", "named people or groups"))
			continue
		}
		switch worst {
		case anyRequest:
			j.Fail(r, "The policy "+p.Name+" lets in anyone without a login.", seen("everyone, every address or a country",
				"a named service token or certificate"))
		case publicMail:
			j.Fail(r, "The policy "+p.Name+" lets in everyone with an address at a public mail service.",
				seen("the domain of a public mail provider", "named people or domains of the organisation"))
			switch by.Who {
			case admission.Company:
				j.Rated(posture.Medium) // they are in the company's directory
			case admission.SomeLogin:
				j.Provisional()
			}
		case publicLogin:
			j.Fail(r, "The policy "+p.Name+" lets in everyone who uses a login method that is open to the public.",
				seen("login_method alone", "named people or groups"))
		case anyToken:
			j.Fail(r, "The policy "+p.Name+" lets in every service token of the account.", seen("any_valid_service_token", "a named service token"))
			j.Rated(posture.Medium) // only holders of a token of the account are admitted
		case limitedToken:
			j.Warn(r, "The policy "+p.Name+" lets in every service token of the account under one more condition.",
				seen("any_valid_service_token", "a named service token"))
		case limitedLogin:
			j.Warn(r, "The policy "+p.Name+" lets in everyone from one place who uses a login method that is open to the public.",
				seen("login_method and a place", "named people or groups"))
		case unsureTrust:
			if by.Rule.Kind == "login_method" && !by.Tested {
				j.Unknown(r, "the login method that the policy names is not among those of the account")
			} else {
				j.Unknown(r, "the policy names a group, a posture check, rules or a list of addresses that are not known")
			}
		default:
			j.Pass()
		}
		if worst > unsureTrust {
			j.As(trustWords(worst, v, p.ID))
		}
	}
	if j.Judged() == 0 {
		return v.Pass("No policy lets anybody in.")
	}
	return j.Done("Every policy names whom it lets in.", "no policy exists")
}

// trustWords returns the words for a policy by whom it trusts.
func trustWords(t trustee, v *check.View, id string) posture.Words {
	people := policyCall(v, id, `.include = [{email_domain: {domain: "{$MAIL_DOMAIN}"}}]`, chooseMailDomain)
	tokenOnly := policyCall(v, id, `.decision = "non_identity" | .include = [{service_token: {token_id: "{$SERVICE_TOKEN}"}}]`, chooseToken)
	switch t {
	case anyRequest:
		return posture.Words{Problem: "Policy {name} lets anyone in without a login", Call: tokenOnly, Terraform: tokenPolicy,
			Impact: "Anyone on the internet uses the applications of the policy; Service Auth accepts requests without a token."}
	case publicMail:
		return posture.Words{Problem: "Anyone with a public mailbox passes policy {name}", Call: people,
			Impact: "Anyone who opens a free mailbox there can pass the policy and use its applications."}
	case publicLogin:
		return posture.Words{Problem: "Anyone with a consumer login passes policy {name}", Call: people,
			Impact: "Anyone with a mailbox or a free account, such as GitHub or Google, signs in and uses the applications."}
	case anyToken, limitedToken:
		return anyTokenWords(tokenOnly)
	case limitedLogin:
		return posture.Words{Problem: "Anyone from one place passes policy {name}", Call: people,
			Impact: "Anyone in that country or network with a mailbox or a free account signs in and uses the applications."}
	}
	return posture.Words{}
}

// trustee says whom a way trusts, from least to worst.
type trustee int

const (
	nobody trustee = iota
	unsureTrust
	limitedLogin
	limitedToken
	anyToken
	publicLogin
	publicMail
	anyRequest
)

func trusted(w admission.Way) trustee {
	limited := w.Factor || w.Place < exposure.Wide
	switch {
	case w.Unsure, w.Listed && w.Who == admission.AnyToken && !w.Factor:
		return unsureTrust
	case w.Policy.Decision == "non_identity" && w.Open():
		return anyRequest
	case w.Rule.Kind == "email_domain" && w.Who != admission.Named && !w.Factor:
		return publicMail
	case w.Who == admission.AnyToken && !limited && !(w.Placed && w.Policy.Decision == "allow"):
		return anyToken
	case w.Who == admission.AnyToken && w.Policy.Decision != "non_identity":
		return limitedToken
	case w.Rule.Kind == "login_method" && w.Who == admission.Anybody && !w.Factor:
		if w.Placed {
			return limitedLogin
		}
		return publicLogin
	}
	return nobody
}

// unattached reports whether no application has a policy: it lets in nobody yet.
func unattached(v *check.View, policy string) bool {
	return !slices.ContainsFunc(check.Read(v, snapshot.AccessApps), func(a snapshot.AccessApp) bool {
		return slices.ContainsFunc(a.Policies, func(p snapshot.AccessPolicy) bool { return p.ID == policy })
	})
}

func judgeUnattached(j *check.Judgement, r posture.Resource, seen posture.Evidence) {
	j.Warn(r, "The policy "+r.Name+" would let in too many; no application has it.", seen)
	j.Rated(posture.Low)
	j.As(posture.Words{Problem: "Policy {name}, which no application has, would let in too many", ByHand: true,
		Impact:    "Whoever adds the policy to an application opens it wider than its name says.",
		Breaks:    "Nothing that works today, as no application has the policy.",
		Dashboard: inPolicies + " › {name} › Delete."})
}
