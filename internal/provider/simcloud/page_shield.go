package simcloud

import "net/http"

const (
	permPageShield  = "Zone: Page Shield Read"
	canaryPageQuery = "leakcanary-page-query"
)

// pageShield is the client-side security (Page Shield) state of one zone.
type pageShield struct {
	enabled     bool
	ownReports  bool // reports go to an endpoint other than the provider's
	fullPaths   bool // connection paths are stored
	scripts     []obj
	connections []obj
	policies    []obj
}

// makePageShield enables Page Shield and adds scripts where the plan allows, see
// https://developers.cloudflare.com/api/resources/page_shield/.
func (z *zone) makePageShield() {
	z.shield.enabled = !z.acct.spec.Plain
	if rank(z.plan) < 2 {
		return
	}
	z.addScript("www."+z.name, "/app.js")
	z.addScript("cdn.analytics.test", "/tag.js")
	old := z.addScript("old.partner.test", "/widget.js")
	old["domain_reported_malicious"], old["last_seen_at"] = true, z.acct.cloud.ago(90*day) // long unseen: no finding
	z.addConnection("collect.analytics.test")
	if z.plan == "enterprise" {
		z.addPolicy("allow", true)
		z.addPolicy("log", true)
	}
}

func (z *zone) addScript(host, path string) obj {
	cl := z.acct.cloud
	s := obj{
		"id": z.next("script").hex32(), "host": z.name, "url": "https://" + host + path + "?v=" + canaryPageQuery, "added_at": cl.ago(60 * day),
		"first_seen_at": cl.ago(60 * day), "last_seen_at": cl.ago(day / 2), "fetched_at": cl.ago(day), "hash": z.next("hash").hex32(),
		"url_contains_cdn_cgi_path": false, "domain_reported_malicious": false, "url_reported_malicious": false,
		"malicious_domain_categories": []string{}, "malicious_url_categories": []string{},
		"js_integrity_score": 97, "malware_score": 98, "magecart_score": 97, "cryptomining_score": 99, "dataflow_score": 90,
		"obfuscation_score": 95,
		"first_page_url":    "https://www." + z.name + "/?q=" + canaryPageQuery, "page_urls": []string{"https://www." + z.name + "/?q=" +
			canaryPageQuery},
	}
	z.shield.scripts = append(z.shield.scripts, s)
	return s
}

func (z *zone) addConnection(host string) obj {
	cl := z.acct.cloud
	c := obj{
		"id": z.next("connection").hex32(), "host": z.name, "url": "https://" + host + "/in?u=" + canaryPageQuery, "added_at": cl.ago(60 * day),
		"first_seen_at": cl.ago(60 * day), "last_seen_at": cl.ago(day / 2), "url_contains_cdn_cgi_path": false,
		"domain_reported_malicious": false, "url_reported_malicious": false, "malicious_domain_categories": []string{},
		"malicious_url_categories": []string{},
		"first_page_url":           "https://www." + z.name + "/", "page_urls": []string{"https://www." + z.name + "/?q=" + canaryPageQuery},
	}
	z.shield.connections = append(z.shield.connections, c)
	return c
}

func (z *zone) addPolicy(action string, enabled bool) obj {
	p := obj{
		"id": z.next("page-policy").hex32(), "action": action, "enabled": enabled, "expression": `http.host eq "www.` + z.name + `"`,
		"description": "Scripts of the shop", "value": "script-src 'self' cdn.analytics.test",
	}
	z.shield.policies = append(z.shield.policies, p)
	return p
}

func readPageShield(c *call) answer {
	return ok(obj{
		"enabled": c.zone.shield.enabled, "updated_at": c.cloud.ago(100 * day), "use_cloudflare_reporting_endpoint": !c.zone.shield.ownReports,
		"use_connection_url_path": c.zone.shield.fullPaths,
	})
}

// notOnPlan is the error for a product that the plan does not include.
func notOnPlan() answer {
	return refuse(http.StatusForbidden, 1002, "The zone is not entitled to use this feature")
}

// fromBusiness returns a handler for a Page Shield list available from the business plan on.
func fromBusiness(items func(*pageShield) []obj) func(*call) answer {
	return func(c *call) answer {
		if rank(c.zone.plan) < 2 {
			return notOnPlan()
		}
		return listOf(c, items(&c.zone.shield))
	}
}

// writePageShield changes only the switches in the request, see
// https://developers.cloudflare.com/api/resources/page_shield/methods/update/.
func writePageShield(c *call) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	known, _ := readPageShield(c).result.(obj)
	delete(known, "updated_at")
	for k := range sent {
		if _, has := known[k]; !has {
			delete(sent, k)
		}
	}
	if !fits(known, sent) {
		return invalid("a member has the wrong type")
	}
	full := merged(known, sent)
	s := &c.zone.shield
	s.enabled, s.ownReports, s.fullPaths = full["enabled"] == true, full["use_cloudflare_reporting_endpoint"] != true,
		full["use_connection_url_path"] == true
	return readPageShield(c)
}
