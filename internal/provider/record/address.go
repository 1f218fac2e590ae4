package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"slices"
)

// addresses replaces IP addresses in a prefix-preserving way: two addresses share exactly as many
// leading bits as before, so ranges still contain the same addresses. Special ranges, such as
// private and documentation ones, are kept.
type addresses struct {
	key     []byte
	special []netip.Prefix
	known   map[netip.Addr]bool
}

func newAddresses(key []byte) addresses {
	a := addresses{key: key, known: map[netip.Addr]bool{}}
	for _, p := range []string{"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"::/127", "::ffff:0:0/96", "64:ff9b::/96", "100::/64", "2001::/32", "2001:db8::/32", "2002::/16", "fc00::/8", "fd00::/8", "fe80::/10",
		"ff00::/8"} {
		a.special = append(a.special, netip.MustParsePrefix(p))
	}
	// Well-known resolvers, and the addresses that Cloudflare recommends for a proxied name without a
	// server.
	for _, s := range []string{"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "192.0.2.1", "0.0.0.0", "127.0.0.1", "255.255.255.255",
		"100::", "::", "::1"} {
		a.known[netip.MustParseAddr(s)] = true
	}
	return a
}

func (a addresses) address(x netip.Addr) netip.Addr {
	if a.known[x] {
		return x
	}
	return a.leading(x, x.BitLen())
}

// prefix replaces the bits of a range, and the host bits if any are set.
func (a addresses) prefix(p netip.Prefix) string {
	x := p.Addr()
	if p == p.Masked() && !p.IsSingleIP() {
		return netip.PrefixFrom(a.leading(x, p.Bits()), p.Bits()).String()
	}
	return netip.PrefixFrom(a.address(x), p.Bits()).String()
}

// leading replaces the first bits. A bit is kept while its prefix still contains a special range.
func (a addresses) leading(x netip.Addr, bits int) netip.Addr {
	from := x.AsSlice()
	to := x.AsSlice()
	for i := range bits {
		above, err := x.WithZone("").Prefix(i)
		if err != nil || a.leadsToSpecial(above) {
			continue
		}
		mac := hmac.New(sha256.New, a.key)
		_, _ = mac.Write(append(above.Masked().Addr().AsSlice(), byte(i), byte(len(from))))
		to[i/8] ^= mac.Sum(nil)[0] & 1 << (7 - i%8)
	}
	made, _ := netip.AddrFromSlice(to)
	return made
}

func (a addresses) leadsToSpecial(above netip.Prefix) bool {
	return slices.ContainsFunc(a.special, func(s netip.Prefix) bool {
		return s.Bits() > above.Bits() && above.Addr().BitLen() == s.Addr().BitLen() && above.Contains(s.Addr())
	})
}
