package admission

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// maxSplits bounds how often a range is halved to follow rules about parts of it.
const maxSplits = 4

// Network is the list of rules that decide about connections to private networks: Allow and Block
// of the network filter, of which the first match decides
// (developers.cloudflare.com/cloudflare-one/traffic-policies/order-of-enforcement/).
type Network []snapshot.GatewayRule

// NetworkOf selects and orders these rules.
func NetworkOf(rules []snapshot.GatewayRule) Network {
	out := slices.Concat(EnabledRules(rules, "l4", "block"), EnabledRules(rules, "l4", "allow"))
	slices.SortStableFunc(out, func(a, b snapshot.GatewayRule) int { return cmp.Compare(a.Precedence, b.Precedence) })
	return out
}

// Blocks reports whether enrolled devices are blocked from the whole range, and from any part of
// it.
func (n Network) Blocks(p netip.Prefix) (whole, part truth.Value) { return n.blocks(p, maxSplits) }

// blocks follows the rules in order. A rule that does not test the destination is ignored.
func (n Network) blocks(p netip.Prefix, splits int) (whole, part truth.Value) {
	open, partly := truth.No, false
	for _, r := range n {
		aimed := aims(r)
		c := Covers(r, func(e expression.Expr) exposure.Fact { return destination(e, p) })
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
		low := netip.PrefixFrom(p.Masked().Addr(), p.Bits()+1)
		high := netip.PrefixFrom(lastOf(p), p.Bits()+1).Masked()
		w1, p1 := n.blocks(low, splits-1)
		w2, p2 := n.blocks(high, splits-1)
		return truth.And(w1, w2), truth.Or(p1, p2)
	}
	return whole, part
}

// aims reports whether a rule tests the destination. A rule without a condition applies to every
// destination.
func aims(r snapshot.GatewayRule) truth.Value {
	const field = "net.dst.ip"
	e, err := expression.Parse(Spelled(r.Traffic))
	if err != nil {
		return truth.If(strings.TrimSpace(r.Traffic) == "" || !strings.Contains(r.Traffic, field), strings.TrimSpace(r.Traffic) == "")
	}
	return truth.Is(slices.Contains(expression.Fields(e), field))
}

// destination evaluates a test for connections to a range.
func destination(e expression.Expr, p netip.Prefix) exposure.Fact {
	m, ok := MemberOf(e)
	switch {
	case ok && m.Field == "net.dst.port" && slices.ContainsFunc(m.Values, everyPort):
		return exposure.Always
	case !ok || m.Field != "net.dst.ip":
		return exposure.Varies
	}
	if m.Listed {
		return exposure.Unclear
	}
	first, last := p.Addr(), lastOf(p)
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

func everyPort(o expression.Operand) bool {
	n, ok := o.(expression.Numbers)
	return ok && n.Lo <= 1 && n.Hi >= 1<<16-1
}

func lastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i := p.Bits(); i < len(b)*8; i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}
