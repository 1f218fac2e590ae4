package notification

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// floodAlert judges the alert on HTTP floods.
func floodAlert() check.Check {
	return check.Check{
		ID: "CFL-ALERT-004", Title: "HTTP DDoS attacks raise an alert",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Cloudflare mitigates floods by itself, but what gets through needs people.",
		Fix: "Create a notification for this event with a destination that somebody reads day and night.",
		Words: notify("HTTP DDoS Attack Alert", "HTTP DDoS attacks", "dos_attack_l7", posture.Words{
			Problem: "HTTP DDoS attacks raise no alert in this account",
			Impact:  "The team hears of a flood from customers and reacts late.",
		}),
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Floods are announced where alerts are seen."),
			check.Supports("soc2 CC7.3", "A flood is brought to somebody who can say whether it is an incident."),
			check.Supports("soc2 CC2.2", "Those who are responsible hear of floods."),
			check.Touches("pci 10.4.1.1", "An alert about floods reviews no audit log."),
			check.Touches("pci 10.7.2", "A flood is an attack, not a failed control."),
			check.Supports("nist DE.AE-06", "Floods are told to the people named in the policy."),
		},
		Aliases:  []string{"flareinspect:CFL-ALERT-004"},
		Remedy:   newPolicy(oneOf("dos_attack_l7", "advanced_ddos_attack_l7_alert")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("HTTP floods", nil, "dos_attack_l7", "advanced_ddos_attack_l7_alert"),
	}
}

func floodAlertExamples() []goodtest.Example {
	return raiseExamples("dos_attack_l7", nil)
}
