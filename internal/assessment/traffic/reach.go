package traffic

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Reaches returns whether requests that the edge serves for a zone meet a condition of the rules
// language. A rule for hosts outside the zone reaches none. For hosts that could not be read it is undecided, unless
// the condition tells no hosts apart.
func Reaches(condition string) Aspect[truth.Value] {
	return Aspect[truth.Value]{
		Name:  "reach of " + condition,
		Needs: needs(snapshot.AccountLists, snapshot.AccountListItems),
		lanes: func(z *zone) []Lane[truth.Value] {
			_, doubt := z.hosts()
			undecided := Lane[truth.Value]{Value: truth.Undecided, example: func() Request { return Request{Host: z.Name, Path: "/"} }}
			if doubt != nil && z.tellsHosts(condition) { // an unread balancer may also take a name from a wildcard
				return []Lane[truth.Value]{undecided}
			}
			lanes := lanesOf(z, []string{condition}, anyKind, func(s *space) []state[truth.Value] {
				return apply(s, []state[truth.Value]{{boxes: s.start(), value: truth.No}}, condition,
					func(truth.Value) truth.Value { return truth.Yes }, func(truth.Value) truth.Value { return truth.Undecided },
					func(v truth.Value) truth.Value { return v })
			})
			if doubt != nil && len(lanes) == 0 {
				return []Lane[truth.Value]{undecided}
			}
			return lanes
		},
	}
}

// tellsHosts reports whether a condition may hold for requests to one host and not for the same to another.
func (z *zone) tellsHosts(condition string) bool {
	e := z.parse(condition)
	return e == nil || slices.ContainsFunc(expression.FieldsOf(e), func(f expression.Field) bool {
		return slices.Contains(partsOf(fieldName(f)), partHost)
	})
}

// TellsHosts reports whether some of the conditions may hold for requests to one host of a zone and not for the same to another.
func (k Kept) TellsHosts(snap *snapshot.Snapshot, of snapshot.Zone, conditions []string) bool {
	return slices.ContainsFunc(conditions, k.zone(snap, of).tellsHosts)
}

// Meets returns whether a request to a zone meets a condition. What the request does not say leaves it undecided.
func (k Kept) Meets(snap *snapshot.Snapshot, of snapshot.Zone, r Request, condition string) truth.Value {
	z := k.zone(snap, of)
	e := z.parse(condition)
	if e == nil {
		return truth.Undecided
	}
	return expression.Eval(e, z.env(&r))
}

// Except narrows a condition to the requests that meet none of the others.
func Except(condition string, others []string) string {
	if len(others) == 0 {
		return condition
	}
	return "(" + condition + ") and not (" + strings.Join(others, ") and not (") + ")"
}
