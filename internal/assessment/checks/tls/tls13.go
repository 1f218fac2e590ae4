package tls

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/propose"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// tls13 judges whether TLS 1.3 is offered.
func tls13() check.Check {
	return check.Check{
		ID: "CFL-SSL-006", Title: "TLS 1.3 is offered",
		Category: "ssl", Severity: posture.Medium, Resource: posture.ResourceZone, Scope: check.PerZone, Served: true,
		Why: "TLS 1.3 drops the key exchanges and ciphers that attacks on older versions use, and encrypts the " +
			"certificate in the handshake. A new connection takes one round trip less.",
		Fix: "Turn on TLS 1.3; clients that do not know the version keep using TLS 1.2.",
		Words: check.SettingTo("tls_1_3", "on", posture.Words{
			Problem: "{zone} does not offer TLS 1.3",
			Impact: "Connections rest on TLS 1.2 alone, whose older cipher suites have known attacks and whose handshake shows " +
				"the certificate to anyone listening.",
			Breaks:    "Nothing that works today; clients without TLS 1.3 use TLS 1.2 as before.",
			Dashboard: "SSL/TLS › Edge Certificates › TLS 1.3: On.",
		}),
		References: []string{"https://developers.cloudflare.com/ssl/reference/protocols/"},
		Controls: check.Controls{
			check.Supports("cis 12.6", "The most recent secure protocol is offered."),
			check.Supports("soc2 CC6.7", "Data is encrypted by the best means a browser has."),
			check.Touches("pci 4.2.1", "TLS 1.2 already meets the requirement; this goes beyond."),
			check.Supports("nist PR.DS-02", "Data on the wire is protected by the newest protocol."),
		},
		Aliases: []string{"prowler:zone_tls_1_3_enabled", "cnspec:tls-1-3", "flareinspect:CFL-SSL-006"},
		Remedy: &propose.Remedy{Operation: "PATCH /zones/{zone_id}/settings/tls_1_3", Risk: "low", Reversible: true,
			Body:    `{"value": "on"}`,
			Inverse: "PATCH the same setting with the value captured before the change, only if the live value still equals the value we wrote",
			Caution: "No client is known to break. 0-RTT stays as it is.",
			Propose: propose.Setting("tls_1_3", "on", "zrt")},
		Needs:    []snapshot.Named{snapshot.ZoneSetting("tls_1_3"), snapshot.ZoneDNSRecords, snapshot.ZoneList},
		Optional: traffic.ServedNeeds(),
		Evaluate: func(v *check.View) check.Outcome {
			value, ok := check.Read(v, snapshot.ZoneSettings).Text("tls_1_3")
			switch {
			case !ok:
				return v.Unknown("Cloudflare did not return the setting tls_1_3")
			case value == "on" || value == "zrt":
				return v.Pass("The edge offers TLS 1.3.")
			case value == "off":
				return v.Fail("TLS 1.3 is off for "+v.Zone().Name+".", check.Evidence(snapshot.ZoneSettings, "/tls_1_3",
					value, "on"))
			default:
				return v.Unknown("tls_1_3 has a value this check does not know: " + value)
			}
		},
	}
}

func tls13Examples() []goodtest.Example {
	return []goodtest.Example{
		{Name: "on", Want: posture.Pass, Resource: goodtest.Zone},
		{Name: "on with early data", Want: posture.Pass, Edit: goodtest.Setting("tls_1_3", "zrt")},
		{Name: "off", Want: posture.Fail, Resource: goodtest.Zone, Edit: goodtest.Setting("tls_1_3", "off")},
		{Name: "no proxied record", Want: posture.NotApplicable, Edit: goodtest.NotProxied()},
		{Name: "the setting is missing", Want: posture.Unknown, Edit: goodtest.MissingSetting("tls_1_3")},
	}
}
