package notification

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// certificateEvent judges the alert on certificate events.
func certificateEvent() check.Check {
	return check.Check{
		ID: "CFL-ALERT-003", Title: "Certificate events raise an alert",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why:        "Failed renewals otherwise surface as an outage.",
		Fix:        "Create a policy with a tested destination.",
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: posture.Controls{CIS: []string{"13.1"}, SOC2: []string{"CC7.3", "CC2.2"}, PCI: []string{"10.4.1.1", "10.7.2"},
			NIST: []string{"DE.AE-06"}},
		Aliases:  []string{"flareinspect:CFL-ALERT-003"},
		Remedy:   newPolicy(oneOf("universal_ssl_event_type", "dedicated_ssl_certificate_event_type", "custom_ssl_certificate_event_type")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("certificate events", "universal_ssl_event_type", "dedicated_ssl_certificate_event_type",
			"custom_ssl_certificate_event_type"),
	}
}

func certificateEventExamples() []goodtest.Example {
	return raiseExamples("universal_ssl_event_type")
}
