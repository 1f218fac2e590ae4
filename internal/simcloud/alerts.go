package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
)

const (
	alertFirewall    = "clickhouse_alert_fw_anomaly"
	alertFirewallEnt = "clickhouse_alert_fw_ent_anomaly"
	alertCertificate = "universal_ssl_event_type"
	alertFlood       = "dos_attack_l7"
	alertTunnel      = "tunnel_health_event"
	alertUsage       = "billing_usage_alert"
)

// makeAlerts generates policies and destinations, see
// https://developers.cloudflare.com/api/resources/alerting/.
func (a *account) makeAlerts() {
	hook := a.addWebhook("Operations chat", "https://hooks.chat.test/services/T0/"+canaryWebhookPath)
	for _, kind := range []string{alertCertificate, alertFlood, alertTunnel} {
		a.addAlert(kind, a.mechanisms(hook))
	}
	if rank(a.bestPlan()) >= 2 {
		a.addAlert(a.firewallAlert(), a.mechanisms(hook))
	}
}

// firewallAlert is the type the best plan offers.
func (a *account) firewallAlert() string {
	if a.bestPlan() == "enterprise" {
		return alertFirewallEnt
	}
	return alertFirewall
}

func (a *account) mail(local string) obj { return obj{"id": local + "@" + a.zoneName(0)} }

// mechanisms are two mail addresses and a webhook.
func (a *account) mechanisms(hook obj) obj {
	return obj{
		"email":    []obj{a.mail(canaryMailLocal), a.mail("security")},
		"webhooks": []obj{{"id": hook["id"], "name": hook["name"]}},
	}
}

func (a *account) addWebhook(name, url string) obj {
	h := obj{
		"id": a.next("webhook").hex32(), "name": name, "type": "generic", "url": url, "secret": canaryWebhookSec,
		"created_at": a.cloud.ago(200 * day), "last_success": a.cloud.ago(day), "last_failure": a.cloud.ago(50 * day),
	}
	a.webhooks = append(a.webhooks, h)
	return h
}

func (a *account) addAlert(kind string, mechanisms obj) obj {
	p := obj{
		"id": a.next("alert").hex32(), "name": "Alert " + kind, "description": "", "enabled": true, "alert_type": kind,
		"mechanisms": mechanisms, "filters": obj{}, "conditions": obj{}, "created": a.cloud.ago(200 * day), "modified": a.cloud.ago(100 * day),
	}
	a.alerts = append(a.alerts, p)
	return p
}

// alertsOf returns the policies of the given types.
func (a *account) alertsOf(kinds ...string) []obj {
	var out []obj
	for _, p := range a.alerts {
		if slices.Contains(kinds, asText(p["alert_type"])) {
			out = append(out, p)
		}
	}
	return out
}

func listAlertPolicies(c *call) answer { return listOf(c, c.acct.alerts) }
func listWebhooks(c *call) answer      { return listOf(c, c.acct.webhooks) }

func noAlert() answer { return refuse(http.StatusNotFound, 17000, "policy not found") }

func readAlertPolicy(c *call) answer {
	if i := byKey(c.acct.alerts, "id", c.id("policy_id")); i >= 0 {
		return ok(c.acct.alerts[i])
	}
	return noAlert()
}

func createAlertPolicy(c *call) answer {
	var sent obj
	if json.Unmarshal(c.body, &sent) != nil || sent == nil {
		return badBody()
	}
	mechanisms, _ := sent["mechanisms"].(map[string]any)
	if asText(sent["alert_type"]) == "" || asText(sent["name"]) == "" || len(mechanisms) == 0 {
		return refuse(http.StatusBadRequest, 17103, "name, alert_type and mechanisms are required")
	}
	delete(sent, "id")
	p := c.acct.addAlert(asText(sent["alert_type"]), mechanisms)
	for k, v := range sent {
		p[k] = v
	}
	p["created"], p["modified"] = stamp(c.now), stamp(c.now)
	return ok(obj{"id": p["id"]})
}

func writeAlertPolicy(c *call) answer {
	i := byKey(c.acct.alerts, "id", c.id("policy_id"))
	if i < 0 {
		return noAlert()
	}
	var sent obj
	if json.Unmarshal(c.body, &sent) != nil {
		return badBody()
	}
	for k, v := range sent {
		if k != "id" {
			c.acct.alerts[i][k] = v
		}
	}
	c.acct.alerts[i]["modified"] = stamp(c.now)
	return ok(obj{"id": c.id("policy_id")})
}

func deleteAlertPolicy(c *call) answer {
	i := byKey(c.acct.alerts, "id", c.id("policy_id"))
	if i < 0 {
		return noAlert()
	}
	c.acct.alerts = slices.Delete(c.acct.alerts, i, i+1)
	return ok(obj{"id": c.id("policy_id")})
}

// listAvailableAlerts is an object keyed by product, not a list.
func listAvailableAlerts(c *call) answer {
	entry := func(kind, name string) obj {
		return obj{"type": kind, "display_name": name, "description": name, "filter_options": []obj{}}
	}
	out := obj{
		"SSL/TLS":         []obj{entry(alertCertificate, "Universal SSL Alert"), entry("dedicated_ssl_certificate_event_type", "Advanced Certificate Alert")},
		"DDoS Protection": []obj{entry(alertFlood, "HTTP DDoS Attack Alert")},
		"Cloudflare One":  []obj{entry(alertTunnel, "Tunnel Health Alert")},
		"Billing":         []obj{entry(alertUsage, "Usage Based Billing")},
	}
	if best := rank(c.acct.bestPlan()); best >= 2 {
		firewall := []obj{entry(alertFirewall, "Security Events Alert")}
		if best == 3 {
			firewall = append(firewall, entry(alertFirewallEnt, "Advanced Security Events Alert"))
		}
		out["Web Application Firewall"] = firewall
	}
	for product, entries := range c.acct.moreAlerts(entry) {
		out[product] = entries
	}
	return ok(out)
}
