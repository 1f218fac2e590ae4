package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// earlyData judges whether requests may be replayed (RFC 8446, section 8).
func earlyData() check.Check {
	return check.Check{
		ID: "CFL-SSL-016", Title: "Early data is not accepted",
		Category: "ssl", Severity: posture.Low, Resource: posture.ResourceZone, Scope: check.PerZone,
		Why: "With 0-RTT a returning client sends its first request before the TLS handshake is complete. Such a request " +
			"can be recorded and sent again (RFC 8446, section 8).",
		Fix: "Turn off 0-RTT Connection Resumption, or accept the risk when no GET request of the site changes anything.",
		Words: posture.Words{
			Problem: "{zone} accepts early data that can be replayed",
			Impact: "Someone who records the traffic of a visitor can send a GET request again, and what the request does " +
				"happens twice.",
			Breaks:    "Nothing that visitors see, except a slightly slower start of repeat visits.",
			Dashboard: "Speed › Settings › Protocol Optimization › 0-RTT Connection Resumption: Off.",
			Call: posture.Call{Method: "PATCH", Path: "/zones/{zone_id}/settings/0rtt",
				Body: `{"value": "off"}`},
			Terraform: `resource "cloudflare_zone_setting" "early_data" {
  zone_id    = "{zone_id}"
  setting_id = "0rtt"
  value      = "off"
}`},
		References: []string{"https://developers.cloudflare.com/ssl/reference/protocols/", "https://developers.cloudflare.com/ssl/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "A part of TLS 1.3 that allows replay is off."),
			check.Supports("soc2 CC6.7", "Requests cannot be replayed by an attacker on the network."),
			check.Touches("pci 4.2.1", "Replay is prevented; the strength of encryption is the same."),
			check.Supports("nist PR.DS-02", "Data on the wire is protected against replay."),
		},
		Aliases: []string{"union:0rtt"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/0rtt", Risk: "low", Reversible: true,
			Body:    `{"value": "off"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "Slightly slower reconnects.",
			Propose: propose.Setting("0rtt", "off")},
		Needs:    switchNeeds(snapshot.ZoneSetting("0rtt")),
		Optional: traffic.Setting("0rtt").Needs,
		Evaluate: func(v *check.View) check.Outcome {
			return check.OnOff(v, "0rtt", "off", "0-RTT Connection Resumption is on for "+v.Zone().Name+", so early data is accepted.")
		},
	}
}

func earlyDataExamples() []goodtest.Example {
	return goodtest.OnOff("0rtt", "off")
}
