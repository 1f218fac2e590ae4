// Package ddos holds the checks of protection against floods.
package ddos

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
