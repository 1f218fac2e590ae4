package traffic

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"net/netip"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// space is the set of requests to the hosts of one class. Each part of a request that a rule reads
// has only the few values that the rules distinguish, so a box (some values for each part) stands
// for all requests of its kind.
type space struct {
	z     *zone
	base  Request
	parts []part
	index map[string]int
	conds map[string]*cond
	blur  bool // what conditions say of the host is undecided: its class is cut
	bound int  // on the number of boxes; beyond it conditions are undecided
	asked Request
	env   expression.Env // of asked
	spare []uint64
	steps int // tried to find texts, of allSteps
}

// part is a part of a request with its values. In a box, its values are the bits of the words in
// [first, last).
type part struct {
	name                string
	values              []any
	first, last         int
	texts, cut, several bool // of its samples
}

// cond is a condition as a tree over leaves. A leaf is a comparison; each holds its truth for every
// value when it reads one part.
type cond struct {
	op    string // "and", "or", "xor", "not", "leaf", "is"
	terms []*cond
	is    truth.Value
	leaf  expression.Expr
	parts []int
	each  []truth.Value
	sets  [3][]uint64 // for a leaf that reads one part: the values for which it is false, true and undecided
}

// box holds, for each part, one bit per possible value.
type box []uint64

// Bounds on the number of boxes that an aspect distinguishes: per class of hosts, for all classes
// of a zone, and the minimum each class gets.
const (
	maxBoxes = 3000
	allBoxes = 8000
	minBoxes = 100
)

// space returns the space of a class. Many aspects read the same rules, so it is prepared once.
func (z *zone) space(c class, texts []string) *space {
	key := spaceKey{actual(c.hosts[0].Name), c.cut, z.only, strings.Join(texts, "\n")}
	s, ok := z.of.spaces[key]
	if !ok {
		s = newSpace(z, c, texts)
		z.of.spaces[key] = s
	}
	return s
}

type spaceKey struct {
	host  string
	cut   bool
	only  only
	texts string
}

// newSpace prepares the conditions of the rules for requests to a host.
func newSpace(z *zone, c class, texts []string) *space {
	host := actual(c.hosts[0].Name)
	s := &space{z: z, blur: c.cut, base: Request{Host: host}, index: map[string]int{}, conds: map[string]*cond{}}
	s.env = z.env(&s.asked)
	parsed := map[string]expression.Expr{}
	seen := map[string]*samples{}
	for _, text := range texts {
		if _, done := parsed[text]; done {
			continue
		}
		e := z.parse(text)
		if e != nil && !c.cut && z.settled(e, host) == truth.No {
			e = expression.Literal(false) // a rule for other hosts
		}
		if e != nil {
			e = split(e, host)
		}
		if parsed[text] = e; e != nil {
			gather(e, z, seen)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		s.index[name] = len(s.parts)
		s.parts = append(s.parts, part{name: name})
	}
	for text, e := range parsed {
		if e == nil {
			s.conds[text] = &cond{op: "is", is: truth.Undecided}
			continue
		}
		s.conds[text] = s.compile(e)
	}
	sorted := slices.Sorted(maps.Keys(s.conds))
	leaves, asks := s.leaves(sorted), make([]asked, len(s.parts))
	sure := s.sample(seen, leaves)
	for _, of := range leaves {
		for _, c := range of {
			s.fill(c)
		}
	}
	for i := range asks {
		asks[i] = s.asks(i, sorted)
	}
	if !sure {
		path := s.index[partPath]
		s.beyond(path, leaves[path], nil)
	}
	s.witness(asks, leaves)
	s.reduce(leaves)
	return s
}

// sample chooses the values of the parts, and reports whether each comparison with path and query at once is met by
// some of them, or certainly by none at all.
func (s *space) sample(seen map[string]*samples, leaves [][]*cond) (sure bool) {
	var unsure []*cond
	if path, reads := s.index[partPath]; reads {
		for _, c := range leaves[path] {
			if len(c.parts) > 1 && !s.address(c.leaf, seen) {
				unsure = append(unsure, c)
			}
		}
	}
	for i := range s.parts {
		p, of := &s.parts[i], seen[s.parts[i].name]
		p.texts, p.several = of.texts(), of.several
		p.values, p.cut = of.all(fitting(p.name))
		if p.name == partSource && !s.z.only.from(s.z) {
			p.values = slices.DeleteFunc(p.values, private)
		}
	}
	return !slices.ContainsFunc(unsure, func(c *cond) bool { return !s.jointly(c) })
}

const partSource = "ip.src"

// private reports whether a value is an address from which no request comes.
func private(v any) bool {
	a, is := v.(netip.Addr)
	_, public := exposure.FirstPublic(a, a)
	return is && !public
}

// from reports whether the requests that are considered have a certain source, whatever that is.
func (o only) from(z *zone) bool {
	e := z.parse(o.condition)
	return o.condition != "" && e != nil && slices.Contains(expression.Fields(e), partSource)
}

// jointly reports whether one of the first combinations of the values of its parts meets a leaf.
func (s *space) jointly(c *cond) bool {
	return slices.ContainsFunc(s.combined(s.base, c.parts), func(r Request) bool { return s.decide(c.leaf, r) == truth.Yes })
}

// combined returns a request with the first combinations of the values of parts.
func (s *space) combined(r Request, parts []int) []Request {
	requests := []Request{r}
	for _, p := range parts {
		var next []Request
		for _, r := range requests {
			for _, v := range s.parts[p].values {
				if v != any(beyond{}) && len(next) < maxTried {
					next = append(next, r.with(s.parts[p].name, v))
				}
			}
		}
		requests = next
	}
	return requests
}

// leaves lists, for each part, the leaves that read it.
func (s *space) leaves(texts []string) [][]*cond {
	out := make([][]*cond, len(s.parts))
	var walk func(c *cond)
	walk = func(c *cond) {
		for _, t := range c.terms {
			walk(t)
		}
		for _, i := range c.parts {
			out[i] = append(out[i], c)
		}
	}
	for _, text := range texts {
		walk(s.conds[text])
	}
	return out
}

// fill decides a leaf that reads one part for each value of the part.
func (s *space) fill(c *cond) {
	if len(c.parts) != 1 {
		return
	}
	p := s.parts[c.parts[0]]
	c.each = make([]truth.Value, len(p.values))
	for i, v := range p.values {
		c.each[i] = s.decide(c.leaf, s.base.with(p.name, v))
	}
}

// fitting returns a function that makes a text valid as a value of a part.
func fitting(name string) func(string) string {
	if name != partPath {
		return func(t string) string { return t }
	}
	return func(t string) string {
		if scheme, rest, ok := strings.Cut(t, "://"); ok && !strings.Contains(scheme, "/") {
			_, t, _ = strings.Cut(rest, "/")
		}
		t, _, _ = strings.Cut(t, "?")
		return "/" + strings.TrimPrefix(t, "/")
	}
}

// whole is the box of all requests of the class.
func (s *space) whole() box {
	var b box
	for _, p := range s.parts {
		words := make([]uint64, p.last-p.first)
		for j := range p.values {
			words[j/64] |= 1 << (j % 64)
		}
		b = append(b, words...)
	}
	return b
}

// values returns the words of a box that belong to a part.
func (s *space) values(b box, part int) []uint64 { return b[s.parts[part].first:s.parts[part].last] }

// lowest returns the index of the first possible value.
func lowest(words []uint64) int {
	for i, w := range words {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return 0
}

// single reports whether exactly one value is possible.
func single(words []uint64) bool {
	n := 0
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n == 1
}

// meets reports whether two sets of values intersect.
func meets(a, b []uint64) bool {
	for i, w := range a {
		if w&b[i] != 0 {
			return true
		}
	}
	return false
}

// request returns one request of a box.
func (s *space) request(b box) Request {
	r := s.base
	if r.Path == "" {
		r.Path = "/"
	}
	r.Fields = make(map[string]any, len(s.parts)+len(s.base.Fields))
	maps.Copy(r.Fields, s.base.Fields)
	for i, p := range s.parts {
		if v := p.values[lowest(s.values(b, i))]; v != any(beyond{}) {
			r.set(p.name, v)
		}
	}
	return r
}

func (s *space) compile(e expression.Expr) *cond {
	join := func(op string, terms []expression.Expr) *cond {
		c := &cond{op: op}
		for _, t := range terms {
			c.terms = append(c.terms, s.compile(t))
		}
		return c
	}
	switch e := e.(type) {
	case expression.Literal:
		return &cond{op: "is", is: truth.Is(bool(e))}
	case expression.Not:
		return join("not", []expression.Expr{e.X})
	case expression.And:
		return join("and", e.Terms)
	case expression.Or:
		return join("or", e.Terms)
	case expression.Xor:
		return join("xor", e.Terms)
	}
	c := &cond{op: "leaf", leaf: e}
	for _, name := range partsRead(e) {
		if i, ok := s.index[name]; ok {
			c.parts = append(c.parts, i)
		}
	}
	if len(c.parts) == 0 {
		if s.blur && slices.ContainsFunc(expression.FieldsOf(e), func(f expression.Field) bool { return fieldName(f) == partHost }) {
			return &cond{op: "is", is: truth.Undecided}
		}
		return &cond{op: "is", is: s.decide(e, s.base)}
	}
	return c
}

// decide evaluates a leaf for one request.
func (s *space) decide(e expression.Expr, r Request) truth.Value {
	if name, opaque := opaqueName(e); opaque {
		v, _ := r.lookup(name)
		b, known := v.(bool)
		return truth.If(known, b)
	}
	s.asked = r
	return expression.Eval(e, s.env)
}

// reduce drops, part by part, the values that no leaf distinguishes.
func (s *space) reduce(leaves [][]*cond) {
	for i := range s.parts {
		var keep []int
		signs := map[string]bool{}
		// Values that cannot be told apart by trying are all kept.
		all := slices.ContainsFunc(leaves[i], func(c *cond) bool { return c.each == nil && s.joint(c, i) > maxJoint })
		for j := range s.parts[i].values {
			if all {
				keep = append(keep, j)
				continue
			}
			var sign strings.Builder
			for _, c := range leaves[i] {
				if c.each != nil {
					sign.WriteByte('0' + byte(c.each[j]))
				} else {
					s.sign(&sign, c, i, j)
				}
			}
			if !signs[sign.String()] {
				signs[sign.String()] = true
				keep = append(keep, j)
			}
		}
		values := make([]any, len(keep))
		for n, j := range keep {
			values[n] = s.parts[i].values[j]
		}
		s.parts[i].values = values
		for _, c := range leaves[i] {
			if c.each == nil {
				continue
			}
			each := make([]truth.Value, len(keep))
			sets := make([]uint64, 3*words(len(keep)))
			for v := range c.sets {
				c.sets[v] = sets[v*words(len(keep)) : (v+1)*words(len(keep))]
			}
			for n, j := range keep {
				each[n] = c.each[j]
				c.sets[each[n]][n/64] |= 1 << (n % 64)
			}
			c.each = each
		}
	}
	at := 0
	for i := range s.parts {
		p := &s.parts[i]
		p.first, at = at, at+words(len(p.values))
		p.last = at
	}
}

// words returns how many words hold one bit per value.
func words(values int) int { return (values + 63) / 64 }

// maxTried bounds the combinations of the values of several parts; it is above maxJoint.
const maxTried = 2_000

// maxJoint bounds the number of combinations with other parts for which a value is tried.
const maxJoint = 64

// joint returns how many combinations of values of its other parts a leaf has.
func (s *space) joint(c *cond, part int) int {
	n := 1
	for _, p := range c.parts {
		if p != part {
			n *= len(s.parts[p].values)
		}
	}
	return n
}

// sign writes the truth of a leaf that reads several parts for one value of a part, combined with
// all values of the others.
func (s *space) sign(to *strings.Builder, c *cond, part, value int) {
	if s.parts[part].values[value] == any(beyond{}) {
		to.WriteByte('0' + byte(truth.Undecided))
		return
	}
	others := slices.DeleteFunc(slices.Clone(c.parts), func(p int) bool { return p == part })
	for _, r := range s.combined(s.base.with(s.parts[part].name, s.parts[part].values[value]), others) {
		to.WriteByte('0' + byte(s.decide(c.leaf, r)))
	}
}

// judge decides a condition for a box. When the requests of the box differ, split is a leaf that
// separates them.
func (s *space) judge(c *cond, b box) (v truth.Value, split *cond) {
	switch c.op {
	case "is":
		return c.is, nil
	case "not":
		v, split = s.judge(c.terms[0], b)
		return truth.Not(v), split
	case "leaf":
		return s.judgeLeaf(c, b)
	}
	end, short := truth.Is(c.op == "or"), c.op != "xor"
	out, odd := truth.Not(end), truth.No
	for _, t := range c.terms {
		v, on := s.judge(t, b)
		switch {
		case on != nil:
			if split == nil {
				split = on
			}
		case short && v == end:
			return v, nil
		case v == truth.Undecided:
			out, odd = v, v
		case !short && odd != truth.Undecided:
			odd = truth.Is((odd == truth.Yes) != (v == truth.Yes))
		}
	}
	if !short {
		out = odd
	}
	return out, split
}

func (s *space) judgeLeaf(c *cond, b box) (truth.Value, *cond) {
	if c.each != nil {
		out, kinds, values := truth.No, 0, s.values(b, c.parts[0])
		for v, set := range c.sets {
			if meets(values, set) {
				out = truth.Value(v)
				kinds++
			}
		}
		if kinds > 1 {
			return truth.Undecided, c
		}
		return out, nil
	}
	known := true
	for _, p := range c.parts {
		if !single(s.values(b, p)) {
			return truth.Undecided, c
		}
		known = known && s.parts[p].values[lowest(s.values(b, p))] != any(beyond{})
	}
	if !known {
		return truth.Undecided, nil
	}
	return s.decide(c.leaf, s.request(b)), nil
}

// clone copies a box. Boxes are many and small, so they are allocated 128 at a time.
func (s *space) clone(b box) box {
	if len(s.spare) < len(b) {
		s.spare = make([]uint64, 128*len(b))
	}
	out := box(s.spare[:len(b):len(b)])
	s.spare = s.spare[len(b):]
	copy(out, b)
	return out
}

// cutAt returns the part by which a leaf divides a box.
func (s *space) cutAt(c *cond, b box) int {
	for _, p := range c.parts {
		if !single(s.values(b, p)) {
			return p
		}
	}
	return c.parts[0]
}

// pieces returns into how many boxes a leaf cuts a box.
func (s *space) pieces(c *cond, b box) (n int) {
	values := s.values(b, s.cutAt(c, b))
	if c.each == nil {
		for _, w := range values {
			n += bits.OnesCount64(w)
		}
		return n
	}
	for _, set := range c.sets {
		if meets(values, set) {
			n++
		}
	}
	return n
}

// cut divides a box by a leaf into boxes within which the leaf, or one of its parts, is settled,
// and appends them to to.
func (s *space) cut(c *cond, b box, to []box) []box {
	p := s.cutAt(c, b)
	values, first := s.values(b, p), s.parts[p].first
	if c.each != nil {
		for _, set := range c.sets {
			if meets(values, set) {
				next := s.clone(b)
				for i, w := range set {
					next[first+i] &= w
				}
				to = append(to, next)
			}
		}
		return to
	}
	for j := range s.parts[p].values {
		if values[j/64]&(1<<(j%64)) != 0 {
			next := s.clone(b)
			clear(s.values(next, p))
			next[first+j/64] = 1 << (j % 64)
			to = append(to, next)
		}
	}
	return to
}

// state is a lane under construction.
type state[T any] struct {
	boxes  []box
	merged int // how many boxes there were after the last merge
	value  T
}

// apply lets a rule act on the lanes that meet its condition: hit where they certainly do, maybe
// where they perhaps do. The pieces of a lane whose values have the same key afterwards stay one
// lane.
func apply[T any, K comparable](s *space, lanes []state[T], text string, hit, maybe func(T) T, key func(T) K) []state[T] {
	c := s.conds[text]
	if c.op == "is" && c.is == truth.No {
		return lanes
	}
	out := make([]state[T], 0, 2*len(lanes))
	total := 0
	for _, l := range lanes {
		total += len(l.boxes)
	}
	var todo []box
	for _, l := range lanes {
		places := [3]int{-1, -1, -1} // where the boxes of the lane go, by the truth of the condition
		from := len(out)
		place := func(v truth.Value) *state[T] {
			if places[v] < 0 {
				next := l.value
				switch v {
				case truth.Yes:
					next = hit(next)
				case truth.Undecided:
					next = maybe(next)
				}
				i := slices.IndexFunc(out[from:], func(o state[T]) bool { return key(o.value) == key(next) })
				if i < 0 {
					i = len(out) - from
					out = append(out, state[T]{value: next, boxes: make([]box, 0, len(l.boxes)), merged: l.merged})
				}
				places[v] = from + i
			}
			return &out[places[v]]
		}
		if k := key(l.value); key(hit(l.value)) == k && key(maybe(l.value)) == k {
			out = append(out, l)
			continue
		}
		if v, alike := s.alike(c, l.boxes); alike {
			next := l
			switch v {
			case truth.Yes:
				next.value = hit(l.value)
			case truth.Undecided:
				next.value = maybe(l.value)
			}
			out = append(out, next)
			continue
		}
		todo = append(todo[:0], l.boxes...)
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			v, split := s.judge(c, b)
			if split != nil {
				if n := s.pieces(split, b); total+n <= s.bound {
					total += n - 1
					todo = s.cut(split, b, todo)
					continue
				}
				v = truth.Undecided
			}
			to := place(v)
			to.boxes = append(to.boxes, b)
		}
	}
	return out
}

// alike reports whether a condition has the same truth for all requests of some boxes.
func (s *space) alike(c *cond, boxes []box) (truth.Value, bool) {
	out := truth.No
	for i, b := range boxes {
		v, split := s.judge(c, b)
		if split != nil || i > 0 && v != out {
			return out, false
		}
		out = v
	}
	return out, true
}

// minMerged is the number of boxes of a lane below which merging them takes more than it saves.
const minMerged = 8

// joined merges lanes with the same key, and the boxes of those that grew.
func joined[T any, K comparable](s *space, lanes []state[T], key func(T) K) []state[T] {
	at := map[K]int{}
	out := make([]state[T], 0, len(lanes))
	for _, l := range lanes {
		k := key(l.value)
		i, ok := at[k]
		if !ok {
			at[k] = len(out)
			out = append(out, l)
			continue
		}
		out[i].boxes, out[i].merged = slices.Concat(out[i].boxes, l.boxes), 0
	}
	for i, l := range out {
		if len(l.boxes) > max(minMerged, 2*l.merged) {
			out[i].boxes = s.merge(l.boxes)
			out[i].merged = len(out[i].boxes)
		}
	}
	return out
}

// merge unites boxes that differ in one part only.
func (s *space) merge(boxes []box) []box {
	for before := 0; before != len(boxes) && len(boxes) > 1; {
		before = len(boxes)
		for _, p := range s.parts {
			at := make(map[string]box, len(boxes)) // by the values of the other parts
			kept := boxes[:0:0]
			for _, b := range boxes {
				var others []byte
				for _, w := range slices.Concat(b[:p.first], b[p.last:]) {
					others = binary.NativeEndian.AppendUint64(others, w)
				}
				with, ok := at[string(others)]
				if !ok {
					with = s.clone(b)
					at[string(others)], kept = with, append(kept, with)
				}
				for i := p.first; i < p.last; i++ {
					with[i] |= b[i]
				}
			}
			boxes = kept
		}
	}
	return boxes
}

// env returns what is known about a request to the zone.
func (z *zone) env(r *Request) expression.Env {
	return expression.Env{
		Field: func(f expression.Field) (any, bool) {
			switch f.Name {
			case "cf.zone.name":
				return z.Name, !z.International()
			case "cf.zone.plan":
				word := z.PlanWord()
				return word, word != ""
			}
			return r.field(f)
		},
		Listed:   func(name string, v any) truth.Value { return z.listed(name, v, *r) },
		Patterns: z.of.patterns,
	}
}

// parse parses an expression once per zone; nil when it is invalid.
func (z *zone) parse(text string) expression.Expr {
	e, done := z.of.parsed[text]
	if !done {
		var err error
		if e, err = expression.Parse(text); err != nil {
			e = nil
		} else if z.International() && strings.Contains(text, "cf.zone.name") {
			e = z.nameSettled(e)
		}
		z.of.parsed[text] = e
	}
	return e
}

// nameSettled replaces conditions on the name of an international zone that are the same for both of its forms: no page says
// which one Cloudflare compares with.
func (z *zone) nameSettled(e expression.Expr) expression.Expr {
	settled := exposure.OfZone(z.Zone)
	return expression.Fold(e, expression.Algebra[expression.Expr]{
		Leaf: func(e expression.Expr, negated bool) expression.Expr {
			if fact := settled(e); slices.Contains(expression.Fields(e), "cf.zone.name") && (fact == exposure.Always || fact == exposure.Never) {
				return expression.Literal((fact == exposure.Always) != negated)
			}
			if negated {
				return expression.Not{X: e}
			}
			return e
		},
		And: func(all ...expression.Expr) expression.Expr { return expression.And{Terms: all} },
		Or:  func(all ...expression.Expr) expression.Expr { return expression.Or{Terms: all} },
	})
}

// settled returns the truth of a condition for every request to a host, or Undecided when it
// depends on more than the host.
func (z *zone) settled(e expression.Expr, host string) truth.Value {
	env := z.env(&Request{Host: host})
	return expression.Eval(e, expression.Env{
		Field: func(f expression.Field) (any, bool) {
			if name := fieldName(f); !constant(name) {
				return nil, false
			}
			return env.Field(f)
		},
		Listed:   func(string, any) truth.Value { return truth.Undecided },
		Patterns: z.of.patterns,
	})
}

// listed returns whether a value is in a list. The content of Cloudflare's managed lists is not
// known: a request is in one or is not.
func (z *zone) listed(name string, v any, r Request) truth.Value {
	if strings.HasPrefix(name, "cf.") {
		v, _ := r.lookup("$" + name)
		b, known := v.(bool)
		return truth.If(known, b)
	}
	items, doubt := z.list(name)
	if doubt != nil {
		return truth.Undecided
	}
	return inList(items, v)
}

// list reads the items of an account list.
func (z *zone) list(name string) ([]snapshot.ListItem, *Doubt) {
	lists, doubt := read(z, snapshot.AccountLists)
	if doubt != nil {
		return nil, doubt
	}
	i := slices.IndexFunc(lists, func(l snapshot.List) bool { return l.Name == name })
	if i < 0 {
		return nil, &Doubt{Why: "no list of the account is called " + name}
	}
	return readAt(z, snapshot.AccountListItems, lists[i].ID)
}
