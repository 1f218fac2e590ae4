// Package aigateway holds the checks of AI gateways.
package aigateway

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
