package gateway

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// membership is a test of whether a field holds one of some values.
type membership struct {
	field  string
	values []expression.Operand
	listed bool // the values are in a list that was not read
}

// memberOf reads a field compared with values, or any() of that.
func memberOf(e expression.Expr) (membership, bool) {
	if f, ok := e.(expression.Flag); ok {
		c, ok := f.Value.(expression.Call)
		if !ok || c.Name != "any" || len(c.Args) != 1 {
			return membership{}, false
		}
		inner, ok := c.Args[0].(expression.Nested)
		if !ok {
			return membership{}, false
		}
		e = inner.X
	}
	t, ok := e.(expression.Test)
	if !ok {
		return membership{}, false
	}
	field, ok := t.Left.(expression.Field)
	if !ok {
		return membership{}, false
	}
	m := membership{field: field.Name}
	switch right := t.Right.(type) {
	case expression.Set:
		m.values = right
	case expression.List:
		m.listed = true
	default:
		m.values = []expression.Operand{right}
	}
	return m, t.Op == expression.Eq || t.Op == expression.In
}

// holds reports whether one of the values is wanted.
func (m membership) holds(wanted ...expression.Operand) bool {
	for _, o := range m.values {
		for _, w := range wanted {
			if n, ok := o.(expression.Numbers); ok {
				if x, ok := w.(expression.Number); ok && n.Lo <= int64(x) && int64(x) <= n.Hi {
					return true
				}
				continue
			}
			if _, set := o.(expression.Set); !set && o == w {
				return true
			}
		}
	}
	return false
}

// spelled makes the names of lists, which are identifiers with hyphens, names
// the parser takes.
func spelled(text string) string {
	parts := strings.Split(text, "$")
	for i := 1; i < len(parts); i++ {
		end := strings.IndexFunc(parts[i], func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		})
		if end < 0 {
			end = len(parts[i])
		}
		parts[i] = strings.ReplaceAll(parts[i][:end], "-", "_") + parts[i][end:]
	}
	return strings.Join(parts, "$")
}

// covers returns how much of some traffic a rule matches, whoever sends it; no
// expression is all of it.
func covers(r snapshot.GatewayRule, fact func(expression.Expr) exposure.Fact) exposure.Coverage {
	if strings.TrimSpace(r.Traffic) == "" {
		return exposure.Coverage{All: truth.Yes, Some: truth.Yes}
	}
	return exposure.Cover(spelled(r.Traffic), fact)
}

// names reports whether a rule asks for a certain thing, not for its absence.
// An expression that cannot be read may do so when it holds the word.
func names(r snapshot.GatewayRule, word string, is func(expression.Expr) bool) truth.Value {
	e, err := expression.Parse(spelled(r.Traffic))
	if err != nil {
		if strings.TrimSpace(r.Traffic) == "" || !strings.Contains(r.Traffic, word) {
			return truth.No
		}
		return truth.Undecided
	}
	return expression.Fold(e, expression.Algebra[truth.Value]{
		Leaf: func(e expression.Expr, negated bool) truth.Value { return truth.Is(!negated && is(e)) },
		And:  truth.Or, Or: truth.Or,
	})
}

// limited reports whether a rule is for some people, devices or hours only.
func limited(r snapshot.GatewayRule) bool {
	return r.Identity != "" || r.DevicePosture != "" || r.Scheduled
}

// before reports whether a rule is asked before another in one filter. Of the web filter, rules not to inspect come first, then
// those about isolation, then the rest; within each the precedence decides
// (developers.cloudflare.com/cloudflare-one/traffic-policies/order-of-enforcement/).
func before(a, b snapshot.GatewayRule, filter string) bool {
	stage := func(r snapshot.GatewayRule) int {
		switch {
		case filter != "http":
			return 0
		case r.Action == "off":
			return 1
		case r.Action == "isolate" || r.Action == "noisolate":
			return 2
		default:
			return 3
		}
	}
	return stage(a) < stage(b) || stage(a) == stage(b) && a.Precedence < b.Precedence
}

// overtaken reports whether a rule of a filter is never asked, because an exception takes all traffic of everybody before it.
func overtaken(r snapshot.GatewayRule, filter string, rules []snapshot.GatewayRule) truth.Value {
	out := truth.No
	for _, e := range rules {
		isolation := e.Action == "noisolate"
		excepts := isolation && r.Action == "isolate" || slices.Contains([]string{"allow", "off", "noscan"}, e.Action)
		if e.Enabled && excepts && !limited(e) && slices.Contains(e.Filters, filter) && before(e, r, filter) {
			out = truth.Or(out, covers(e, everything).All)
		}
	}
	return out
}

// enabledRules are the enabled rules of a filter ("" is any) and an action.
func enabledRules(all []snapshot.GatewayRule, filter, action string) []snapshot.GatewayRule {
	var out []snapshot.GatewayRule
	for _, r := range all {
		if r.Enabled && r.Action == action && (filter == "" || slices.Contains(r.Filters, filter)) {
			out = append(out, r)
		}
	}
	return out
}
