package simcloud

import "maps"

// plantsClient misconfigure device client settings beyond its switch, and device posture rules.
func plantsClient() []Plant {
	profile := func(check, variant, result string, members obj) Plant {
		return ztnaWide(check, variant, result, func(a *account) { maps.Copy(a.addProfile("Odd "+variant), members) })
	}
	exclude := func(variant, result string, networks ...string) Plant {
		list := []obj{}
		for _, n := range networks {
			list = append(list, obj{"address": n, "description": ""})
		}
		return profile("CFL-DEVICE-009", variant, result, obj{"exclude": list}).sharing("CFL-TUNNEL-004/all")
	}
	settings := func(check, variant, result string, members obj) Plant {
		return ztnaWide(check, variant, result, func(a *account) { maps.Copy(a.deviceSettings, members) })
	}
	test := func(variant, kind string, input obj) Plant {
		return ztnaWide("CFL-POSTURE-002", variant, failed, func(a *account) { a.addPosture(kind)["input"] = input }).
			sharing("CFL-POSTURE-001")
	}
	idle := func(variant, result string, days ...int) Plant {
		return ztnaWide("CFL-DEVICE-012", variant, result, func(a *account) {
			for _, n := range days {
				a.dormant = append(a.dormant, obj{"id": a.next("device").uuid(), "name": "laptop", "serial_number": "laptop",
					"active_registrations": 1, "last_seen_at": a.cloud.ago(daysOf(n))})
			}
		})
	}
	return []Plant{
		profile("CFL-DEVICE-007", "free-mode", failed, obj{"allow_mode_switch": true}),
		ztnaWide("CFL-DEVICE-007", "free-mode-default", failed, func(a *account) { a.deviceDefault["allow_mode_switch"] = true }),
		profile("CFL-DEVICE-008", "hours", failed, obj{"captive_portal": 86400}),
		profile("CFL-DEVICE-008", "an-hour", warning, obj{"captive_portal": 3600}),
		settings("CFL-DEVICE-008", "code", warning, obj{"disable_for_time": 604800}),
		exclude("halves", failed, "64.0.0.0/2", "128.0.0.0/2"), exclude("provider", warning, "52.0.0.0/8"),
		profile("CFL-DEVICE-010", "com", failed, obj{"fallback_domains": []obj{{"suffix": "com"}}}),
		settings("CFL-DEVICE-011", "unbound", failed, obj{"external_emergency_signal_enabled": true}),
		idle("half-a-year", warning, 180, 200), idle("two-years", failed, 180, 800),
		test("no-disk", "disk_encryption", obj{"requireAll": false, "checkDisks": []string{}}),
		test("older", "os_version", obj{"operator": "<", "version": "10.0.22631", "operating_system": "windows"}),
		test("no-firewall", "firewall", obj{"enabled": false, "operating_system": "windows"}),
	}
}

// ztnaWide is accountWide where Access is in use. An account check has one finding, so its plants share a slot.
func ztnaWide(check, variant, result string, change func(*account)) Plant {
	return accountWide(check, variant, result, check, change).onAccess()
}
