// Package zerotrust holds the checks of Zero Trust as a whole.
package zerotrust

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
