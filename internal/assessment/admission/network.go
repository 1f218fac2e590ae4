package admission

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// MaxSplits bounds how often a range is halved to follow what is said about parts of it.
const MaxSplits = 4

// Network is the list of rules that decide about connections to private networks: Allow and Block
// of the network filter, of which the first match decides
// (developers.cloudflare.com/cloudflare-one/traffic-policies/order-of-enforcement/).
type Network []Rule

// NetworkOf selects and orders these rules.
func NetworkOf(rules []Rule) Network {
	out := slices.Concat(EnabledRules(rules, "l4", "block"), EnabledRules(rules, "l4", "allow"))
	slices.SortStableFunc(out, func(a, b Rule) int { return cmp.Compare(a.Precedence, b.Precedence) })
	return out
}

// Blocks reports whether enrolled devices are blocked from the whole of a range in a virtual network,
// and from any part of it; the network is "" where it is not known.
func (n Network) Blocks(p netip.Prefix, network string) (whole, part truth.Value) {
	return n.blocks(p, network, MaxSplits)
}

// blocks follows the rules in order. A rule that does not test the destination is ignored unless it
// takes connections that have nothing of what it names.
func (n Network) blocks(p netip.Prefix, network string, splits int) (whole, part truth.Value) {
	open, partly := truth.No, false
	for _, r := range n {
		fact := func(e expression.Expr) exposure.Fact { return destination(e, p, network, r.Action == "allow") }
		c := Covers(r, fact)
		if c.Some == truth.No {
			continue
		}
		aimed := truth.Or(aims(r), Covers(r, func(e expression.Expr) exposure.Fact {
			if f := fact(e); f != exposure.Varies {
				return f
			}
			return exposure.Never
		}).Some)
		takes := truth.And(aimed, c.All, truth.Is(!Limited(r)))
		partly = partly || !Limited(r) && aimed == truth.Yes && c.All == truth.No && c.Some == truth.Yes
		if r.Action == "allow" {
			open = truth.Or(open, takes)
			continue
		}
		whole = truth.Or(whole, truth.And(takes, truth.Not(open)))
		part = truth.Or(part, truth.And(aimed, c.Some, truth.Not(open)))
	}
	if partly && splits > 0 && p.Bits() < p.Addr().BitLen() {
		low, high := exposure.Halves(p)
		w1, p1 := n.blocks(low, network, splits-1)
		w2, p2 := n.blocks(high, network, splits-1)
		return truth.And(w1, w2), truth.Or(p1, p2)
	}
	return whole, part
}

// aims reports whether a rule tests the destination. A rule without a condition applies to every
// destination.
func aims(r Rule) truth.Value {
	e, ok := r.condition()
	if !ok {
		return truth.If(!strings.Contains(r.Traffic, "net.dst.ip") && !strings.Contains(r.Traffic, "net.vnet_id"), false)
	}
	fields := expression.Fields(e)
	return truth.Is(slices.Contains(fields, "net.dst.ip") || slices.Contains(fields, "net.vnet_id"))
}

// destination evaluates a test for connections to a range in a virtual network, by a rule that
// allows or blocks.
func destination(e expression.Expr, p netip.Prefix, network string, allows bool) exposure.Fact {
	m, ok := MemberOf(e)
	switch {
	case ok && m.allPorts(allows), ok && m.allProtocols(allows):
		return exposure.Always
	case ok && allows && m.namesFew():
		return exposure.Never
	case ok && m.Field == "net.vnet_id" && (network == "" || m.Listed):
		return exposure.Unclear
	case ok && m.Field == "net.vnet_id":
		return exposure.Fixed(m.Holds(expression.Text(network)))
	case !ok || m.Field != "net.dst.ip":
		return exposure.Varies
	}
	if m.Listed {
		return exposure.Unclear
	}
	first, last := p.Addr(), exposure.LastOf(p)
	out := exposure.Never
	for _, o := range m.Values {
		a, ok := o.(expression.Addresses)
		switch {
		case !ok:
			return exposure.Unclear
		case a.Lo.BitLen() != first.BitLen():
		case a.Lo.Compare(first) <= 0 && a.Hi.Compare(last) >= 0:
			return exposure.Always
		case a.Lo.Compare(last) <= 0 && a.Hi.Compare(first) >= 0:
			out = exposure.Varies
		}
	}
	return out
}

// ManyPorts is how many ports open a host as much as all of them.
const ManyPorts = 1000

// Ports returns the values of a test of ports as ranges.
func (m Membership) Ports() []expression.Numbers {
	var out []expression.Numbers
	for i, o := range m.Values {
		switch o := o.(type) {
		case expression.Numbers:
			out = append(out, o)
		case expression.Number:
			r := expression.Numbers{Lo: int64(o), Hi: int64(o)}
			if o < 0 && i > 0 { // 2-65535 reads as 2 and -65535
				lo, _ := m.Values[i-1].(expression.Number)
				r = expression.Numbers{Lo: int64(lo), Hi: -int64(o)}
			}
			out = append(out, r)
		}
	}
	return out
}

// allPorts reports whether a test is for every port. For a rule that allows, many are as good as
// all.
func (m Membership) allPorts(allows bool) bool {
	if m.Field != "net.dst.port" {
		return false
	}
	count := int64(0)
	for _, r := range m.Ports() {
		if r.Lo <= 1 && r.Hi >= 1<<16-1 {
			return true
		}
		count += max(0, r.Hi-r.Lo)
	}
	return allows && count >= ManyPorts
}

// allProtocols reports whether a test is for every protocol. For a rule that allows, TCP is as good
// as all.
func (m Membership) allProtocols(allows bool) bool {
	holds := func(protocol string) bool { return m.Holds(expression.Text(protocol)) }
	return m.Field == "net.protocol" && holds("tcp") && (allows || holds("udp") && (holds("icmp") || holds("icmpv6")))
}

// namesFew reports whether a test is for the connections to some ports, by some protocols or with some server names:
// hardly any of them, if it is not for all of them. A rule that allows all others allows as good as all.
func (m Membership) namesFew() bool {
	return m.Field == "net.dst.port" || m.Field == "net.protocol" || strings.HasPrefix(m.Field, "net.sni.")
}
