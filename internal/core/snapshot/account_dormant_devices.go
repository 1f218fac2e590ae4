package snapshot

import (
	"slices"
	"time"
)

// DormantDevices holds at most 50 enrolled devices that have not been seen for a long time.
const DormantDevices Key[[]DormantDevice] = "account/dormant_devices"

// DormantDevice is an enrolled device that has not been seen for a long time. Its name may be that
// of a person and is dropped.
type DormantDevice struct {
	ID       string `json:"id"`
	LastSeen Time   `json:"last_seen_at,omitzero"`
}

// SortKey orders devices by id.
func (d DormantDevice) SortKey() string { return d.ID }

// DormantAfter is how long a dormant device has not been seen; DormantMost is how many are read.
const (
	DormantAfter = 90 * 24 * time.Hour
	DormantMost  = 50
)

// accountDormantDevices lists registered devices that have not been seen for 90 days, in one
// request
// (developers.cloudflare.com/api/resources/zero_trust/subresources/devices/subresources/devices/methods/list/).
func accountDormantDevices() Source {
	return list(DormantDevices, Source{
		Path:   "/accounts/{account_id}/devices/physical-devices?active_registrations=only&seen_before={since}",
		Paging: Paging{Kind: ByCursor, Size: DormantMost}, MaxPages: 1, Window: DormantAfter, Volatile: true, Permission: permissionZeroTrust,
		After: []string{AccessOrg.Source(), AccessApps.Source(), DevicePolicies.Source()},
		Skip: func(k *Known, t SourceScope) string {
			apps, read := Cached(k, AccessApps, t.AccountID)
			profiles, also := Cached(k, DevicePolicies, t.AccountID)
			if read && also && len(profiles) == 0 && !slices.ContainsFunc(apps, func(a AccessApp) bool { return a.Type == "warp" }) {
				return "no device is managed"
			}
			return accessUnused()(k, t)
		},
		Example: `[{"id":"p1","name":"drop","active_registrations":1,"last_seen_at":"2026-01-01T00:00:00Z","serial_number":"drop",` +
			`"last_seen_user":{"email":"drop@acme.example"}}]`,
	}, asRead[DormantDevice])
}
