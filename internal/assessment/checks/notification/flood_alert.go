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
		Why:        "The team should hear about a flood from the platform, not from customers.",
		Fix:        "Create a policy with a tested destination.",
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: posture.Controls{CIS: []string{"13.1"}, SOC2: []string{"CC7.3", "CC2.2"}, PCI: []string{"10.4.1.1", "10.7.2"},
			NIST: []string{"DE.AE-06"}},
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
