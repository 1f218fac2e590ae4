package simcloud

import "time"

const (
	alertOrigin       = "http_alert_origin_error"
	alertOriginEnt    = "advanced_http_alert_error"
	alertInsight      = "security_insights_alert"
	alertServiceToken = "expiring_service_token_alert"
	alertScript       = "scriptmonitor_alert_new_malicious_scripts"
	alertScriptURL    = "scriptmonitor_alert_new_malicious_url"
	alertExport       = "failing_logpush_job_disabled_alert"
	alertPool         = "load_balancing_health_alert"
	alertAuthority    = "mtls_certificate_store_certificate_expiration_type"
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
		a.addAlert(alertPool, ways())
		a.addAlert(alertAuthority, ways())
		if best == 3 {
			a.addAlert(alertOriginEnt, ways())
			a.addAlert(alertExport, ways())
		}
	}
	a.silence(2*time.Hour, 20*time.Hour)
	a.silence(90*day, -60*day)
}

// silence mutes the first alert from since ago until until from now.
func (a *account) silence(since, until time.Duration) obj {
	s := obj{
		"id": a.next("silence").uuid(), "policy_id": a.alerts[0]["id"], "start_time": a.cloud.ago(since), "end_time": a.cloud.ahead(until),
		"created_at": a.cloud.ago(since), "updated_at": a.cloud.ago(since),
	}
	a.silences = append(a.silences, s)
	return s
}

func listSilences(c *call) answer { return listOf(c, c.acct.silences) }

// moreAlerts returns, by product, the other alerts the account can subscribe to.
func (a *account) moreAlerts(entry func(kind, name string) obj) map[string][]obj {
	out := map[string][]obj{
		"Security Center": {entry(alertInsight, "Security Insights Alert")},
		"Access":          {entry(alertServiceToken, "Expiring Access Service Token Alert")},
	}
	if best := rank(a.bestPlan()); best >= 2 {
		out["Client-side security"] = []obj{entry(alertScript, "Malicious Script Alert"), entry(alertScriptURL, "Malicious URL Alert")}
		out["Load Balancing"] = []obj{entry(alertPool, "Load Balancing Health Alert")}
		out["Mutual TLS"] = []obj{entry(alertAuthority, "mTLS Certificate Store Certificate Expiration Alert")}
		if best == 3 {
			out["Logpush"] = []obj{entry(alertExport, "Failing Logpush Job Disabled")}
			out["Origin Monitoring"] = []obj{entry(alertOrigin, "Origin Error Rate Alert"), entry(alertOriginEnt, "Advanced Error Rate Alert")}
		}
	}
	return out
}
