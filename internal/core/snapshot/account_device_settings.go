package snapshot

// DeviceSettings tells which traffic of devices passes Gateway.
const DeviceSettings Key[DeviceNetwork] = "account/device_settings"

// DeviceNetwork says which traffic of devices passes Gateway.
type DeviceNetwork struct {
	Proxy *bool `json:"gateway_proxy_enabled,omitempty"`
	UDP   *bool `json:"gateway_udp_proxy_enabled,omitempty"`
}

// accountDeviceSettings reads which traffic of devices passes Gateway
// (developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/settings/methods/get/).
func accountDeviceSettings() Source {
	return object(DeviceSettings, Source{
		Path: "/accounts/{account_id}/devices/settings", Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source()}, Skip: accessUnused,
		Example: `{"gateway_proxy_enabled":true,"gateway_udp_proxy_enabled":true,"disable_for_time":0,` +
			`"root_certificate_installation_enabled":true,"external_emergency_signal_url":"drop","external_emergency_signal_fingerprint":"drop"}`,
	}, asRead[DeviceNetwork])
}
