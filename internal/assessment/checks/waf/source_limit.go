package waf

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
)

// limit grades what a condition requires of the sender of a request.
type limit int

// From no requirement to proof. A list is wideList when it contains a wide range or an autonomous
// system, and wideRange when it holds most of the internet.
const (
	unlimited limit = iota
	wideRange
	wideList
	region // a country or autonomous system
	proven
)

// branch is one way to satisfy an expression: the possible limits on its source and whether its
// path may be limited, each as a bit set. A single bit means certainty.
type branch struct{ source, path uint8 }

// The bits of a path: not limited and limited.
const (
	freePath    uint8 = 1
	limitedPath uint8 = 2
)

// branches are the distinct ways to satisfy an expression; none means that it never matches. There
// are fewer than 100 possible ones, which bounds combinations.
type branches []branch

// lists grades an account list; ok is false when it could not be read.
type lists func(name string) (grade limit, ok bool)

// readBranches returns the ways to satisfy an expression.
func readBranches(e expression.Expr, named lists) branches {
	return expression.Fold(e, expression.Algebra[branches]{
		Leaf: func(e expression.Expr, negated bool) branches { return leaf(e, negated, named) },
		And:  func(all ...branches) branches { return both(all) },
		Or: func(all ...branches) branches {
			var out branches
			for _, b := range all {
				out = out.add(b...)
			}
			return out
		},
	})
}

func (bs branches) add(more ...branch) branches {
	for _, b := range more {
		if !slices.Contains(bs, b) {
			bs = append(bs, b)
		}
	}
	return bs
}

// both combines the ways to satisfy several conditions that must all hold.
func both(all []branches) branches {
	out := exactly(unlimited)
	for _, bs := range all {
		var next branches
		for _, a := range out {
			for _, b := range bs {
				next = next.add(branch{source: stronger(a.source, b.source), path: stronger(a.path, b.path)})
			}
		}
		out = next
	}
	return out
}

// stronger combines every bit of a with every bit of b and keeps the higher one.
func stronger(a, b uint8) (out uint8) {
	for i := range 8 {
		for j := range 8 {
			if a>>i&1 == 1 && b>>j&1 == 1 {
				out |= 1 << max(i, j)
			}
		}
	}
	return out
}

// verdict grades one known way: fail, warn or pass. A wide list combined with a path is judged by
// another check.
func verdict(source limit, path bool) grade {
	switch {
	case source <= wideRange || source == wideList && !path:
		return bad
	case source == region || !path:
		return doubtful
	default:
		return good
	}
}

type grade int

const (
	good grade = iota
	doubtful
	bad
)

// judge returns the verdict of the weakest way; ok is false when it depends on something unknown.
func (bs branches) judge() (worst grade, ok bool) {
	ok = true
	for _, b := range bs {
		best, least := bad, good
		for source := unlimited; source <= proven; source++ {
			for _, path := range []uint8{freePath, limitedPath} {
				if b.source>>source&1 == 1 && b.path&path != 0 {
					g := verdict(source, path == limitedPath)
					best, least = min(best, g), max(least, g)
				}
			}
		}
		if best == bad {
			return bad, true
		}
		ok = ok && best == least
		worst = max(worst, best)
	}
	return worst, ok
}

// onPaths reports whether every way certainly limits the path.
func (bs branches) onPaths() bool {
	return !slices.ContainsFunc(bs, func(b branch) bool { return b.path != limitedPath })
}

// exactly is a condition on the source only; oneOf is one whose grade is uncertain.
func exactly(l limit) branches { return oneOf(l) }

func oneOf(ls ...limit) branches {
	b := branch{path: freePath}
	for _, l := range ls {
		b.source |= 1 << l
	}
	return branches{b}
}

func pathLimit(yes bool) branches {
	if yes {
		return branches{{source: 1 << unlimited, path: limitedPath}}
	}
	return exactly(unlimited)
}

func nobodyKnows() branches {
	return branches{{source: 1<<unlimited | 1<<wideRange | 1<<wideList | 1<<region | 1<<proven, path: freePath | limitedPath}}
}

// leaf grades one condition.
func leaf(e expression.Expr, negated bool, named lists) branches {
	e, negated = expression.Positive(e, negated)
	switch e := e.(type) {
	case expression.Literal:
		if bool(e) == negated {
			return nil
		}
		return exactly(unlimited)
	case expression.Flag:
		return flag(e, negated)
	case expression.Test:
		return test(e, negated, named)
	default:
		return nobodyKnows()
	}
}

func flag(e expression.Flag, negated bool) branches {
	if c, ok := e.Value.(expression.Call); ok {
		switch {
		case c.Name == "is_timed_hmac_valid_v0" || c.Name == "is_jwt_valid":
			if negated {
				return exactly(unlimited)
			}
			return exactly(proven)
		case (c.Name == "starts_with" || c.Name == "ends_with") && len(c.Args) == 2:
			name := fieldOf(c.Args[0])
			s, isText := c.Args[1].(expression.Text)
			if pathField(name) && isText {
				if negated {
					return pathLimit(false)
				}
				if c.Name == "ends_with" {
					return pathLimit(s != "" && name != "http.request.uri")
				}
				return pathLimit(startLimits(name, string(s)))
			}
		}
		return harmless(e)
	}
	if verifiedSender(fieldOf(e.Value)) {
		if negated {
			return exactly(unlimited)
		}
		return exactly(proven)
	}
	return harmless(e)
}

func test(e expression.Test, negated bool, named lists) branches {
	name := fieldOf(e.Left)
	one := e.Op == expression.Eq || e.Op == expression.In
	switch {
	case name == "ip.src":
		return address(e, negated, named)
	case slices.Contains(regions(), name):
		if !one {
			return oneOf(unlimited, region)
		}
		if negated { // excluding one country is no limit
			return exactly(unlimited)
		}
		return exactly(region)
	case name == "cf.verified_bot_category" && one:
		if nobody, ok := e.OnText(""); !ok || nobody || negated { // the category of all other clients is empty
			return exactly(unlimited)
		}
		return exactly(proven)
	case pathField(name):
		return pathLimit(!negated && pathLimits(name, e))
	}
	return harmless(e)
}

// address grades a test of the sender's address.
func address(e expression.Test, negated bool, named lists) branches {
	if e.Op != expression.Eq && e.Op != expression.In {
		return oneOf(unlimited, wideRange, proven)
	}
	if negated {
		return exactly(unlimited)
	}
	values := expression.Set{e.Right}
	switch right := e.Right.(type) {
	case expression.List:
		if g, ok := named(string(right)); ok {
			return exactly(g)
		}
		return oneOf(wideList, proven)
	case expression.Set:
		values = right
	}
	for _, value := range values {
		a, ok := value.(expression.Addresses)
		if !ok {
			return nobodyKnows()
		}
		if a.Wider(16, 32) && !exposure.Reserved(a.Lo, a.Hi) {
			return exactly(wideRange)
		}
	}
	return exactly(proven)
}
