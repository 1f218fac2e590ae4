package simcloud

import (
	"maps"
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

// firewallAlert returns the alert type available on the best plan.
func (a *account) firewallAlert() string {
	if a.bestPlan() == "enterprise" {
		return alertFirewallEnt
	}
	return alertFirewall
}

func (a *account) mail(local string) obj { return obj{"id": local + "@" + a.zoneName(0)} }

// mechanisms returns two mail addresses and a webhook.
func (a *account) mechanisms(hook obj) obj {
	return obj{
		"email":    []obj{a.mail(canaryMailLocal), a.mail("security")},
		"webhooks": []obj{{"id": hook["id"]}},
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
		"mechanisms": mechanisms, "filters": obj{}, "created": a.cloud.ago(200 * day), "modified": a.cloud.ago(100 * day),
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

// validAlert checks that a policy has a type offered to the account and at least one existing destination.
func (c *call) validAlert(sent obj) *answer {
	ways, _ := sent["mechanisms"].(obj)
	reached := 0
	bad := refuse(http.StatusBadRequest, 17103, "name, alert_type, enabled and mechanisms are required")
	for kind, list := range ways {
		for _, way := range objects(list) {
			if asText(way["id"]) == "" || kind == "webhooks" && byKey(c.acct.webhooks, "id", asText(way["id"])) < 0 {
				return &bad
			}
			reached++
		}
	}
	_, isSwitch := sent["enabled"].(bool)
	if asText(sent["name"]) == "" || !isSwitch || reached == 0 {
		return &bad
	}
	offered, _ := listAvailableAlerts(c).result.(obj)
	for _, entries := range offered {
		if byKey(objects(entries), "type", asText(sent["alert_type"])) >= 0 {
			return nil
		}
	}
	unknown := refuse(http.StatusBadRequest, 17105, "alert_type is not available to the account")
	return &unknown
}

// alertMembers returns the members of a policy that a client can set.
func alertMembers() []string {
	return []string{"name", "description", "enabled", "alert_type", "alert_interval", "mechanisms", "filters"}
}

func createAlertPolicy(c *call) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	if bad := c.validAlert(sent); bad != nil {
		return *bad
	}
	p := obj{"description": "", "filters": obj{}}
	maps.Copy(p, pick(sent, p, alertMembers()...))
	p["id"], p["created"], p["modified"] = c.newWriteStream().hex32(), stamp(c.now), stamp(c.now)
	c.acct.alerts = append(c.acct.alerts, p)
	return ok(obj{"id": p["id"]})
}

// writeAlertPolicy changes only the members in the request.
func writeAlertPolicy(c *call) answer {
	i := byKey(c.acct.alerts, "id", c.id("policy_id"))
	if i < 0 {
		return noAlert()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	p := merged(c.acct.alerts[i], pick(sent, obj{}, alertMembers()...))
	if bad := c.validAlert(p); bad != nil {
		return *bad
	}
	p["modified"] = stamp(c.now)
	c.acct.alerts[i] = p
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

// listAvailableAlerts returns an object keyed by product, not a list.
func listAvailableAlerts(c *call) answer {
	entry := func(kind, name string) obj {
		return obj{"type": kind, "display_name": name, "description": name, "filter_options": []obj{}}
	}
	out := obj{
		"SSL/TLS": []obj{entry(alertCertificate, "Universal SSL Alert"), entry("dedicated_ssl_certificate_event_type",
			"Advanced Certificate Alert")},
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
