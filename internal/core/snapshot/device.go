package snapshot

// Devices that reach the network through the provider's client.
const (
	DevicePolicy   Key[DeviceProfile]    = "account/device_policy" // the default profile
	DevicePolicies Key[[]DeviceProfile]  = "account/device_policies"
	DeviceSettings Key[DeviceNetwork]    = "account/device_settings"
	DeviceOverride Key[DeviceDisconnect] = "account/device_override"
	DevicePosture  Key[[]PostureRule]    = "account/device_posture"
)

// DeviceProfile says what the client on a device does. A pointer is nil when
// the provider did not say.
type DeviceProfile struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Enabled        bool     `json:"enabled"`
	Default        bool     `json:"default,omitempty"`
	SwitchLocked   *bool    `json:"switch_locked,omitempty"`
	AllowedToLeave *bool    `json:"allowed_to_leave,omitempty"`
	AutoConnect    *float64 `json:"auto_connect,omitempty"` // seconds, 0 is never
	ServiceMode    string   `json:"service_mode"`
	Exclude        []string `json:"exclude"` // addresses and hosts that bypass the client
	Include        []string `json:"include"`
}

// SortKey orders profiles by id.
func (p DeviceProfile) SortKey() string { return p.ID }

// DeviceNetwork says which traffic of devices passes Gateway.
type DeviceNetwork struct {
	Proxy *bool `json:"gateway_proxy_enabled,omitempty"`
	UDP   *bool `json:"gateway_udp_proxy_enabled,omitempty"`
}

// DeviceDisconnect is the switch that disconnects every device.
type DeviceDisconnect struct {
	Disconnect *bool `json:"disconnect,omitempty"`
	Timestamp  Time  `json:"timestamp,omitzero"`
}

// PostureRule tests one property of a device.
type PostureRule struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// SortKey orders rules by id.
func (r PostureRule) SortKey() string { return r.ID }
