package traffic

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// gather collects, for each part of a request that a condition reads, the values that matter to it.
func gather(e expression.Expr, z *zone, seen map[string]*samples) {
	for _, l := range leavesOf(e) {
		if name, opaque := opaqueName(l); opaque {
			sampled(seen, name).add(false, true)
			continue
		}
		for _, name := range partsRead(l) {
			sampled(seen, name).weight += weightOf(l)
		}
		switch l := l.(type) {
		case expression.Flag:
			gatherFlag(l.Value, seen)
		case expression.Test:
			gatherTest(l, z, seen)
		}
	}
}

// weightOf is what it takes to compare a leaf, in comparisons of a text.
func weightOf(e expression.Expr) int {
	left, op, texts := compared(e)
	switch _, isCall := left.(expression.Call); {
	case op == expression.Matches && len(texts) == 1:
		return 25 * (1 + sizeOf(matching(texts[0]))/32)
	case op == expression.Wildcard || op == expression.StrictWildcard:
		return 1 + sizeOf(texts)/16
	case isCall:
		return 5
	}
	return 1
}

func sampled(seen map[string]*samples, name string) *samples {
	s, ok := seen[name]
	if !ok {
		s = &samples{absent: strings.Contains(name, "[")}
		switch name {
		case "http.request.method":
			s.add("GET", "POST")
		case partPath:
			s.add("/", "/"+fresh)
		case partQuery:
			s.add("")
		case partScheme:
			s.add(true, false)
		}
		seen[name] = s
	}
	return s
}

func gatherFlag(o expression.Operand, seen map[string]*samples) {
	switch o := o.(type) {
	case expression.Field:
		sampled(seen, fieldName(o)).add(false, true)
	case expression.Call:
		switch o.Name {
		case "any", "all":
			n, _ := o.Args[0].(expression.Nested)
			t, _ := n.X.(expression.Test)
			if f, isFlag := n.X.(expression.Flag); isFlag {
				gatherFlag(f.Value, seen)
			} else {
				compare(t.Left, t.Op, t.Right, seen)
			}
			if f, ok := fieldOf(leftOf(n.X)); ok {
				sampled(seen, fieldName(f)).several = true
			}
		default:
			compare(o.Args[0], expression.Op(o.Name), o.Args[1], seen)
		}
	}
}

func leftOf(e expression.Expr) expression.Operand {
	switch e := e.(type) {
	case expression.Test:
		return e.Left
	case expression.Flag:
		if c, ok := e.Value.(expression.Call); ok && len(c.Args) > 0 {
			return c.Args[0]
		}
		return e.Value
	}
	return nil
}

func gatherTest(t expression.Test, z *zone, seen map[string]*samples) {
	list, isList := t.Right.(expression.List)
	switch {
	case isList && strings.HasPrefix(string(list), "cf."):
		sampled(seen, "$"+string(list)).add(false, true)
	case isList:
		items, _ := z.list(string(list))
		for _, i := range items {
			if a, ok := addresses(i.IP); ok {
				compare(t.Left, expression.Eq, a, seen)
			} else if i.ASN > 0 {
				compare(t.Left, expression.Eq, expression.Number(i.ASN), seen)
			}
		}
		if f, ok := fieldOf(t.Left); ok && len(sampled(seen, fieldName(f)).values) == 0 && f.Name == "ip.src" {
			sampled(seen, fieldName(f)).add(netip.AddrFrom4([4]byte{8, 8, 4, 4}))
		}
	default:
		compare(t.Left, t.Op, t.Right, seen)
	}
}

// compare adds the values that one comparison of a field distinguishes.
func compare(left expression.Operand, op expression.Op, right expression.Operand, seen map[string]*samples) {
	f, ok := fieldOf(left)
	if !ok {
		return
	}
	if c, isCall := left.(expression.Call); isCall && c.Name == "len" {
		parts := partsOf(fieldName(f))
		of := sampled(seen, parts[len(parts)-1])
		of.sized = true
		for _, size := range sizes(right) {
			switch text := strings.Repeat("a", int(max(0, min(size, maxSize)))); {
			case int64(len(text)) != size:
			case f.Name == extension:
				of.extension(expression.Eq, expression.Text(text))
			default:
				of.text(expression.Eq, text)
			}
		}
		return
	}
	if n := len(f.Index); n > 0 && numbered(f.Index[n-1]) {
		sampled(seen, fieldName(f)).several = true // one of several values
	}
	for _, name := range partsOf(fieldName(f)) {
		switch {
		case constant(name) || name == partScheme:
		case name == partQuery && fieldName(f) != partQuery:
			for _, t := range textsOf(right) {
				sampled(seen, name).query(op, t)
			}
		case f.Name == extension:
			sampled(seen, name).extension(op, right)
		default:
			sampled(seen, name).compare(op, right)
		}
		if _, changed := left.(expression.Call); (changed || op == expression.Wildcard) && !constant(name) {
			sampled(seen, name).folded = true
		}
	}
}

// sizes lists the lengths at which a comparison with a length turns.
func sizes(right expression.Operand) (out []int64) {
	switch r := right.(type) {
	case expression.Number:
		return []int64{int64(r) - 1, int64(r), int64(r) + 1}
	case expression.Numbers:
		return []int64{r.Lo - 1, r.Lo, r.Hi, r.Hi + 1}
	case expression.Set:
		for _, o := range r {
			out = append(out, sizes(o)...)
		}
	}
	return out
}

// query adds what a comparison of a whole address distinguishes in its query.
func (s *samples) query(op expression.Op, t string) {
	if _, query, ok := strings.Cut(t, "?"); ok && op != expression.Matches {
		s.text(op, query)
		return
	}
	switch op {
	case expression.Contains, "ends_with", expression.Matches:
		s.text(op, t)
	case expression.Wildcard, expression.StrictWildcard:
		if fixed := strings.Split(t, "*"); len(fixed) > 1 { // what follows the first star may be in the query
			s.within, s.tails = append(s.within, fixed[1:len(fixed)-1]...), append(s.tails, fixed[len(fixed)-1])
		}
	}
}

// extension adds the ends of paths that matter to one comparison of their extension.
func (s *samples) extension(op expression.Op, right expression.Operand) {
	of := &samples{}
	of.compare(op, right)
	s.tails = append(s.tails, "."+fresh)
	for _, t := range slices.Concat(of.heads, of.tails, of.within) {
		if s.tails = append(s.tails, "."+t); op != expression.Eq && op != expression.In {
			s.tails = append(s.tails, "."+t+fresh)
		}
	}
}

func textsOf(o expression.Operand) []string {
	switch o := o.(type) {
	case expression.Text:
		return []string{string(o)}
	case expression.Set:
		var out []string
		for _, v := range o {
			out = append(out, textsOf(v)...)
		}
		return out
	default:
		return nil
	}
}

// fieldOf returns the field that an operand reads, possibly inside a function call.
func fieldOf(o expression.Operand) (expression.Field, bool) {
	switch o := o.(type) {
	case expression.Field:
		return o, true
	case expression.Call:
		for _, a := range o.Args {
			if f, ok := fieldOf(a); ok {
				return f, true
			}
		}
	}
	return expression.Field{}, false
}

// constant reports whether a part is the same for all requests to one host of the zone.
func constant(name string) bool {
	return name == partHost || name == "cf.zone.name" || name == "cf.zone.plan"
}

// partsRead names the parts of a request that a leaf reads, except those that are the same for all
// requests to a host.
func partsRead(e expression.Expr) []string {
	if name, opaque := opaqueName(e); opaque {
		return []string{name}
	}
	var out []string
	for _, f := range expression.FieldsOf(e) {
		for _, name := range partsOf(fieldName(f)) {
			if !constant(name) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	if t, ok := e.(expression.Test); ok {
		if list, isList := t.Right.(expression.List); isList && strings.HasPrefix(string(list), "cf.") {
			out = append(out, "$"+string(list))
		}
	}
	return out
}

// opaqueName names a leaf that calls a function that is not evaluated here, or that compares two
// fields. Such a leaf counts as a condition of its own that some requests meet and others do not.
func opaqueName(e expression.Expr) (string, bool) {
	opaque := false
	switch e := e.(type) {
	case expression.Flag:
		opaque = opaqueOperand(e.Value, true)
	case expression.Test:
		switch e.Right.(type) {
		case expression.Field, expression.Call:
			opaque = true
		default:
			opaque = opaqueOperand(e.Left, false)
		}
	}
	if !opaque {
		return "", false
	}
	return fmt.Sprintf("%v", e), true
}

func opaqueOperand(o expression.Operand, flag bool) bool {
	c, ok := o.(expression.Call)
	if !ok {
		return false
	}
	switch c.Name {
	case "lower", "upper", "len", "url_decode":
		return flag || len(c.Args) != 1 || opaqueOperand(c.Args[0], false)
	case "starts_with", "ends_with":
		_, isText := c.Args[len(c.Args)-1].(expression.Text)
		return !flag || len(c.Args) != 2 || !isText || opaqueOperand(c.Args[0], false)
	case "any", "all":
		n, isNested := c.Args[0].(expression.Nested)
		if !flag || !isNested {
			return true
		}
		switch n.X.(type) {
		case expression.Test, expression.Flag:
			_, inner := opaqueName(n.X)
			return inner
		}
	}
	return true
}

// leavesOf lists the comparisons of a condition.
func leavesOf(e expression.Expr) []expression.Expr {
	var out []expression.Expr
	terms := func(es []expression.Expr) {
		for _, t := range es {
			out = append(out, leavesOf(t)...)
		}
	}
	switch e := e.(type) {
	case expression.Not:
		return leavesOf(e.X)
	case expression.And:
		terms(e.Terms)
	case expression.Or:
		terms(e.Terms)
	case expression.Xor:
		terms(e.Terms)
	default:
		return []expression.Expr{e}
	}
	return out
}

// addresses parses an item of a list: an address or a prefix.
func addresses(text string) (expression.Addresses, bool) {
	if text == "" {
		return expression.Addresses{}, false
	}
	e, err := expression.Parse("ip.src in {" + text + "}")
	if err != nil {
		return expression.Addresses{}, false
	}
	t, _ := e.(expression.Test)
	set, _ := t.Right.(expression.Set)
	a, ok := set[0].(expression.Addresses)
	return a, ok
}

// inList returns whether a value is among the items of a list.
func inList(items []snapshot.ListItem, v any) truth.Value {
	out := truth.No
	for _, i := range items {
		switch v := v.(type) {
		case netip.Addr:
			if a, ok := addresses(i.IP); ok {
				out = truth.Or(out, truth.Is(a.Lo.BitLen() == v.BitLen() && a.Lo.Compare(v) <= 0 && v.Compare(a.Hi) <= 0))
			}
		case int64:
			out = truth.Or(out, truth.Is(int64(i.ASN) == v))
		case string:
			if i.Hostname != nil {
				out = truth.Or(out, truth.Is(hostInList(i.Hostname.Host, v)))
			}
		default:
			return truth.Undecided
		}
		if i.IP == "" && i.ASN == 0 && i.Hostname == nil {
			out = truth.Or(out, truth.Undecided) // an item of another kind
		}
	}
	return out
}

func hostInList(item, host string) bool {
	if rest, ok := strings.CutPrefix(item, "*"); ok {
		return strings.HasSuffix(strings.ToLower(host), strings.ToLower(rest))
	}
	return strings.EqualFold(item, host)
}
