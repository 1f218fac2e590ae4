package traffic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// RequestHeader is what request header rules do to a header on the way to the origin: the operation
// of the last rule that applies, or none where the origin gets what the visitor sent. Expressions
// see the request as it arrived, even in later rules
// (developers.cloudflare.com/rules/transform/request-header-modification/).
func RequestHeader(name string) Aspect[Value[snapshot.HeaderOp]] {
	return Aspect[Value[snapshot.HeaderOp]]{
		Name: "request header " + name,
		Needs: needs(snapshot.ZoneRulesets, snapshot.ZonePhaseRequest,
			snapshot.AccountLists, snapshot.AccountListItems, snapshot.AccountRulesets),
		lanes: func(z *zone) []Lane[Value[snapshot.HeaderOp]] { return requestHeaderLanes(z, name) },
	}
}

// atPlaceOf marks a condition of which only the places count.
const atPlaceOf = "place of "

// RequestHeaderWhere is RequestHeader narrowed to the places that a condition names, that is its
// hosts, paths and methods, for any sender.
func RequestHeaderWhere(name, condition string) Aspect[Value[snapshot.HeaderOp]] {
	return RequestHeader(name).Of("", atPlaceOf+condition)
}

// place reduces a condition to its hosts, paths and methods: comparisons of anything else become
// true.
func place(e expression.Expr, negated bool) expression.Expr {
	all := func(terms []expression.Expr) (out []expression.Expr) {
		for _, t := range terms {
			out = append(out, place(t, negated))
		}
		return out
	}
	switch e := e.(type) {
	case expression.Not:
		return place(e.X, !negated)
	case expression.And:
		if negated {
			return expression.Or{Terms: all(e.Terms)}
		}
		return expression.And{Terms: all(e.Terms)}
	case expression.Or:
		if negated {
			return expression.And{Terms: all(e.Terms)}
		}
		return expression.Or{Terms: all(e.Terms)}
	case expression.Literal:
		return expression.Literal(bool(e) != negated)
	}
	aside := slices.ContainsFunc(expression.Fields(e), func(f string) bool {
		f = strings.TrimPrefix(f, "raw.")
		return f != "http.host" && f != "http.request.method" && f != "ssl" && f != "http.request.full_uri" &&
			!strings.HasPrefix(f, "http.request.uri") && !strings.HasPrefix(f, "cf.zone.")
	})
	switch {
	case aside:
		return expression.Literal(true)
	case negated:
		return expression.Not{X: e}
	}
	return e
}

func requestHeaderLanes(z *zone, name string) []Lane[Value[snapshot.HeaderOp]] {
	rules, unread := entry(z, snapshot.ZoneRulesets, snapshot.ZonePhaseRequest)
	unread = cmp.Or(unread, accountPhase(z, "http_request_late_transform"))
	if _, unlisted := z.hosts(); unlisted != nil {
		return []Lane[Value[snapshot.HeaderOp]]{{Value: Value[snapshot.HeaderOp]{Doubt: unlisted}}}
	}
	if text, narrowed := strings.CutPrefix(z.only.condition, atPlaceOf); narrowed {
		if e := z.parse(text); e != nil {
			z.of.parsed[z.only.condition] = place(e, false)
		}
	}
	var texts []string
	for _, r := range rules.Rules {
		if _, changes := r.Params.Headers[name]; r.Enabled && changes {
			texts = append(texts, r.Expression)
		}
	}
	type sent = Value[snapshot.HeaderOp]
	return lanesOf(z, texts, anyKind, func(s *space) []state[sent] {
		lanes := []state[sent]{{boxes: s.start(), value: sent{By: By{Source: snapshot.ZonePhaseRequest, Pointer: "/rules"}}}}
		for _, r := range rules.Rules {
			op, changes := r.Params.Headers[name]
			if !r.Enabled || !changes {
				continue
			}
			by := By{Source: snapshot.ZonePhaseRequest, Pointer: "/rules/" + r.ID, Rule: r.ID, Name: r.Name()}
			lanes = joined(s, apply(s, lanes, r.Expression, func(v sent) sent { return v.Set(op, by) }, func(v sent) sent {
				return v.perhaps(v.Set(op, by), Doubt{Why: "whether the request header rule " + r.Name() + " applies is not known"})
			}, sent.key), sent.key)
		}
		for i := range lanes {
			if unread != nil {
				lanes[i].value.Doubt, lanes[i].value.Or = unread, nil
			}
		}
		return lanes
	})
}
