package check

import "github.com/edgeposture/edgeposture/internal/core/snapshot"

// GoodProfile is the device profile besides the default one.
const GoodProfile = "0d700000-0000-4000-8000-000000000001"

// goodDevices adds the client of managed devices.
func goodDevices(b *snapshot.Builder) {
	on, off, soon := true, false, 900.0
	profile := snapshot.DeviceProfile{ID: "default", Name: "Default", Enabled: true, Default: true, SwitchLocked: &on, AllowedToLeave: &off,
		AutoConnect: &soon, ServiceMode: "warp", Exclude: []string{"169.254.0.0/16"}, Include: []string{}}
	snapshot.Put(b, snapshot.DevicePolicy, GoodAccount, profile)
	profile.ID, profile.Name, profile.Default = GoodProfile, "Contractors", false
	snapshot.Put(b, snapshot.DevicePolicies, GoodAccount, []snapshot.DeviceProfile{profile})
	snapshot.Put(b, snapshot.DeviceSettings, GoodAccount, snapshot.DeviceNetwork{Proxy: &on, UDP: &on})
	snapshot.Put(b, snapshot.DeviceOverride, GoodAccount, snapshot.DeviceDisconnect{Disconnect: &off, Timestamp: days(-300)})
	snapshot.Put(b, snapshot.DevicePosture, GoodAccount, []snapshot.PostureRule{{ID: GoodPosture, Name: "Disk", Type: "disk_encryption"},
		{ID: "d2", Name: "System", Type: "os_version"}, {ID: "d3", Name: "Firewall", Type: "firewall"}})
}
