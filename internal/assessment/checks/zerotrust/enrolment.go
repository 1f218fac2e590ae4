package zerotrust

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// enrolment judges who may make a device part of the network.
func enrolment() check.Check {
	return check.Check{
		ID: "CFL-ZT-003", Title: "Device enrolment is limited to the organisation",
		Category: "zerotrust", Severity: posture.Critical, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Whoever may enrol a device may reach the private network.",
		Fix: "Limit enrolment to company groups and managed devices.",
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/devices/",
			"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/"},
		Controls: check.Controls{
			check.Supports("cis 6.4", "Only devices of the organisation join the private network."),
			check.Supports("soc2 CC6.1", "Enrolment is restricted to people and devices that are known."),
			check.Supports("pci 8.4.3", "Remote access starts with an enrolment that is limited; a factor may not be asked."),
			check.Supports("nist PR.AA-05", "The permission to enrol follows a policy."),
		},
		Aliases:  []string{"flareinspect:CFL-ZT-003"},
		Needs:    []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups, snapshot.PrivateRoutes},
		Optional: []snapshot.Named{snapshot.AccessIDPs},
		Evaluate: evaluateEnrolment,
	}
}

func enrolmentExamples() []goodtest.Example {
	edit := func(change func(*snapshot.AccessPolicy)) func(*snapshot.Builder) {
		return editApp(goodtest.Enrolment, func(a *snapshot.AccessApp) { change(&a.Policies[0]) })
	}
	include := func(rules ...snapshot.AccessRule) func(*snapshot.Builder) {
		return edit(func(p *snapshot.AccessPolicy) { p.Include = rules })
	}
	require := func(rules ...snapshot.AccessRule) func(*snapshot.Builder) {
		return edit(func(p *snapshot.AccessPolicy) { p.Require = rules })
	}
	rule := func(kind, value string) snapshot.AccessRule { return snapshot.AccessRule{Kind: kind, Value: value} }
	noApp := editApps(func(as *[]snapshot.AccessApp) {
		*as = slices.DeleteFunc(*as, func(a snapshot.AccessApp) bool { return a.Type == "warp" })
	})
	noRoute := func(b *snapshot.Builder) {
		snapshot.Put(b, snapshot.PrivateRoutes, goodtest.Account, []snapshot.PrivateRoute{})
	}
	group := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return goodtest.Edits(include(rule("group", "g1")), func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessGroups, goodtest.Account,
				[]snapshot.AccessGroup{{ID: "g1", Name: "g1", Include: []snapshot.AccessRule{r}}})
		})
	}
	return []goodtest.Example{
		{Name: "staff with managed devices", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a group of the directory with a healthy device", Want: posture.Pass, Edit: goodtest.Edits(include(rule("azureAD", "g")),
			require(rule("device_posture", "d")))},
		{Name: "staff with a second factor of Access", Want: posture.Pass,
			Edit: goodtest.Edits(require(), edit(func(p *snapshot.AccessPolicy) { p.MFA = &snapshot.AccessMFA{} }))},
		{Name: "certificates only", Want: posture.Pass, Edit: goodtest.Edits(include(rule("certificate", "")), require())},
		{Name: "the domain is on the operator's list", Want: posture.Pass,
			Policy: func(p *policy.Policy) { p.OwnMailDomains = []string{"SHOP.example"} }},
		{Name: "everyone", Want: posture.Fail, Resource: goodtest.Account, Edit: include(rule("everyone", ""))},
		{Name: "a public mail domain", Want: posture.Fail, Resource: goodtest.Account, Edit: include(rule("email_domain", "gmail.com"))},
		{Name: "a public mail domain in a group", Want: posture.Fail, Resource: goodtest.Account, Edit: group(rule("email_domain", "gmail.com"))},
		{Name: "whoever comes from a country", Want: posture.Fail, Resource: goodtest.Account, Edit: goodtest.Edits(include(rule("geo", "DE")),
			require())},
		{Name: "whoever has an address", Want: posture.Fail, Resource: goodtest.Account, Edit: goodtest.Edits(include(rule("ip", "0.0.0.0/0")),
			require())},
		{Name: "whoever gets a one-time PIN", Want: posture.Fail, Resource: goodtest.Account, Edit: goodtest.Edits(
			include(rule("login_method", "pin")), require(), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.AccessIDPs, goodtest.Account, []snapshot.IdentityProvider{{ID: "pin", Type: "onetimepin"}})
			})},
		{Name: "everyone from a country", Want: posture.Fail, Resource: goodtest.Account, Edit: goodtest.Edits(include(rule("everyone", "")),
			require(rule("geo", "DE")))},
		{Name: "staff with any device", Want: posture.Warning, Resource: goodtest.Account, Edit: require()},
		{Name: "staff from one country", Want: posture.Warning, Resource: goodtest.Account, Edit: require(rule("geo", "DE"))},
		{Name: "nobody may enrol although there are routes", Want: posture.Warning, Resource: goodtest.Account, Edit: noApp},
		{Name: "an application without a policy", Want: posture.Unknown,
			Edit: editApp(goodtest.Enrolment, func(a *snapshot.AccessApp) { a.Policies = nil })},
		{Name: "whoever logs in somehow", Want: posture.Unknown, Edit: include(rule("login_method", "i1"))},
		{Name: "a domain that is not on the operator's list", Want: posture.Unknown,
			Policy: func(p *policy.Policy) { p.OwnMailDomains = []string{"other.example"} }},
		{Name: "a group that is missing", Want: posture.Unknown, Edit: include(rule("group", "g9"))},
		{Name: "no device and no route", Want: posture.NotApplicable, Edit: goodtest.Edits(noApp, noRoute)},
		{Name: "devices without routes are judged", Want: posture.Fail, Edit: goodtest.Edits(noRoute, include(rule("everyone", "")))},
	}
}

// evaluateEnrolment: a mail domain that is no public one counts as own, unless
// the operator listed the own domains and it is not among them. A login by any
// provider, country or token is neither good nor bad by the condition.
func evaluateEnrolment(v *check.View) check.Outcome {
	apps := slices.DeleteFunc(slices.Clone(check.Read(v, snapshot.AccessApps)), func(a snapshot.AccessApp) bool { return a.Type != "warp" })
	routes := check.Read(v, snapshot.PrivateRoutes)
	switch {
	case len(apps) == 0 && len(routes) == 0:
		return v.NotApplicable("no device may enrol and no private route exists")
	case len(apps) == 0:
		return v.Warn("Private routes exist, and no application says who may enrol a device.", check.Evidence(snapshot.AccessApps, "",
			"no application of type warp", "an application of type warp"))
	}
	gs, reusable := exposure.IndexGroups(check.Read(v, snapshot.AccessGroups)), exposure.IndexPolicies(check.Read(v, snapshot.AccessPolicies))
	idps, _ := check.ReadOptional(v, snapshot.AccessIDPs)
	open, bare, own, allows := truth.No, truth.No, truth.Yes, 0
	worst := ""
	for _, a := range apps {
		for _, p := range exposure.Attached(a, reusable) {
			if p.Decision == "deny" {
				continue
			}
			always := func(snapshot.AccessGroup) bool { return true }
			wide := gs.Any(p.Include, func(r snapshot.AccessRule) bool { return r.Kind == "everyone" || exposure.PublicMail(r) }, always)
			if !slices.ContainsFunc(p.Require, func(r snapshot.AccessRule) bool { return tellsApart(r, idps) }) {
				wide = truth.Or(wide, gs.Any(p.Include, func(r snapshot.AccessRule) bool {
					return exposure.Anywhere(r) || anybodysLogin(r, idps)
				}, always))
			}
			if len(p.Include) == 0 {
				wide = truth.Undecided
			}
			if wide == truth.Yes {
				worst = p.Name
			}
			open = truth.Or(open, wide)
			if p.Decision != "allow" {
				continue
			}
			allows++
			bare = truth.Or(bare, truth.Not(truth.Or(gs.Assures(p, exposure.SecondFactor), truth.Is(exposure.AsksMFA(p, a, false)))))
			own = truth.And(own, onlyOwn(v, gs, p))
		}
	}
	return concludeEnrolment(v, worst, open, bare, truth.And(own, truth.Is(allows > 0)))
}

func concludeEnrolment(v *check.View, worst string, open, bare, own truth.Value) check.Outcome {
	seen := func(observed, expected string) posture.Evidence {
		return check.Evidence(snapshot.AccessApps, "/policies", observed, expected)
	}
	switch {
	case open == truth.Yes:
		return v.Fail("The policy "+worst+" lets anyone enrol a device.", seen(worst, "named people, groups or own domains"))
	case bare == truth.Yes:
		return v.Warn("People may enrol any device with their login alone.", seen("no posture, certificate or second-factor requirement",
			"one of them"))
	case open == truth.Undecided || bare == truth.Undecided:
		return v.Unknown("a policy of device enrolment names a group or rules that the provider did not return")
	case own != truth.Yes:
		return v.Unknown("the policies of device enrolment admit people in a way this check does not follow")
	}
	return v.Pass("Only the organisation may enrol devices.")
}

// anybodysLogin reports whether a rule is met by a login that anybody can have: a mailed code or a consumer account.
func anybodysLogin(r snapshot.AccessRule, idps []snapshot.IdentityProvider) bool {
	return r.Kind == "login_method" && slices.ContainsFunc(idps, func(p snapshot.IdentityProvider) bool {
		return p.ID == r.Value && (p.Mailed() || p.Consumer())
	})
}

// tellsApart reports whether a demand keeps strangers out: people, groups or devices that somebody named.
func tellsApart(r snapshot.AccessRule, idps []snapshot.IdentityProvider) bool {
	return !exposure.Anywhere(r) && !exposure.PublicMail(r) && !anybodysLogin(r, idps) && r.Kind != "ip" && r.Kind != "auth_method"
}

// onlyOwn reports whether every include rule names people or devices of the
// organisation.
func onlyOwn(v *check.View, gs exposure.Groups, p snapshot.AccessPolicy) truth.Value {
	foreign := func(r snapshot.AccessRule) bool {
		switch r.Kind {
		case "email", "email_list", "ip", "ip_list", "certificate", "common_name", "device_posture", "azureAD", "okta", "gsuite", "saml", "oidc",
			"github-organization":
			return false
		case "email_domain":
			return len(v.Policy.OwnMailDomains) > 0 && !slices.ContainsFunc(v.Policy.OwnMailDomains,
				func(d string) bool { return exposure.Same(d, r.Value) })
		default:
			return true
		}
	}
	return truth.Not(gs.Any(p.Include, foreign, func(snapshot.AccessGroup) bool { return true }))
}
