// Package device holds the checks of managed devices.
package device

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// notManaged is the reason when no device is managed, or "".
func notManaged(v *check.View) string {
	if check.DeviceManaged(v) {
		return ""
	}
	return "no device is managed"
}

// unmanaged is an example edit: no device is managed.
func unmanaged(b *snapshot.Builder) {
	snapshot.Put(b, snapshot.AccessApps, goodtest.Account, []snapshot.AccessApp{})
	snapshot.Put(b, snapshot.DevicePolicies, goodtest.Account, []snapshot.DeviceProfile{})
}
