package device

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// demanding finds posture checks that an unhealthy device passes.
func demanding() check.Check {
	return check.Check{
		ID: "CFL-POSTURE-002", Title: "Device posture checks demand the healthy state",
		Category: "posture", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A posture check passes when the device matches what it asks for. One that asks for an older version, for a firewall that is " +
			"off or for no disk at all passes devices that are not healthy.",
		Fix: "Ask for at least a version, for a firewall that is on, for all disks and for compliant devices.",
		Words: posture.Words{
			Problem: "Posture checks of this account pass devices that are not healthy",
			Impact: "Someone with a device that is unpatched, unencrypted or out of compliance meets the policies that rely on these " +
				"checks.",
			Breaks:    "People whose devices do not meet the check lose access until they are repaired.",
			Dashboard: "Zero Trust › Reusable components › Posture checks › the check › Edit: ask for the healthy state."},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/reusable-components/posture-checks/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "What the checks ask for is the secure state."),
			check.Supports("soc2 CC6.1", "Access depends on a check that means something."),
			check.Supports("nist PR.AA-05", "Policies rely on the state of a device as it should be."),
		},
		Needs:    []snapshot.Named{snapshot.DevicePosture, snapshot.DevicePolicies, snapshot.AccessApps},
		Unless:   notManaged,
		Evaluate: evaluateDemanding,
	}
}

func demandingGood(b *snapshot.Builder) {
	on := true
	snapshot.Put(b, snapshot.DevicePosture, goodtest.Account, []snapshot.PostureRule{
		{ID: goodtest.Posture, Name: "Disk", Type: "disk_encryption", Input: &snapshot.PostureInput{RequireAll: true}},
		{ID: "d2", Name: "System", Type: "os_version", Input: &snapshot.PostureInput{Operator: ">="}},
		{ID: "d3", Name: "Firewall", Type: "firewall", Input: &snapshot.PostureInput{Enabled: &on}}})
}

func demandingExamples() []goodtest.Example {
	off, on, none, one, few := false, true, 0.0, 1.0, 5.0
	test := func(kind string, in *snapshot.PostureInput) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DevicePosture, goodtest.Account, func(rs *[]snapshot.PostureRule) {
				*rs = append(*rs, snapshot.PostureRule{ID: "d9", Name: "Added", Type: kind, Input: in})
			})
		}
	}
	return []goodtest.Example{
		{Name: "the healthy state", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "named disks", Want: posture.Pass, Edit: test("disk_encryption", &snapshot.PostureInput{Disks: 1})},
		{Name: "one version", Want: posture.Pass, Edit: test("os_version", &snapshot.PostureInput{Operator: "=="})},
		{Name: "compliant", Want: posture.Pass, Edit: test("intune", &snapshot.PostureInput{Compliance: "compliant"})},
		{Name: "a kind without a state", Want: posture.Pass, Edit: test("serial_number", &snapshot.PostureInput{})},
		{Name: "no disk", Want: posture.Fail, Resource: goodtest.Account, Edit: test("disk_encryption", &snapshot.PostureInput{})},
		{Name: "an older version", Want: posture.Fail, Edit: test("os_version", &snapshot.PostureInput{Operator: "<="})},
		{Name: "a firewall that is off", Want: posture.Fail, Edit: test("firewall", &snapshot.PostureInput{Enabled: &off})},
		{Name: "out of compliance", Want: posture.Fail, Edit: test("workspace_one", &snapshot.PostureInput{Compliance: "noncompliant"})},
		{Name: "a healthy device of SentinelOne", Want: posture.Pass, Edit: test("sentinelone_s2s", &snapshot.PostureInput{Infected: &off,
			Active: &on, Network: "connected", Operator: "<=", Threats: &none})},
		{Name: "an infected device", Want: posture.Fail, Edit: test("sentinelone_s2s", &snapshot.PostureInput{Infected: &on})},
		{Name: "a device with threats", Want: posture.Fail,
			Edit: test("sentinelone_s2s", &snapshot.PostureInput{Operator: ">=", Threats: &none})},
		{Name: "less than one threat", Want: posture.Pass, Edit: test("sentinelone_s2s", &snapshot.PostureInput{Operator: "<", Threats: &one})},
		{Name: "less than five threats", Want: posture.Fail, Edit: test("sentinelone_s2s", &snapshot.PostureInput{Operator: "<", Threats: &few})},
		{Name: "up to one threat", Want: posture.Fail, Edit: test("sentinelone_s2s", &snapshot.PostureInput{Operator: "<=", Threats: &one})},
		{Name: "an agent that is inactive", Want: posture.Fail, Edit: test("sentinelone_s2s", &snapshot.PostureInput{Active: &off})},
		{Name: "an agent that is off", Want: posture.Fail, Edit: test("sentinelone_s2s", &snapshot.PostureInput{Agent: "fully_disabled"})},
		{Name: "few issues of Kolide", Want: posture.Pass, Edit: test("kolide", &snapshot.PostureInput{CountOperator: "<", Issues: "1"})},
		{Name: "no issues of Kolide", Want: posture.Pass, Edit: test("kolide", &snapshot.PostureInput{CountOperator: "==", Issues: "0"})},
		{Name: "some issues of Kolide", Want: posture.Fail, Edit: test("kolide", &snapshot.PostureInput{CountOperator: ">=", Issues: "1"})},
		{Name: "a sensor of CrowdStrike that is online", Want: posture.Pass,
			Edit: test("crowdstrike_s2s", &snapshot.PostureInput{State: "online"})},
		{Name: "a high score of CrowdStrike", Want: posture.Pass,
			Edit: test("crowdstrike_s2s", &snapshot.PostureInput{Scored: true, Operator: ">=", VersionOperator: ">"})},
		{Name: "a low score of CrowdStrike", Want: posture.Fail,
			Edit: test("crowdstrike_s2s", &snapshot.PostureInput{Scored: true, Operator: "<="})},
		{Name: "an old sensor of CrowdStrike", Want: posture.Fail,
			Edit: test("crowdstrike_s2s", &snapshot.PostureInput{VersionOperator: "<"})},
		{Name: "a sensor of CrowdStrike that is offline", Want: posture.Fail,
			Edit: test("crowdstrike_s2s", &snapshot.PostureInput{State: "offline"})},
		{Name: "what it asks for is not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: test("disk_encryption", nil)},
		{Name: "a comparison nobody knows", Want: posture.Unknown, Edit: test("os_version", &snapshot.PostureInput{Operator: "~"})},
		{Name: "a state of a sensor nobody knows", Want: posture.Unknown, Edit: test("crowdstrike_s2s", &snapshot.PostureInput{State: "odd"})},
		{Name: "a comparison of threats nobody knows", Want: posture.Unknown,
			Edit: test("sentinelone_s2s", &snapshot.PostureInput{Operator: "~", Threats: &none})},
		{Name: "no disk, in a test that is disabled", Want: posture.Pass, Edit: func(b *snapshot.Builder) {
			test("disk_encryption", &snapshot.PostureInput{})(b)
			snapshot.Edit(b, snapshot.DevicePosture, goodtest.Account, func(rs *[]snapshot.PostureRule) { (*rs)[len(*rs)-1].Off = true })
		}},
		{Name: "no check", Want: posture.NotApplicable, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.DevicePosture, goodtest.Account, []snapshot.PostureRule{})
		}},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Unmanaged},
	}
}

func evaluateDemanding(v *check.View) check.Outcome {
	var found []posture.Evidence
	odd, all := false, tests(v)
	for _, r := range all {
		weak, known := passesUnhealthy(r)
		odd = odd || !known
		if weak != "" {
			found = append(found, check.Evidence(snapshot.DevicePosture, "/"+r.ID+"/input", r.Name+": "+weak, "the healthy state"))
		}
	}
	switch {
	case len(all) == 0:
		return v.NotApplicable("the account has no enabled posture check, which CFL-POSTURE-001 judges")
	case len(found) > 0:
		return v.Fail("Devices in a bad state pass "+check.Count(len(found), "posture check", "")+".", found...)
	case odd:
		return v.Unknown("Cloudflare did not return what a posture check asks for")
	}
	return v.Pass("Posture checks ask for the healthy state.")
}

// infected says how a device that SentinelOne calls unhealthy passes, or returns "".
func infected(in *snapshot.PostureInput) string {
	switch {
	case in.Infected != nil && *in.Infected:
		return "an infected device passes"
	case in.Threats != nil && (strings.HasPrefix(in.Operator, ">") || in.Operator == "<" && *in.Threats > 1 ||
		(in.Operator == "==" || in.Operator == "<=") && *in.Threats >= 1):
		return "a device with active threats passes"
	case in.Active != nil && !*in.Active:
		return "a device whose agent is inactive passes"
	case !slices.Contains([]string{"", "na"}, in.Agent):
		return "a device whose agent is " + strings.ReplaceAll(in.Agent, "_", " ") + " passes"
	case in.Network == "disconnected" || in.Network == "disconnecting":
		return "a device that is " + in.Network + " passes"
	}
	return ""
}

// demands reports whether a comparison asks for at least, or just, a value.
func demands(operator string) bool { return slices.Contains([]string{">", ">=", "=="}, operator) }

// passesUnhealthy says how an unhealthy device passes a posture check, or returns "".
func passesUnhealthy(r snapshot.PostureRule) (weak string, known bool) {
	in := r.Input
	judged := []string{"disk_encryption", "os_version", "firewall", "intune", "workspace_one", "sentinelone_s2s", "kolide", "crowdstrike_s2s"}
	if !slices.Contains(judged, r.Type) {
		return "", true
	}
	if in == nil {
		return "", false
	}
	switch r.Type {
	case "disk_encryption":
		if !in.RequireAll && in.Disks == 0 {
			return "no disk is asked for", true
		}
		return "", true
	case "os_version":
		if strings.HasPrefix(in.Operator, "<") {
			return "an older version passes", true
		}
		return "", demands(in.Operator)
	case "firewall":
		if in.Enabled != nil && !*in.Enabled {
			return "a firewall that is off passes", true
		}
		return "", in.Enabled != nil
	case "sentinelone_s2s":
		return infected(in), in.Threats == nil || slices.Contains([]string{"<", "<=", "=="}, in.Operator)
	case "kolide":
		if strings.HasPrefix(in.CountOperator, ">") || in.CountOperator == "==" && in.Issues != "0" {
			return "a device with issues passes", true
		}
		return "", slices.Contains([]string{"<", "<=", "=="}, in.CountOperator)
	case "crowdstrike_s2s":
		switch {
		case in.State == "offline" || in.State == "unknown":
			return "a device whose sensor is " + in.State + " passes", true
		case in.Scored && strings.HasPrefix(in.Operator, "<"):
			return "a device with a low score passes", true
		case strings.HasPrefix(in.VersionOperator, "<"):
			return "an older version of the sensor passes", true
		}
		return "", (in.State == "" || in.State == "online") && (!in.Scored || demands(in.Operator)) &&
			(in.VersionOperator == "" || demands(in.VersionOperator))
	}
	if slices.Contains([]string{"noncompliant", "unknown", "error", "notapplicable"}, in.Compliance) {
		return "a device that is " + in.Compliance + " passes", true
	}
	return "", slices.Contains([]string{"compliant", "ingraceperiod"}, in.Compliance)
}
