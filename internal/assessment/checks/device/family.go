// Package device holds the checks of managed devices.
package device

import (
	"github.com/edgeposture/edgeposture/internal/assessment/check"
)

// notManaged returns the reason when no device is managed, or "".
func notManaged(v *check.View) string {
	if check.DeviceManaged(v) {
		return ""
	}
	return "no device is managed"
}
