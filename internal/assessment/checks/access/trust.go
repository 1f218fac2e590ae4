package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// trust finds policies that admit people and machines that are not named.
func trust() check.Check {
	return check.Check{
		ID: "CFL-ZT-011", Title: "Policies do not trust public mail domains or any service token",
		Category: "access", Severity: posture.Critical, Resource: posture.ResourceAccessPolicy, Scope: check.PerAccount,
		Why: "Anyone can open a free mailbox, and any forgotten token opens every such app.",
		Fix: "List addresses, groups or a named service token.",
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
		Optional: []snapshot.Named{snapshot.AccessIDPs},
		Evaluate: evaluateTrust,
	}
}

func trustExamples() []goodtest.Example {
	rule := func(kind, value string) snapshot.AccessRule { return snapshot.AccessRule{Kind: kind, Value: value} }
	include := func(decision string, rules ...snapshot.AccessRule) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) {
			if p.ID == goodtest.Policy {
				p.Decision, p.Include = decision, rules
			}
		})
	}
	require := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) { p.Require = []snapshot.AccessRule{r} })
	}
	idp := func(kind string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessIDPs, goodtest.Account, func(ps *[]snapshot.IdentityProvider) {
				*ps = append(*ps, snapshot.IdentityProvider{ID: "i9", Name: "Other", Type: kind})
			})
		}
	}
	noIDPs := func(b *snapshot.Builder) { b.Mark(snapshot.AccessIDPs.Source(), snapshot.Denied, "Some Read", "") }
	public, token := rule("email_domain", "GMail.com"), rule("any_valid_service_token", "")
	login := func(id string) func(*snapshot.Builder) { return include("allow", rule("login_method", id)) }
	return []goodtest.Example{
		{Name: "staff and a named token", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a public mail domain", Want: posture.Fail, Resource: goodtest.Policy, Edit: include("allow", public)},
		{Name: "a public mail domain besides the staff", Want: posture.Fail, Resource: goodtest.Policy,
			Edit: include("allow", rule("email_domain", "shop.example"), public)},
		{Name: "a public mail domain in a group", Want: posture.Fail, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", rule("group", "g1")), group("g1", public))},
		{Name: "a single address at a public mail provider is named", Want: posture.Pass,
			Edit: include("allow", rule("email", "a•••@gmail.com"))},
		{Name: "a denied public mail domain", Want: posture.Pass, Edit: include("deny", public)},
		{Name: "any service token", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.Policy,
			Edit: include("non_identity", token)},
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
		{Name: "any service token in an allow policy with a demand", Want: posture.Warning, Resource: goodtest.Policy,
			Edit: goodtest.Edits(include("allow", token), require(rule("geo", "DE")))},
		{Name: "a consumer login", Want: posture.Warning, Resource: goodtest.Policy, Edit: goodtest.Edits(login("i9"), idp("github"))},
		{Name: "a one-time PIN", Want: posture.Warning, Resource: goodtest.Policy, Edit: goodtest.Edits(login("i9"), idp("onetimepin"))},
		{Name: "a consumer login of named people", Want: posture.Pass, Edit: goodtest.Edits(login("i9"), idp("google"),
			require(rule("email_domain", "shop.example")))},
		{Name: "a consumer login in one country", Want: posture.Warning, Resource: goodtest.Policy,
			Edit: goodtest.Edits(login("i9"), idp("google"), require(rule("geo", "DE")))},
		{Name: "the company's login", Want: posture.Pass, Edit: login(goodtest.IDP)},
		{Name: "a login method that is gone", Want: posture.Unknown, Resource: goodtest.Policy, Edit: login("i9")},
		{Name: "nobody knows the login methods", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(login(goodtest.IDP),
			noIDPs)},
		{Name: "the login methods do not matter", Want: posture.Pass, Edit: noIDPs},
		{Name: "a public mail domain whatever the login methods", Want: posture.Fail, Edit: goodtest.Edits(include("allow", public), noIDPs)},
		{Name: "a group that is missing", Want: posture.Unknown, Resource: goodtest.Policy, Edit: include("allow", rule("group", "g1"))},
		{Name: "Access is not in use", Want: posture.NotApplicable, Edit: unused},
	}
}

// evaluateTrust judges every policy that lets somebody in, bypass included. A
// login with the company's own provider alone is taken as good.
func evaluateTrust(v *check.View) check.Outcome {
	if reason := notInUse(v); reason != "" {
		return v.NotApplicable(reason)
	}
	gs := exposure.IndexGroups(check.Read(v, snapshot.AccessGroups))
	always := func(snapshot.AccessGroup) bool { return true }
	j := v.Judge()
	for _, p := range check.EveryPolicy(v) {
		if p.Decision == "deny" {
			j.Pass()
			continue
		}
		public := gs.Any(p.Include, exposure.PublicMail, always)
		anyToken := gs.Any(p.Include, func(r snapshot.AccessRule) bool { return r.Kind == "any_valid_service_token" }, always)
		free := truth.Is(demandsNothing(p.Require))
		limited := truth.And(anyToken, truth.Not(free), truth.Is(p.Decision != "non_identity"))
		login := loginAlone(v, p)
		r := posture.Resource{Type: posture.ResourceAccessPolicy, ID: p.ID, Name: p.Name}
		seen := func(observed, expected string) posture.Evidence {
			return check.Evidence(snapshot.AccessPolicies, "/"+p.ID+"/include", observed, expected)
		}
		door := truth.No
		if p.Decision == "non_identity" {
			door = gs.OpenDoor(p)
		}
		switch {
		case door == truth.Yes:
			j.Fail(r, "The policy "+p.Name+" lets in anyone without a login.", seen("everyone, every address or a country",
				"a named service token or certificate"))
		case public == truth.Yes:
			j.Fail(r, "The policy "+p.Name+" lets in everyone with a mailbox at a public mail provider.",
				seen("the domain of a public mail provider", "named people or domains of the organisation"))
		case truth.And(anyToken, free) == truth.Yes:
			j.Fail(r, "The policy "+p.Name+" lets in every service token of the account.", seen("any_valid_service_token", "a named service token"))
			j.Rated(posture.Medium) // whoever has no token of the account stays outside
		case limited == truth.Yes:
			j.Warn(r, "The policy "+p.Name+" lets in every service token of the account under one more condition.",
				seen("any_valid_service_token", "a named service token"))
		case login == truth.Yes:
			j.Warn(r, "The policy "+p.Name+" lets in whoever has a login that anyone can open.",
				seen("login_method alone", "named people or groups"))
		case login == truth.Undecided && len(p.Include) > 0:
			j.Unknown(r, "nobody knows which login method the policy means")
		case truth.Or(door, public, truth.And(anyToken, free), limited) == truth.Undecided || len(p.Include) == 0:
			j.Unclear(r, "the policy names a group or rules that the provider did not return")
		default:
			j.Pass()
		}
	}
	if j.Judged() == 0 {
		return v.Pass("No policy lets anybody in.")
	}
	return j.Done("Every policy names whom it lets in.", "no policy exists")
}

// loginAlone reports whether a login that anyone can open is all it takes. A
// place does not tell people apart; any other demand does.
func loginAlone(v *check.View, p snapshot.AccessPolicy) truth.Value {
	other := func(r snapshot.AccessRule) bool { return r.Kind != "login_method" }
	if len(p.Include) == 0 || slices.ContainsFunc(p.Include, other) {
		return truth.No
	}
	if slices.ContainsFunc(p.Require, func(r snapshot.AccessRule) bool { return other(r) && !isPlace(r) && r.Kind != "everyone" }) {
		return truth.No
	}
	idps, known := check.ReadOptional(v, snapshot.AccessIDPs)
	out := truth.No
	for _, r := range p.Include {
		i := slices.IndexFunc(idps, func(p snapshot.IdentityProvider) bool { return p.ID == r.Value })
		out = truth.Or(out, truth.If(known && i >= 0, i >= 0 && (idps[i].Mailed() || idps[i].Consumer())))
	}
	return out
}
