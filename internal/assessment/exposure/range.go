package exposure

import (
	"net/netip"
	"slices"
)

// Covered reports whether ranges hold, together, every address of a range.
func Covered(p netip.Prefix, by []netip.Prefix) bool {
	by = slices.DeleteFunc(slices.Clone(by), func(o netip.Prefix) bool { return !o.Overlaps(p) })
	switch {
	case slices.ContainsFunc(by, func(o netip.Prefix) bool { return o.Bits() <= p.Bits() }):
		return true
	case len(by) == 0 || p.IsSingleIP():
		return false
	}
	low, high := Halves(p)
	return Covered(low, by) && Covered(high, by)
}

// Halves returns the halves of a range of more than one address.
func Halves(p netip.Prefix) (low, high netip.Prefix) {
	return netip.PrefixFrom(p.Masked().Addr(), p.Bits()+1), netip.PrefixFrom(LastOf(p), p.Bits()+1).Masked()
}

// LastOf returns the last address of a range.
func LastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i := p.Bits(); i < 8*len(b); i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	last, _ := netip.AddrFromSlice(b) // it has the same length, so this cannot fail
	return last
}
