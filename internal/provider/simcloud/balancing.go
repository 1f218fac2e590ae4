package simcloud

const (
	permPools        = "Account: Load Balancing: Monitors and Pools Read"
	permBalancers    = "Zone: Load Balancers Read"
	permHealthChecks = "Zone: Health Checks Read"
	canaryProbe      = "leakcanary-probe-header"
	canaryPoolMail   = "leakcanary.pool"
)

// makeBalancing gives accounts with a business or enterprise zone a pool and a
// monitor, see https://developers.cloudflare.com/api/resources/load_balancers/.
func (a *account) makeBalancing() {
	a.balancers = map[int][]obj{}
	if rank(a.bestPlan()) < 2 || a.zoneCount == 0 || a.spec.Plain {
		return
	}
	a.addMonitor("https", false)
	a.addPool("main", a.goodMonitor(), "185.220.22.30", "185.220.22.31")
	spare := a.addPool("spare", nil, "185.220.22.40", "185.220.22.41")
	spare["monitor_group"] = a.next("monitor-group").hex32()
	off := a.addPool("retired", nil, "185.220.22.50")
	off["enabled"] = false // disabled pools are not assessed
}

// goodMonitor returns the id of the first good monitor, creating one if there is none.
func (a *account) goodMonitor() any {
	for _, m := range a.monitors {
		if m["type"] == "https" && m["allow_insecure"] == false {
			return m["id"]
		}
	}
	return a.addMonitor("https", false)
}

func (a *account) addMonitor(kind string, insecure bool) any {
	m := obj{
		"id": a.next("monitor").hex32(), "type": kind, "description": "Probe", "method": "GET", "path": "/health", "port": 0, "timeout": 5,
		"retries":  2,
		"interval": 60, "expected_codes": "200", "expected_body": canaryProbe, "follow_redirects": false, "allow_insecure": insecure,
		"header": obj{"Authorization": []string{canaryProbe}}, "probe_zone": "", "created_on": a.cloud.ago(300 * day),
		"modified_on": a.cloud.ago(100 * day),
	}
	a.monitors = append(a.monitors, m)
	return m["id"]
}

func (a *account) addPool(name string, monitor any, addresses ...string) obj {
	var origins []obj
	for i, address := range addresses {
		origins = append(origins, obj{
			"name": name + "-" + num(i+1), "address": address, "enabled": true, "weight": 1, "header": obj{"Host": []string{canaryProbe}},
			"virtual_network_id": "",
		})
	}
	p := obj{
		"id": a.next("pool").hex32(), "name": name, "description": "", "enabled": true, "minimum_origins": 1, "monitor": monitor,
		"check_regions":      []string{"WEU"},
		"notification_email": canaryPoolMail + "@" + a.zoneName(0), "origins": origins, "load_shedding": obj{"default_percent": 0},
		"created_on": a.cloud.ago(300 * day), "modified_on": a.cloud.ago(100 * day), "networks": []string{"cloudflare"},
	}
	if monitor == nil {
		delete(p, "monitor")
	}
	a.pools = append(a.pools, p)
	return p
}

func (a *account) newBalancer(name string, proxied bool, pools ...any) obj {
	return obj{
		"id": a.next("balancer").hex32(), "name": name, "description": "", "enabled": true, "proxied": proxied, "ttl": 30, "default_pools": pools,
		"fallback_pool": pools[len(pools)-1], "region_pools": obj{}, "country_pools": obj{}, "pop_pools": obj{}, "rules": []obj{},
		"steering_policy":  "off",
		"session_affinity": "cookie", "session_affinity_attributes": obj{"samesite": "Auto", "secure": "Always"},
		"created_on": a.cloud.ago(300 * day), "modified_on": a.cloud.ago(100 * day),
	}
}

// makeBalancers adds health checks from the pro plan on, and a load balancer where the plan is high enough.
func (z *zone) makeBalancers() {
	if z.plan != "free" && !z.acct.spec.Plain {
		z.addHealthCheck("shop", "HTTPS", false)
		z.addHealthCheck("mail", "TCP", false)
		z.addHealthCheck("old", "HTTP", false)["suspended"] = true // suspended health checks are not assessed
	}
	if rank(z.plan) >= 2 && len(z.acct.pools) > 1 {
		z.balancers = []obj{z.acct.newBalancer("lb."+z.name, true, z.acct.pools[0]["id"], z.acct.pools[1]["id"])}
	}
}

func (z *zone) addHealthCheck(name, kind string, insecure bool) obj {
	h := obj{
		"id": z.next("healthcheck").hex32(), "name": name, "description": "", "type": kind, "address": "health-" + canaryProbe + "." + z.name,
		"suspended": false,
		"status":    "healthy", "failure_reason": "", "interval": 60, "retries": 2, "timeout": 5, "consecutive_fails": 1,
		"consecutive_successes": 1,
		"check_regions":         []string{"WEU"}, "created_on": z.acct.cloud.ago(100 * day), "modified_on": z.acct.cloud.ago(100 * day),
	}
	if kind == "TCP" {
		h["tcp_config"] = obj{"method": "connection_established", "port": 25}
	} else {
		h["http_config"] = obj{
			"method": "GET", "port": 443, "path": "/health", "expected_codes": []string{"200"}, "expected_body": canaryProbe,
			"follow_redirects": false,
			"allow_insecure":   insecure, "header": obj{"Authorization": []string{canaryProbe}},
		}
	}
	z.healthChecks = append(z.healthChecks, h)
	return h
}

func listPools(c *call) answer    { return listOf(c, c.acct.pools) }
func listMonitors(c *call) answer { return listOf(c, c.acct.monitors) }

func listBalancers(c *call) answer {
	return listOf(c, append(append([]obj{}, c.zone.balancers...), c.acct.balancers[c.zone.index]...))
}

func listHealthChecks(c *call) answer {
	if c.zone.plan == "free" {
		return notOnPlan()
	}
	return listOf(c, c.zone.healthChecks)
}
