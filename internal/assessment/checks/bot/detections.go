package bot

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// detections judges the script that detects headless browsers.
func detections() check.Check {
	return check.Check{
		ID: "CFL-BOT-002", Title: "JavaScript detections are on",
		Category: "bot", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Plans: []string{"pro", "business", "enterprise"},
		Why: "JavaScript detections look for headless browsers by running a small script. Without them a driven browser " +
			"looks like a person.",
		Fix: "Turn JavaScript detections on, then add a rule that challenges requests which did not pass them.",
		Words: posture.Words{
			Problem: "JavaScript detections are off on {zone}",
			Impact:  "A headless browser can fill in forms and test passwords without being recognised as one.",
			Breaks: "A script is added to HTML pages; a strict Content Security Policy needs an entry for " +
				"/cdn-cgi/challenge-platform/.",
			Dashboard: "Security › Settings › Bot traffic › JavaScript detections: On.",
			Call: posture.Call{Method: "PUT", Path: "/zones/{zone_id}/bot_management",
				Body: `{"enable_js": true}`},
			Terraform: `resource "cloudflare_bot_management" "zone" {
  zone_id   = "{zone_id}"
  enable_js = true
}`},
		References: []string{"https://developers.cloudflare.com/bots/additional-configurations/javascript-detections/",
			"https://developers.cloudflare.com/security-center/security-insights/"},
		Controls: check.Controls{
			check.Supports("cis 13.10", "Script detections give the bot rules a signal to filter by."),
			check.Supports("soc2 CC6.6", "Automated outsiders are told apart at the boundary."),
			check.Touches("pci 6.4.2", "Detection alone blocks nothing."),
			check.Supports("nist DE.CM-01", "Traffic is watched for automation."),
		},
		Aliases: []string{"cfsi:js-detections-off"},
		Remedy: &propose.Remedy{Operation: "PUT /zones/{zone_id}/bot_management", Risk: "low", Reversible: true,
			Body:    `{"enable_js": true}`,
			Inverse: `PUT {"enable_js": false}`,
			Caution: "Adds a script to HTML pages; a strict content policy may need an entry.",
			Propose: proposeMember("enable_js", true)},
		Needs:    []snapshot.Named{snapshot.ZoneBotManagement, snapshot.ZoneList, snapshot.ZoneDNSRecords},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			switch on := check.Read(v, snapshot.ZoneBotManagement).EnableJS; {
			case on == nil:
				return v.Unknown("Cloudflare did not return enable_js")
			case *on:
				return v.Pass("JavaScript detections are on.")
			default:
				return v.Fail("JavaScript detections of "+v.Zone().Name+" are off.", check.Evidence(snapshot.ZoneBotManagement, "/enable_js", "false",
					"true"))
			}
		},
	}
}

func detectionsExamples() []goodtest.Example {
	js := func(on *bool) func(*snapshot.Builder) {
		return config(func(c *snapshot.BotManagement) { c.EnableJS = on })
	}
	no := false
	return []goodtest.Example{
		{Name: "on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Zone, Edit: js(&no)},
		{Name: "not returned", Want: posture.Unknown, Edit: js(nil)},
		{Name: "free plan", Want: posture.NotApplicable, Edit: goodtest.Edits(js(&no), goodtest.Plan("free"))},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
	}
}
