package traffic

import (
	"cmp"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Header is the operation of the response header rules that sets a response header, or no operation
// when no rule does. Headers that the origin sends are not known here
// (developers.cloudflare.com/rules/transform/response-header-modification/).
func Header(name string) Aspect[Value[snapshot.HeaderOp]] {
	return Aspect[Value[snapshot.HeaderOp]]{
		Name: "header " + name,
		Needs: needs(snapshot.ZoneRulesets, snapshot.ZonePhaseResponse,
			snapshot.AccountLists, snapshot.AccountListItems, snapshot.AccountRulesets),
		lanes: func(z *zone) []Lane[Value[snapshot.HeaderOp]] {
			return headerLanes(z, name, Value[snapshot.HeaderOp]{By: By{Source: snapshot.ZonePhaseResponse, Pointer: "/rules"}},
				func(op snapshot.HeaderOp) (snapshot.HeaderOp, bool) { return op, true },
				func(op snapshot.HeaderOp) bool { return op != snapshot.HeaderOp{} })
		},
	}
}

// headerLanes follows a response header through the response header rules, each of which acts on
// the result of those before it.
func headerLanes[T comparable](z *zone, name string, start Value[T],
	parse func(snapshot.HeaderOp) (value T, known bool), there func(T) bool) []Lane[Value[T]] {
	var absent T
	rules, unread := entry(z, snapshot.ZoneRulesets, snapshot.ZonePhaseResponse)
	unread = cmp.Or(unread, accountPhase(z, "http_response_headers_transform"))
	var texts []string
	for _, r := range rules.Rules {
		if _, sets := r.Params.Headers[name]; r.Enabled && sets {
			texts = append(texts, r.Expression)
		}
	}
	return unlisted(z, lanesOf(z, texts, anyKind, func(s *space) []state[Value[T]] {
		lanes := []state[Value[T]]{{boxes: s.start(), value: start}}
		for _, r := range rules.Rules {
			op, sets := r.Params.Headers[name]
			if !r.Enabled || !sets {
				continue
			}
			by := By{Source: snapshot.ZonePhaseResponse, Pointer: "/rules/" + r.ID, Rule: r.ID, Name: r.Name()}
			header, known := parse(op)
			hit := func(v Value[T]) Value[T] {
				if op.Operation == "add" && v.Doubt == nil && there(v.Is) {
					return v // the header exists
				}
				after := v.Set(header, by)
				switch {
				case op.Operation == "remove":
					after.Is = absent
				case op.Operation != "set" && op.Operation != "add":
					after.Is, after.Doubt = absent, &Doubt{Why: "the response header rule " + r.Name() +
						" has an operation that is not known here: " + op.Operation}
				case !known:
					after.Is, after.Doubt = absent, &Doubt{Why: "the response header rule " + r.Name() + " computes the header"}
				}
				if op.Operation == "add" && v.Doubt != nil {
					return v.perhaps(after, *v.Doubt)
				}
				return after
			}
			lanes = joined(s, apply(s, lanes, r.Expression, hit, func(v Value[T]) Value[T] {
				return v.perhaps(hit(v), Doubt{Why: "whether the response header rule " + r.Name() + " applies is not known"})
			}, Value[T].key), Value[T].key)
		}
		for i := range lanes {
			if unread != nil {
				lanes[i].value.Doubt, lanes[i].value.Or = unread, nil
			}
		}
		return lanes
	}), len(texts) > 0)
}
