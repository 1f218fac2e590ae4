package traffic

import (
	"reflect"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// term is a leaf that a request must meet, or must not meet.
type term struct {
	leaf *cond
	not  bool
}

// maxConjuncts bounds the alternatives of one condition that are looked at for one part.
const maxConjuncts = 500

// conjuncts returns what a condition asks of one part: alternatives, each a list of leaves that must
// hold together. It is false when there are more than maxConjuncts.
func conjuncts(c *cond, not bool, part int) (out [][]term, ok bool) {
	free := [][]term{nil}
	switch c.op {
	case "not":
		return conjuncts(c.terms[0], !not, part)
	case "leaf":
		if len(c.parts) == 1 && c.parts[0] == part {
			return [][]term{{{c, not}}}, true
		}
		return free, true
	case "is":
		if c.is == truth.Is(not) {
			return nil, true
		}
		return free, true
	case "xor":
		return free, true
	}
	either := (c.op == "or") != not
	if !either {
		out = free
	}
	for _, t := range c.terms {
		next, ok := conjuncts(t, not, part)
		if !ok {
			return nil, false
		}
		if either {
			for _, n := range next {
				if n != nil || !slices.ContainsFunc(out, func(o []term) bool { return o == nil }) {
					out = append(out, n)
				}
			}
		} else {
			out = product(out, next)
		}
		if len(out) > maxConjuncts {
			return nil, false
		}
	}
	return out, true
}

func product(a, b [][]term) (out [][]term) {
	for _, x := range a {
		for _, y := range b {
			if len(out) > maxConjuncts {
				return out
			}
			out = append(out, append(slices.Clip(x), y...))
		}
	}
	return out
}

// shape is what a text must hold to meet comparisons.
type shape struct {
	edges
	within []string
	size   int // the least length, in bytes
}

// take adds a comparison. Of a pattern it takes an example: the shortest, or the one with every choice
// taken the other way.
func (s *shape) take(op expression.Op, t string, other bool) {
	head, tail := func(t string) { s.head = longer(s.head, t) }, func(t string) { s.tail = longer(s.tail, t) }
	switch op {
	case expression.Contains:
		s.within = append(s.within, t)
	case expression.Matches:
		examples := matching(t)
		if len(examples) == 0 {
			return
		}
		example := examples[0]
		if other {
			example = examples[len(examples)-1]
		}
		switch {
		case strings.HasPrefix(strings.TrimPrefix(t, "(?i)"), "^"):
			head(example)
		case strings.HasSuffix(t, "$"):
			tail(example)
		default:
			s.within = append(s.within, example)
		}
	case expression.Wildcard, expression.StrictWildcard:
		fixed := strings.Split(t, "*")
		head(fixed[0])
		if n := len(fixed); n > 1 {
			tail(fixed[n-1])
			s.within = append(s.within, fixed[1:n-1]...)
		}
	case "ends_with":
		tail(t)
	default:
		head(t)
	}
}

// text returns a text of the shape, with sep between its pieces.
func (s *shape) text(sep string) string {
	out := s.head + sep
	for _, w := range s.within {
		out += w + sep
	}
	if n := s.size - len(out) - len(s.tail); n > 0 {
		out += strings.Repeat("a", n)
	}
	return out + s.tail
}

// compared returns the comparison of a leaf with texts; for any() and all() that of one value.
func compared(e expression.Expr) (left expression.Operand, op expression.Op, texts []string) {
	switch e := e.(type) {
	case expression.Test:
		return e.Left, e.Op, textsOf(e.Right)
	case expression.Flag:
		c, _ := e.Value.(expression.Call)
		switch {
		case (c.Name == "any" || c.Name == "all") && len(c.Args) == 1:
			if n, ok := c.Args[0].(expression.Nested); ok {
				return compared(n.X)
			}
		case len(c.Args) == 2:
			return c.Args[0], expression.Op(c.Name), textsOf(c.Args[1])
		}
	}
	return nil, "", nil
}

// sized returns the length that meets a comparison of a length.
func sized(e expression.Expr) (size int, is bool) {
	t, _ := e.(expression.Test)
	c, _ := t.Left.(expression.Call)
	if c.Name != "len" {
		return 0, false
	}
	switch r := t.Right.(type) {
	case expression.Number:
		size = int(min(r, maxSize))
		if t.Op == expression.Gt || t.Op == expression.Ne {
			size++
		}
		if t.Op == expression.Lt {
			size = 0
		}
	case expression.Set:
		for _, o := range r {
			switch o := o.(type) {
			case expression.Number:
				size = int(min(o, maxSize))
			case expression.Numbers:
				size = int(min(o.Lo, maxSize))
			}
		}
	}
	return size, true
}

// witnesses returns texts that are likely to meet terms together.
func witnesses(terms []term) (out []string) {
	for _, other := range []bool{false, true} {
		var s shape
		for _, t := range terms {
			if t.not {
				continue
			}
			if size, is := sized(t.leaf.leaf); is {
				s.size = max(s.size, size)
				continue
			}
			if _, op, texts := compared(t.leaf.leaf); len(texts) > 0 {
				s.take(op, texts[0], other)
			}
		}
		for _, sep := range []string{"", fresh} {
			if t := s.text(sep); !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// beyond is a value of a part that stands for values nobody could construct. Leaves are undecided for
// it, but for those that it is made for.
type beyond struct{}

// maxBeyond bounds how many such values a part gets for alternatives of their own.
const maxBeyond = 20

// asked is what conditions ask of one part: alternatives, each a list of leaves that must hold together.
type asked struct {
	alternatives [][]term
	cut          bool // there are more
}

func (s *space) asks(part int, texts []string) (out asked) {
	for _, text := range texts {
		of, ok := conjuncts(s.conds[text], false, part)
		out.cut = out.cut || !ok
		for _, terms := range of {
			if len(terms) > 0 {
				out.alternatives = append(out.alternatives, terms)
			}
		}
	}
	return out
}

// witness gives each alternative of each condition that no value of a part meets, and that is not
// impossible, a value of its own. So a condition is never taken for one that no request meets because
// no such request was found.
func (s *space) witness(asks []asked, leaves [][]*cond) {
	for i, of := range asks {
		all := of.cut // some alternative gets no value of its own
		lost := slices.DeleteFunc(of.alternatives, func(terms []term) bool { return s.met(terms) || s.impossible(i, terms) })
		if len(lost) > maxBeyond {
			lost, all = lost[:maxBeyond], true
		}
		for _, terms := range lost {
			s.beyond(i, leaves[i], terms)
		}
		if all {
			s.beyond(i, leaves[i], nil)
		}
	}
}

// beyond adds a value to a part that perhaps meets terms: the first is undecided. So are other leaves,
// unless they name whole texts, none of which meets the terms.
func (s *space) beyond(part int, leaves []*cond, terms []term) {
	s.parts[part].values = append(s.parts[part].values, beyond{})
	for _, c := range leaves {
		if c.each == nil {
			continue
		}
		v := truth.Undecided
		left, op, texts := compared(c.leaf)
		_, plain := left.(expression.Field)
		i := slices.IndexFunc(terms, func(t term) bool { return t.leaf == c })
		switch {
		case i > 0:
			v = truth.Is(!terms[i].not)
		case i == 0 || len(terms) == 0 || !plain || s.parts[part].several:
		case slices.ContainsFunc(texts, func(text string) bool { return s.holds(s.parts[part], text, terms) }):
		case op == expression.Eq, op == expression.In:
			v = truth.No
		case op == expression.Ne:
			v = truth.Yes
		}
		c.each = append(c.each, v)
	}
}

// met reports whether some value of a part may meet all terms.
func (s *space) met(terms []term) bool {
	for j := range terms[0].leaf.each {
		if !slices.ContainsFunc(terms, func(t term) bool { return t.leaf.each[j] == truth.Is(t.not) }) {
			return true
		}
	}
	return false
}

// impossible reports whether certainly no value of a part meets all terms. Numbers, addresses and
// booleans are complete: each boundary is among the values.
func (s *space) impossible(part int, terms []term) bool {
	p := s.parts[part]
	if !p.texts {
		return !p.cut && !(p.several && s.apart(p, terms))
	}
	var ends edges
	for i, t := range terms {
		if slices.ContainsFunc(terms[:i], func(o term) bool { return o.not != t.not && reflect.DeepEqual(o.leaf.leaf, t.leaf.leaf) }) ||
			!t.not && slices.ContainsFunc(expression.FieldsOf(t.leaf.leaf), misspelt) {
			return true
		}
		left, op, texts := compared(t.leaf.leaf)
		c, isCall := left.(expression.Call)
		switch {
		case p.several || len(texts) == 0:
		case t.not:
			if everything(p, op, texts[0]) {
				return true
			}
		case isCall:
			if !keeps(c, texts) {
				return true
			}
		case op == expression.Eq, op == expression.In:
			return !slices.ContainsFunc(texts, func(text string) bool { return fitting(p.name)(text) == text && s.holds(p, text, terms) })
		default:
			if p.name == partPath && !ofPath(op, texts[0]) || !ends.take(op, texts[0]) {
				return true
			}
		}
	}
	return false
}

// edges are the longest beginning and end that a text must have.
type edges struct{ head, tail string }

// take adds a comparison; it is false when no text has both edges.
func (e *edges) take(op expression.Op, t string) bool {
	if op == expression.Matches {
		op, t = "starts_with", anchored(t)
	}
	switch {
	case op == "starts_with" && !prefixed(e.head, t), op == "ends_with" && !strings.HasSuffix(e.tail, t) && !strings.HasSuffix(t, e.tail):
		return false
	case op == "starts_with":
		e.head = longer(e.head, t)
	case op == "ends_with":
		e.tail = longer(e.tail, t)
	}
	return true
}

// apart reports whether each term of a field with several values may be met by a value of its own, which
// is also one that the terms about all values allow.
func (s *space) apart(p part, terms []term) bool {
	about := func(t term) bool { // all values, and not some
		f, _ := t.leaf.leaf.(expression.Flag)
		c, _ := f.Value.(expression.Call)
		return (c.Name == "all") != t.not
	}
	var every []term
	for _, t := range terms {
		if about(t) {
			every = append(every, t)
		}
	}
	for _, t := range terms {
		if !about(t) && !slices.ContainsFunc(p.values, func(v any) bool {
			one, is := v.([]int64)
			return is && len(one) == 1 && s.holds(p, v, append(every, t))
		}) {
			return false
		}
	}
	return true
}

// holds reports whether a value of a part may meet all terms.
func (s *space) holds(p part, v any, terms []term) bool {
	return !slices.ContainsFunc(terms, func(t term) bool { return s.decide(t.leaf.leaf, s.base.with(p.name, v)) == truth.Is(t.not) })
}

// keeps reports whether the result of lower or upper can hold one of the texts.
func keeps(c expression.Call, texts []string) bool {
	strange := ""
	switch c.Name {
	case "lower":
		strange = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	case "upper":
		strange = "abcdefghijklmnopqrstuvwxyz"
	}
	return strange == "" || slices.ContainsFunc(texts, func(t string) bool { return !strings.ContainsAny(t, strange) })
}

// everything reports whether a comparison holds for each value of a part.
func everything(p part, op expression.Op, t string) bool {
	if p.name == partPath && t != "/" {
		t = strings.TrimPrefix(strings.TrimPrefix(t, "^"), "/")
	}
	switch op {
	case expression.Wildcard, expression.StrictWildcard:
		return t != "" && strings.Trim(t, "*") == ""
	case expression.Contains, "starts_with":
		return t == "" || p.name == partPath && t == "/"
	case "ends_with":
		return t == ""
	case expression.Matches:
		return slices.Contains([]string{"", "^", ".*", "^.*", "^.*$"}, t)
	}
	return false
}

// ofPath reports whether a path may be as a comparison asks: it begins with a slash and holds no question
// mark.
func ofPath(op expression.Op, t string) bool {
	switch op {
	case expression.Wildcard, expression.StrictWildcard:
		return prefixed("/", strings.Split(t, "*")[0])
	case "starts_with":
		return prefixed("/", t)
	case expression.Matches:
		return prefixed("/", anchored(t))
	case expression.Contains:
		return !strings.Contains(t, "?")
	}
	return true
}

// anchored returns the text that begins whatever matches a pattern, "" when that is not known.
func anchored(pattern string) string {
	rest, begins := strings.CutPrefix(pattern, "^")
	re, err := expression.Pattern(rest)
	if !begins || err != nil || strings.Contains(rest, "|") {
		return ""
	}
	prefix, _ := re.LiteralPrefix()
	return prefix
}

func prefixed(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}
