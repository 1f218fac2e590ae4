package access

import (
	"strconv"

	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func everyoneExamples() []goodtest.Example {
	return slices.Concat(everyoneByRule(), everyoneByLogin(), everyoneSpelled(), everyoneByPlace(), everyoneAlike())
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
	okta := snapshot.AccessRule{Kind: "login_method", Value: "idp-okta"}
	return []goodtest.Example{
		{Name: "everyone, with the company's login only", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), goodtest.Logins("okta"))},
		{Name: "the company's login by name", Want: posture.Pass, Edit: goodtest.Edits(include(okta), goodtest.Logins("okta"))},
		{Name: "the company's login, of named people", Want: posture.Pass,
			Edit: goodtest.Edits(include(okta), goodtest.Logins("okta"), staffDemands("email_domain", "shop.example"))},
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
		{Name: "Service Auth for a list of addresses", Want: posture.Unknown, Resource: goodtest.App,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip_list", Value: "l1"}), decision("non_identity"))},
		{Name: "Service Auth for a list of all addresses", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip_list", Value: "l1"}), decision("non_identity"),
				goodtest.GatewayList("l1", "128.0.0.0/1", "0.0.0.0/1"))},
		{Name: "Service Auth for a list of single addresses", Want: posture.Pass,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip_list", Value: "l1"}), decision("non_identity"),
				goodtest.GatewayList("l1", "45.60.10.9", "45.60.10.10"))},
		{Name: "Service Auth for a wide range", Want: posture.Fail, Severity: posture.High, Resource: goodtest.App,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip", Value: "45.0.0.0/8"}), decision("non_identity"))},
		{Name: "Service Auth for a private range", Want: posture.Pass,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip", Value: "10.0.0.0/8"}), decision("non_identity"))},
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
	blocked, demand, public := afterBlock, staffDemands, publicHost
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
			Edit: goodtest.Edits(include(all), demand("device_posture", goodtest.Posture))},
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
		{Name: "only a link", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccessApps, goodtest.Account, []snapshot.AccessApp{{ID: "b1", Name: "Wiki", Type: "bookmark"}})
		}},
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

// everyoneAlike returns examples of everyone under a condition, in several spellings.
func everyoneAlike() []goodtest.Example {
	include, decision, demand := staffIncludes, staffDecides, staffDemands
	all, inGroup := snapshot.AccessRule{Kind: "everyone"}, snapshot.AccessRule{Kind: "group", Value: "g1"}
	return []goodtest.Example{
		{Name: "everyone from a country, with a mailed code", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), demand("geo", "DE"), goodtest.Logins("okta", "onetimepin"))},
		{Name: "everyone from a network", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), demand("ip", "45.60.10.0/24"), goodtest.Logins("okta", "onetimepin"))},
		{Name: "everyone from a wide range, with a mailed code", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), demand("ip", "45.0.0.0/8"), goodtest.Logins("okta", "onetimepin"))},
		{Name: "everyone of a group that leaves the only login out", Want: posture.Pass, Edit: goodtest.Edits(include(all),
			demand("group", "g1"), allBut("g1", snapshot.AccessRule{Kind: "login_method", Value: "idp-okta"}), goodtest.Logins("okta"))},
		{Name: "bypass for a group of everyone from a country is judged by CFL-ZT-026", Want: posture.Pass, Edit: goodtest.Edits(
			include(inGroup), decision("bypass"), func(b *snapshot.Builder) {
				snapshot.Edit(b, snapshot.AccessGroups, goodtest.Account, func(gs *[]snapshot.AccessGroup) {
					*gs = append(*gs, snapshot.AccessGroup{ID: "g1", Name: "g1", Include: []snapshot.AccessRule{all},
						Require: []snapshot.AccessRule{{Kind: "geo", Value: "DE"}}})
				})
			})},
	}
}

// everyoneSpelled returns examples of everyone in other spellings, and of rules that differ by a
// value.
func everyoneSpelled() []goodtest.Example {
	include, decision := staffIncludes, staffDecides
	all, inGroup := snapshot.AccessRule{Kind: "everyone"}, snapshot.AccessRule{Kind: "group", Value: "g1"}
	leaves := func(path string) func(*snapshot.Builder) {
		return editGoodApp(func(a *snapshot.AccessApp) {
			a.Public = []snapshot.AccessPublic{{Address: "admin.shop.example", Path: path}}
		})
	}
	blocked, demand, public := afterBlock, staffDemands, publicHost
	return []goodtest.Example{
		{Name: "bypass for every address in a group", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(inGroup), group("g1", snapshot.AccessRule{Kind: "ip", Value: "0.0.0.0/0"}), decision("bypass"))},
		{Name: "bypass for every address", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App, Edit: goodtest.Edits(
			include(snapshot.AccessRule{Kind: "ip", Value: "0.0.0.0/0"}), decision("bypass"))},
		{Name: "bypass for the quarters of the internet", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(snapshot.AccessRule{Kind: "ip", Value: "0.0.0.0/2"}, snapshot.AccessRule{Kind: "ip", Value: "64.0.0.0/2"},
				snapshot.AccessRule{Kind: "ip", Value: "128.0.0.0/2"}, snapshot.AccessRule{Kind: "ip", Value: "192.0.0.0/2"}), decision("bypass"))},
		{Name: "bypass for everyone of a group of everyone", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), group("g1", all), demand("group", "g1"), decision("bypass"))},
		{Name: "bypass for a wide range is judged by CFL-ZT-026", Want: posture.Pass, Edit: goodtest.Edits(
			include(snapshot.AccessRule{Kind: "ip", Value: "45.0.0.0/8"}), decision("bypass"))},
		{Name: "everyone of low risk, after a Block of high risk", Want: posture.Fail, Resource: goodtest.App, Edit: goodtest.Edits(include(all),
			demand("user_risk_score", "low,medium,unscored"), blocked(snapshot.AccessPolicy{
				Include: []snapshot.AccessRule{{Kind: "user_risk_score", Value: "high"}}}))},
		{Name: "everyone of low risk, after a Block of low and medium risk", Want: posture.Pass, Edit: goodtest.Edits(include(all),
			demand("user_risk_score", "low"), blocked(snapshot.AccessPolicy{
				Include: []snapshot.AccessRule{{Kind: "user_risk_score", Value: "low,medium"}}}))},
		{Name: "everyone of a risk that was not stored, after a Block", Want: posture.Unknown, Resource: goodtest.App, Edit: goodtest.Edits(
			include(all), demand("user_risk_score", ""), blocked(snapshot.AccessPolicy{
				Include: []snapshot.AccessRule{{Kind: "user_risk_score"}}}))},
		{Name: "every path of an address is public", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App, Edit: leaves("/*")},
		{Name: "a path of an address is public", Want: posture.Pass, Edit: leaves("/api/*")},
		{Name: "every path of an address is public, as the operator declared", Want: posture.Pass, Edit: leaves("/*"), Policy: public},
		{Name: "every path of all Workers is public", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App, Edit: editGoodApp(
			func(a *snapshot.AccessApp) {
				a.Elsewhere = []snapshot.AccessDestination{{Type: "all_workers", Public: []snapshot.AccessPublic{{Path: "/*"}}}}
			})},
		{Name: "bypass for everyone at a proxy endpoint", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), decision("bypass"), editGoodApp(func(a *snapshot.AccessApp) { a.Type = "proxy_endpoint" }))},
	}
}

// everyoneByPlace returns examples of everyone by ranges, lists, devices and logins.
func everyoneByPlace() []goodtest.Example {
	include, decision, demand := staffIncludes, staffDecides, staffDemands
	all, inGroup := snapshot.AccessRule{Kind: "everyone"}, snapshot.AccessRule{Kind: "group", Value: "g1"}
	pin := []snapshot.AccessRule{{Kind: "login_method", Value: "idp-onetimepin"}}
	listed, client := snapshot.AccessRule{Kind: "ip_list", Value: "l1"}, snapshot.AccessRule{Kind: "device_posture", Value: "w"}
	return []goodtest.Example{
		{Name: "bypass for the sixteenths of the internet", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(sixteenths()...), decision("bypass"))},
		{Name: "the sixteenths of the internet", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: include(sixteenths()...)},
		{Name: "a list of all addresses", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(include(listed), goodtest.GatewayList("l1", "0.0.0.0/0"))},
		{Name: "a list of addresses that is not read", Want: posture.Unknown, Resource: goodtest.App, Edit: include(listed)},
		{Name: "a list of single addresses", Want: posture.Pass, Edit: goodtest.Edits(include(listed), goodtest.GatewayList("l1", "45.60.10.9"))},
		{Name: "the own domain, from a list of addresses that is not read", Want: posture.Pass,
			Edit: goodtest.Edits(demand("ip_list", "l1"))},
		{Name: "a wide range", Want: posture.Warning, Resource: goodtest.App,
			Edit: include(snapshot.AccessRule{Kind: "ip", Value: "45.0.0.0/8"})},
		{Name: "one network", Want: posture.Pass, Edit: include(snapshot.AccessRule{Kind: "ip", Value: "45.60.10.0/24"})},
		{Name: "bypass for an address, and for one that does not read", Want: posture.Pass, Edit: goodtest.Edits(
			include(snapshot.AccessRule{Kind: "ip", Value: "45.60.10.9/32"}, snapshot.AccessRule{Kind: "ip", Value: "45.60.10"}),
			decision("bypass"))},
		{Name: "bypass for any device with the client", Want: posture.Fail, Severity: posture.Critical, Resource: goodtest.App,
			Edit: goodtest.Edits(include(client), decision("bypass"), goodtest.AnyDevice)},
		{Name: "any device with the client", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(include(client), goodtest.AnyDevice)},
		{Name: "everyone with the client", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), demand("device_posture", "w"), goodtest.AnyDevice)},
		{Name: "everyone with a posture check that is switched off", Want: posture.Unknown, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), demand("device_posture", goodtest.Posture),
				goodtest.Each(snapshot.DevicePosture, goodtest.Account, func(r *snapshot.PostureRule) { r.Off = true }))},
		{Name: "everyone with a posture check that is gone", Want: posture.Unknown, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), demand("device_posture", "w"))},
		{Name: "everyone with a posture check, and nobody knows which", Want: posture.Unknown, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), demand("device_posture", goodtest.Posture), noPosture)},
		{Name: "the own domain with a posture check, and nobody knows which", Want: posture.Pass,
			Edit: goodtest.Edits(demand("device_posture", goodtest.Posture), noPosture)},
		{Name: "everyone but those of the only login", Want: posture.Pass, Edit: goodtest.Edits(include(all), goodtest.Logins("onetimepin"),
			editStaff(func(p *snapshot.AccessPolicy) { p.Exclude = pin }))},
		{Name: "everyone but a group of those with a mailed code", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), goodtest.Logins("okta", "onetimepin"), group("g1", pin...), editStaff(
				func(p *snapshot.AccessPolicy) { p.Exclude = []snapshot.AccessRule{inGroup} }))},
		{Name: "bypass for a sixteenth of the internet in each of two policies", Want: posture.Fail, Severity: posture.Critical,
			Resource: goodtest.App, Edit: goodtest.Edits(include(sixteenths()[8:9]...), decision("bypass"), editApp(
				func(a *snapshot.AccessApp) {
					a.Policies = append(a.Policies, snapshot.AccessPolicy{ID: "b2", Name: "More", Decision: "bypass", Include: sixteenths()[10:11]})
				}))},
		{Name: "everyone but the halves of the internet", Want: posture.Pass, Edit: goodtest.Edits(include(all), but(
			snapshot.AccessRule{Kind: "ip", Value: "0.0.0.0/1"}, snapshot.AccessRule{Kind: "ip", Value: "128.0.0.0/1"},
			snapshot.AccessRule{Kind: "ip", Value: "::/0"}))},
		{Name: "everyone but one half of the internet", Want: posture.Fail, Severity: posture.Medium, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), but(snapshot.AccessRule{Kind: "ip", Value: "0.0.0.0/1"}))},
		{Name: "everyone but all who are not staff", Want: posture.Pass, Edit: goodtest.Edits(include(all), but(inGroup),
			allBut("g1", snapshot.AccessRule{Kind: "email_domain", Value: "shop.example"}))},
		{Name: "everyone but all who do not come from a country", Want: posture.Warning, Resource: goodtest.App,
			Edit: goodtest.Edits(include(all), but(inGroup), allBut("g1", snapshot.AccessRule{Kind: "geo", Value: "DE"}),
				goodtest.Logins("onetimepin"))},
		{Name: "everyone who is in two countries", Want: posture.Pass, Edit: goodtest.Edits(include(all), editStaff(
			func(p *snapshot.AccessPolicy) {
				p.Require = []snapshot.AccessRule{{Kind: "geo", Value: "DE"}, {Kind: "geo", Value: "FR"}}
			}))},
	}
}

// but excludes rules from the policy for people; allBut adds a group of everyone but some.
func but(rules ...snapshot.AccessRule) func(*snapshot.Builder) {
	return editStaff(func(p *snapshot.AccessPolicy) { p.Exclude = rules })
}

func allBut(id string, r snapshot.AccessRule) func(*snapshot.Builder) {
	return func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessGroups, goodtest.Account, func(gs *[]snapshot.AccessGroup) {
			*gs = append(*gs, snapshot.AccessGroup{ID: id, Name: id, Include: []snapshot.AccessRule{{Kind: "everyone"}},
				Exclude: []snapshot.AccessRule{r}})
		})
	}
}

// sixteenths are ranges that hold all addresses together and each exclude most of them.
func sixteenths() (out []snapshot.AccessRule) {
	for i := range 16 {
		out = append(out, snapshot.AccessRule{Kind: "ip", Value: strconv.Itoa(16*i) + ".0.0.0/4"})
	}
	return out
}

// afterBlock puts a Block policy before those of the application.
func afterBlock(p snapshot.AccessPolicy) func(*snapshot.Builder) {
	p.ID, p.Name, p.Decision = "d", "Not these", "deny"
	return editApp(func(a *snapshot.AccessApp) { a.Policies = append([]snapshot.AccessPolicy{p}, a.Policies...) })
}

func staffDemands(kind, value string) func(*snapshot.Builder) {
	return editStaff(func(p *snapshot.AccessPolicy) { p.Require = []snapshot.AccessRule{{Kind: kind, Value: value}} })
}

func publicHost(p *policy.Policy) { p.PublicHosts = []string{"admin.shop.example"} }
