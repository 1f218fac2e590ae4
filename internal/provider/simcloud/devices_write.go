package simcloud

import "maps"

import "net/http"

// withDevices returns the documented error while Zero Trust is not in use.
func withDevices(handle func(*call) answer) func(*call) answer {
	return func(c *call) answer {
		if c.acct.org == nil {
			return notEnabled()
		}
		return handle(c)
	}
}

func noProfile() answer { return refuse(http.StatusNotFound, 2044, "device settings policy not found") }

func (c *call) profile() obj {
	if i := byKey(c.acct.profiles, "policy_id", c.id("policy_id")); i >= 0 {
		return c.acct.profiles[i]
	}
	return nil
}

func readProfile(c *call) answer {
	if p := c.profile(); p != nil {
		return ok(p)
	}
	return noProfile()
}

// change merges members into a device profile in place.
func (c *call) change(profile obj) answer {
	sent, valid := c.sent()
	if !valid {
		return badBody()
	}
	if sent = pick(sent, profile); !fits(profile, sent) {
		return invalid("a member has the wrong type")
	}
	maps.Copy(profile, merged(profile, sent, "policy_id", "default", "gateway_unique_id"))
	return ok(profile)
}

func writeDevicePolicy(c *call) answer { return c.change(c.acct.deviceDefault) }

func writeProfile(c *call) answer {
	if p := c.profile(); p != nil {
		return c.change(p)
	}
	return noProfile()
}

// writeDeviceOverride disconnects all devices or lets them connect again, see
// https://developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/resilience/.
func writeDeviceOverride(c *call) answer {
	sent, valid := c.sent()
	on, isSwitch := sent["disconnect"].(bool)
	if !valid || !isSwitch {
		return badBody()
	}
	c.acct.deviceOverride = obj{"disconnect": on, "timestamp": stamp(c.now)}
	return ok(c.acct.deviceOverride)
}
