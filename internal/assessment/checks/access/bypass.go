package access

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// bypass judges who can skip the login through a bypass policy.
func bypass() check.Check {
	return check.Check{
		ID: "CFL-ZT-026", Title: "Bypass policies by address are narrow",
		Category: "access", Severity: posture.High, Resource: posture.ResourceAccessPolicy, Scope: check.PerAccount,
		Why: "A Bypass policy turns Access off for the requests that it matches. They need no login and are not in " +
			"the Access log.",
		Fix: "Narrow the Bypass policy to the address that needs it, or replace it by a Service Auth or Allow policy.",
		Words: posture.Words{
			Problem: "Bypass policy {name} is too wide",
			Impact: "Anyone whose request comes from the range or meets the rule uses the application without a login and " +
				"unseen.",
			Breaks:    "Clients outside the smaller range have to sign in or send a service token.",
			Dashboard: inPolicies + ` › {name} › Edit: narrow Include, or set Action to Service Auth.`,
			Terraform: ownPolicy + `resource "cloudflare_zero_trust_access_policy" "policy" {
  account_id = "{account_id}"
  name       = "{name}"
  decision   = "bypass"
  include    = [{ ip = { ip = var.network } }]
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/access-controls/policies/"},
		Controls: check.Controls{
			check.Supports("cis 4.4", "Narrow bypass ranges keep the gate in front of the server for everybody else."),
			check.Supports("cis 6.1", "An address that skips sign-in is access nobody granted to a person."),
			check.Supports("soc2 CC6.6", "A wide bypass would let the outside past the boundary that Access draws."),
			check.Supports("pci 7.2.1", "Access without sign-in is limited to addresses, so the access model is not hollowed out."),
			check.Supports("nist PR.AA-05", "Permissions that follow from an address alone stay few."),
		},
		Paths:    []string{"open-access-app"},
		Needs:    []snapshot.Named{snapshot.AccessApps, snapshot.AccessPolicies, snapshot.AccessGroups},
		Optional: []snapshot.Named{snapshot.GatewayListItems, snapshot.DevicePosture},
		Evaluate: evaluateBypass,
	}
}

func bypassExamples() []goodtest.Example {
	passes := func(kind, value string) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) {
			p.Decision, p.Include = "bypass", []snapshot.AccessRule{{Kind: kind, Value: value}}
		})
	}
	demands := func(kind, value string) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) { p.Require = []snapshot.AccessRule{{Kind: kind, Value: value}} })
	}
	excludes := func(kind, value string) func(*snapshot.Builder) {
		return editPolicy(func(p *snapshot.AccessPolicy) { p.Exclude = []snapshot.AccessRule{{Kind: kind, Value: value}} })
	}
	return []goodtest.Example{
		{Name: "one address", Want: posture.Pass, Resource: goodtest.Account, Edit: passes("ip", "45.60.10.9")},
		{Name: "a /24", Want: posture.Pass, Edit: passes("ip", "45.60.10.0/24")},
		{Name: "a service token", Want: posture.Pass, Edit: passes("service_token", "s1")},
		{Name: "a /8", Want: posture.Fail, Resource: goodtest.Policy, Edit: passes("ip", "45.0.0.0/8")},
		{Name: "a v6 /24", Want: posture.Fail, Resource: goodtest.Policy, Edit: passes("ip", "2a00::/24")},
		{Name: "a country", Want: posture.Fail, Resource: goodtest.Policy, Edit: passes("geo", "DE")},
		{Name: "any service token", Want: posture.Fail, Resource: goodtest.Policy, Edit: passes("any_valid_service_token", "")},
		{Name: "a mail domain, which nobody proves", Want: posture.Warning, Resource: goodtest.Policy, Edit: passes("email_domain", "Gmail.com")},
		{Name: "any service token from a range", Want: posture.Pass, Edit: goodtest.Edits(passes("any_valid_service_token", ""),
			demands("ip", "45.60.10.0/24"))},
		{Name: "a country, with a certificate", Want: posture.Pass, Edit: goodtest.Edits(passes("geo", "DE"), demands("certificate", ""))},
		{Name: "a wide range that the policy excludes", Want: posture.Warning, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("ip",
			"45.0.0.0/8"), excludes("ip", "45.0.0.0/7"))},
		{Name: "a wide range but for a part", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("ip", "45.0.0.0/8"),
			excludes("ip", "45.60.0.0/16"))},
		{Name: "a wide range but for a group that is missing", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("ip", "45.0.0.0/8"), excludes("group", "g9"))},
		{Name: "a wide range inside a group", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("group", "g1"),
			group("g1", snapshot.AccessRule{Kind: "ip", Value: "45.0.0.0/8"}))},
		{Name: "a /16", Want: posture.Warning, Resource: goodtest.Policy, Edit: passes("ip", "45.60.0.0/16")},
		{Name: "an own mail domain", Want: posture.Warning, Resource: goodtest.Policy, Edit: passes("email_domain", "shop.example")},
		{Name: "a group that is missing", Want: posture.Unknown, Resource: goodtest.Policy, Edit: passes("group", "g1")},
		{Name: "a list of addresses", Want: posture.Unknown, Resource: goodtest.Policy, Edit: passes("ip_list", "l1")},
		{Name: "everyone on a list of addresses", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("everyone", ""),
			demands("ip_list", "l1"))},
		{Name: "a list of single addresses", Want: posture.Pass, Edit: goodtest.Edits(passes("ip_list", "l1"),
			goodtest.GatewayList("l1", "45.60.10.9", "2a00:1450::1"))},
		{Name: "a list with a range", Want: posture.Warning, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("ip_list", "l1"),
			goodtest.GatewayList("l1", "45.60.10.9", "45.60.0.0/16"))},
		{Name: "a list with a wide range", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("everyone", ""),
			demands("ip_list", "l1"), goodtest.GatewayList("l1", "45.0.0.0/8"))},
		{Name: "a list without an item", Want: posture.Pass, Edit: goodtest.Edits(passes("ip_list", "l1"), goodtest.GatewayList("l1"))},
		{Name: "a wide range, if it is on a list without an item", Want: posture.Pass, Edit: goodtest.Edits(passes("ip", "45.0.0.0/8"),
			demands("ip_list", "l1"), goodtest.GatewayList("l1"))},
		{Name: "a wide range but for a list without an item", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("ip", "45.0.0.0/8"), excludes("ip_list", "l1"), goodtest.GatewayList("l1"))},
		{Name: "a list that is gone", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("ip_list", "l1"),
			func(b *snapshot.Builder) {
				b.Set(snapshot.Section{Source: snapshot.GatewayListItems.Source(), Scope: "l1", Status: snapshot.Absent})
			})},
		{Name: "a list with what is no address", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("ip_list", "l1"), goodtest.GatewayList("l1", "45.60.10.9", "?"))},
		{Name: "a list whose ranges hold each other", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("ip_list", "l1"), goodtest.GatewayList("l1", "100.0.0.0/6", "104.0.0.0/5", "112.0.0.0/6", "96.0.0.0/4"))},
		{Name: "a list of all addresses is judged by CFL-ZT-007", Want: posture.NotApplicable, Edit: goodtest.Edits(
			staffIncludes(snapshot.AccessRule{Kind: "ip_list", Value: "l1"}), staffDecides("bypass"),
			goodtest.GatewayList("l1", "0.0.0.0/1", "128.0.0.0/1"))},
		{Name: "a wide range but for a list that is not read", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("ip", "45.0.0.0/8"), excludes("ip_list", "l1"))},
		{Name: "a wide range but for a list of a part", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("ip", "45.0.0.0/8"), excludes("ip_list", "l1"), goodtest.GatewayList("l1", "45.60.0.0/16"))},
		{Name: "a wide range that a list excludes", Want: posture.Warning, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("ip", "45.0.0.0/8"), excludes("ip_list", "l1"), goodtest.GatewayList("l1", "45.0.0.0/7"))},
		{Name: "one address, if it is on a list", Want: posture.Pass, Edit: goodtest.Edits(passes("ip", "45.60.10.9"), demands("ip_list", "l1"))},
		{Name: "a list of addresses, with a certificate", Want: posture.Pass, Edit: goodtest.Edits(passes("ip_list", "l1"),
			demands("certificate", ""))},
		{Name: "a policy of one app", Want: posture.Fail, Resource: "own", Edit: editApp(func(a *snapshot.AccessApp) {
			a.Policies = append(a.Policies, snapshot.AccessPolicy{ID: "own", Name: "Own", Decision: "bypass",
				Include: []snapshot.AccessRule{{Kind: "geo", Value: "DE"}}})
		})},
		{Name: "everyone from a country", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("everyone", ""),
			demands("geo", "DE"))},
		{Name: "everyone from a wide range", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("everyone", ""),
			demands("ip", "45.0.0.0/8"))},
		{Name: "everyone from one address", Want: posture.Pass, Edit: goodtest.Edits(passes("everyone", ""), demands("ip", "45.60.10.9/32"))},
		{Name: "a country, from one address", Want: posture.Pass, Edit: goodtest.Edits(passes("geo", "DE"), demands("ip", "45.60.10.9/32"))},
		{Name: "any device with the client is judged by CFL-ZT-007", Want: posture.NotApplicable, Edit: goodtest.Edits(
			staffIncludes(snapshot.AccessRule{Kind: "device_posture", Value: "w"}), staffDecides("bypass"), goodtest.AnyDevice)},
		{Name: "a country, with the device client", Want: posture.Fail, Resource: goodtest.Policy, Edit: goodtest.Edits(passes("geo", "DE"),
			demands("device_posture", "w"), goodtest.AnyDevice)},
		{Name: "a posture check, and nobody knows which", Want: posture.Unknown, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("device_posture", goodtest.Posture), noPosture)},
		{Name: "a healthy device", Want: posture.Pass, Edit: passes("device_posture", goodtest.Posture)},
		{Name: "a group that is missing, and a country", Want: posture.Fail, Resource: goodtest.Policy, Edit: editPolicy(
			func(p *snapshot.AccessPolicy) {
				p.Decision, p.Include = "bypass", []snapshot.AccessRule{{Kind: "group", Value: "g9"}, {Kind: "geo", Value: "DE"}}
			})},
		{Name: "an address, and one that does not read", Want: posture.Unknown, Resource: goodtest.Policy, Edit: editPolicy(
			func(p *snapshot.AccessPolicy) {
				p.Decision, p.Include = "bypass", []snapshot.AccessRule{{Kind: "ip", Value: "45.60.10.9/32"}, {Kind: "ip", Value: "45.60.10"}}
			})},
		{Name: "a wide range, limited to one apart from it", Want: posture.Warning, Resource: goodtest.Policy, Edit: goodtest.Edits(
			passes("ip", "45.0.0.0/8"), demands("ip", "46.60.10.0/24"))},
		{Name: "everyone is judged by CFL-ZT-007", Want: posture.NotApplicable, Edit: goodtest.Edits(
			staffIncludes(snapshot.AccessRule{Kind: "everyone"}), staffDecides("bypass"))},
		{Name: "every address in a group is judged by CFL-ZT-007", Want: posture.NotApplicable, Edit: goodtest.Edits(
			staffIncludes(snapshot.AccessRule{Kind: "group", Value: "g1"}), staffDecides("bypass"),
			group("g1", snapshot.AccessRule{Kind: "ip", Value: "0.0.0.0/0"}))},
		{Name: "a private range", Want: posture.Pass, Edit: passes("ip", "10.0.0.0/8")},
		{Name: "everyone but a group that is missing is judged by CFL-ZT-007", Want: posture.NotApplicable,
			Edit: goodtest.Edits(staffIncludes(snapshot.AccessRule{Kind: "everyone"}), staffDecides("bypass"), editStaff(
				func(p *snapshot.AccessPolicy) { p.Exclude = []snapshot.AccessRule{{Kind: "group", Value: "g9"}} }))},
		{Name: "everyone with a certificate", Want: posture.Pass, Edit: goodtest.Edits(passes("everyone", ""), demands("certificate", ""))},
		{Name: "no bypass", Want: posture.NotApplicable},
	}
}

func evaluateBypass(v *check.View) check.Outcome {
	access, _ := check.AccessOf(v)
	j := v.Judge()
	for _, p := range check.EveryPolicy(v) {
		if p.Decision != "bypass" {
			continue
		}
		ways := access.Ways([]snapshot.AccessPolicy{p}, nil)
		if slices.ContainsFunc(ways, forAll) {
			continue
		}
		worst, by, unsure := exposure.Narrow, admission.Way{}, ""
		for _, w := range ways {
			switch width := widthOf(w); {
			case width > exposure.Narrow && (w.Unsure || w.Tested):
				unsure = "the policy names a group, a posture check or a rule that is not known"
			case width > exposure.Narrow && w.Listed:
				unsure = "the policy names a list of addresses that could not be read"
			case width > worst || by.Policy.ID == "":
				worst, by = width, w
			}
		}
		r := posture.Resource{Type: posture.ResourceAccessPolicy, ID: p.ID, Name: p.Name}
		which := strings.TrimSpace(by.Rule.Kind + " " + by.Rule.Value)
		for _, q := range by.Also {
			if q.Kind != "everyone" {
				which += ", limited to " + strings.TrimSpace(q.Kind+" "+q.Value)
			}
		}
		seen := check.Evidence(snapshot.AccessPolicies, "/"+p.ID+"/include", which,
			"addresses of /24 (v4) or /64 (v6) and narrower, or a named service token")
		narrowed := policyCall(v, p.ID, `.include = [{ip: {ip: "{$NETWORK}"}}]`, chooseNetwork)
		switch {
		case len(ways) == 0 && slices.ContainsFunc(slices.Concat(p.Include, p.Require), access.Empty):
			j.Pass()
		case len(ways) == 0 && len(access.Ways([]snapshot.AccessPolicy{asAllow(p)}, nil)) == 0:
			j.Warn(r, "The bypass policy "+p.Name+" lets nobody through: its rules contradict each other, or exclude whom they include.", seen)
			j.As(posture.Words{Problem: "Bypass policy {name} lets nobody through", ByHand: true,
				Impact:    "Whoever was to pass does not get in, and someone in a hurry may widen the policy until anyone does.",
				Breaks:    "Nothing that works today, as nobody passes the policy.",
				Dashboard: inPolicies + " › {name} › Edit: correct what Require and Exclude leave of Include, or delete the policy."})
		case len(ways) == 0:
			j.Warn(r, "The bypass policy "+p.Name+" lets nobody through: it names people, and a bypass asks nobody to sign in.", seen)
			j.As(posture.Words{Problem: "Bypass policy {name} names people and so has no effect",
				Impact:    "The people it names do not get in, and someone in a hurry may widen the policy until anyone does.",
				Breaks:    "Nothing that works today; the people it names can sign in.",
				Dashboard: inPolicies + " › {name} › Edit › Action: Allow.", Call: policyCall(v, p.ID, `.decision = "allow"`, ""),
				Terraform: allowPolicy})
		case len(p.Include) == 0:
			j.Unclear(r, "Cloudflare returned no rule of the policy")
		case worst < exposure.Wide && unsure != "":
			j.Unknown(r, unsure)
		case worst == exposure.Narrow:
			j.Pass()
		case unattached(v, p.ID):
			judgeUnattached(j, r, seen)
		case worst == exposure.Middling:
			j.Warn(r, "The bypass policy "+p.Name+" lets requests through without a login by "+which+".", seen)
			j.As(posture.Words{Problem: "Bypass policy {name} covers more than one network", Call: narrowed})
		default:
			j.Fail(r, "The bypass policy "+p.Name+" lets far too many through without a login: "+which+".", seen)
			j.As(posture.Words{Problem: "Bypass policy {name} is too wide", Call: narrowed})
		}
	}
	return j.Done("Every bypass policy is narrow.", "no bypass policy exists besides those for everyone, which CFL-ZT-007 judges")
}

func asAllow(p snapshot.AccessPolicy) snapshot.AccessPolicy {
	p.Decision = "allow"
	return p
}

// widthOf grades a way that requires no login: a named token, a certificate or a healthy device
// counts as narrow as one address.
func widthOf(w admission.Way) exposure.Width {
	switch {
	case w.Factor || w.Who < admission.AnyToken:
		return exposure.Narrow
	default:
		return w.Place
	}
}
