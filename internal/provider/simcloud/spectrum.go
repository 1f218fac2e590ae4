package simcloud

import (
	"net/http"
	"strings"
)

// makeSpectrum adds Spectrum applications on paid plans, see
// https://developers.cloudflare.com/api/resources/spectrum/subresources/apps/.
func (z *zone) makeSpectrum() {
	if z.plan == "free" || z.acct.spec.Plain {
		return
	}
	z.addApp("ssh", "tcp/22", "off", true)
	if rank(z.plan) >= 2 {
		z.addApp("mqtt", "tcp/8883", "strict", true)
		z.addApp("voice", "udp/5060", "off", false) // the firewall switch applies to TCP only
	}
}

func (z *zone) addApp(host, protocol, tls string, firewall bool) {
	z.spectrum = append(z.spectrum, obj{
		"id": z.next("spectrum").hex32(), "protocol": protocol, "dns": obj{"type": "CNAME", "name": host + "." + z.name}, "tls": tls,
		"ip_firewall":   firewall,
		"origin_direct": []string{"tcp://" + z.directIP(90) + ":22"}, "traffic_type": "direct", "proxy_protocol": "off",
		"argo_smart_routing": false,
		"edge_ips":           obj{"type": "dynamic", "connectivity": "all"}, "created_on": z.acct.cloud.ago(200 * day),
		"modified_on": z.acct.cloud.ago(200 * day),
	})
}

func listSpectrumApps(c *call) answer {
	if c.zone.plan == "free" {
		return notOnPlan()
	}
	return listOf(c, c.zone.spectrum)
}

func noSpectrumApp() answer {
	return refuse(http.StatusNotFound, 10006, "Spectrum application not found")
}

func readSpectrumApp(c *call) answer {
	if c.zone.plan == "free" {
		return notOnPlan()
	}
	return c.one(c.zone.spectrum, "app_id", noSpectrumApp())
}

// writeSpectrumApp replaces an application, see
// https://developers.cloudflare.com/api/resources/spectrum/subresources/apps/methods/update/.
func writeSpectrumApp(c *call) answer {
	if c.zone.plan == "free" {
		return notOnPlan()
	}
	i := byKey(c.zone.spectrum, "id", c.id("app_id"))
	if i < 0 {
		return noSpectrumApp()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	old := c.zone.spectrum[i]
	name, _ := sent["dns"].(obj)
	direct, _ := sent["origin_direct"].([]any)
	if asText(sent["protocol"]) == "" || asText(name["name"]) == "" || (len(direct) == 0 && sent["origin_dns"] == nil) || !fits(old, sent) {
		return refuse(http.StatusBadRequest, 10012, "protocol, dns and an origin are required")
	}
	if sent["ip_firewall"] == true && !strings.HasPrefix(asText(sent["protocol"]), "tcp/") {
		return refuse(http.StatusBadRequest, 10012, "ip_firewall is for TCP only")
	}
	defaults := obj{
		"tls": "off", "ip_firewall": false, "traffic_type": "direct", "proxy_protocol": "off", "argo_smart_routing": false,
		"edge_ips": obj{"type": "dynamic", "connectivity": "all"},
	}
	c.zone.spectrum[i] = replaced(old, defaults, sent, "id", "created_on")
	c.zone.spectrum[i]["modified_on"] = stamp(c.now)
	return ok(c.zone.spectrum[i])
}
