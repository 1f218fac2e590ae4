package device

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// mode judges whether users can switch the client to a DNS-only mode.
func mode() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-007", Title: "Users cannot change the mode of the device client",
		Category: "posture", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "With Mode switch, people choose between Traffic and DNS mode and DNS only mode. In the second only DNS policies apply, " +
			"whatever network and HTTP policies say.",
		Fix: "Turn Mode switch off in every device profile, and give people who need DNS only mode a profile of their own.",
		Words: posture.Words{
			Problem: "People can leave network filtering in this account",
			Impact: "Someone who wants to get around a policy, or malware with their rights, changes the mode, and no HTTP policy, scan " +
				"or DLP profile sees the traffic.",
			Breaks:    "People can no longer choose DNS only mode when a site or network does not work.",
			Dashboard: profilesAt + "Mode switch: Off.",
			Terraform: `resource "cloudflare_zero_trust_device_default_profile" "default" {
  account_id        = "{account_id}"
  allow_mode_switch = false
}`},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/team-and-resources/devices/cloudflare-one-client/configure/settings/#mode-switch"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "Users cannot change how the client is configured."),
			check.Supports("soc2 CC6.8", "The filter against malicious software stays on."),
			check.Supports("nist PR.PS-01", "The configuration of the client is managed."),
		},
		Needs:    []snapshot.Named{snapshot.DevicePolicy, snapshot.DevicePolicies, snapshot.AccessApps},
		Unless:   notManaged,
		Evaluate: evaluateMode,
	}
}

func modeGood(b *snapshot.Builder) {
	off := false
	set := func(p *snapshot.DeviceProfile) { p.ModeSwitch = &off }
	goodtest.Edits(editDefault(set), editCustom(set))(b)
}

func modeExamples() []goodtest.Example {
	on := true
	free := func(p *snapshot.DeviceProfile) { p.ModeSwitch = &on }
	return []goodtest.Example{
		{Name: "fixed", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a free profile that is off", Want: posture.Pass,
			Edit: editCustom(func(p *snapshot.DeviceProfile) { free(p); p.Enabled = false })},
		{Name: "the default profile", Want: posture.Fail, Resource: goodtest.Account, Edit: editDefault(free)},
		{Name: "another profile", Want: posture.Fail, Edit: editCustom(free)},
		{Name: "both", Want: posture.Fail, Edit: goodtest.Edits(editDefault(free), editCustom(free))},
		{Name: "a mode that cannot be changed", Want: posture.Pass,
			Edit: editCustom(func(p *snapshot.DeviceProfile) { free(p); p.ServiceMode = "proxy" })},
		{Name: "not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: editCustom(func(p *snapshot.DeviceProfile) { p.ModeSwitch = nil })},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged, editDefault(free))},
	}
}

func evaluateMode(v *check.View) check.Outcome {
	var found []posture.Evidence
	var paths []string
	reported := true
	for _, p := range check.Profiles(v) {
		switch {
		case p.ServiceMode == "proxy" || p.ServiceMode == "posture_only" || p.ServiceMode == "1dot1":
			// Users cannot leave these modes, and CFL-DEVICE-001 judges them.
		case p.ModeSwitch == nil:
			reported = false
		case *p.ModeSwitch:
			found, paths = append(found, p.Evidence("allow_mode_switch", "true", "false")), append(paths, check.ProfilePath(p.DeviceProfile))
		}
	}
	switch {
	case len(found) > 0:
		return v.Fail("People with "+check.Count(len(found), "device profile", "")+" can change to a mode that carries DNS alone.", found...).
			As(profileCall(paths, `{"allow_mode_switch": false}`))
	case !reported:
		return v.Unknown("Cloudflare did not return whether people can change the mode")
	}
	return v.Pass("People cannot change the mode of the device client.")
}
