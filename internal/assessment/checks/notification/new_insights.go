package notification

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// newInsights judges the alert on new security insights.
func newInsights() check.Check {
	return check.Check{
		ID: "CFL-ALERT-006", Title: "New security insights raise an alert",
		Category: "notifications", Severity: posture.Medium, Resource: posture.ResourceAccount, Scope: check.PerAccount,
		Why: "Security Center scans every few days; few people open it every day.",
		Fix: "Create a notification for this event with a destination that somebody reads day and night.",
		Words: notify("Security Insights Alert", "Security insights", "security_insights_alert", posture.Words{
			Problem: "New security insights raise no alert in this account",
			Impact:  "A new exposure stays open until somebody opens Security Center.",
		}),
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: check.Controls{
			check.Supports("cis 13.1", "New insights are announced where alerts are seen."),
			check.Supports("soc2 CC7.3", "A new weakness is brought to somebody who can judge it."),
			check.Supports("soc2 CC2.2", "Those who are responsible hear of new weaknesses."),
			check.Touches("pci 10.4.1.1", "An alert about configuration reviews no audit log."),
			check.Supports("pci 10.7.2", "An insight may tell that a control is missing or off."),
			check.Supports("nist DE.AE-06", "New insights reach the people named in the policy."),
		},
		Remedy:   newPolicy(oneOf("security_insights_alert")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("new security insights", nil, "security_insights_alert"),
	}
}

func newInsightsExamples() []goodtest.Example {
	return raiseExamples("security_insights_alert", nil)
}
