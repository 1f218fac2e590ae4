package script

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// watched judges whether the scripts that browsers load are monitored.
func watched() check.Check {
	return check.Check{
		ID: "CFL-PAGESHIELD-001", Title: "Client-side scripts are monitored",
		Category: "page-shield", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true, Edge: true,
		Why: "Skimmers are added to third-party scripts, where the server never sees them. Client-side monitoring lists " +
			"what pages really load.",
		Fix: "Turn client-side resource monitoring on, then read its list of scripts once a week.",
		Words: posture.Words{
			Problem:   "Scripts on pages of {zone} are not monitored",
			Impact:    "A changed third-party script can read card numbers for months before anyone sees it.",
			Breaks:    "Nothing; a report-only header is added to a share of page views.",
			Dashboard: "Security › Settings › Client-side abuse › Continuous script monitoring: On.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/page_shield",
				Body: `{"enabled": true}`}},
		References: []string{docsClientSide},
		Controls: check.Controls{
			check.Supports("cis 16.11", "Scripts are watched by a module that the platform offers."),
			check.Supports("soc2 CC6.8", "Malicious scripts can be found."),
			check.Supports("pci 6.4.3", "Monitoring gives the inventory of scripts; authorisation and integrity need more."),
			check.Supports("pci 11.6.1", "Changes of scripts on pages are detected; changes of headers are not."),
			check.Supports("nist DE.CM-09", "What runs in visitors' browsers is monitored."),
		},
		Aliases: []string{"cfsi:client-side-security-off", "flareinspect:CFL-PAGESHIELD-001"},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/page_shield", Risk: "low", Reversible: true,
			Body: `{"enabled": true}`, Inverse: `PUT {"enabled": false}`,
			Caution: "Adds a report-only header to a share of page views.",
			Propose: propose.Members("PUT", "/zones/{zone_id}/page_shield", map[string]any{"enabled": true})},
		Needs:    []snapshot.Named{snapshot.ZonePageShield, snapshot.ZoneList, snapshot.ZoneDNSRecords},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			switch on := check.Read(v, snapshot.ZonePageShield).Enabled; {
			case on == nil:
				return v.Unknown("Cloudflare did not return whether scripts are monitored")
			case *on:
				return v.Pass("The scripts of the pages are monitored.")
			default:
				return v.Fail("Nobody watches the scripts that pages of "+v.Zone().Name+" load.", check.Evidence(snapshot.ZonePageShield, "/enabled",
					"false", "true"))
			}
		},
	}
}

func watchedExamples() []goodtest.Example {
	no := false
	return []goodtest.Example{
		{Name: "on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Zone, Edit: watching(&no)},
		{Name: "not returned", Want: posture.Unknown, Edit: watching(nil)},
		{Name: "free plan, off", Want: posture.Fail, Edit: goodtest.Edits(watching(&no), goodtest.Plan("free"))},
		{Name: "free plan, on", Want: posture.Pass, Edit: goodtest.Plan("free")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.Edits(watching(&no),
			goodtest.NotProxied())},
		{Name: "not active", Want: posture.NotApplicable, Edit: goodtest.Edits(watching(&no),
			goodtest.EditZone(func(z *snapshot.Zone) { z.Status = "pending" }))},
	}
}
