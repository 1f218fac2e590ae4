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
		Plans:      []string{"business", "enterprise"},
		Why:        "An attack shows as a spike before it shows as damage.",
		Fix:        "Create a policy with a tested destination.",
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: posture.Controls{CIS: []string{"13.1"}, SOC2: []string{"CC7.3", "CC2.2"}, PCI: []string{"10.4.1.1", "10.7.2"},
			NIST: []string{"DE.AE-06"}},
		Aliases:  []string{"flareinspect:CFL-ALERT-001"},
		Remedy:   newPolicy(oneOf("clickhouse_alert_fw_anomaly", "clickhouse_alert_fw_ent_anomaly")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("spikes of firewall events", "clickhouse_alert_fw_anomaly", "clickhouse_alert_fw_ent_anomaly"),
	}
}

func firewallSpikeExamples() []goodtest.Example {
	return raiseExamples("clickhouse_alert_fw_ent_anomaly")
}
