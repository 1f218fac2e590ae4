package outbound

import "net/netip"

// block is a network that is not the public internet. A named one may be reached by a host and port
// that the operator listed; the others only by a listed network or address, because no name should
// ever resolve there.
type block struct {
	prefix netip.Prefix
	reason string
	named  bool
}

// blocks returns the networks that are not the public internet: the special-purpose registries of
// IANA (RFC 6890 and its successors) and the addresses of cloud metadata services, which hand out
// credentials. IPv6 forms that embed an IPv4 address are refused entirely, because it depends on
// the network which machine they reach.
func blocks() []block {
	const metadata, private, documentation, wraps = "its address tells machines of a cloud their credentials", "its address is private",
		"its address is for documentation", "its address wraps an IPv4 address in an IPv6 one"
	of := func(reason string, named bool, prefixes ...string) []block {
		var out []block
		for _, p := range prefixes {
			out = append(out, block{netip.MustParsePrefix(p), reason, named})
		}
		return out
	}
	var all []block
	for _, group := range [][]block{
		of(metadata, false, "169.254.169.254/32", "169.254.170.2/32", "100.100.100.200/32", "192.0.0.192/32", "168.63.129.16/32",
			"fd00:ec2::254/128", "fd20:ce::254/128"),
		of("its address is unspecified", false, "0.0.0.0/8", "::/128"),
		of("its address is this machine", true, "127.0.0.0/8", "::1/128"),
		of(private, true, "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
		of("its address is shared by a carrier's customers", true, "100.64.0.0/10"),
		of("its address is link-local", false, "169.254.0.0/16", "fe80::/10"),
		of("its address is site-local", false, "fec0::/10"),
		of("its address is for protocols", false, "192.0.0.0/24", "2001::/23", "192.88.99.0/24", "5f00::/16", "100::/32"),
		of("its address is for benchmarks", false, "198.18.0.0/15", "2001:2::/48"),
		of(documentation, false, "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"),
		of("its address is a group of machines", false, "224.0.0.0/4", "ff00::/8"),
		of("its address is reserved", false, "240.0.0.0/4"),
		of(wraps, false, "::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"),
	} {
		all = append(all, group...)
	}
	return all
}

// guard decides which addresses may be dialed.
type guard struct {
	allow  []netip.Prefix
	pairs  map[Pair]bool
	blocks []block
	global netip.Prefix
}

func newGuard(allow []netip.Prefix, pairs []Pair) *guard {
	g := &guard{allow: allow, pairs: map[Pair]bool{}, blocks: blocks(), global: netip.MustParsePrefix("2000::/3")}
	for _, p := range pairs {
		g.pairs[p] = true
	}
	return g
}

// refuses returns why an address that a host resolved to must not be dialed, or "". plain means
// that the connection would not be encrypted.
func (g *guard) refuses(host string, to netip.AddrPort, plain bool) string {
	a := to.Addr()
	if !a.IsValid() || a.Zone() != "" {
		return "its address has a zone"
	}
	if g.pairs[Pair{a.String(), to.Port()}] {
		return ""
	}
	for _, p := range g.allow {
		if p.Contains(a) {
			return ""
		}
	}
	for _, b := range g.blocks {
		if b.prefix.Contains(a) {
			if b.named && g.pairs[Pair{host, to.Port()}] {
				return ""
			}
			return b.reason
		}
	}
	if a.Is6() && !g.global.Contains(a) {
		return "its address is not assigned to the public internet" // RFC 4291, section 2.4: only 2000::/3 is assigned
	}
	if plain && !g.pairs[Pair{host, to.Port()}] {
		return "over plain http everybody on the way could read what is sent, credentials too; use https"
	}
	return ""
}
