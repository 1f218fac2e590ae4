package admission

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// Guarded is what network rules do with connections to a private hostname whose address is not
// known.
type Guarded struct {
	// Whole says whether everyone whom no rule singles out is blocked from the host, Part whether
	// some connections are.
	Whole, Part truth.Value
	// Open names an earlier rule that admits everyone.
	Open string
}

// Guards follows the rules in order. A rule on the server name matches only connections that send
// one, that is HTTPS
// (developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/private-net/cloudflared/connect-private-hostname/).
func (n Network) Guards(host string) Guarded {
	out, open := Guarded{Whole: truth.No, Part: truth.No}, truth.No
	for _, r := range n {
		c := Covers(r, func(e expression.Expr) exposure.Fact { return toHost(e, host, r.Action == "allow") })
		if r.Action == "allow" {
			if Limited(r) {
				continue
			}
			if aimed := named(r, host); out.Open == "" && out.Whole != truth.Yes && (c.All == truth.Yes || aimed) {
				out.Open = r.Name
			}
			open = truth.Or(open, c.All)
			continue
		}
		out.Whole = truth.Or(out.Whole, truth.And(c.All, truth.Is(!Limited(r)), truth.Not(open)))
		out.Part = truth.Or(out.Part, truth.And(c.Some, truth.Not(open)))
	}
	return out
}

// named reports whether a condition names the host itself, or a domain that contains it.
func named(r Rule, host string) bool {
	e, ok := r.condition()
	return ok && expression.Fold(e, expression.Algebra[bool]{
		Leaf: func(e expression.Expr, negated bool) bool { return !negated && sniOf(e, host) == exposure.Varies },
		And:  func(terms ...bool) bool { return slices.Contains(terms, true) },
		Or:   func(terms ...bool) bool { return slices.Contains(terms, true) },
	})
}

// sniOf evaluates a test of the server name for connections to a host. It returns Unclear for any
// other test.
func sniOf(e expression.Expr, host string) exposure.Fact {
	m, ok := MemberOf(e)
	field, _, _ := strings.Cut(m.Field, "[")
	if !ok || m.Listed || field != "net.sni.host" && field != "net.sni.domains" {
		return exposure.Unclear
	}
	for _, o := range m.Values {
		text, _ := o.(expression.Text)
		name := strings.ToLower(strings.Trim(string(text), "."))
		if name == host || field == "net.sni.domains" && strings.HasSuffix(host, "."+name) {
			return exposure.Varies // only the connections that send a server name
		}
	}
	return exposure.Never
}

// toHost evaluates a test for connections to a private hostname. Its address is taken to be in a
// private range, because Cloudflare advises to block these, or the one that Gateway assigns to it.
func toHost(e expression.Expr, host string, allows bool) exposure.Fact {
	if f := sniOf(e, host); f != exposure.Unclear {
		return f
	}
	m, ok := MemberOf(e)
	switch {
	case ok && m.allPorts(allows), ok && m.allProtocols(allows):
		return exposure.Always
	case ok && allows && m.namesFew() && !m.Listed:
		return exposure.Never
	case ok && m.Listed && (m.Field == "net.dst.ip" || strings.HasPrefix(m.Field, "net.sni.")):
		return exposure.Unclear
	case !ok || m.Field != "net.dst.ip":
		return exposure.Varies
	}
	private, some := privateRanges(), false
	held := map[netip.Prefix]bool{}
	for _, o := range m.Values {
		a, ok := o.(expression.Addresses)
		if !ok {
			return exposure.Unclear
		}
		for _, p := range private {
			first, last := p.Addr(), exposure.LastOf(p)
			if a.Lo.BitLen() != first.BitLen() {
				continue
			}
			some = some || a.Lo.Compare(last) <= 0 && a.Hi.Compare(first) >= 0
			held[p] = held[p] || a.Lo.Compare(first) <= 0 && a.Hi.Compare(last) >= 0
		}
	}
	whole := !slices.ContainsFunc(private[:3], func(p netip.Prefix) bool { return !held[p] })
	switch {
	case whole:
		return exposure.Always
	case some:
		return exposure.Unclear
	}
	return exposure.Never
}

// privateRanges returns the ranges of RFC 1918, then of RFC 4193 and 6598, then those that Gateway
// assigns to hostnames (developers.cloudflare.com/cloudflare-one/networks/routes/reserved-ips/).
func privateRanges() []netip.Prefix {
	var out []netip.Prefix
	for _, text := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "100.64.0.0/10", "172.64.128.0/20",
		"2606:4700:cf1:4000::/64"} {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}
