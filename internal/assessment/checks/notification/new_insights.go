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
		Why:        "New exposures are found daily; nobody opens the page daily.",
		Fix:        "Create a policy with a tested destination.",
		References: []string{"https://developers.cloudflare.com/notifications/"},
		Controls: posture.Controls{CIS: []string{"13.1"}, SOC2: []string{"CC7.3", "CC2.2"}, PCI: []string{"10.4.1.1", "10.7.2"},
			NIST: []string{"DE.AE-06"}},
		Remedy:   newPolicy(oneOf("security_insights_alert")),
		Needs:    []snapshot.Named{snapshot.AlertPolicies, snapshot.AlertAvailable},
		Optional: []snapshot.Named{snapshot.ZoneList},
		Evaluate: raises("new security insights", "security_insights_alert"),
	}
}

func newInsightsExamples() []goodtest.Example {
	return raiseExamples("security_insights_alert")
}
