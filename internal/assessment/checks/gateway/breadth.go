package gateway

import (
	"net/netip"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
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
	v4, v6 := exposure.Share(all)
	addresses, networks48 := v4*(1<<32), v6*(1<<48)
	switch {
	case addresses > 1<<16 || networks48 >= 1<<16:
		return open
	case addresses > 1<<12 || networks48 >= 1<<8:
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
