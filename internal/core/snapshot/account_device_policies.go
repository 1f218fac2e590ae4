package snapshot

// DevicePolicies holds the device profiles other than the default one.
const DevicePolicies Key[[]DeviceProfile] = "account/device_policies"

// accountDevicePolicies lists the device profiles other than the default one
// (developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/policies/subresources/custom/methods/list/).
func accountDevicePolicies() Source {
	return list(DevicePolicies, Source{
		Path: "/accounts/{account_id}/devices/policies", Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source()}, Skip: accessUnused,
		Example: `[{"policy_id":"d1","name":"Contractors","enabled":true,"match":"identity.email == \"drop@acme.example\"","precedence":100,` +
			`"switch_locked":true,"allowed_to_leave":false,"auto_connect":900,"service_mode_v2":{"mode":"warp"},"exclude":[],` +
			`"include":[{"host":"intranet.acme.example"}],"support_url":"drop","allow_mode_switch":false,` +
			`"captive_portal":180,"fallback_domains":[]}]`,
	}, reduceDeviceProfile)
}
