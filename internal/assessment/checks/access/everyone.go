package access

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// everyone finds applications whose login lets any visitor pass.
func everyone() check.Check {
	return check.Check{
		ID: "CFL-ZT-007", Title: "No Access application lets everyone in",
		Category: "access", Severity: posture.Critical, Resource: posture.ResourceAccessApp, Scope: check.PerAccount,
		Why: "The login page looks protective while any visitor passes.",
		Fix: "Name groups or domains in include, or remove the bypass.",
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
			Caution: "Users outside the group lose access at once; never guess the group. Check app_count: a reusable policy serves several apps.",
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

// everyoneByLogin are examples of who can sign in, and of policies that ask for no login.
func everyoneByLogin() []goodtest.Example {
	include, decision := staffIncludes, staffDecides
	all, inGroup := snapshot.AccessRule{Kind: "everyone"}, snapshot.AccessRule{Kind: "group", Value: "g1"}
	return []goodtest.Example{
		{Name: "everyone, with the company's login only", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), logins("okta"))},
		{Name: "everyone, with a mailed code", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), logins("okta", "onetimepin"))},
		{Name: "everyone, with a mailed code that the application does not accept", Want: posture.Fail, Severity: posture.Medium,
			Resource: goodtest.App, Edit: goodtest.Edits(include(all), logins("okta", "onetimepin"),
				editGoodApp(func(a *snapshot.AccessApp) { a.AllowedIDPs = []string{"idp-okta"} }))},
		{Name: "everyone, with a consumer login", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), logins("google"))},
		{Name: "everyone, and the logins are not readable", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), func(b *snapshot.Builder) { b.Mark(snapshot.AccessIDPs.Source(), snapshot.Denied, "x", "") })},
		{Name: "Service Auth for everyone", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), decision("non_identity"), logins("okta"))},
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
	public := func(p *policy.Policy) { p.PublicHosts = []string{"admin.shop.example"} }
	return []goodtest.Example{
		{Name: "staff only", Want: posture.Pass, Resource: goodtest.Account},
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
		{Name: "everyone with a demand", Want: posture.Warning, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			editStaff(func(p *snapshot.AccessPolicy) {
				p.Require = []snapshot.AccessRule{{Kind: "email_domain", Value: "shop.example"}}
			}))},
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
	gs, reusable := exposure.IndexGroups(check.Read(v, snapshot.AccessGroups)), exposure.IndexPolicies(check.Read(v, snapshot.AccessPolicies))
	guarded := []string{"self_hosted", "ssh", "vnc", "rdp", "infrastructure", "mcp", "mcp_portal", "app_launcher", "saas"}
	idps, known := check.ReadOptional(v, snapshot.AccessIDPs)
	j := v.Judge()
	for _, a := range check.Read(v, snapshot.AccessApps) {
		if a.Type == "warp" {
			continue
		}
		o := openness(exposure.Attached(a, reusable), gs, markedPublic(v, a))
		if !slices.Contains(guarded, a.Type) {
			o.doubtful, o.open, o.unasked = truth.Or(o.doubtful, o.open, o.unasked), truth.No, truth.No
		}
		signIn := exposure.SomeoneSignsIn
		if known {
			signIn = exposure.SignInOf(a, idps)
		}
		r := posture.Resource{Type: posture.ResourceAccessApp, ID: a.ID, Name: a.Name}
		seen := check.Evidence(snapshot.AccessApps, "/"+a.ID+"/policies", o.policy+" includes everyone",
			"only named groups, domains or addresses")
		switch {
		case o.unasked == truth.Yes:
			j.Fail(r, "The policy "+o.policy+" lets anyone into the application "+a.Name+" without signing in.", seen)
		case o.open == truth.Yes && signIn == exposure.CompanySignsIn:
			j.Fail(r, "The policy "+o.policy+" lets everyone of the company's identity provider into the application "+a.Name+".", seen)
			j.Rated(posture.Medium)
		case o.open == truth.Yes && signIn == exposure.AnybodySignsIn:
			j.Fail(r, "The policy "+o.policy+" lets anyone who opens a mailbox or a consumer account sign in to the application "+a.Name+".", seen)
		case o.open == truth.Yes:
			j.Fail(r, "The policy "+o.policy+" lets everyone who can sign in into the application "+a.Name+".", seen)
		case o.doubtful == truth.Yes:
			j.Warn(r, "The policy "+o.policy+" of the application "+a.Name+" includes everyone.", seen)
		case o.unasked == truth.Undecided || o.open == truth.Undecided || o.doubtful == truth.Undecided:
			j.Unclear(r, "a policy of the application names a group or rules that the provider did not return")
		default:
			j.Pass()
		}
	}
	return j.Done("No application lets everyone in.", "no application exists besides device enrolment")
}

// open says how far the policies of an app open it, and by which one: to whoever signs in, and without signing in.
type open struct {
	open, unasked, doubtful truth.Value
	policy                  string
}

// openness tries the policies in their order: those that ask for no login first, then Allow and Block, of which the first that
// matches decides. A Block for everyone ends the search.
func openness(policies []snapshot.AccessPolicy, gs exposure.Groups, public bool) open {
	var out open
	for _, p := range policies {
		if !exposure.NoLogin(p) || p.Decision == "bypass" && public {
			continue
		}
		all := gs.OpenDoor(p)
		if p.Decision == "bypass" && !slices.ContainsFunc(p.Include, func(r snapshot.AccessRule) bool {
			return r.Kind == "everyone" ||
				r.Kind == "group"
		}) {
			all = truth.No // by address or country: CFL-ZT-026
		}
		if p.Decision == "bypass" && len(p.Require) > 0 && !demandsNothing(p.Require) {
			all = truth.No // with a demand: CFL-ZT-026
		}
		if all == truth.Yes && out.unasked != truth.Yes {
			out.policy = p.Name
		}
		out.unasked = truth.Or(out.unasked, all)
	}
	for _, p := range policies {
		if p.Decision == "deny" && deniesAll(p) {
			break
		}
		if p.Decision != "allow" && p.Decision != "bypass" {
			continue
		}
		all := gs.Any(p.Include, func(r snapshot.AccessRule) bool { return anyone(r, p.Decision) },
			func(g snapshot.AccessGroup) bool { return demandsNothing(g.Require) })
		if len(p.Include) == 0 {
			all = truth.Undecided
		}
		if all == truth.Yes && out.open != truth.Yes && out.unasked != truth.Yes {
			out.policy = p.Name
		}
		if p.Decision == "allow" && demandsNothing(p.Require) {
			out.open = truth.Or(out.open, all)
		} else {
			out.doubtful = truth.Or(out.doubtful, all)
		}
	}
	return out
}

// deniesAll: a Block for everyone, without exceptions.
func deniesAll(p snapshot.AccessPolicy) bool {
	return len(p.Exclude) == 0 && demandsNothing(p.Require) &&
		slices.ContainsFunc(p.Include, func(r snapshot.AccessRule) bool { return r.Kind == "everyone" })
}

// anyone: a login from any address is a login for everyone. A bypass by address
// is left to CFL-ZT-026.
func anyone(r snapshot.AccessRule, decision string) bool {
	return r.Kind == "everyone" || decision == "allow" && r.Kind == "ip" && exposure.Anywhere(r)
}

// demandsNothing: to require everyone is to require nothing.
func demandsNothing(require []snapshot.AccessRule) bool {
	return !slices.ContainsFunc(require, func(r snapshot.AccessRule) bool { return r.Kind != "everyone" })
}
