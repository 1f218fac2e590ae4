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

// healthTested judges whether the health of devices is tested and has an effect. A posture check
// may be named inside an Access group, so the groups are needed too. An endpoint security
// integration replaces all three tests.
func healthTested() check.Check {
	return check.Check{
		ID: "CFL-POSTURE-001", Title: "Device health is checked and used",
		Category: "posture", Severity: posture.High, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A device posture check tells whether a device is encrypted, updated and protected by a firewall. It " +
			"decides nothing until an Access or Gateway policy requires it.",
		Fix: "Create checks for disk encryption, OS version and firewall, then require them in Access or Gateway " +
			"policies.",
		Words: posture.Words{
			Problem: "Device posture is not checked in this account",
			Impact: "Someone signs in with a stolen password from an infected or unencrypted laptop, and nothing tells it " +
				"from a good one.",
			Breaks:    "People whose device fails a required check lose access until they repair it.",
			Dashboard: "Zero Trust › Reusable components › Posture checks › Cloudflare One Client checks › Add a check.",
			Terraform: `resource "cloudflare_zero_trust_device_posture_rule" "disk" {
  account_id = "{account_id}"
  name       = "Disk encryption"
  type       = "disk_encryption"
  match      = [{ platform = "windows" }]
  input      = { require_all = true }
}`},
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
		Unless:   notManaged,
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
	off := func(n int) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DevicePosture, goodtest.Account, func(rs *[]snapshot.PostureRule) {
				for i := range (*rs)[:n] {
					(*rs)[i].Off = true
				}
			})
		}
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
		{Name: "the tests are disabled", Want: posture.Fail, Resource: goodtest.Account, Edit: off(3)},
		{Name: "the test that a policy names is disabled", Want: posture.Fail, Resource: goodtest.Account, Edit: off(1)},
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
	all, rules := check.Read(v, snapshot.DevicePosture), tests(v)
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
	case len(rules) == 0 && len(all) > 0:
		return v.Fail("Every device posture check of the account is disabled.", check.Evidence(snapshot.DevicePosture, "", "enabled false",
			"enabled rules for disk encryption, system version and firewall")).As(posture.Words{
			Problem: "Device posture checks of this account are disabled", ByHand: true})
	case len(rules) == 0:
		return v.Fail("The account has no device posture check.", check.Evidence(snapshot.DevicePosture, "", "no rule",
			"rules for disk encryption, system version and firewall"))
	case used == truth.No:
		return v.Fail("No Access or Gateway policy requires one of "+check.Count(len(rules), "device posture check", "")+".",
			check.Evidence(snapshot.DevicePosture, "", "named by no policy", "named by an Access or Gateway policy")).As(posture.Words{
			Problem: "No policy of this account requires a device posture check", ByHand: true,
			Dashboard: "Zero Trust › Access controls › Policies › the policy › Edit › Require: choose the posture check."})
	case used == truth.Undecided:
		return v.Unknown("a policy that may name a posture rule refers to a group or rules that Cloudflare did not return")
	case len(missing) > 0:
		return v.Warn("Device posture checks are missing for: "+strings.ReplaceAll(strings.Join(missing, ", "), "_", " ")+".",
			check.Evidence(snapshot.DevicePosture, "", "missing: "+strings.Join(missing, ", "),
				"rules for disk encryption, system version and firewall")).As(missingWords(missing))
	}
	return v.Pass("Device posture is checked, and policies require it.")
}

// tests lists the posture checks that Cloudflare runs.
func tests(v *check.View) []snapshot.PostureRule {
	return slices.DeleteFunc(slices.Clone(check.Read(v, snapshot.DevicePosture)), func(r snapshot.PostureRule) bool { return r.Off })
}

// missingWords returns the words for missing posture checks. A single one is created with one
// request.
func missingWords(missing []string) posture.Words {
	w := posture.Words{Problem: "Device posture checks are missing in this account", ByHand: true,
		Impact: "Someone signs in from a device that is unencrypted, outdated or without a firewall, and no policy can tell.",
		Breaks: "Nothing until a policy requires the new check."}
	input := map[string]string{"firewall": `"enabled": true`, "disk_encryption": `"requireAll": true`,
		"os_version": `"version": "{$VERSION}", "operator": ">="`}[missing[0]]
	if len(missing) == 1 {
		w.Call = posture.Call{Method: "POST", Path: "/accounts/{account_id}/devices/posture",
			Body: `{"name": "Required ` + missing[0] + `", "type": "` + missing[0] + `", "match": [{"platform": "{$PLATFORM}"}], ` +
				`"input": {"operating_system": "{$PLATFORM}", ` + input + `}}`,
			Choose: "PLATFORM: windows, mac, linux, ios or android (such as windows)"}
		if missing[0] == "os_version" {
			w.Call.Choose += "\nVERSION: the oldest version that may be used (such as 10.0.22631)"
		}
	}
	return w
}

// named reports whether an enabled Gateway rule, or a policy that an application uses, names one of
// the rules. What a policy includes beside everyone has no effect.
func named(v *check.View, rules []snapshot.PostureRule) truth.Value {
	known := func(id string) bool {
		return slices.ContainsFunc(rules, func(r snapshot.PostureRule) bool { return r.ID == id })
	}
	out := truth.No
	for _, g := range check.GatewayRules(v) {
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
