package device

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// paused judges how long a locked client may be off.
func paused() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-008", Title: "The device client comes back on within minutes or hours",
		Category: "posture", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "The client goes off when it finds a captive portal, and an administrator's override code lets one person turn it off. Both " +
			"have a timeout, and until then nothing is filtered.",
		Fix: "Set the captive portal timeout to a few minutes, and the timeout of the override code to a working day or less.",
		Words: posture.Words{
			Problem: "The device client stays off for long in this account",
			Impact: "Someone who runs a hotspot with a false sign-in page, or keeps an override code, has a device unfiltered for the " +
				"whole time.",
			Breaks:    "People have less time to sign in at a hotel or airport before the client reconnects.",
			Dashboard: profilesAt + "Captive portal detection: Timeout; for codes, Devices › Management › Global settings › Admin override.",
			Terraform: `resource "cloudflare_zero_trust_device_default_profile" "default" {
  account_id     = "{account_id}"
  captive_portal = 180
}`},
		References: []string{
			"https://developers.cloudflare.com/cloudflare-one/team-and-resources/devices/cloudflare-one-client/configure/settings/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "Exceptions of the client end by themselves."),
			check.Supports("soc2 CC6.8", "The filter against malicious software is off for a short time only."),
			check.Touches("pci 1.5.1", "It bounds the time without the control; it does not say that devices have one."),
		},
		Needs:    []snapshot.Named{snapshot.DevicePolicy, snapshot.DevicePolicies, snapshot.DeviceSettings, snapshot.AccessApps},
		Unless:   notManaged,
		Evaluate: evaluatePaused,
	}
}

// Maximum times for which the client may be off, for a captive portal and with an override code.
const (
	portalLimit = 15 * time.Minute
	codeLimit   = 24 * time.Hour
)

func pausedGood(b *snapshot.Builder) {
	short, never := 180.0, 0.0
	set := func(p *snapshot.DeviceProfile) { p.CaptivePortal = &short }
	goodtest.Edits(editDefault(set), editCustom(set))(b)
	snapshot.Edit(b, snapshot.DeviceSettings, goodtest.Account, func(s *snapshot.DeviceNetwork) { s.Override = &never })
}

func pausedExamples() []goodtest.Example {
	portal := func(seconds float64) func(*snapshot.Builder) {
		return editDefault(func(p *snapshot.DeviceProfile) { p.CaptivePortal = &seconds })
	}
	code := func(seconds float64) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DeviceSettings, goodtest.Account, func(s *snapshot.DeviceNetwork) { s.Override = &seconds })
		}
	}
	return []goodtest.Example{
		{Name: "three minutes", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "no detection", Want: posture.Pass, Edit: portal(0)},
		{Name: "a quarter of an hour", Want: posture.Pass, Edit: portal(900)},
		{Name: "a code for a day", Want: posture.Pass, Edit: code(86400)},
		{Name: "an hour", Want: posture.Warning, Resource: goodtest.Account, Edit: portal(3600)},
		{Name: "a day", Want: posture.Fail, Resource: goodtest.Account, Edit: portal(86400)},
		{Name: "an hour in another profile", Want: posture.Warning, Edit: editCustom(func(p *snapshot.DeviceProfile) {
			hour := 3600.0
			p.CaptivePortal = &hour
		})},
		{Name: "a code for three days", Want: posture.Warning, Edit: code(3 * 86400)},
		{Name: "a timeout is not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: editDefault(func(p *snapshot.DeviceProfile) { p.CaptivePortal = nil })},
		{Name: "the code is not told", Want: posture.Unknown, Edit: func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DeviceSettings, goodtest.Account, func(s *snapshot.DeviceNetwork) { s.Override = nil })
		}},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged, portal(86400))},
	}
}

func evaluatePaused(v *check.View) check.Outcome {
	var found []posture.Evidence
	var paths []string
	reported, longest := true, time.Duration(0)
	for _, p := range check.Profiles(v) {
		if p.CaptivePortal == nil {
			reported = false
			continue
		}
		if d := seconds(*p.CaptivePortal); d > portalLimit {
			longest = max(longest, d)
			found = append(found, p.Evidence("captive_portal", check.Exceeding(d, portalLimit), check.Lasting(portalLimit)+" or less"))
			paths = append(paths, check.ProfilePath(p.DeviceProfile))
		}
	}
	words := profileCall(paths, `{"captive_portal": 180}`)
	code := check.Read(v, snapshot.DeviceSettings).Override
	if code == nil {
		reported = false
	} else if d := seconds(*code); d > codeLimit {
		found = append(found, check.Evidence(snapshot.DeviceSettings, "/disable_for_time", check.Exceeding(d, codeLimit),
			check.Lasting(codeLimit)+" or less"))
		words = posture.Words{ByHand: true}
		if len(paths) == 0 {
			words = posture.Words{Call: posture.Call{Method: "PATCH", Path: "/accounts/{account_id}/devices/settings",
				Body: `{"disable_for_time": 28800}`}, Terraform: `resource "cloudflare_zero_trust_device_settings" "devices" {
  account_id       = "{account_id}"
  disable_for_time = 28800
}`}
		}
	}
	switch {
	case longest > 4*time.Hour:
		return v.Fail("The client stays off for "+check.Lasting(longest)+" after it found a captive portal.", found...).As(words)
	case len(found) > 0:
		return v.Warn("The client may stay off for long by "+check.Count(len(found), "timeout", "")+".", found...).As(words)
	case !reported:
		return v.Unknown("Cloudflare did not return every timeout of the client")
	}
	return v.Pass("The client comes back on soon.")
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
