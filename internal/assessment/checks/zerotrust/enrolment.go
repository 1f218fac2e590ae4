package zerotrust

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// enrolment judges who may enrol a device.
func enrolment() check.Check {
	return check.Check{
		ID: "CFL-ZT-003", Title: "Device enrolment is limited to the organisation",
		Category: "zerotrust", Severity: posture.Critical, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A device that is enrolled becomes part of the Zero Trust network and reaches its private routes. The " +
			"enrollment policy alone says who may add one.",
		Fix: "Limit enrollment to a group of your identity provider or your mail domain, and require a second factor " +
			"or a certificate.",
		Words: posture.Words{
			Problem: "Anyone can enroll a device in this account",
			Impact: "Anyone with a mailbox or consumer account enrolls a laptop and reaches the private networks behind the " +
				"tunnels.",
			Breaks: "People outside the chosen mail domain cannot enroll new devices; devices that are enrolled stay.",
			Dashboard: "Zero Trust › Team & Resources › Devices › Device profiles › Management › Device enrollment permissions " +
				"› Manage.",
			Terraform: `# Name it in policies of the cloudflare_zero_trust_access_application of type warp, or set it there.
resource "cloudflare_zero_trust_access_policy" "enrollment" {
  account_id = "{account_id}"
  name       = "Device enrollment"
  decision   = "allow"
  include    = [{ email_domain = { domain = var.mail_domain } }]
  require    = [{ auth_method = { auth_method = "mfa" } }]
}`},
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
		Optional: []snapshot.Named{snapshot.AccessIDPs, snapshot.GatewayListItems, snapshot.DevicePosture},
		Evaluate: evaluateEnrolment,
	}
}

// editEnrolment, enrolIncludes and enrolDemands are example edits of the policy of device enrolment.
func editEnrolment(change func(*snapshot.AccessPolicy)) func(*snapshot.Builder) {
	return editApp(goodtest.Enrolment, func(a *snapshot.AccessApp) { change(&a.Policies[0]) })
}

func enrolIncludes(rules ...snapshot.AccessRule) func(*snapshot.Builder) {
	return editEnrolment(func(p *snapshot.AccessPolicy) { p.Include = rules })
}

func enrolDemands(rules ...snapshot.AccessRule) func(*snapshot.Builder) {
	return editEnrolment(func(p *snapshot.AccessPolicy) { p.Require = rules })
}

// enrolmentByExclusion returns examples of whom a policy excludes.
func enrolmentByExclusion() []goodtest.Example {
	rule := goodtest.AccessRule
	but := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return goodtest.Edits(enrolDemands(), goodtest.Logins("okta", "onetimepin"), enrolIncludes(rule("everyone", "")),
			editEnrolment(func(p *snapshot.AccessPolicy) { p.Exclude = []snapshot.AccessRule{r} }))
	}
	return []goodtest.Example{
		{Name: "everyone but a country", Want: posture.Fail, Resource: goodtest.Account, Edit: but(rule("geo", "KP"))},
		{Name: "everyone but those with a mailed code", Want: posture.Warning, Resource: goodtest.Account,
			Edit: but(rule("login_method", "idp-onetimepin"))},
	}
}

func enrolmentExamples() []goodtest.Example {
	edit, include, require, rule, logins := editEnrolment, enrolIncludes, enrolDemands, goodtest.AccessRule, goodtest.Logins
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
	mailed := goodtest.Edits(require(), logins("okta", "onetimepin"))
	return append(enrolmentByExclusion(), []goodtest.Example{
		{Name: "staff with managed devices", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a group of the directory with a healthy device", Want: posture.Pass, Edit: goodtest.Edits(include(rule("azureAD", "g")),
			require(rule("device_posture", goodtest.Posture)))},
		{Name: "a group of the directory with any device", Want: posture.Warning, Resource: goodtest.Account, Edit: goodtest.Edits(
			include(rule("azureAD", "g")), require(rule("device_posture", "w")), goodtest.AnyDevice)},
		{Name: "staff with a second factor of Access", Want: posture.Pass,
			Edit: goodtest.Edits(require(), edit(func(p *snapshot.AccessPolicy) { p.MFA = &snapshot.AccessMFA{} }))},
		{Name: "certificates only", Want: posture.Pass, Edit: goodtest.Edits(include(rule("certificate", "")), require())},
		{Name: "the domain is on the operator's list", Want: posture.Pass,
			Policy: func(p *policy.Policy) { p.OwnMailDomains = []string{"SHOP.example"} }},
		{Name: "everyone", Want: posture.Fail, Resource: goodtest.Account, Edit: goodtest.Edits(mailed, include(rule("everyone", "")))},
		{Name: "everyone with a certificate of the company", Want: posture.Pass, Edit: goodtest.Edits(include(rule("everyone", "")),
			require(rule("certificate", "")), logins("okta", "onetimepin"))},
		{Name: "everyone in the company's directory", Want: posture.Warning, Edit: goodtest.Edits(include(rule("everyone", "")), require(),
			logins("okta"))},
		{Name: "everyone in the company's directory with a second factor", Want: posture.Pass, Edit: goodtest.Edits(
			include(rule("everyone", "")), require(rule("auth_method", "mfa")), logins("okta"))},
		{Name: "everyone, and the login methods are not readable", Want: posture.Unknown, Edit: goodtest.Edits(include(rule("everyone", "")),
			require(rule("auth_method", "mfa")), func(b *snapshot.Builder) {
				b.Mark(snapshot.AccessIDPs.Source(), snapshot.Denied, "Some Read", "")
			})},
		{Name: "one service token", Want: posture.Pass, Edit: goodtest.Edits(include(rule("service_token", goodtest.ServiceToken)), require(),
			edit(func(p *snapshot.AccessPolicy) { p.Decision = "non_identity" }))},
		{Name: "any service token", Want: posture.Unknown, Edit: goodtest.Edits(include(rule("any_valid_service_token", "")), require(),
			edit(func(p *snapshot.AccessPolicy) { p.Decision = "non_identity" }))},
		{Name: "nobody", Want: posture.Pass, Edit: goodtest.Edits(include(rule("everyone", "")), require(),
			edit(func(p *snapshot.AccessPolicy) { p.Decision = "deny" }))},
		{Name: "everyone, after a Block for everyone", Want: posture.Pass, Edit: goodtest.Edits(logins("onetimepin"),
			editApp(goodtest.Enrolment, func(a *snapshot.AccessApp) {
				all := []snapshot.AccessRule{rule("everyone", "")}
				a.Policies = []snapshot.AccessPolicy{{ID: "d", Decision: "deny", Include: all}, {ID: "a", Decision: "allow", Include: all}}
			}))},
		{Name: "everyone of a named group", Want: posture.Pass, Edit: goodtest.Edits(include(rule("everyone", "")),
			require(rule("okta", "staff"), rule("auth_method", "mfa")), logins("okta", "onetimepin"))},
		{Name: "whoever signs in with a consumer account", Want: posture.Fail, Edit: goodtest.Edits(include(rule("login_method", "idp-github")),
			require(), logins("okta", "github"))},
		{Name: "a public mail domain", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(mailed, include(rule("email_domain", "gmail.com")))},
		{Name: "a public mail domain in a group", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(mailed, group(rule("email_domain", "gmail.com")))},
		{Name: "a public mail domain in the company's directory", Want: posture.Warning,
			Edit: goodtest.Edits(require(), include(rule("email_domain", "gmail.com")))},
		{Name: "whoever comes from a country", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(mailed, include(rule("geo", "DE")))},
		{Name: "whoever has an address", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(mailed, include(rule("ip", "0.0.0.0/0")))},
		{Name: "whoever gets a one-time PIN", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(mailed, include(rule("login_method", "idp-onetimepin")))},
		{Name: "everyone from a country", Want: posture.Fail, Resource: goodtest.Account,
			Edit: goodtest.Edits(mailed, include(rule("everyone", "")), require(rule("geo", "DE")))},
		{Name: "everyone with a second factor, which a mailed code does not have", Want: posture.Pass,
			Edit: goodtest.Edits(mailed, include(rule("everyone", "")), require(rule("auth_method", "mfa")))},
		{Name: "everyone from a list of addresses", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Edits(logins("okta", "github"), include(rule("everyone", "")), require(rule("ip_list", "l1"),
				rule("auth_method", "mfa")))},
		{Name: "everyone from a list of wide ranges", Want: posture.Fail, Resource: goodtest.Account, Edit: goodtest.Edits(
			logins("okta", "github"), include(rule("everyone", "")), require(rule("ip_list", "l1"), rule("auth_method", "mfa")),
			goodtest.GatewayList("l1", "45.0.0.0/8"))},
		{Name: "staff with any device", Want: posture.Warning, Resource: goodtest.Account, Edit: require()},
		{Name: "staff from one country", Want: posture.Warning, Resource: goodtest.Account, Edit: require(rule("geo", "DE"))},
		{Name: "nobody may enrol although there are routes", Want: posture.Warning, Resource: goodtest.Account, Edit: noApp},
		{Name: "an application without a policy", Want: posture.Pass,
			Edit: editApp(goodtest.Enrolment, func(a *snapshot.AccessApp) { a.Policies = nil })},
		{Name: "whoever logs in by a method that the application does not accept", Want: posture.Pass, Edit: include(rule("login_method", "i1"))},
		{Name: "a domain that is not on the operator's list", Want: posture.Unknown,
			Policy: func(p *policy.Policy) { p.OwnMailDomains = []string{"other.example"} }},
		{Name: "a group that is missing", Want: posture.Unknown, Edit: include(rule("group", "g9"))},
		{Name: "no device and no route", Want: posture.NotApplicable, Edit: goodtest.Edits(noApp, noRoute)},
		{Name: "devices without routes are judged", Want: posture.Fail, Edit: goodtest.Edits(noRoute, mailed, include(rule("everyone", "")))},
	}...)
}

// evaluateEnrolment counts a mail domain that is not public as the organisation's own, unless the
// operator listed the own domains and it is not among them. A login by any provider, country or
// token is neither good nor bad by the condition.
func evaluateEnrolment(v *check.View) check.Outcome {
	apps := slices.DeleteFunc(slices.Clone(check.Read(v, snapshot.AccessApps)), func(a snapshot.AccessApp) bool { return a.Type != "warp" })
	routes := check.Read(v, snapshot.PrivateRoutes)
	switch {
	case len(apps) == 0 && len(routes) == 0:
		return v.NotApplicable("no device may enrol and no private route exists")
	case len(apps) == 0:
		return v.Warn("Private routes exist and no enrollment policy says who may enroll a device.", check.Evidence(snapshot.AccessApps, "",
			"no application of type warp", "an application of type warp")).As(posture.Words{
			Problem: "No policy says who may enroll devices in this account", ByHand: true,
			Impact: "Nobody reviews who may enroll a device, and the first policy that is made in a hurry may admit anyone.",
			Breaks: "Nothing that works today; the people whom the policy names can enroll devices."})
	}
	access, reusable := check.AccessWithLogins(v)
	open, bare, own, named := truth.No, truth.No, truth.Yes, truth.Yes
	ways, allows := 0, 0
	worst := ""
	policies := map[string]bool{}
	for _, a := range apps {
		for _, w := range access.Ways(exposure.Attached(a, reusable), a.AllowedIDPs) {
			wide := strangers(w)
			if wide == truth.Yes {
				worst = w.Policy.Name
			}
			open, named = truth.Or(open, wide), truth.And(named, truth.If(!w.Unsure, w.Who == admission.Named))
			ways++
			if w.Policy.Decision == "allow" {
				allows++
				policies[w.Policy.ID] = true
				bare = truth.Or(bare, truth.If(w.Factor || !w.Unsure && !w.Tested, !w.Factor && !exposure.AsksMFA(w.Policy, a, false)))
				own = truth.And(own, organisations(v, w))
			}
		}
	}
	switch {
	case ways == 0:
		return v.Pass("Nobody may enroll a device.")
	case allows == 0 && named == truth.Yes:
		return v.Pass("Only named services may enroll a device.")
	}
	return concludeEnrolment(v, worst, enrolmentWords(v, policies, open == truth.Yes), open, bare, truth.And(own, truth.Is(allows > 0)))
}

// strangers reports whether a way admits anyone who opens a mailbox or a consumer account, or
// anyone without a login. A device has no posture yet when it enrols, and a country or a wide range
// excludes nobody.
func strangers(w admission.Way) truth.Value {
	switch {
	case w.Who < admission.SomeLogin, w.Place == exposure.Narrow:
		return truth.No
	case w.Unsure || w.Listed || w.Who == admission.SomeLogin:
		return truth.Undecided
	}
	return truth.Yes
}

func concludeEnrolment(v *check.View, worst string, words posture.Words, open, bare, own truth.Value) check.Outcome {
	seen := func(observed, expected string) posture.Evidence {
		return check.Evidence(snapshot.AccessApps, "/policies", observed, expected)
	}
	switch {
	case open == truth.Yes:
		return v.Fail("The policy "+worst+" lets anyone enroll a device.", seen(worst, "named people, groups or own domains")).As(words)
	case bare == truth.Yes:
		alone := v.Warn("A login alone is enough to enroll any device; no second factor, certificate or posture check is required.",
			seen("no posture, certificate or second-factor requirement", "one of them")).As(words)
		if open == truth.Undecided {
			return v.Provisional(alone)
		}
		return alone
	case open == truth.Undecided || bare == truth.Undecided:
		return v.Unknown("a policy of device enrollment names a group, a login, a posture check, rules or a list of addresses that are not known")
	case own != truth.Yes:
		return v.Unknown("the policies of device enrollment admit people in a way this check does not follow")
	}
	return v.Pass("Only people of the organization may enroll devices.")
}

// organisations reports whether a way is for people or devices of the organisation.
func organisations(v *check.View, w admission.Way) truth.Value {
	switch {
	case w.Unsure:
		return truth.Undecided
	case w.Rule.Kind == "email_domain" && len(v.Policy.OwnMailDomains) > 0:
		return truth.Is(slices.ContainsFunc(v.Policy.OwnMailDomains, func(d string) bool { return exposure.Same(d, w.Rule.Value) }))
	}
	return truth.Is(w.Who <= admission.Company)
}

// enrolmentWords returns the words for enrolment policies. A single one is changed with one
// request; with several, a person must decide which are right.
func enrolmentWords(v *check.View, policies map[string]bool, open bool) posture.Words {
	w := posture.Words{ByHand: len(policies) != 1}
	edit, choose := `.require += [{auth_method: {auth_method: "mfa"}}]`, ""
	if open {
		edit += ` | .include = [{email_domain: {domain: "{$MAIL_DOMAIN}"}}]`
		choose = "MAIL_DOMAIN: the mail domain of the people who may enroll devices (such as corp.example)"
	} else {
		w.Problem = "Any device can be enrolled in this account with a login"
		w.Impact = "Someone with one stolen password enrolls a device of their own and reaches the private networks behind the tunnels."
		w.Breaks = "People whose identity provider reports no second factor cannot enroll new devices."
	}
	for id := range policies {
		if !w.ByHand {
			path := check.PolicyPath(v, id)
			w.Call = posture.Call{Method: "PUT", Path: path, From: path, Choose: choose,
				Body: `.result | del(.id, .reusable, .app_count, .created_at, .updated_at) | ` + edit}
		}
	}
	return w
}
