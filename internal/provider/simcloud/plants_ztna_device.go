package simcloud

import "maps"

import "time"

// plantsDevices misconfigure managed devices. An account check has one finding, so its plants share a slot.
func plantsDevices() []Plant {
	settings := func(member string) func(*account) {
		return func(a *account) { a.deviceSettings[member] = false }
	}
	profile := func(members obj) func(*account) {
		return func(a *account) {
			p := a.addProfile("Loose")
			maps.Copy(p, members)
		}
	}
	mode := func(word string) func(*account) { return profile(obj{"service_mode_v2": obj{"mode": word}}) }
	exclude := func(network string) func(*account) {
		return profile(obj{"exclude": []obj{{"address": network, "description": ""}}})
	}
	override := func(on bool, since time.Duration) func(*account) {
		return func(a *account) {
			a.deviceOverride = obj{"disconnect": on, "timestamp": a.cloud.ago(since)}
		}
	}
	routed := func(a *account) bool { return a.org != nil && len(a.routes) > 0 }
	return []Plant{
		ztnaWide("CFL-DEVICE-001", "no-proxy", failed, settings("gateway_proxy_enabled")),
		ztnaWide("CFL-DEVICE-001", "names-only", warning, mode("1dot1")),
		ztnaWide("CFL-DEVICE-001", "proxy-mode", warning, mode("proxy")),
		ztnaWide("CFL-DEVICE-001", "no-udp", warning, settings("gateway_udp_proxy_enabled")),
		ztnaWide("CFL-DEVICE-002", "free", failed, profile(obj{"switch_locked": false, "auto_connect": 0})),
		ztnaWide("CFL-DEVICE-002", "default-free", failed, func(a *account) {
			a.deviceDefault["switch_locked"],
				a.deviceDefault["auto_connect"] = false, 0
		}),
		ztnaWide("CFL-DEVICE-002", "default-unlocked", warning, func(a *account) {
			a.deviceDefault["switch_locked"],
				a.deviceDefault["allowed_to_leave"] = false, true
		}),
		ztnaWide("CFL-DEVICE-002", "unlocked", warning, profile(obj{"switch_locked": false})),
		ztnaWide("CFL-DEVICE-002", "may-leave", warning, profile(obj{"allowed_to_leave": true})),
		ztnaWide("CFL-DEVICE-002", "never-back", warning, profile(obj{"auto_connect": 0})),
		ztnaWide("CFL-DEVICE-002", "all-outside", warning, exclude("0.0.0.0/0")).following("CFL-DEVICE-009", failed, always),
		ztnaWide("CFL-DEVICE-002", "route-outside", warning, exclude("10.0.0.0/8")).when(routed),
		ztnaWide("CFL-DEVICE-006", "set", failed, override(true, 2*time.Hour)),
		ztnaWide("CFL-DEVICE-006", "cleared-today", warning, override(false, 5*time.Hour)),
		ztnaWide("CFL-POSTURE-001", "no-rule", failed, func(a *account) { a.posture, a.gwPosture["device_posture"] = nil, "" }).
			sharing(slotNetworkEnd).following("CFL-GW-005", failed, hasRoutes),
		ztnaWide("CFL-POSTURE-001", "unnamed", failed, func(a *account) { a.gwPosture["device_posture"] = "" }).
			sharing(slotNetworkEnd).following("CFL-GW-005", failed, hasRoutes),
		ztnaWide("CFL-POSTURE-001", "no-firewall", warning, func(a *account) { a.posture = a.posture[:2:2] }),
	}
}
