package exposure

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Carries reports whether a device profile that includes a list carries all of the internet, but
// for small parts. Without a list it carries everything
// (developers.cloudflare.com/cloudflare-one/team-and-resources/devices/cloudflare-one-client/configure/route-traffic/split-tunnels/).
func Carries(include []string) truth.Value {
	if len(include) == 0 {
		return truth.Yes
	}
	v4, v6, ok := Public(include)
	return truth.If(ok, v4 >= 15.0/16 && v6 >= 1.0/16) // the public part of IPv6 is an eighth
}

// Public returns the share of the public IPv4 and IPv6 addresses that a list covers. Entries that
// are not addresses are hosts.
func Public(list []string) (v4, v6 float64, ok bool) {
	ok = true
	var all []netip.Prefix
	for _, text := range list {
		text = strings.TrimSpace(text)
		p, valid := snapshot.Range(text)
		switch {
		case valid && !reserved(p):
			all = append(all, p)
		case !valid && strings.Contains(text, "/"):
			ok = false
		}
	}
	v4, v6 = Share(all)
	return v4, v6, ok
}

// Share returns the fractions, from 0 to 1, of all IPv4 and of all IPv6 addresses that ranges hold
// together. Addresses in several ranges count once.
func Share(ranges []netip.Prefix) (v4, v6 float64) {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b netip.Prefix) int {
		return cmp.Or(a.Masked().Addr().Compare(b.Masked().Addr()), cmp.Compare(a.Bits(), b.Bits()))
	})
	last := netip.Prefix{}
	for _, p := range sorted {
		if last.IsValid() && last.Overlaps(p) {
			continue // two ranges are apart, or one holds the other, which comes after it
		}
		last = p
		if p.Addr().Is4() {
			v4 += math.Exp2(float64(-p.Bits()))
		} else {
			v6 += math.Exp2(float64(-p.Bits()))
		}
	}
	return v4, v6
}

// reserved reports whether a range has no public address.
func reserved(p netip.Prefix) bool {
	for _, text := range []string{"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3"} {
		if r := netip.MustParsePrefix(text); r.Bits() <= p.Bits() && r.Overlaps(p) {
			return true
		}
	}
	return p.Addr().Is6() && !p.Overlaps(netip.MustParsePrefix("2000::/3"))
}
