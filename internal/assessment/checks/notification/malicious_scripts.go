package notification

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// maliciousScripts judges the alert on malicious client-side scripts.
func maliciousScripts() check.Check {
	return check.Check{
		ID: "CFL-ALERT-010", Title: "Malicious client-side scripts raise an alert",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Plans:      []string{"business", "enterprise"},
		Why:        "A skimmer steals data from the first page view on.",
		Fix:        "Create a policy with a tested destination.",
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: posture.Controls{CIS: []string{"13.1"}, SOC2: []string{"CC7.3", "CC2.2"}, PCI: []string{"10.4.1.1", "10.7.2"},
			NIST: []string{"DE.AE-06"}},
		Aliases: []string{"cfsi:malicious-script-alerts-not-configured"},
		Remedy: newPolicy(oneOf("scriptmonitor_alert_new_malicious_scripts", "scriptmonitor_alert_new_malicious_url",
			"scriptmonitor_alert_new_malicious_hosts")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("malicious client-side scripts", "scriptmonitor_alert_new_malicious_scripts", "scriptmonitor_alert_new_malicious_url",
			"scriptmonitor_alert_new_malicious_hosts"),
	}
}

func maliciousScriptsExamples() []goodtest.Example {
	return raiseExamples("scriptmonitor_alert_new_malicious_scripts")
}
