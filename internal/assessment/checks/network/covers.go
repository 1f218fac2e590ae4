package network

import (
	"net/netip"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
)

// covers reports whether ranges together cover all of another range.
func covers(parts []string, whole string) bool {
	all, err := netip.ParsePrefix(whole)
	if err != nil {
		return false
	}
	var held []netip.Prefix
	for _, p := range parts {
		if q, err := netip.ParsePrefix(p); err == nil {
			held = append(held, q.Masked())
		}
	}
	return exposure.Covered(all.Masked(), held)
}
