package cache

import (
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// development judges the switch that bypasses the cache. The zone reports the remaining seconds; a
// negative number says how long ago it was turned off.
func development() check.Check {
	return check.Check{
		ID: "CFL-ZONE-002", Title: "Development mode is off",
		Category: "performance", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "Development Mode bypasses the cache for all visitors for three hours, so every request reaches the origin.",
		Fix: "Turn Development Mode off when the work on the site is done.",
		Words: check.SettingTo("development_mode", "off", posture.Words{
			Problem:   "Development Mode is on for {zone}",
			Impact:    "Anyone can load the origin with every request, because nothing is answered from the cache.",
			Breaks:    "Nothing for visitors; whoever works on the site sees cached files again.",
			Dashboard: "Caching › Configuration › Development Mode: Off.",
		}),
		References: []string{docsRules, "Cloudflare docs: Development mode"},
		Controls: check.Controls{
			check.Supports("cis 4.1", "Development mode is a deviation from the baseline that should be short."),
			check.Touches("soc2 CC8.1", "That a mode was left on hints at changes without an end; it shows no process."),
			check.Touches("pci 6.5.1", "It finds a change that was not undone, not how changes are controlled."),
			check.Supports("nist PR.PS-01", "The configuration is back at its baseline."),
		},
		Aliases: []string{"prowler:zone_development_mode_disabled", "flareinspect:cf-zone-002"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/development_mode", Risk: "low", Reversible: true,
			Body: `{"value": "off"}`, Inverse: inverseSetting, Caution: "It ends by itself after three hours.",
			Propose: propose.Setting("development_mode", "off")},
		Needs:    []snapshot.Named{snapshot.ZoneList, snapshot.ZoneSettings, snapshot.ZoneDNSRecords},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			z := v.Zone()
			seen := check.Evidence(snapshot.ZoneList, "/"+z.ID+"/development_mode", fmt.Sprint(z.DevMode), "0 or less")
			switch {
			case z.DevMode <= 0:
				return v.Pass("Development mode is off.")
			case slices.ContainsFunc(v.Policy.ProductionZones, func(p string) bool { return exposure.Same(p, z.Name) || p == z.ID }):
				return v.Fail(fmt.Sprintf("Development mode of the production zone %s is on for another %d seconds.", z.Name, z.DevMode), seen)
			default:
				return v.Warn(fmt.Sprintf("Development mode of %s is on for another %d seconds.", z.Name, z.DevMode), seen)
			}
		},
	}
}

func developmentExamples() []goodtest.Example {
	left := func(seconds int) func(*snapshot.Builder) {
		return goodtest.EditZone(func(z *snapshot.Zone) { z.DevMode = seconds })
	}
	production := func(p *policy.Policy) { p.ProductionZones = []string{goodtest.Domain} }
	return []goodtest.Example{
		{Name: "off", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "off for a day", Want: posture.Pass, Edit: left(-86400)},
		{Name: "on", Want: posture.Warning, Resource: goodtest.Zone, Edit: left(3600)},
		{Name: "on in production", Want: posture.Fail, Resource: goodtest.Zone, Edit: left(3600), Policy: production},
		{Name: "off in production", Want: posture.Pass, Policy: production},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(left(3600), goodtest.NotProxied())},
		{Name: "not active", Want: posture.NotApplicable, Edit: goodtest.EditZone(func(z *snapshot.Zone) {
			z.DevMode, z.Status = 3600,
				"pending"
		})},
	}
}
