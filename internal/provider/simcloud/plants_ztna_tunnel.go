package simcloud

import "maps"

import "time"

// tunnelOf returns a plant that adds its own tunnel, with one service behind Access.
func tunnelOf(check, variant, result, service string, change func(*account, obj)) Plant {
	return found(check, variant, result, "tunnel", func(a *account) string {
		rule := obj{"hostname": "t-" + variant + "." + a.zoneName(0), "service": service}
		t := a.addGuardedTunnel(check[4:]+"-"+variant, 0, rule)
		change(a, t)
		return asText(t["id"])
	})
}

// idle returns a plant that adds an unhealthy tunnel; word is its status.
func idle(variant, result, word string, since time.Duration) Plant {
	return tunnelOf("CFL-TUNNEL-001", variant, result, "http://10.40.0.2:8080", func(a *account, t obj) {
		t["status"] = word
		if word != "degraded" {
			a.connect(t)
			t["conns_inactive_at"], t["conns_active_at"] = a.cloud.ago(since), nil
		}
	})
}

// plantsTunnels misconfigure tunnels and the ranges routed to them.
func plantsTunnels() []Plant {
	origin := func(variant, result, service string, global bool) Plant {
		return tunnelOf("CFL-TUNNEL-002", variant, result, service, func(a *account, t obj) {
			config, _ := a.configs[asText(t["id"])]["config"].(obj)
			if global {
				config["originRequest"] = obj{"noTLSVerify": true}
				return
			}
			ingress, _ := config["ingress"].([]obj)
			own, _ := ingress[0]["originRequest"].(obj)
			changed := obj{"noTLSVerify": true}
			maps.Copy(changed, own)
			ingress[0]["originRequest"] = changed
		})
	}
	versions := func(variant, result string, monthsAgo ...int) Plant {
		return tunnelOf("CFL-TUNNEL-003", variant, result, "http://10.40.0.3:8080", func(a *account, t obj) {
			var list []string
			for _, n := range monthsAgo {
				list = append(list, a.cloud.release(n))
			}
			a.connect(t, list...)
		})
	}
	last := func(variant, service string) Plant {
		return tunnelOf("CFL-TUNNEL-008", variant, failed, "http://10.40.0.4:8080", func(a *account, t obj) {
			config, _ := a.configs[asText(t["id"])]["config"].(obj)
			ingress, _ := config["ingress"].([]obj)
			ingress[len(ingress)-1]["service"] = service
		})
	}
	return []Plant{
		idle("down", failed, "down", day), idle("degraded", warning, "degraded", 0),
		idle("inactive", warning, "inactive", 5*day), idle("forgotten", warning, "inactive", 200*day),
		origin("unchecked", failed, "https://10.40.0.1:8443", false), origin("unchecked-everywhere", failed, "https://files:8443", true),
		origin("unchecked-here", warning, "https://localhost:8443", false),
		versions("old", failed, 1, 14), versions("aging", warning, 1, 8), versions("single", warning, 1), unlistedPlant(),
		last("catch-all", "http://10.40.0.5:8080"), last("answers-well", "http_status:200"),
		routePlant("all", failed, "0.0.0.0/0").claiming("CFL-GW-005"), routePlant("all-v6", failed, "::/0").claiming("CFL-GW-005"),
		routePlant("wide", warning, "10.0.0.0/8"), routePlant("wide-v6", warning, "fd00::/24"),
	}
}

// unlistedPlant returns a plant whose tunnel has old connectors that only the connection list shows.
func unlistedPlant() Plant {
	return found("CFL-TUNNEL-003", "old-unlisted", failed, "tunnel", func(a *account) string {
		t := a.addGuardedTunnel("old-unlisted", 0, obj{"hostname": "t-old-unlisted." + a.zoneName(0), "service": "http://10.40.0.6:8080"})
		a.connect(t, a.cloud.release(20), a.cloud.release(1))
		t["connections"] = []obj{}
		return asText(t["id"])
	})
}

// routePlant routes a wide range to a tunnel of its own.
func routePlant(variant, result, network string) Plant {
	return found("CFL-TUNNEL-004", variant, result, "tunnel", func(a *account) string {
		t := a.addGuardedTunnel("route-"+variant, 0, obj{"hostname": "route-" + variant + "." + a.zoneName(0),
			"service": "http://10.40.0.7:8080"})
		a.addRoute(t, network)
		return asText(t["id"])
	}).onAccess()
}
