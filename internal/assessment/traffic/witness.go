package traffic

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

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
		all, n := of.cut, 0 // all is set when some alternative gets no value of its own
		for _, terms := range of.alternatives {
			switch {
			case s.met(terms) || s.found(i, leaves[i], terms):
			case n == maxBeyond:
				all = true
			default:
				s.beyond(i, leaves[i], terms)
				n++
			}
		}
		if all {
			s.beyond(i, leaves[i], nil)
		}
		s.cross(i, leaves[i])
	}
}

// Bounds on the comparisons of one text: how many are tried in every combination, and how many in pairs.
const (
	maxCombined = 6
	maxPaired   = 30
)

// cross gives every combination of comparisons of one text a value, or every pair when there are many:
// conditions of different rules may hold together.
func (s *space) cross(part int, leaves []*cond) {
	var of []*cond
	for _, c := range leaves {
		if c.each != nil && !slices.ContainsFunc(of, func(o *cond) bool { return reflect.DeepEqual(o.leaf, c.leaf) }) {
			if of = append(of, c); len(of) > maxPaired {
				return
			}
		}
	}
	if p := s.parts[part]; !p.texts || p.several {
		return
	}
	has := func(terms []term) bool { return s.met(terms) || s.found(part, leaves, terms) && s.met(terms) }
	if len(of) > maxCombined {
		for i, a := range of {
			for _, b := range of[:i] {
				has([]term{{a, false}, {b, false}})
				has([]term{{a, false}, {b, true}})
				has([]term{{a, true}, {b, false}})
			}
		}
		return
	}
	combined := [][]term{nil}
	for _, c := range of {
		var next [][]term
		for _, terms := range combined {
			for _, not := range []bool{false, true} {
				if more := append(slices.Clone(terms), term{c, not}); has(more) {
					next = append(next, more)
				}
			}
		}
		combined = next
	}
}

// found reports whether a value that meets terms was found and added to a part, or there certainly is none.
// Numbers, addresses and booleans are complete: each boundary is among the values.
func (s *space) found(part int, leaves []*cond, terms []term) bool {
	p := s.parts[part]
	if !p.texts {
		return !p.cut && !(p.several && s.apart(p, terms))
	}
	for i, t := range terms {
		if !t.not && slices.ContainsFunc(expression.FieldsOf(t.leaf.leaf), misspelt) ||
			slices.ContainsFunc(terms[:i], func(o term) bool { return o.not != t.not && reflect.DeepEqual(o.leaf.leaf, t.leaf.leaf) }) {
			return true
		}
	}
	if p.several {
		var each []string
		for _, t := range terms {
			if of := s.text(p, []term{t}); of.is {
				each = append(each, of.text)
			}
		}
		return s.adds(part, leaves, each, terms)
	}
	for _, t := range terms {
		if left, op, texts := compared(t.leaf.leaf); !t.not && (op == expression.Eq || op == expression.In) {
			if f, _ := left.(expression.Field); fieldName(f) == p.name && len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool {
				return fitting(p.name)(text) == text && s.holds(p, text, terms)
			}) {
				return true // each text that is named is among the values
			}
		}
	}
	of := s.text(p, terms)
	return of.none || of.is && s.adds(part, leaves, of.text, terms)
}

// text returns the shortest text that meets terms.
func (s *space) text(p part, terms []term) solution {
	key := p.name
	for _, t := range terms {
		key += fmt.Sprintf(" %t %#v", t.not, t.leaf.leaf)
	}
	return s.solved(key, func() solution {
		var all []*language
		for _, t := range terms {
			if l := languageOf(p.name, t.leaf.leaf, t.not); l != nil {
				all = append(all, l)
			}
		}
		complete := len(all) == len(terms)
		if p.name == partPath {
			all = append(all, (&language{}).compiled(`^/[^?]*$`))
		}
		out := together(all)
		out.is = out.is && complete
		return out
	})
}

// Texts keeps the texts found to meet comparisons. They follow from the comparisons alone, so zones with the same rules
// share them. It is safe for concurrent use.
type Texts struct {
	mu    sync.Mutex
	found map[string]solution // by what was to be met
}

// maxTexts bounds the texts that are kept, with what they meet to some megabytes.
const maxTexts = 10_000

// of returns a solution that was worked out before, or works it out.
func (t *Texts) of(key string, work func() solution) solution {
	t.mu.Lock()
	out, known := t.found[key]
	t.mu.Unlock()
	if known {
		return out
	}
	out = work()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.found == nil {
		t.found = map[string]solution{}
	}
	if len(t.found) < maxTexts {
		t.found[key] = out
	}
	return out
}

// solved returns a solution while allSteps last, which do not depend on what was worked out before.
func (s *space) solved(key string, work func() solution) solution {
	if s.steps > allSteps {
		return solution{}
	}
	out := s.z.of.solved.of(key, work)
	s.steps += out.steps
	return out
}

// address adds path and query of addresses that meet a comparison with both: by the path, and by the query. It reports
// whether it found one, or there certainly is none.
func (s *space) address(leaf expression.Expr, seen map[string]*samples) bool {
	none, one := true, false
	of, prefixes := "http.request.uri", []string{""}
	if f, _ := fieldOf(leftOf(leaf)); fieldName(f) == "http.request.full_uri" {
		of, prefixes = fieldName(f), []string{"https://" + s.base.Host, "http://" + s.base.Host}
	}
	for _, prefix := range prefixes {
		for _, rest := range []string{`/[^?]*`, `/\?(?s:.+)`} {
			pattern := "^" + regexp.QuoteMeta(prefix) + rest + "$"
			found := s.solved(fmt.Sprintf("%q %#v", pattern, leaf), func() solution {
				l := languageOf(of, leaf, false)
				if l == nil {
					return solution{}
				}
				return together([]*language{l, (&language{}).compiled(pattern)})
			})
			if none = none && found.none; found.is {
				one = true
				path, query, _ := strings.Cut(strings.TrimPrefix(found.text, prefix), "?")
				sampled(seen, partPath).add(fitting(partPath)(path))
				sampled(seen, partQuery).add(query)
			}
		}
	}
	return one || none
}

// adds gives a part one more value, if that meets terms.
func (s *space) adds(part int, leaves []*cond, v any, terms []term) bool {
	if !s.holds(s.parts[part], v, terms) {
		return false
	}
	s.parts[part].values = append(s.parts[part].values, v)
	for _, c := range leaves {
		if c.each != nil {
			c.each = append(c.each, s.decide(c.leaf, s.base.with(s.parts[part].name, v)))
		}
	}
	return true
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
