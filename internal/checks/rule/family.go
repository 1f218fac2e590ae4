// Package rule holds the checks of redirect, origin, configuration and transform rules.
package rule

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
