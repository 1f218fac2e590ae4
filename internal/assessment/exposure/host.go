// Package exposure models how Cloudflare exposes and guards origins: hostnames, addresses, tunnel
// services, Access applications and the traffic a rule covers.
package exposure

import (
	"iter"
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Same compares hostnames, ignoring case and a trailing dot; a name in Unicode is the same as its
// ASCII form.
func Same(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(snapshot.ASCII(a), "."), strings.TrimSuffix(snapshot.ASCII(b), "."))
}

// Bare is the form in which hostnames are compared.
func Bare(host string) string { return strings.ToLower(strings.TrimSuffix(snapshot.ASCII(host), ".")) }

// Within reports whether host is domain or below it.
func Within(host, domain string) bool {
	host, domain = Bare(host), Bare(domain)
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// Domains is a set of zone names, for looking up whether a host lies in one of many zones.
type Domains map[string]bool

// DomainsOf returns the names of the zones.
func DomainsOf(zones iter.Seq[snapshot.Zone]) Domains {
	d := Domains{}
	for z := range zones {
		d[Bare(z.Name)] = true
	}
	return d
}

// Hold reports whether the host is one of the domains or below one.
func (d Domains) Hold(host string) bool {
	host = Bare(host)
	for more := true; more; _, host, more = strings.Cut(host, ".") {
		if d[host] {
			return true
		}
	}
	return false
}

// ProviderOwned reports whether a CNAME target belongs to the provider's own platform, which is
// behind its edge even without the proxy flag.
func ProviderOwned(target string) bool {
	return slices.ContainsFunc([]string{"cfargotunnel.com", "pages.dev", "workers.dev", "r2.dev", "cloudflare.net", "cdn.cloudflare.net"},
		func(d string) bool { return Within(target, d) })
}

// ReservedAddress reports whether an address is private, loopback, link-local,
// carrier-grade, documentation, benchmarking or unspecified space (RFC 6890).
func ReservedAddress(a netip.Addr) bool {
	a = a.Unmap()
	if a.IsUnspecified() || a.IsMulticast() {
		return true
	}
	for _, p := range reservedRanges() {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// privateRanges counts the ranges in front that are private, loopback, link-local or carrier-grade.
const privateRanges = 9

// reservedRanges builds the prefixes from bytes, because this runs for every address record and
// parsing text each time would be slow.
func reservedRanges() [18]netip.Prefix {
	v4 := func(a, b, c byte, bits int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{a, b, c}), bits)
	}
	v6 := func(a, b byte, bits int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom16([16]byte{a, b}), bits)
	}
	return [18]netip.Prefix{
		v4(10, 0, 0, 8), v4(172, 16, 0, 12), v4(192, 168, 0, 16), v4(127, 0, 0, 8), v4(169, 254, 0, 16),
		v6(0xfc, 0, 7), v6(0xfe, 0x80, 10), netip.PrefixFrom(netip.IPv6Loopback(), 128),
		v4(100, 64, 0, 10), v4(192, 0, 2, 24), v4(198, 51, 100, 24), v4(203, 0, 113, 24), v4(198, 18, 0, 15),
		v4(192, 0, 0, 24), v4(240, 0, 0, 4),
		netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8}), 32),
		v6(0x3f, 0xff, 20),
		v6(0x01, 0x00, 16), // nothing in 0100::/16 is routed (RFC 6666, RFC 4291)
	}
}

// Reserved reports whether no request comes from the addresses between two, because they are in one reserved range.
func Reserved(lo, hi netip.Addr) bool {
	for _, r := range reservedRanges() {
		if r.Contains(lo) && r.Contains(hi) {
			return true
		}
	}
	return false
}

// FirstPublic returns the first address from lo to hi that is not private: from private space no request comes.
func FirstPublic(lo, hi netip.Addr) (netip.Addr, bool) {
	all := reservedRanges()
	private := all[:privateRanges]
	for {
		i := slices.IndexFunc(private, func(r netip.Prefix) bool { return r.Contains(lo) })
		if i < 0 {
			return lo, lo.IsValid() && lo.Compare(hi) <= 0
		}
		lo = LastOf(private[i]).Next()
	}
}

// Width grades how many addresses a rule admits.
type Width int

// The grades: /24 (v4) or /64 (v6) and longer prefixes are narrow, prefixes shorter than /16 or /32
// are wide. Anywhere on the internet is everywhere: an eighth of its addresses excludes nobody.
const (
	Narrow Width = iota
	Middling
	Wide
	Everywhere
)

// WidthOf grades a range. No request comes from reserved space, so a range there is narrow.
func WidthOf(p netip.Prefix) Width {
	if p.Bits() <= 3 {
		return Everywhere
	}
	for _, r := range reservedRanges() {
		if r.Bits() <= p.Bits() && r.Contains(p.Addr()) {
			return Narrow
		}
	}
	least, enough := 16, 24
	if p.Addr().Is6() {
		least, enough = 32, 64
	}
	switch {
	case p.Bits() < least:
		return Wide
	case p.Bits() < enough:
		return Middling
	default:
		return Narrow
	}
}
