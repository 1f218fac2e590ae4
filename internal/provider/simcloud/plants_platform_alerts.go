package simcloud

import (
	"slices"
	"time"
)

func plantsMoreAlerts() []Plant {
	tokens := func(a *account) bool { return len(a.serviceTokens) > 0 }
	tunnels := func(a *account) bool { return len(a.tunnels) > 0 }
	drop := func(kind string) func(*account) {
		return func(a *account) {
			a.alerts = slices.DeleteFunc(a.alerts, func(p obj) bool { return p["alert_type"] == kind })
		}
	}
	const slotTunnel, slotToken = "alert-tunnel", "alert-token"
	table := []Plant{
		accountWide("CFL-ALERT-009", "no-tunnel-policy", failed, slotTunnel, drop(alertTunnel)).when(tunnels),
		accountWide("CFL-ALERT-009", "no-token-policy", failed, slotToken, drop(alertServiceToken)).when(tokens),
		accountWide("CFL-ALERT-009", "some-tunnels", warning, slotTunnel, func(a *account) {
			for _, p := range a.alertsOf(alertTunnel) {
				p["filters"] = obj{"tunnel_id": []string{hexID(a.seed, "no tunnel")}}
			}
		}).when(tunnels),
		silentPolicy("CFL-ALERT-009", slotToken, alertServiceToken).when(tokens),
		silencePlant("month", failed, 45*day), silencePlant("endless", failed, 0), silencePlant("week", warning, 9*day),
	}
	table = append(table, drops("CFL-ALERT-013", alertExport).when(func(a *account) bool { return a.bestPlan() == "enterprise" }),
		drops("CFL-ALERT-014", alertPool).when(func(a *account) bool { return len(a.pools) > 0 && rank(a.bestPlan()) >= 2 }),
		drops("CFL-ALERT-015", alertAuthority).when(func(a *account) bool { return len(a.authorities) > 0 && rank(a.bestPlan()) >= 2 }))
	for _, k := range []struct {
		check string
		plans []string
		kinds []string
	}{
		{"CFL-ALERT-002", []string{"enterprise"}, []string{alertOrigin, alertOriginEnt}},
		{"CFL-ALERT-006", nil, []string{alertInsight}},
		{"CFL-ALERT-010", []string{"business", "enterprise"}, []string{alertScript, alertScriptURL}},
	} {
		for _, p := range append(alertPlants(k.check, k.kinds...), silentPolicy(k.check, k.check, k.kinds...)) {
			table = append(table, p.on(k.plans...))
		}
	}
	return table
}

// silencePlant mutes a policy that no other plant removes or disables.
func silencePlant(variant, result string, until time.Duration) Plant {
	return accountWide("CFL-ALERT-011", variant, result, "silence-"+variant, func(a *account) {
		s := a.silence(day, until)
		s["policy_id"] = a.addAlert("billing_usage_alert", a.sameWay())["id"]
		if until == 0 {
			s["end_time"] = nil
		}
	})
}

// sameWay returns the destinations of an existing policy, so that none is added.
func (a *account) sameWay() obj {
	for _, p := range a.alerts {
		if ways, _ := p["mechanisms"].(obj); len(ways) > 0 {
			return ways
		}
	}
	return a.mechanisms(a.webhooks[0])
}

// silentPolicy removes the destinations from the policies of a check, which is also a finding on
// the destinations.
func silentPolicy(check, slot string, kinds ...string) Plant {
	return accountWide(check, "no-mechanism", warning, slot, nil).applying(func(s *Scene) []Planted {
		for _, p := range s.account.alertsOf(kinds...) {
			p["mechanisms"] = obj{}
		}
		return append(one(check, "account", s.account.id, warning), one("CFL-ALERT-005", "account", s.account.id, failed)...)
	})
}

// drops removes the policies of one type.
func drops(check, kind string) Plant {
	return accountWide(check, "no-policy", failed, check, func(a *account) {
		a.alerts = slices.DeleteFunc(a.alerts, func(p obj) bool { return p["alert_type"] == kind })
	})
}
