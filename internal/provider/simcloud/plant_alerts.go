package simcloud

import "slices"

func plantsAlerts() []Plant {
	const slotWays = "alert-ways" // the destinations of alerts
	table := []Plant{
		accountWide("CFL-ALERT-005", "no-mechanism", failed, "alert-usage", func(a *account) { a.addAlert(alertUsage, obj{}) }),
		accountWide("CFL-ALERT-005", "webhook-failing", failed, slotWays, func(a *account) {
			a.webhooks[0]["last_success"], a.webhooks[0]["last_failure"] = a.cloud.ago(9*day), a.cloud.ago(day)
		}),
		accountWide("CFL-ALERT-005", "webhook-untried", warning, slotWays, func(a *account) {
			a.webhooks[0]["last_success"], a.webhooks[0]["last_failure"] = nil, nil
		}),
		accountWide("CFL-ALERT-005", "one-address", warning, slotWays, func(a *account) {
			for _, p := range a.alerts {
				if ways, _ := p["mechanisms"].(obj); len(ways) == 0 {
					continue // planted without mechanisms
				}
				p["mechanisms"] = obj{"email": []obj{a.mail(canaryMailLocal)}}
			}
		}),
		accountWide("CFL-ALERT-012", "used", failed, slotWays, func(a *account) {
			a.webhooks[0]["url"] = "http://hooks.chat.test/services/T0/" + canaryWebhookPath
		}),
		accountWide("CFL-ALERT-012", "unused", warning, slotWays, func(a *account) {
			a.addWebhook("Old chat", "http://old.chat.test/"+canaryWebhookPath)
		}),
	}
	table = append(table, alertPlants("CFL-ALERT-001", alertFirewall, alertFirewallEnt)...)
	for i := range table[len(table)-3:] {
		table[len(table)-3+i].Plans = []string{"business", "enterprise"}
	}
	table = append(table, alertPlants("CFL-ALERT-003", alertCertificate)...)
	return append(table, alertPlants("CFL-ALERT-004", alertFlood)...)
}

// alertPlants returns the three bad cases of a check that requires a policy of one of the given types.
func alertPlants(check string, kinds ...string) []Plant {
	slot := check // the policies of these types
	without := accountWide(check, "no-policy", failed, slot, func(a *account) {
		a.alerts = slices.DeleteFunc(a.alerts, func(p obj) bool { return slices.Contains(kinds, asText(p["alert_type"])) })
	})
	disabled := accountWide(check, "disabled", failed, slot, func(a *account) {
		for _, p := range a.alertsOf(kinds...) {
			p["enabled"] = false
		}
	})
	filtered := accountWide(check, "some-zones", warning, slot, func(a *account) {
		for _, p := range a.alertsOf(kinds...) {
			p["filters"] = obj{"zones": []string{a.zoneID(0)}}
		}
	}).when(func(a *account) bool { return a.zoneCount > 1 })
	return []Plant{without, disabled, filtered}
}
