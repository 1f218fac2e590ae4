package simcloud

// makeSpectrum passes ports through on paid plans, see
// https://developers.cloudflare.com/api/resources/spectrum/subresources/apps/.
func (z *zone) makeSpectrum() {
	if z.plan == "free" || z.acct.spec.Plain {
		return
	}
	z.addApp("ssh", "tcp/22", "off", true)
	if rank(z.plan) >= 2 {
		z.addApp("mqtt", "tcp/8883", "strict", true)
		z.addApp("voice", "udp/5060", "off", false) // the firewall switch is for TCP only
	}
}

func (z *zone) addApp(host, protocol, tls string, firewall bool) {
	z.spectrum = append(z.spectrum, obj{
		"id": z.next("spectrum").hex32(), "protocol": protocol, "dns": obj{"type": "CNAME", "name": host + "." + z.name}, "tls": tls, "ip_firewall": firewall,
		"origin_direct": []string{"tcp://" + z.directIP(90) + ":22"}, "traffic_type": "direct", "proxy_protocol": "off", "argo_smart_routing": false,
		"edge_ips": obj{"type": "dynamic", "connectivity": "all"}, "created_on": z.acct.cloud.ago(200 * day), "modified_on": z.acct.cloud.ago(200 * day),
	})
}

func listSpectrumApps(c *call) answer {
	if c.zone.plan == "free" {
		return notOnPlan()
	}
	return listOf(c, c.zone.spectrum)
}
