// Package network holds the checks of sites, packets and name servers.
package network

import "github.com/edgeposture/edgeposture/internal/assessment/check"

// Checks lists the family.
func Checks() []check.Check {
	return []check.Check{
		packetFilter(),
		siteTunnel(),
		cluster(),
	}
}

func is(b *bool) bool { return b != nil && *b }
