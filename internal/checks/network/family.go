// Package network holds the checks of Magic WAN and the DNS firewall.
package network

import "github.com/edgeposture/edgeposture/internal/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{}
}
