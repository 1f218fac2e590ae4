package goodtest

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// Profile is the id of the device profile besides the default one.
const Profile = "0d700000-0000-4000-8000-000000000001"

// goodDevices adds the WARP client settings of managed devices.
func goodDevices(b *snapshot.Builder) {
	on, off, soon := true, false, 900.0
	profile := snapshot.DeviceProfile{ID: "default", Name: "Default", Enabled: true, Default: true, SwitchLocked: &on, AllowedToLeave: &off,
		AutoConnect: &soon, ServiceMode: "warp", Exclude: []string{"169.254.0.0/16"}, Include: []string{}}
	snapshot.Put(b, snapshot.DevicePolicy, Account, profile)
	profile.ID, profile.Name, profile.Default = Profile, "Contractors", false
	snapshot.Put(b, snapshot.DevicePolicies, Account, []snapshot.DeviceProfile{profile})
	snapshot.Put(b, snapshot.DeviceSettings, Account, snapshot.DeviceNetwork{Proxy: &on, UDP: &on})
	snapshot.Put(b, snapshot.DeviceOverride, Account, snapshot.DeviceDisconnect{Disconnect: &off, Timestamp: InDays(-300)})
	snapshot.Put(b, snapshot.DevicePosture, Account, []snapshot.PostureRule{{ID: Posture, Name: "Disk", Type: "disk_encryption"},
		{ID: "d2", Name: "System", Type: "os_version"}, {ID: "d3", Name: "Firewall", Type: "firewall"}})
}

// AnyDevice is an example edit that adds the posture check "w", which passes on each device with the client.
func AnyDevice(b *snapshot.Builder) {
	snapshot.Edit(b, snapshot.DevicePosture, Account, func(rs *[]snapshot.PostureRule) {
		*rs = append(*rs, snapshot.PostureRule{ID: "w", Name: "WARP", Type: "warp"})
	})
}
