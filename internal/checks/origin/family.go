// Package origin holds the checks of load balancers and Spectrum.
package origin

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
