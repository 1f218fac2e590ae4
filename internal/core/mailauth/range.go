package mailauth

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
)

// Ranges lists the addresses that pass by a term of the record itself: ip4, ip6, all, and the networks
// around the hosts of a and mx. Where such a network lies is not known here, so it starts at the first
// address; its size is right.
func (s SPF) Ranges() []netip.Prefix {
	var out []netip.Prefix
	for _, t := range s.Terms {
		if t.Qualifier != '+' {
			continue
		}
		four, six := -1, -1
		switch t.Name {
		case "all":
			four, six = 0, 0
		case "a", "mx":
			_, four, six, _ = t.widths()
		case "ip4", "ip6":
			if p, err := netip.ParsePrefix(t.Value); err == nil {
				out = append(out, p.Masked())
			} else if a, err := netip.ParseAddr(t.Value); err == nil {
				out = append(out, netip.PrefixFrom(a, a.BitLen()))
			}
		}
		if four >= 0 {
			out = append(out, netip.PrefixFrom(netip.IPv4Unspecified(), four), netip.PrefixFrom(netip.MustParseAddr("2000::"), six).Masked())
		}
	}
	return out
}

// Unrefused returns the record with its neutral terms as ones that pass: receivers must treat such mail as
// if there were no record (RFC 7208, section 2.6.2).
func (s SPF) Unrefused() SPF {
	s.Terms = slices.Clone(s.Terms)
	for i := range s.Terms {
		if t := &s.Terms[i]; t.Qualifier == '?' && t.Name != "all" {
			t.Qualifier = '+'
		}
	}
	return s
}

// Included lists the names whose records also authorise senders: the targets of include terms with
// a pass qualifier, and the redirect.
func (s SPF) Included() []string {
	var out []string
	for _, t := range s.Terms {
		if t.Name == "include" && t.Qualifier == '+' || t.Name == "redirect" {
			out = append(out, t.Value)
		}
	}
	return out
}

// Share returns the fraction, from 0 to 1, of all addresses that the ranges cover: the larger of
// IPv4 and of the global unicast space of IPv6 (2000::/3). Addresses in several ranges count once.
func Share(ranges []netip.Prefix) float64 {
	type span struct{ lo, hi float64 }
	var v4, v6 []span
	for _, p := range ranges {
		p = p.Masked()
		if p.Addr().Is4() {
			b := p.Addr().As4()
			lo := float64(binary.BigEndian.Uint32(b[:])) / (1 << 32)
			v4 = append(v4, span{lo, lo + 1/float64(uint64(1)<<p.Bits())})
			continue
		}
		if !p.Overlaps(netip.PrefixFrom(netip.AddrFrom16([16]byte{0: 0x20}), 3)) {
			continue
		}
		b := p.Addr().As16()
		const first, size = 0x20 << 56, 1 << 61 // of the upper 64 bits of addresses
		lo := (float64(binary.BigEndian.Uint64(b[:8])) - first) / size
		width := 1.0
		for range p.Bits() - 3 {
			width /= 2
		}
		if p.Bits() < 3 {
			lo = 0
		}
		v6 = append(v6, span{lo, lo + width})
	}
	covered := func(spans []span) (sum float64) {
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
		end := 0.0
		for _, s := range spans {
			if lo := max(s.lo, end); s.hi > lo {
				sum, end = sum+s.hi-lo, s.hi
			}
		}
		return sum
	}
	return max(covered(v4), covered(v6))
}
