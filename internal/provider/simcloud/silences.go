package simcloud

import "time"

const (
	alertOrigin       = "http_alert_origin_error"
	alertOriginEnt    = "advanced_http_alert_error"
	alertInsight      = "security_insights_alert"
	alertServiceToken = "expiring_service_token_alert"
	alertScript       = "scriptmonitor_alert_new_malicious_scripts"
	alertScriptURL    = "scriptmonitor_alert_new_malicious_url"
)

// makeMoreAlerts subscribes to the alerts of the account's products and mutes
// one for the day.
func (a *account) makeMoreAlerts() {
	ways := func() obj { return a.mechanisms(a.webhooks[0]) }
	a.addAlert(alertInsight, ways())
	if a.org != nil {
		a.addAlert(alertServiceToken, ways())
	}
	if best := rank(a.bestPlan()); best >= 2 {
		a.addAlert(alertScript, ways())
		if best == 3 {
			a.addAlert(alertOriginEnt, ways())
		}
	}
	a.silence(2*time.Hour, 20*time.Hour)
	a.silence(90*day, -60*day)
}

// silence mutes the first alert from so long ago until then.
func (a *account) silence(since, until time.Duration) obj {
	s := obj{
		"id": a.next("silence").uuid(), "policy_id": a.alerts[0]["id"], "start_time": a.cloud.ago(since), "end_time": a.cloud.ahead(until),
		"created_at": a.cloud.ago(since), "updated_at": a.cloud.ago(since),
	}
	a.silences = append(a.silences, s)
	return s
}

func listSilences(c *call) answer { return listOf(c, c.acct.silences) }

// moreAlerts lists by product what the account may subscribe to besides.
func (a *account) moreAlerts(entry func(kind, name string) obj) map[string][]obj {
	out := map[string][]obj{
		"Security Center": {entry(alertInsight, "Security Insights Alert")},
		"Access":          {entry(alertServiceToken, "Expiring Access Service Token Alert")},
	}
	if best := rank(a.bestPlan()); best >= 2 {
		out["Client-side security"] = []obj{entry(alertScript, "Malicious Script Alert"), entry(alertScriptURL, "Malicious URL Alert")}
		if best == 3 {
			out["Origin Monitoring"] = []obj{entry(alertOrigin, "Origin Error Rate Alert"), entry(alertOriginEnt, "Advanced Error Rate Alert")}
		}
	}
	return out
}
