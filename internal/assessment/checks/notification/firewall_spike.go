package notification

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// firewallSpike judges the alert on spikes of firewall events.
func firewallSpike() check.Check {
	return check.Check{
		ID: "CFL-ALERT-001", Title: "Firewall event spikes raise an alert",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Plans: []string{"business", "enterprise"},
		Why:   "An attack shows as a spike of firewall events before it shows as damage.",
		Fix:   "Create a notification for this event with a destination that somebody reads day and night.",
		Words: notify("Security Events Alert", "Security events", "clickhouse_alert_fw_anomaly", posture.Words{
			Problem: "Spikes of firewall events raise no alert in this account",
			Impact:  "An attack goes on for hours before anyone looks at the dashboard.",
		}),
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Spikes in firewall events are announced where alerts are seen."),
			check.Supports("soc2 CC7.3", "A spike is brought to somebody who can say whether it is an incident."),
			check.Supports("soc2 CC2.2", "Those who are responsible hear of attacks."),
			check.Supports("pci 10.4.1.1", "Firewall events are reviewed automatically for spikes."),
			check.Touches("pci 10.7.2", "A spike of events is an attack, not a failed control."),
			check.Supports("nist DE.AE-06", "Firewall events reach the people named in the policy."),
		},
		Aliases:  []string{"flareinspect:CFL-ALERT-001"},
		Remedy:   newPolicy(oneOf("clickhouse_alert_fw_anomaly", "clickhouse_alert_fw_ent_anomaly")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("spikes of firewall events", businessOrMore(), "clickhouse_alert_fw_anomaly", "clickhouse_alert_fw_ent_anomaly"),
	}
}

func firewallSpikeExamples() []goodtest.Example {
	return raiseExamples("clickhouse_alert_fw_ent_anomaly", businessOrMore())
}
