package snapshot

import "strings"

// DeviceSettings says which device traffic passes Gateway.
const DeviceSettings Key[DeviceNetwork] = "account/device_settings"

// DeviceNetwork says which device traffic passes Gateway.
type DeviceNetwork struct {
	Proxy *bool `json:"gateway_proxy_enabled,omitempty"`
	UDP   *bool `json:"gateway_udp_proxy_enabled,omitempty"`
	// Override is the number of seconds for which an override code turns the client off, 0 for
	// never.
	Override *float64 `json:"disable_for_time,omitempty"`
	// Signal says whether an address outside Cloudflare can disconnect all devices, Pinned whether
	// its certificate is checked by fingerprint.
	Signal *bool `json:"external_emergency_signal,omitempty"`
	Pinned bool  `json:"external_emergency_signal_pinned,omitempty"`
}

type deviceSettingsWire struct {
	Proxy       *bool    `json:"gateway_proxy_enabled"`
	UDP         *bool    `json:"gateway_udp_proxy_enabled"`
	Override    *float64 `json:"disable_for_time"`
	Signal      *bool    `json:"external_emergency_signal_enabled"`
	Fingerprint string   `json:"external_emergency_signal_fingerprint"`
}

// accountDeviceSettings reads which device traffic passes Gateway
// (developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/settings/methods/get/).
func accountDeviceSettings() Source {
	return object(DeviceSettings, Source{
		Path: "/accounts/{account_id}/devices/settings", Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `{"gateway_proxy_enabled":true,"gateway_udp_proxy_enabled":true,"disable_for_time":0,` +
			`"root_certificate_installation_enabled":true,"external_emergency_signal_enabled":false,` +
			`"external_emergency_signal_url":"drop","external_emergency_signal_fingerprint":"drop"}`,
	}, func(w deviceSettingsWire) DeviceNetwork {
		return DeviceNetwork{Proxy: w.Proxy, UDP: w.UDP, Override: w.Override, Signal: w.Signal,
			Pinned: strings.TrimSpace(w.Fingerprint) != ""}
	})
}
