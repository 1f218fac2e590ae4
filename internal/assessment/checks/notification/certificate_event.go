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
		Controls: check.Controls{
			check.Supports("cis 13.1", "Alerts about certificates reach a place where they are seen."),
			check.Supports("soc2 CC7.3", "A certificate that is about to fail is looked at in time."),
			check.Supports("soc2 CC2.2", "Those who are responsible hear of certificate events."),
			check.Touches("pci 10.4.1.1", "An alert about certificates reviews no audit log."),
			check.Supports("pci 10.7.2", "The end of encryption by an expired certificate would be announced."),
			check.Supports("nist DE.AE-06", "Certificate events reach the people named in the policy."),
		},
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
