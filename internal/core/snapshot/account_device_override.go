package snapshot

// DeviceOverride holds the switch that disconnects every device.
const DeviceOverride Key[DeviceDisconnect] = "account/device_override"

// DeviceDisconnect is the switch that disconnects every device.
type DeviceDisconnect struct {
	Disconnect *bool `json:"disconnect,omitempty"`
	Timestamp  Time  `json:"timestamp,omitzero"`
}

// accountDeviceOverride reads the switch that disconnects every device
//
// (https://developers.cloudflare.com/api/resources/zero_trust/, devices, resilience, global_warp_override, get).
func accountDeviceOverride() Source {
	return object(DeviceOverride, Source{
		Path: "/accounts/{account_id}/devices/resilience/disconnect", Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `{"disconnect":false,"timestamp":"2026-01-01T00:00:00Z"}`,
	}, asRead[DeviceDisconnect])
}
