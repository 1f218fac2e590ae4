package simcloud

const canaryDeviceSupport = "leakcanary-device-support"

// makeDevices generates device profiles, settings and posture rules, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/devices/.
func (a *account) makeDevices() {
	a.deviceDefault = a.newProfile("Default")
	for _, member := range []string{"name", "description", "match", "precedence"} { // the default has none
		delete(a.deviceDefault, member)
	}
	a.deviceDefault["default"] = true
	delete(a.deviceDefault, "policy_id")
	delete(a.deviceDefault, "name")
	a.addProfile("Contractors")
	a.deviceSettings = obj{
		"gateway_proxy_enabled": true, "gateway_udp_proxy_enabled": true, "root_certificate_installation_enabled": true,
		"use_zt_virtual_ip": false,
		"disable_for_time":  0, "external_emergency_signal_enabled": false,
		"external_emergency_signal_url":         "https://" + canaryDeviceSupport + ".test",
		"external_emergency_signal_fingerprint": "",
	}
	a.deviceOverride = obj{"disconnect": false, "timestamp": a.cloud.ago(200 * day)}
	for _, kind := range []string{"disk_encryption", "os_version", "firewall"} {
		a.addPosture(kind)
	}
}

func (a *account) newProfile(name string) obj {
	return obj{
		"policy_id": a.next("profile").uuid(), "name": name, "description": "", "enabled": true, "default": false, "precedence": 100,
		"match": `identity.email == "` + canaryDeviceSupport + `@` + a.zoneName(0) + `"`, "switch_locked": true, "allowed_to_leave": false,
		"allow_updates": true,
		"auto_connect":  900, "allow_mode_switch": false, "disable_auto_fallback": true, "captive_portal": 180,
		"service_mode_v2": obj{"mode": "warp"}, "fallback_domains": []obj{{"suffix": "corp"}, {"suffix": "host"}},
		"exclude": []obj{}, "include": []obj{},
		"gateway_unique_id": canaryDeviceSupport,
		"support_url":       "https://" + canaryDeviceSupport + ".test",
	}
}

// addProfile appends a device profile without findings.
func (a *account) addProfile(name string) obj {
	p := a.newProfile(name)
	a.profiles = append(a.profiles, p)
	return p
}

// addPosture appends a device posture rule.
func (a *account) addPosture(kind string) obj {
	p := obj{
		"id": a.next("posture").uuid(), "name": "Test " + kind, "type": kind, "description": "", "schedule": "5m", "expiration": "",
		"enabled": true,
		"match":   []obj{{"platform": "windows"}},
		"input":   obj{"requireAll": true, "operator": ">=", "version": "10.0.22631", "enabled": true, "connection_id": canaryDeviceSupport},
	}
	a.posture = append(a.posture, p)
	return p
}

// devicesOf returns the documented error while Zero Trust is not in use.
func (c *call) devicesOf(result func() any) answer {
	if c.acct.org == nil {
		return notEnabled()
	}
	return ok(result())
}

func readDevicePolicy(c *call) answer {
	return c.devicesOf(func() any { return c.acct.deviceDefault })
}

func listDevicePolicies(c *call) answer {
	return c.devicesOf(func() any { return append([]obj{}, c.acct.profiles...) })
}

func readDeviceSettings(c *call) answer {
	return c.devicesOf(func() any { return c.acct.deviceSettings })
}

func readDeviceOverride(c *call) answer {
	return c.devicesOf(func() any { return c.acct.deviceOverride })
}

func listDevicePosture(c *call) answer {
	return c.devicesOf(func() any { return append([]obj{}, c.acct.posture...) })
}
