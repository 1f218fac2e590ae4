package notification

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// originErrors judges the alert on origin errors.
func originErrors() check.Check {
	return check.Check{
		ID: "CFL-ALERT-002", Title: "Origin errors raise an alert",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Plans: []string{"enterprise"},
		Why:   "A rising share of origin errors is an outage or an attack in progress.",
		Fix:   "Create a notification for this event with a destination that somebody reads day and night.",
		Words: notify("Origin Error Rate Alert", "Origin errors", "http_alert_origin_error", posture.Words{
			Problem: "Origin errors raise no alert in this account",
			Impact:  "An outage, or an attack on the origin, is noticed by customers first.",
		}),
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "Errors of origins are announced where alerts are seen."),
			check.Supports("soc2 CC7.3", "An outage is brought to somebody who can say whether it is an incident."),
			check.Supports("soc2 CC2.2", "Those who are responsible hear of errors."),
			check.Touches("pci 10.4.1.1", "An alert about errors reviews no audit log."),
			check.Touches("pci 10.7.2", "A failing origin is an outage, not necessarily a failed control."),
			check.Supports("nist DE.AE-06", "Errors of origins are told to the people named in the policy."),
		},
		Aliases:  []string{"flareinspect:CFL-ALERT-002"},
		Remedy:   newPolicy(oneOf("http_alert_origin_error", "advanced_http_alert_error")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("origin errors", enterpriseOnly(), "http_alert_origin_error", "advanced_http_alert_error"),
	}
}

func originErrorsExamples() []goodtest.Example {
	return raiseExamples("advanced_http_alert_error", enterpriseOnly())
}
