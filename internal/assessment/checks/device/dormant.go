package device

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// dormant finds unused devices that are still registered.
func dormant() check.Check {
	return check.Check{
		ID: "CFL-DEVICE-012", Title: "Devices that nobody uses lose their registration",
		Category: "posture", Severity: posture.Low, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "A registered device connects to the account until its registration is revoked. Laptops in a drawer, sold or lost ones keep " +
			"theirs, and their software is out of date.",
		Fix: "Revoke the registrations of devices that were not seen for 90 days; people enrol again when they need one.",
		Words: posture.Words{
			Problem: "Devices of this account keep registrations that nobody uses",
			Impact: "Someone who finds or buys an old laptop, and gets past its screen lock, is connected to private networks as its former " +
				"user.",
			Breaks:    "Someone who comes back after a long leave has to enrol the device again.",
			Dashboard: "Zero Trust › Team & Resources › Devices › sort by Last seen, choose the devices, then Revoke.",
		},
		References: []string{"https://developers.cloudflare.com/cloudflare-one/team-and-resources/devices/"},
		Controls: check.Controls{
			check.Supports("cis 1.1", "Devices that are no longer in use are taken out."),
			check.Supports("soc2 CC6.5", "Devices that left lose access."),
			check.Touches("pci 8.2.6", "It is about devices; accounts of people are another matter."),
			check.Supports("nist ID.AM-01", "The register of devices holds those that exist."),
		},
		Needs:    []snapshot.Named{snapshot.DormantDevices, snapshot.DevicePolicies, snapshot.AccessApps},
		Unless:   notManaged,
		Evaluate: evaluateDormant,
	}
}

func dormantGood(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.DormantDevices, goodtest.Account, []snapshot.DormantDevice{})
}

func dormantExamples() []goodtest.Example {
	devices := func(n, days int) func(*snapshot.Builder) {
		var all []snapshot.DormantDevice
		for i := range n {
			all = append(all, snapshot.DormantDevice{ID: "p" + string(rune('a'+i/26)) + string(rune('a'+i%26)), LastSeen: goodtest.InDays(-days)})
		}
		return func(b *snapshot.Builder) { snapshot.Put(b, snapshot.DormantDevices, goodtest.Account, all) }
	}
	return []goodtest.Example{
		{Name: "none", Want: posture.Pass, Resource: goodtest.Account},
		{Name: "seen after all", Want: posture.Pass, Edit: devices(2, 30)},
		{Name: "two for half a year", Want: posture.Warning, Resource: goodtest.Account, Edit: devices(2, 180)},
		{Name: "a full page", Want: posture.Warning, Edit: devices(snapshot.DormantMost, 180)},
		{Name: "one for two years", Want: posture.Fail, Resource: goodtest.Account, Edit: devices(1, 800)},
		{Name: "when is not told", Want: posture.Unknown, Resource: goodtest.Account, Edit: func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.DormantDevices, goodtest.Account, []snapshot.DormantDevice{{ID: "pa"}})
		}},
		{Name: "no device is managed", Want: posture.NotApplicable, Edit: goodtest.Edits(goodtest.Unmanaged, devices(2, 800))},
	}
}

func evaluateDormant(v *check.View) check.Outcome {
	all := check.Read(v, snapshot.DormantDevices)
	var seen []posture.Evidence
	n, longest, unreported := 0, time.Duration(0), false
	for _, d := range all {
		idle := v.Now().Sub(d.LastSeen.Time)
		switch {
		case d.LastSeen.IsZero():
			unreported = true
		case idle >= snapshot.DormantAfter:
			n, longest = n+1, max(longest, idle)
			if len(seen) < 10 {
				seen = append(seen, check.Evidence(snapshot.DormantDevices, "/"+d.ID+"/last_seen_at", d.LastSeen.Format(time.DateOnly),
					"within 90 days, or revoked"))
			}
		}
	}
	count := check.Count(n, "device", "")
	if n > 1 {
		count += " were"
	} else {
		count += " was"
	}
	if len(all) >= snapshot.DormantMost {
		count = "At least " + count
	}
	switch {
	case n == 0 && unreported:
		return v.Unknown("Cloudflare did not return when a device was last seen")
	case n == 0:
		return v.Pass("Every registered device was seen within 90 days.")
	case longest > 365*24*time.Hour && n == 1:
		return v.Fail("1 device was not seen for more than a year and may still connect.", seen...)
	case longest > 365*24*time.Hour:
		return v.Fail(count+" not seen for 90 days, one of them for more than a year, and may still connect.", seen...)
	}
	return v.Warn(count+" not seen for 90 days and may still connect.", seen...)
}
