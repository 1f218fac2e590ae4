package snapshot

// DevicePolicy holds the default device profile.
const DevicePolicy Key[DeviceProfile] = "account/device_policy"

// DeviceProfile configures the device client. A pointer is nil when the provider does not return
// the setting.
type DeviceProfile struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	Enabled        bool     `json:"enabled"`
	Default        bool     `json:"default,omitempty"`
	SwitchLocked   *bool    `json:"switch_locked,omitempty"`
	AllowedToLeave *bool    `json:"allowed_to_leave,omitempty"`
	AutoConnect    *float64 `json:"auto_connect,omitempty"` // seconds; 0 means never
	ServiceMode    string   `json:"service_mode"`
	Exclude        []string `json:"exclude"` // addresses and hosts that bypass the client
	Include        []string `json:"include"`
	// ModeSwitch says whether users may switch to a DNS-only mode.
	ModeSwitch *bool `json:"allow_mode_switch,omitempty"`
	// CaptivePortal is the number of seconds the client stays off on a network with a captive
	// portal, 0 for never.
	CaptivePortal *float64 `json:"captive_portal,omitempty"`
	// Fallback are the names that local resolvers answer, nil when Cloudflare does not return them.
	Fallback []string `json:"fallback_domains"`
	// Hidden says that no device gets the profile, because an earlier one has the same condition.
	Hidden bool `json:"hidden,omitempty"`
}

// SortKey orders profiles by id.
func (p DeviceProfile) SortKey() string { return p.ID }

type deviceProfileWire struct {
	ID             string   `json:"policy_id"`
	Name           string   `json:"name"`
	Enabled        *bool    `json:"enabled"`
	Default        bool     `json:"default"`
	Kind           string   `json:"profile_type"`
	SwitchLocked   *bool    `json:"switch_locked"`
	AllowedToLeave *bool    `json:"allowed_to_leave"`
	AutoConnect    *float64 `json:"auto_connect"`
	ServiceMode    struct {
		Mode string `json:"mode"`
	} `json:"service_mode_v2"`
	Exclude       []splitWire `json:"exclude"`
	Include       []splitWire `json:"include"`
	ModeSwitch    *bool       `json:"allow_mode_switch"`
	CaptivePortal *float64    `json:"captive_portal"`
	Fallback      []struct {
		Suffix string `json:"suffix"`
	} `json:"fallback_domains"`
}

// splitWire is one entry of a split tunnel: an address range or a host.
type splitWire struct {
	Address string `json:"address"`
	Host    string `json:"host"`
}

// reduceDeviceProfile drops the users a profile applies to, because that names people. A profile
// without the enabled member is enabled.
func reduceDeviceProfile(w deviceProfileWire) DeviceProfile {
	p := DeviceProfile{ID: w.ID, Name: w.Name, Enabled: w.Enabled == nil || *w.Enabled, Default: w.Default, SwitchLocked: w.SwitchLocked,
		AllowedToLeave: w.AllowedToLeave, AutoConnect: w.AutoConnect, ServiceMode: w.ServiceMode.Mode, Exclude: splitTunnel(w.Exclude),
		Include: splitTunnel(w.Include), ModeSwitch: w.ModeSwitch, CaptivePortal: w.CaptivePortal}
	if w.Fallback != nil {
		p.Fallback = []string{}
	}
	for _, d := range w.Fallback {
		p.Fallback = append(p.Fallback, d.Suffix)
	}
	return p
}

func splitTunnel(in []splitWire) []string {
	out := []string{}
	for _, e := range in {
		if e.Address != "" {
			out = append(out, e.Address)
		} else if e.Host != "" {
			out = append(out, e.Host)
		}
	}
	return out
}

// accountDevicePolicy reads the default profile, which every account with Zero Trust has
// (developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/policies/subresources/default/methods/get/).
func accountDevicePolicy() Source {
	return object(DevicePolicy, Source{
		Path: "/accounts/{account_id}/devices/policy", Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source()}, Skip: accessUnused(),
		Example: `{"default":true,"enabled":true,"switch_locked":true,"allowed_to_leave":false,"auto_connect":900,` +
			`"service_mode_v2":{"mode":"warp"},"exclude":[{"address":"169.254.0.0/16","description":"drop"}],"include":[],` +
			`"allow_mode_switch":false,"captive_portal":180,"fallback_domains":[{"suffix":"corp","description":"drop",` +
			`"dns_server":["192.0.2.1"]}],` +
			`"gateway_unique_id":"drop","support_url":"drop"}`,
	}, func(w deviceProfileWire) DeviceProfile {
		p := reduceDeviceProfile(w)
		p.ID, p.Name, p.Default = "default", "Default", true
		return p
	})
}
