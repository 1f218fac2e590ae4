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
		Plans: []string{"business", "enterprise"},
		Why:   "A script that was added to a page reads data from the first page view on.",
		Fix:   "Create a notification for this event with a destination that somebody reads day and night.",
		Words: notify("Page Shield New Malicious Script Alert", "Malicious scripts", "scriptmonitor_alert_new_malicious_scripts", posture.Words{
			Problem: "Malicious scripts raise no alert in this account",
			Impact:  "A skimmer reads card numbers until somebody opens the dashboard by chance.",
		}),
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Malicious scripts are announced where alerts are seen."),
			check.Supports("soc2 CC7.3", "A suspicious script is brought to somebody who can judge it."),
			check.Supports("soc2 CC2.2", "Those who are responsible hear of scripts that turned bad."),
			check.Touches("pci 10.4.1.1", "An alert about scripts reviews no audit log."),
			check.Touches("pci 10.7.2", "A malicious script is an attack, not a failed control."),
			check.Supports("nist DE.AE-06", "Findings about scripts reach the people named in the policy."),
		},
		Aliases: []string{"cfsi:malicious-script-alerts-not-configured"},
		Remedy: newPolicy(oneOf("scriptmonitor_alert_new_malicious_scripts", "scriptmonitor_alert_new_malicious_url",
			"scriptmonitor_alert_new_malicious_hosts")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("malicious client-side scripts", businessOrMore(), "scriptmonitor_alert_new_malicious_scripts",
			"scriptmonitor_alert_new_malicious_url", "scriptmonitor_alert_new_malicious_hosts"),
	}
}

func maliciousScriptsExamples() []goodtest.Example {
	return raiseExamples("scriptmonitor_alert_new_malicious_scripts", businessOrMore())
}
