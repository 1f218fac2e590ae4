package device

import (
	"net/netip"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// locked judges whether users can turn off the client on their device.
func locked() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-002", Title: "Users cannot switch the device client off",
		Category: "posture", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A device client that can be turned off is off when a site is blocked. Lock the switch, and let the " +
			"client reconnect by itself where it may be off for a time.",
		Fix: "Lock the device client switch, turn Allow device to leave organization off and set Auto connect.",
		Words: posture.Words{
			Problem: "People can turn the device client off in this account",
			Impact: "Someone who wants to get around a policy, or malware on the device, turns the client off and nothing is " +
				"filtered.",
			Breaks: "People behind a captive portal need an override code before they can sign in to the network.",
			Dashboard: "Zero Trust › Team & Resources › Devices › Device profiles › General profiles › the profile › Edit: Lock " +
				"device client switch.",
			Terraform: `resource "cloudflare_zero_trust_device_default_profile" "default" {
  account_id       = "{account_id}"
  switch_locked    = true
  allowed_to_leave = false
  auto_connect     = 600
}`},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/identity/devices/"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "The device client's configuration cannot be left by its user."),
			check.Supports("soc2 CC6.8", "The filter against malicious software stays on."),
			check.Supports("nist PR.PS-01", "Users cannot change the managed configuration."),
		},
		Aliases: []string{"union:warp-lock"},
		Remedy: &propose.Remedy{Operation: "PATCH /accounts/{account_id}/devices/policy", Risk: "medium", Reversible: true,
			Body:    `{"switch_locked": true, "allowed_to_leave": false}`,
			Inverse: "PATCH the two captured members",
			Caution: "Users can no longer switch the client off; behind a captive portal they need an override code. Only the default " +
				"profile changes.",
			Propose: proposeLock},
		Needs:    []snapshot.Named{snapshot.DevicePolicy, snapshot.DevicePolicies, snapshot.AccessApps, snapshot.PrivateRoutes},
		Unless:   notManaged,
		Evaluate: evaluateLocked,
	}
}

func lockedExamples() []goodtest.Example {
	on, off, never := true, false, 0.0
	profile := func(change func(*snapshot.DeviceProfile)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) { snapshot.Edit(b, snapshot.DevicePolicy, goodtest.Account, change) }
	}
	custom := func(change func(*snapshot.DeviceProfile)) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Edit(b, snapshot.DevicePolicies, goodtest.Account, func(ps *[]snapshot.DeviceProfile) { change(&(*ps)[0]) })
		}
	}
	exclude := func(network string) func(*snapshot.Builder) {
		return custom(func(p *snapshot.DeviceProfile) { p.Exclude = []string{network} })
	}
	free := func(p *snapshot.DeviceProfile) { p.SwitchLocked, p.AutoConnect = &off, &never }
	return []goodtest.Example{
		{Name: "locked", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "a range that is not routed stays outside", Want: posture.Pass, Edit: exclude("192.168.0.0/16")},
		{Name: "a host stays outside", Want: posture.Pass, Edit: exclude("video.example")},
		{Name: "a loose profile that is switched off", Want: posture.Pass,
			Edit: custom(func(p *snapshot.DeviceProfile) { free(p); p.Enabled = false })},
		{Name: "a loose profile that another hides", Want: posture.Pass,
			Edit: custom(func(p *snapshot.DeviceProfile) { free(p); p.Hidden = true })},
		{Name: "the default profile can be paused for good", Want: posture.Fail, Resource: goodtest.Account, Edit: profile(free)},
		{Name: "another profile can be paused for good", Want: posture.Fail, Resource: goodtest.Account, Edit: custom(free)},
		{Name: "paused, and back by itself", Want: posture.Warning, Resource: goodtest.Account,
			Edit: profile(func(p *snapshot.DeviceProfile) { p.SwitchLocked = &off })},
		{Name: "people may leave", Want: posture.Warning, Resource: goodtest.Account,
			Edit: profile(func(p *snapshot.DeviceProfile) { p.AllowedToLeave = &on })},
		{Name: "never back by itself", Want: posture.Warning, Resource: goodtest.Account,
			Edit: profile(func(p *snapshot.DeviceProfile) { p.AutoConnect = &never })},
		{Name: "everything stays outside", Want: posture.Warning, Resource: goodtest.Account, Edit: exclude("0.0.0.0/0")},
		{Name: "every v6 address stays outside", Want: posture.Warning, Edit: exclude("::/0")},
		{Name: "everything stays outside, in two halves", Want: posture.Warning, Resource: goodtest.Account,
			Edit: custom(func(p *snapshot.DeviceProfile) { p.Exclude = []string{"0.0.0.0/1", "128.0.0.0/1"} })},
		{Name: "every public v6 address stays outside", Want: posture.Warning, Edit: exclude("2000::/3")},
		{Name: "half of all addresses stay outside", Want: posture.Pass, Edit: exclude("128.0.0.0/1")},
		{Name: "a routed range stays outside", Want: posture.Warning, Resource: goodtest.Account, Edit: exclude("10.0.0.0/8")},
		{Name: "one routed address stays outside", Want: posture.Warning, Edit: exclude("10.0.3.4")},
		{Name: "a setting is not told", Want: posture.Unknown, Resource: goodtest.Account,
			Edit: profile(func(p *snapshot.DeviceProfile) { p.SwitchLocked = nil })},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged, profile(free))},
	}
}

func evaluateLocked(v *check.View) check.Outcome {
	routes := check.Read(v, snapshot.PrivateRoutes)
	free, loose, reported := []posture.Evidence{}, []posture.Evidence{}, true
	paths, excluded := []string{}, false
	for _, p := range check.Profiles(v) {
		reported = reported && p.SwitchLocked != nil && p.AllowedToLeave != nil && p.AutoConnect != nil
		open, never := p.SwitchLocked != nil && !*p.SwitchLocked, p.AutoConnect != nil && *p.AutoConnect <= 0
		switch {
		case open && never:
			free = append(free, p.Evidence("switch_locked", "unlocked and never back by itself", "locked"))
		case open:
			loose = append(loose, p.Evidence("switch_locked", "unlocked", "locked"))
		case never:
			loose = append(loose, p.Evidence("auto_connect", "0", "above 0"))
		}
		if p.AllowedToLeave != nil && *p.AllowedToLeave {
			loose = append(loose, p.Evidence("allowed_to_leave", "true", "false"))
		}
		if open || never || p.AllowedToLeave != nil && *p.AllowedToLeave {
			paths = append(paths, check.ProfilePath(p.DeviceProfile))
		}
		before := len(loose)
		for _, e := range p.Exclude {
			if hollow(e, routes) {
				loose = append(loose, p.Evidence("exclude", e, "no range that leads to a private network"))
			}
		}
		if v4, v6, _ := exposure.Public(p.Exclude); len(loose) == before && (v4 >= 1 || v6 >= 1.0/8) { // the public part of IPv6 is an eighth
			loose = append(loose, p.Evidence("exclude", check.Count(len(p.Exclude), "entry", "entries"), "no ranges that together leave nothing"))
		}
		excluded = excluded || len(loose) > before
	}
	switch {
	case len(free) > 0:
		return v.Fail("People can turn the device client off, and it does not come back by itself.",
			append(free, loose...)...).As(lockWords(paths, excluded))
	case len(loose) > 0:
		return v.Warn("People can get around the device client by "+check.Count(len(loose), "setting", "")+" of the device profiles.", loose...).
			As(lockWords(paths, excluded))
	case !reported:
		return v.Unknown("Cloudflare returned only a part of a device profile")
	}
	return v.Pass("People cannot turn the device client off.")
}

// lockWords returns the words for the profiles at the given paths. One profile is locked with one
// request; which networks the client excludes is left to people.
func lockWords(paths []string, excluded bool) posture.Words {
	switch {
	case len(paths) == 0:
		return posture.Words{Problem: "Private networks bypass the device client in this account", ByHand: true,
			Impact: "Traffic to these networks leaves a device past Gateway, so no policy filters it and no log shows it.",
			Breaks: "Local devices in the same range, such as printers, may no longer be reached while the client is on.",
			Dashboard: "Zero Trust › Team & Resources › Devices › Device profiles › General profiles › the profile › Split Tunnels › Manage: " +
				"remove the range."}
	case len(paths) > 1 || excluded:
		return posture.Words{ByHand: true}
	}
	return profileCall(paths, `{"switch_locked": true, "allowed_to_leave": false, "auto_connect": 600}`)
}

// hollow reports whether an excluded range lets private traffic, or all traffic, bypass the client.
func hollow(excluded string, routes []snapshot.PrivateRoute) bool {
	if !strings.Contains(excluded, "/") {
		if a, err := netip.ParseAddr(excluded); err == nil {
			excluded = netip.PrefixFrom(a, a.BitLen()).String()
		}
	}
	p, err := netip.ParsePrefix(excluded)
	if err != nil {
		return false
	}
	if p.Bits() == 0 {
		return true
	}
	for _, r := range routes {
		if q, ok := r.Prefix(); ok && q.Overlaps(p) {
			return true
		}
	}
	return false
}

// proposeLock locks the default profile. The profiles of groups, the reconnect time and the
// exclusions are left to people.
func proposeLock(c *propose.Case) ([]change.Edit, error) {
	place, live, err := c.At("/accounts/{account_id}/devices/policy")
	if err != nil {
		return nil, err
	}
	if live == nil {
		return nil, propose.Refuse("The account has no default device profile.")
	}
	want := map[string]any{}
	if live["switch_locked"] == false {
		want["switch_locked"] = true
	}
	if live["allowed_to_leave"] == true {
		want["allowed_to_leave"] = false
	}
	if len(want) == 0 {
		return nil, propose.Refuse("The default profile is locked already; what is left lies in other profiles, in the time until the client " +
			"is back or in what is excluded, and is for people to choose.")
	}
	return []change.Edit{propose.Patch("PATCH", place, place.Path, live, want)}, nil
}
