// Package gateway holds the checks of Gateway, data loss and browser isolation.
package gateway

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
