package admission

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Lists returns the items of a list of Gateway; ok is false when it could not be read.
type Lists func(id string) (items []snapshot.GatewayListItem, ok bool)

// ListsIn returns the lists that were read. One that is gone counts as not read: its policies and rules
// are broken.
func ListsIn(s *snapshot.Snapshot) Lists {
	return func(id string) ([]snapshot.GatewayListItem, bool) {
		items, section := snapshot.Read(s, snapshot.GatewayListItems, id)
		return items, section.Status == snapshot.OK
	}
}

// Rule is a rule of Gateway with its condition on traffic, in which the lists that were read are written out.
type Rule struct {
	snapshot.GatewayRule
	// condition parses Traffic when it is first needed; ok is false when that fails.
	condition func() (e expression.Expr, ok bool)
}

// RuleOf returns a rule; lists may be nil.
func RuleOf(r snapshot.GatewayRule, lists Lists) Rule {
	return Rule{GatewayRule: r, condition: sync.OnceValues(func() (expression.Expr, bool) {
		text := strings.TrimSpace(r.Traffic)
		if text == "" || text == "true" {
			return expression.Literal(true), true
		}
		e, err := expression.Parse(Spelled(text))
		if err != nil {
			return nil, false
		}
		return expression.Replace(e, lists.plain), true
	})}
}

// Rules returns the rules as they are at a time: one that ended by then, or is for the people of an empty list, is off,
// and one for all but these is for everyone.
func Rules(all []snapshot.GatewayRule, at time.Time, lists Lists) []Rule {
	out := make([]Rule, 0, len(all))
	for _, r := range all {
		people := lists.people(r.Identity)
		r.Enabled = r.Enabled && (r.Ends.IsZero() || r.Ends.After(at)) && people.Some != truth.No
		if people.All == truth.Yes {
			r.Identity = ""
		}
		out = append(out, RuleOf(r, lists))
	}
	return out
}

// people returns how many people meet a condition on identity, as far as the lists that it names tell.
func (l Lists) people(identity string) exposure.Coverage {
	if strings.Contains(identity, "$") {
		if e, err := expression.Parse(Spelled(identity)); err == nil {
			return exposure.Covers(expression.Replace(e, l.plain), anybody)
		}
	}
	return exposure.Coverage{All: truth.Undecided, Some: truth.Undecided}
}

// plain writes a comparison so that all that judge a rule know it: with the items of its list, "is not" as the
// opposite of "is", and an order of numbers as a range.
func (l Lists) plain(e expression.Expr) expression.Expr {
	t, ok := e.(expression.Test)
	if !ok {
		return l.write(e)
	}
	n, number := t.Right.(expression.Number)
	between := func(lo, hi expression.Number) expression.Expr {
		return expression.Test{Left: t.Left, Op: expression.In, Right: expression.Set{expression.Numbers{Lo: int64(lo), Hi: int64(hi)}}}
	}
	switch {
	case t.Op == expression.Ne && t.Right != expression.Text(""):
		t.Op = expression.Eq
		return expression.Not{X: t}
	case number && t.Op == expression.Lt:
		return between(math.MinInt64, n-1)
	case number && t.Op == expression.Le:
		return between(math.MinInt64, n)
	case number && t.Op == expression.Gt:
		return between(n+1, math.MaxInt64)
	case number && t.Op == expression.Ge:
		return between(n, math.MaxInt64)
	}
	return l.write(t)
}

// write replaces the list of a comparison by what is in it; nothing is in a list without items.
func (l Lists) write(e expression.Expr) expression.Expr {
	switch e := e.(type) {
	case expression.Flag:
		c, ok := e.Value.(expression.Call)
		if !ok || c.Name != "any" || len(c.Args) != 1 {
			return e
		}
		inner, ok := c.Args[0].(expression.Nested)
		if !ok {
			return e
		}
		written := expression.Replace(inner.X, l.write)
		if never, ok := written.(expression.Literal); ok {
			return never
		}
		c.Args = []expression.Operand{expression.Nested{X: written}}
		return expression.Flag{Value: c}
	case expression.Test:
		name, ok := e.Right.(expression.List)
		if !ok {
			return e
		}
		set, known := l.set(string(name))
		switch {
		case known && len(set) == 0:
			return expression.Literal(false)
		case known:
			e.Right = set
		}
		return e
	}
	return e
}

// set returns the items of a list under its name in an expression; known is false unless all are.
func (l Lists) set(name string) (set expression.Set, known bool) {
	if l == nil {
		return nil, false
	}
	items, read := l(strings.ReplaceAll(name, "_", "-"))
	if !read || slices.Contains(items, snapshot.GatewayListItem{Value: snapshot.OtherItem}) {
		return nil, false
	}
	for _, i := range items {
		p, address := snapshot.Range(i.Value)
		n, err := strconv.ParseInt(i.Value, 10, 64)
		switch {
		case address:
			set = append(set, expression.Addresses{Lo: p.Addr(), Hi: exposure.LastOf(p)})
		case err == nil:
			set = append(set, expression.Number(n))
		default:
			set = append(set, expression.Text(i.Value))
		}
	}
	return set, true
}
