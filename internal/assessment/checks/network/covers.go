package network

import (
	"net/netip"
	"slices"
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
	return covered(held, all.Masked())
}

// covered halves a range until a part is contained in a range; a part that no range touches is not
// halved.
func covered(held []netip.Prefix, p netip.Prefix) bool {
	if slices.ContainsFunc(held, func(q netip.Prefix) bool { return q.Bits() <= p.Bits() && q.Contains(p.Addr()) }) {
		return true
	}
	if !slices.ContainsFunc(held, func(q netip.Prefix) bool { return p.Contains(q.Addr()) }) {
		return false
	}
	low, high := halves(p)
	return covered(held, low) && covered(held, high)
}

func halves(p netip.Prefix) (low, high netip.Prefix) {
	raw := p.Addr().AsSlice()
	raw[p.Bits()/8] |= 0x80 >> (p.Bits() % 8)
	second, _ := netip.AddrFromSlice(raw) // it has the same length, so this cannot fail
	return netip.PrefixFrom(p.Addr(), p.Bits()+1), netip.PrefixFrom(second, p.Bits()+1)
}
