package gateway

import (
	"math"
	"net/netip"
	"slices"
	"strings"
)

// breadth is how many senders a list of networks admits, worst last.
type breadth int

const (
	narrow     breadth = iota
	unreadable         // a network cannot be parsed
	wide               // more than one site has: over 4,096 IPv4 addresses or a /40
	open               // part of the internet: over 65,536 IPv4 addresses or a /32
)

// breadthOf adds up the networks, so that many small ones count like one large one. Networks that
// are not on the internet, such as private ranges, admit nobody.
func breadthOf(networks []string) breadth {
	var all []netip.Prefix
	odd := false
	for _, text := range networks {
		p, ok := prefix(text)
		if !ok {
			odd = true
		} else if a := p.Addr(); p.Bits() == 0 || !a.IsPrivate() && !a.IsLoopback() && !a.IsLinkLocalUnicast() {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b netip.Prefix) int { return a.Bits() - b.Bits() })
	var seen []netip.Prefix
	v4, v6 := 0.0, 0.0 // numbers of IPv4 addresses, and of IPv6 /48 networks
	for _, p := range all {
		if slices.ContainsFunc(seen, func(q netip.Prefix) bool { return q.Overlaps(p) }) {
			continue
		}
		seen = append(seen, p)
		if p.Addr().Is4() {
			v4 += math.Exp2(float64(32 - p.Bits()))
		} else {
			v6 += math.Exp2(float64(48 - p.Bits()))
		}
	}
	switch {
	case v4 > 1<<16 || v6 >= 1<<16:
		return open
	case v4 > 1<<12 || v6 >= 1<<8:
		return wide
	case odd:
		return unreadable
	}
	return narrow
}

// prefix parses a network or a single address.
func prefix(text string) (netip.Prefix, bool) {
	text = strings.TrimSpace(text)
	if a, err := netip.ParseAddr(text); err == nil {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err == nil
}
