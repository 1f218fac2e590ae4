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
		Words: posture.Words{
			Problem:   "HTTP DDoS attacks raise no alert in this account",
			Impact:    "The team hears of a flood from customers and reacts late.",
			Breaks:    "Nothing; a notification changes no traffic.",
			Dashboard: "Notifications › Add › HTTP DDoS Attack Alert: choose a destination and turn it on.",
			Call: posture.Call{Method: "POST", Path: "/accounts/{account_id}/alerting/v3/policies",
				Body: `{"name": "HTTP DDoS attacks", "alert_type": "dos_attack_l7", "enabled": true, "filters": {}, ` +
					`"mechanisms": {"email": [{"id": "{$ALERT_EMAIL}"}]}}`,
				Choose: "ALERT_EMAIL: the mailbox of the people on call (such as oncall@shop.example)"},
			Terraform: `resource "cloudflare_notification_policy" "alert" {
  account_id = "{account_id}"
  name       = "HTTP DDoS attacks"
  alert_type = "dos_attack_l7"
  enabled    = true
  mechanisms = {
    email = [{ id = "oncall@shop.example" }]
  }
}`},
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
		Evaluate: raises("HTTP floods", "dos_attack_l7", "advanced_ddos_attack_l7_alert"),
	}
}

func floodAlertExamples() []goodtest.Example {
	return raiseExamples("dos_attack_l7")
}
