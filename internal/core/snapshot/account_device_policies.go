package snapshot

import "slices"

// DevicePolicies holds the profiles of the device client other than the default one.
const DevicePolicies Key[[]DeviceProfile] = "account/device_policies"

// accountDevicePolicies lists the profiles of the device client other than the default one, which
// accountDevicePolicy reads. Profiles of the browser extension have none of the client's settings
// (developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/policies/subresources/custom/methods/list/).
func accountDevicePolicies() Source {
	return nested(DevicePolicies, Source{
		Path: "/accounts/{account_id}/devices/policies", Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `[{"policy_id":"d1","name":"Contractors","enabled":true,"match":"identity.email == \"drop@acme.example\"","precedence":100,` +
			`"switch_locked":true,"allowed_to_leave":false,"auto_connect":900,"service_mode_v2":{"mode":"warp"},"exclude":[],` +
			`"include":[{"host":"intranet.acme.example"}],"support_url":"drop","allow_mode_switch":false,` +
			`"captive_portal":180,"fallback_domains":[],"profile_type":"warp"},` +
			`{"default":true,"enabled":true,"switch_locked":false},` +
			`{"policy_id":"d2","name":"drop","enabled":true,"profile_type":"browser_extension"}]`,
	}, func(page []customProfileWire) []customProfileWire {
		return withHidden(slices.DeleteFunc(page, func(w customProfileWire) bool { return w.Default || w.Kind == "browser_extension" }))
	}, func(w customProfileWire) DeviceProfile {
		p := reduceDeviceProfile(w.deviceProfileWire)
		p.Hidden = w.hidden
		return p
	})
}

type customProfileWire struct {
	deviceProfileWire

	Match      string   `json:"match"`
	Precedence *float64 `json:"precedence"`
	hidden     bool
}

// withHidden marks the profiles behind one with the same condition: a device gets the first that it matches
// (developers.cloudflare.com/cloudflare-one/team-and-resources/devices/cloudflare-one-client/configure/device-profiles/).
// The condition names people and is not kept.
func withHidden(page []customProfileWire) []customProfileWire {
	for i, w := range page {
		page[i].hidden = slices.ContainsFunc(page, func(o customProfileWire) bool {
			return (o.Enabled == nil || *o.Enabled) && o.Match != "" && o.Match == w.Match &&
				o.Precedence != nil && w.Precedence != nil && *o.Precedence < *w.Precedence
		})
	}
	return page
}
