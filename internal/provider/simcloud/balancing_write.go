package simcloud

import "net/http"

// one returns the object of a list whose id is in the path.
func (c *call) one(all []obj, param string, missing answer) answer {
	if i := byKey(all, "id", c.id(param)); i >= 0 {
		return ok(all[i])
	}
	return missing
}

func noBalancing() answer { return refuse(http.StatusNotFound, 1001, "resource not found") }

// patch merges members into the object of a list whose id is in the path.
func (c *call) patch(all []obj, param string, missing answer, check func(sent obj) *answer) answer {
	i := byKey(all, "id", c.id(param))
	if i < 0 {
		return missing
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	sent = pick(sent, all[i], "monitor", "latitude", "longitude", "origin_steering", "notification_filter", "location_strategy")
	if !fits(all[i], sent) {
		return invalid("a member has the wrong type")
	}
	if bad := check(sent); bad != nil {
		return *bad
	}
	all[i] = merged(all[i], sent, "id", "created_on")
	all[i]["modified_on"] = stamp(c.now)
	return ok(all[i])
}

func readPool(c *call) answer    { return c.one(c.acct.pools, "pool_id", noBalancing()) }
func readMonitor(c *call) answer { return c.one(c.acct.monitors, "monitor_id", noBalancing()) }

// patchPool changes only the members in the request; a pool without a monitor omits the member.
func patchPool(c *call) answer {
	got := c.patch(c.acct.pools, "pool_id", noBalancing(), func(sent obj) *answer {
		if id := asText(sent["monitor"]); id != "" && byKey(c.acct.monitors, "id", id) < 0 {
			bad := refuse(http.StatusBadRequest, 1002, "monitor: not found")
			return &bad
		}
		if list, given := sent["origins"]; given && len(objects(list)) == 0 {
			bad := refuse(http.StatusBadRequest, 1002, "origins: at least one is required")
			return &bad
		}
		return nil
	})
	if pool, found := got.result.(obj); found && asText(pool["monitor"]) == "" {
		delete(pool, "monitor")
	}
	return got
}

// balancersOf returns the list that holds the balancer named in the path.
func (c *call) balancersOf() []obj {
	if byKey(c.zone.balancers, "id", c.id("load_balancer_id")) >= 0 {
		return c.zone.balancers
	}
	return c.acct.balancers[c.zone.index]
}

func readBalancer(c *call) answer {
	return c.one(c.balancersOf(), "load_balancer_id", noBalancing())
}

func patchBalancer(c *call) answer {
	return c.patch(c.balancersOf(), "load_balancer_id", noBalancing(), func(sent obj) *answer {
		pools, _ := sent["default_pools"].([]any)
		for _, id := range append(pools, sent["fallback_pool"]) {
			if id != nil && byKey(c.acct.pools, "id", asText(id)) < 0 {
				bad := refuse(http.StatusBadRequest, 1002, "pool: not found")
				return &bad
			}
		}
		return nil
	})
}

func noCluster() answer { return refuse(http.StatusNotFound, 11000, "DNS Firewall cluster not found") }

func readCluster(c *call) answer { return c.one(c.acct.clusters, "dns_firewall_id", noCluster()) }

// patchCluster changes only the members in the request, those of attack_mitigation one by one.
func patchCluster(c *call) answer {
	i := byKey(c.acct.clusters, "id", c.id("dns_firewall_id"))
	if i < 0 {
		return noCluster()
	}
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	sent = pick(sent, c.acct.clusters[i])
	if limit := sent["ratelimit"]; !fits(c.acct.clusters[i], sent) || limit != nil && (number(limit) < 100 || number(limit) > 1e9) {
		return invalid("a member has the wrong type, or ratelimit is not between 100 and 1000000000")
	}
	old := c.acct.clusters[i]
	changed := merged(old, sent, "id", "dns_firewall_ips")
	before, _ := old["attack_mitigation"].(obj)
	if wanted, isObject := sent["attack_mitigation"].(obj); isObject && before != nil {
		changed["attack_mitigation"] = merged(before, wanted)
	}
	changed["modified_on"] = stamp(c.now)
	c.acct.clusters[i] = changed
	return ok(changed)
}
