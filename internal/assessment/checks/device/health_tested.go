package device

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/admission"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// healthTested judges whether the health of devices is tested and decides
// anything. A rule may be named inside an Access group, so the groups are
// needed too. An endpoint security integration stands for all three tests.
func healthTested() check.Check {
	return check.Check{
		ID: "CFL-POSTURE-001", Title: "Device health is checked and used",
		Category: "posture", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why:        "A rule nobody references decides nothing.",
		Fix:        "Create the rules and require them in policies.",
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/devices/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "Devices that leave the baseline are found and can be refused."),
			check.Supports("soc2 CC6.8", "A device without its protection does not get in."),
			check.Supports("pci 1.5.1", "Devices are checked for security controls before they reach the network."),
			check.Supports("nist PR.AA-05", "Access follows from the health of the device as well."),
		},
		Aliases: []string{"flareinspect:CFL-POSTURE-001"},
		Needs: []snapshot.Named{snapshot.DevicePosture, snapshot.AccessPolicies, snapshot.AccessApps, snapshot.GatewayRules,
			snapshot.DevicePolicies, snapshot.AccessGroups},
		Evaluate: evaluateHealthTested,
	}
}

func healthTestedExamples() []goodtest.Example {
	rules := func(types ...string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			all := []snapshot.PostureRule{}
			for i, t := range types {
				all = append(all, snapshot.PostureRule{ID: []string{goodtest.Posture, "d2", "d3", "d4"}[i], Name: t, Type: t})
			}
			snapshot.Put(b, snapshot.DevicePosture, goodtest.Account, all)
		}
	}
	gateway := func(change func(*snapshot.GatewayRule)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.GatewayRules, goodtest.Account, func(rs *[]snapshot.GatewayRule) {
				for i := range *rs {
					if (*rs)[i].ID == goodtest.DeviceRule {
						change(&(*rs)[i])
					}
				}
			})
		}
	}
	unnamed := gateway(func(r *snapshot.GatewayRule) { r.DevicePosture = "" })
	access := func(r snapshot.AccessRule) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				(*as)[0].Policies[0].Require = []snapshot.AccessRule{r}
			})
		}
	}
	blockAll := func(b *snapshot.Builder) {
		snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
			(*as)[0].Policies = append([]snapshot.AccessPolicy{{ID: "none", Name: "None", Decision: "deny",
				Include: []snapshot.AccessRule{{Kind: "everyone"}}}}, (*as)[0].Policies...)
		})
	}
	device := snapshot.AccessRule{Kind: "device_posture", Value: goodtest.Posture}
	return []goodtest.Example{
		{Name: "three tests and a Gateway rule", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "three tests and an Access policy", Want: posture.Pass, Edit: goodtest.Edits(unnamed, access(device))},
		{Name: "three tests and an Access group", Want: posture.Pass,
			Edit: goodtest.Edits(unnamed, access(snapshot.AccessRule{Kind: "group", Value: "g1"}), func(b *snapshot.Builder) {
				snapshot.Put(b, snapshot.AccessGroups, goodtest.Account,
					[]snapshot.AccessGroup{{ID: "g1", Name: "g1", Include: []snapshot.AccessRule{device}}})
			})},
		{Name: "an endpoint security integration", Want: posture.Pass, Edit: rules("crowdstrike_s2s")},
		{Name: "no test", Want: posture.Fail, Resource: goodtest.Account, Edit: rules()},
		{Name: "nobody names a test", Want: posture.Fail, Resource: goodtest.Account, Edit: unnamed},
		{Name: "the rule that names a test is off", Want: posture.Fail, Edit: gateway(func(r *snapshot.GatewayRule) { r.Enabled = false })},
		{Name: "a policy names a test that is gone", Want: posture.Fail,
			Edit: goodtest.Edits(unnamed, access(snapshot.AccessRule{Kind: "device_posture", Value: "gone"}))},
		{Name: "a policy that no application asks names a test", Want: posture.Fail, Edit: goodtest.Edits(unnamed, func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessPolicies, goodtest.Account, func(ps *[]snapshot.AccessPolicy) {
				*ps = append(*ps, snapshot.AccessPolicy{ID: "spare", Name: "Spare", Decision: "allow", Require: []snapshot.AccessRule{device},
					Include: []snapshot.AccessRule{{Kind: "email_domain", Value: goodtest.Domain}}})
			})
		})},
		{Name: "a policy behind a Block for everyone names a test", Want: posture.Fail,
			Edit: goodtest.Edits(unnamed, access(device), blockAll)},
		{Name: "a test beside everyone", Want: posture.Fail, Edit: goodtest.Edits(unnamed, func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.AccessApps, goodtest.Account, func(as *[]snapshot.AccessApp) {
				(*as)[0].Policies[0].Include = []snapshot.AccessRule{{Kind: "everyone"}, device}
			})
		})},
		{Name: "no test of the firewall", Want: posture.Warning, Resource: goodtest.Account, Edit: rules("disk_encryption", "os_version")},
		{Name: "a test of another kind", Want: posture.Warning, Edit: rules("application", "disk_encryption", "firewall")},
		{Name: "perhaps named in a group that is missing", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: goodtest.Edits(unnamed, access(snapshot.AccessRule{Kind: "group", Value: "g9"}))},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged, rules())},
	}
}

func evaluateHealthTested(v *check.View) check.Outcome {
	if reason := notManaged(v); reason != "" {
		return v.NotApplicable(reason)
	}
	rules := check.Read(v, snapshot.DevicePosture)
	has := func(kinds ...string) bool {
		return slices.ContainsFunc(rules, func(r snapshot.PostureRule) bool { return slices.Contains(kinds, r.Type) })
	}
	var missing []string
	if !has("crowdstrike_s2s", "sentinelone", "sentinelone_s2s", "tanium", "tanium_s2s", "intune", "kolide", "workspace_one", "uptycs",
		"carbonblack", "custom_s2s") {
		for _, kind := range []string{"disk_encryption", "os_version", "firewall"} {
			if !has(kind) {
				missing = append(missing, kind)
			}
		}
	}
	used := named(v, rules)
	switch {
	case len(rules) == 0:
		return v.Fail("Nothing tests the health of devices.", check.Evidence(snapshot.DevicePosture, "", "no rule",
			"rules for disk encryption, system version and firewall"))
	case used == truth.No:
		return v.Fail("The health of devices is tested and decides nothing.", check.Evidence(snapshot.DevicePosture, "", "named by no policy",
			"named by an Access or Gateway policy"))
	case used == truth.Undecided:
		return v.Unknown("a policy that may name a posture rule refers to a group or rules that the provider did not return")
	case len(missing) > 0:
		return v.Warn("Some tests of the health of devices are missing.", check.Evidence(snapshot.DevicePosture, "",
			"missing: "+strings.Join(missing, ", "), "rules for disk encryption, system version and firewall"))
	}
	return v.Pass("The health of devices is tested and used.")
}

// named reports whether an enabled Gateway rule names one of the rules, or a policy that an application asks. What a policy includes
// beside everyone decides nothing.
func named(v *check.View, rules []snapshot.PostureRule) truth.Value {
	known := func(id string) bool {
		return slices.ContainsFunc(rules, func(r snapshot.PostureRule) bool { return r.ID == id })
	}
	out := truth.No
	for _, g := range check.Read(v, snapshot.GatewayRules) {
		out = truth.Or(out, truth.Is(g.Enabled && slices.ContainsFunc(rules,
			func(r snapshot.PostureRule) bool { return strings.Contains(g.DevicePosture, r.ID) })))
	}
	gs := exposure.IndexGroups(check.Read(v, snapshot.AccessGroups))
	reusable := exposure.IndexPolicies(check.Read(v, snapshot.AccessPolicies))
	var inForce []snapshot.AccessPolicy
	for _, a := range check.Read(v, snapshot.AccessApps) {
		inForce = append(inForce, admission.InForce(exposure.Attached(a, reusable))...)
	}
	for _, p := range inForce {
		decides := slices.Concat(p.Require, p.Exclude)
		if !slices.ContainsFunc(p.Include, func(r snapshot.AccessRule) bool { return r.Kind == "everyone" }) {
			decides = append(decides, p.Include...)
		}
		out = truth.Or(out, gs.Any(decides,
			func(r snapshot.AccessRule) bool { return r.Kind == "device_posture" && known(r.Value) },
			func(snapshot.AccessGroup) bool { return true }), truth.If(len(p.Include) > 0, false))
	}
	return out
}
