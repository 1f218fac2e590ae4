// Package device holds the checks of managed devices and their posture.
package device

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
