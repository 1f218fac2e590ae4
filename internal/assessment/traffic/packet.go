package traffic

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// mostPackets bounds the packets that are tried for an expression.
const mostPackets = 100_000

// header is the length of the shortest packet.
const header = 20

// Packets returns for how much of the traffic of an account a condition holds and none of the others.
// What the account announces is not known, so packets to any address are possible.
func Packets(condition string, others []string) Coverage {
	text := Except(condition, others)
	loose := Coverage(exposure.Cover(text, func(expression.Expr) exposure.Fact { return exposure.Varies }))
	e, err := expression.Parse(text)
	if err != nil {
		return loose
	}
	fields, known := values(e)
	part, tried := Coverage{All: truth.Yes}, 0
	each(fields, map[string]any{}, func(packet map[string]any) bool {
		tried++
		meets := expression.Eval(e, expression.Env{
			Field:  func(f expression.Field) (any, bool) { v, ok := packet[f.Name]; return v, ok && len(f.Index) == 0 },
			Listed: func(string, any) truth.Value { return truth.Undecided },
		})
		part = Coverage{All: truth.And(part.All, meets), Some: truth.Or(part.Some, meets)}
		return tried < mostPackets && (part.All != truth.No || part.Some != truth.Yes)
	})
	if known && tried < mostPackets || part.Some == truth.Yes {
		return part
	}
	if len(others) > 0 && loose.Some == truth.Yes {
		loose.Some = truth.Undecided // what the conditions compare may be the same
	}
	return loose
}

// field is a field of an expression, and values of it of which any other behaves as one.
type field struct {
	name   string
	values []any
}

// values lists the fields of an expression. known is false when it makes comparisons for which more
// values may matter.
func values(e expression.Expr) (fields []*field, known bool) {
	byName := map[string]*field{}
	at := func(o expression.Operand) *field {
		f, ok := o.(expression.Field)
		if !ok || len(f.Index) > 0 {
			return nil
		}
		if byName[f.Name] == nil {
			byName[f.Name] = &field{name: f.Name}
			fields = append(fields, byName[f.Name])
			if strings.HasPrefix(f.Name, "tcp.") || strings.HasPrefix(f.Name, "udp.") {
				byName[f.Name].values = []any{nil} // a packet of another protocol
			}
		}
		return byName[f.Name]
	}
	known = true
	expression.Fold(e, expression.Algebra[bool]{
		Leaf: func(e expression.Expr, _ bool) bool {
			switch e := e.(type) {
			case expression.Flag:
				if f := at(e.Value); f != nil {
					f.values = append(f.values, true, false)
					return true
				}
			case expression.Test:
				if f := at(e.Left); f != nil && f.compare(e.Right) {
					return true
				}
			case expression.Literal:
				return true
			}
			known = false
			return false
		},
		And: func(...bool) bool { return true },
		Or:  func(...bool) bool { return true },
	})
	for _, f := range fields {
		f.values = slices.DeleteFunc(f.values, func(v any) bool { n, is := v.(int64); return is && !f.possible(n) })
	}
	return fields, known
}

// possible reports whether a packet may have a number: none is shorter than the header of IPv4, so that Cloudflare's
// example of a rule for all packets is ip.len >= 0.
func (f *field) possible(n int64) bool {
	const most = 1<<16 - 1
	switch {
	case f.name == "ip.len":
		return n >= header && n <= most
	case strings.HasSuffix(f.name, "port"):
		return n >= 0 && n <= most
	}
	return n >= 0
}

// compare adds the values that a comparison tells apart, and reports whether these are all.
func (f *field) compare(with expression.Operand) bool {
	switch o := with.(type) {
	case expression.Set:
		all := true
		for _, one := range o {
			all = f.compare(one) && all
		}
		return all
	case expression.Addresses:
		other := netip.IPv6Unspecified() // no rule is about it alone
		if o.Lo.Is6() {
			other = netip.IPv4Unspecified()
		}
		f.values = append(f.values, o.Lo, o.Hi, other)
		for _, beside := range []netip.Addr{o.Lo.Prev(), o.Hi.Next()} {
			if beside.IsValid() {
				f.values = append(f.values, beside)
			}
		}
	case expression.Number:
		f.values = append(f.values, int64(o)-1, int64(o), int64(o)+1, int64(header))
	case expression.Numbers:
		f.values = append(f.values, o.Lo-1, o.Lo, o.Hi, o.Hi+1, int64(header))
	case expression.Bool:
		f.values = append(f.values, true, false)
	default:
		return false
	}
	return true
}

// each calls visit with every combination of values until it returns false.
func each(fields []*field, packet map[string]any, visit func(map[string]any) bool) bool {
	if len(fields) == 0 {
		return visit(packet)
	}
	for _, v := range fields[0].values {
		packet[fields[0].name] = v
		if !each(fields[1:], packet, visit) {
			return false
		}
	}
	return true
}
