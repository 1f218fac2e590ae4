package traffic

import (
	"iter"
	"net/netip"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/assessment/expression"
)

// fresh is a text that no rule contains.
const fresh = "zq8x7v"

// samples collects the values of one part of a request that matter to the comparisons in rules:
// each value they mention, its neighbours on both sides, and one they do not mention. Texts are combined
// in pairs, so that every prefix also occurs with every suffix, as far as there is room.
type samples struct {
	values          []any
	heads, tails    []string // prefixes and suffixes of compared texts
	within          []string // substrings anywhere
	several, absent bool
	folded          bool // some comparison ignores case
	sized           bool // some comparison is about the length
	weight          int  // what it takes to compare one value with everything
}

// Bounds of the values of one part: how many there are, how much they may be compared, how many texts are made to
// find them, and the length of the longest that is made for a comparison of lengths, in bytes.
const (
	maxSamples  = 2000
	maxCompared = 2_000_000
	maxMade     = 50_000
	maxSize     = 8192
)

func (s *samples) add(vs ...any) { s.values = append(s.values, vs...) }

// compare adds the values that matter to one comparison.
func (s *samples) compare(op expression.Op, right expression.Operand) {
	switch r := right.(type) {
	case expression.Set:
		for _, o := range r {
			s.compare(op, o)
		}
	case expression.Text:
		s.text(op, string(r))
	case expression.Number:
		s.add(int64(r)-1, int64(r), int64(r)+1)
	case expression.Numbers:
		s.add(r.Lo-1, r.Lo, r.Hi, r.Hi+1)
	case expression.Bool:
		s.add(true, false)
	case expression.Addresses:
		s.add(r.Lo, r.Hi)
		if first, some := exposure.FirstPublic(r.Lo, r.Hi); some && first != r.Lo {
			s.add(first)
		}
		if before := r.Lo.Prev(); before.IsValid() {
			s.add(before)
		}
		if after := r.Hi.Next(); after.IsValid() {
			s.add(after)
		}
	}
}

func (s *samples) text(op expression.Op, t string) {
	switch op {
	case expression.Contains:
		s.within = append(s.within, t)
	case expression.Matches:
		for _, m := range matching(t) {
			s.within, s.heads = append(s.within, m), append(s.heads, m)
		}
	case expression.Wildcard, expression.StrictWildcard:
		s.heads = append(s.heads, strings.ReplaceAll(t, "*", ""), strings.ReplaceAll(t, "*", fresh))
		fixed := strings.Split(t, "*")
		for i, f := range fixed {
			switch {
			case f == "":
			case i == 0 && len(fixed) > 1:
				s.heads = append(s.heads, f)
			case i == len(fixed)-1:
				s.tails = append(s.tails, f)
			default:
				s.within = append(s.within, f)
			}
		}
	case "starts_with":
		s.heads = append(s.heads, t)
	case "ends_with":
		s.tails = append(s.tails, t)
	default:
		s.heads = append(s.heads, t)
	}
}

// all lists the values, with texts made valid by fits. It is cut when a value that a comparison
// mentions is not among them.
func (s *samples) all(fits func(string) string) (out []any, cut bool) {
	most := max(min(maxSamples, maxCompared/max(s.weight*s.long(), 1)), 64)
	out = slices.Clone(s.values)
	if s.several {
		out = lists(s.values)
	}
	if len(out) > most {
		out, cut = out[:most], true
	}
	if s.texts() || len(out) == 0 {
		seen, made := map[string]bool{}, 0
		for t := range s.made() {
			if made++; len(out) >= most || made > maxMade {
				cut = true
				break
			}
			spellings := []string{t}
			if s.folded {
				spellings = append(spellings, strings.ToLower(t), strings.ToUpper(t))
			}
			for _, t := range spellings {
				switch t = fits(t); {
				case seen[t]:
				case s.several:
					out = append(out, []string{t})
				default:
					out = append(out, t)
				}
				seen[t] = true
			}
		}
	}
	if s.absent {
		out = append(out, nil)
	}
	if slices.ContainsFunc(s.values, func(v any) bool { _, is := v.(netip.Addr); return is }) {
		out = append(out, netip.AddrFrom4([4]byte{8, 8, 4, 4}), netip.AddrFrom16([16]byte{0x20, 0x01, 0x48, 0x60}))
	}
	return out, cut
}

// texts reports whether the part is compared with texts.
func (s *samples) texts() bool { return s.sized || len(s.heads)+len(s.tails)+len(s.within) > 0 }

// long is what it takes to compare the longest text, in comparisons of one of usual length.
func (s *samples) long() int {
	return 1 + sizeOf(slices.Concat(s.heads, s.tails, s.within))/64
}

// sizeOf is the length of the longest of some texts, in bytes.
func sizeOf(texts []string) (n int) {
	for _, t := range texts {
		n = max(n, len(t))
	}
	return n
}

// distinct drops the texts that came before.
func distinct(texts []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool {
		again := seen[t]
		seen[t] = true
		return again
	})
}

// made yields the texts: those that comparisons mention, and then pairs.
func (s *samples) made() iter.Seq[string] {
	return func(yield func(string) bool) {
		heads, tails, within := distinct(s.heads), distinct(s.tails), distinct(s.within)
		all := func(texts ...string) bool {
			return !slices.ContainsFunc(texts, func(t string) bool { return !yield(t) })
		}
		if !all("", fresh) || !all(heads...) || !all(tails...) || !all(within...) {
			return
		}
		ends := slices.Concat([]string{fresh}, within, tails)
		for _, b := range ends {
			if !all(fresh + b) {
				return
			}
		}
		for _, a := range heads {
			for _, b := range ends {
				if !all(a+b, a+fresh+b) {
					return
				}
			}
		}
		for _, a := range within {
			for _, b := range ends {
				if !all(a+b, fresh+a+fresh+b) {
					return
				}
			}
		}
	}
}

// lists returns lists of numbers instead of numbers: none, each alone, and all of them.
func lists(values []any) (out []any) {
	var every []int64
	for _, v := range values {
		if n, is := v.(int64); is {
			every, v = append(every, n), []int64{n}
		}
		out = append(out, v)
	}
	if len(every) > 0 {
		out = append(out, []int64{}, every)
	}
	return out
}

// matching returns texts that match a pattern.
func matching(pattern string) []string {
	if _, err := expression.Pattern(pattern); err != nil {
		return nil
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	return slices.Compact([]string{example(re, false), example(re, true)})
}

// example returns a text that matches a pattern: the shortest, or the one with every choice taken
// the other way.
func example(re *syntax.Regexp, other bool) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			b.WriteRune(r)
		}
	case syntax.OpCharClass:
		if n := len(re.Rune); n > 0 {
			at := 0
			if other {
				at = n - 1
			}
			b.WriteRune(re.Rune[at])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteString("z")
	case syntax.OpCapture, syntax.OpPlus:
		b.WriteString(example(re.Sub[0], other))
	case syntax.OpStar, syntax.OpQuest:
		if other {
			b.WriteString(example(re.Sub[0], other))
		}
	case syntax.OpRepeat:
		for range max(re.Min, 1) {
			b.WriteString(example(re.Sub[0], other))
		}
	case syntax.OpConcat:
		for _, s := range re.Sub {
			b.WriteString(example(s, other))
		}
	case syntax.OpAlternate:
		at := 0
		if other {
			at = len(re.Sub) - 1
		}
		b.WriteString(example(re.Sub[at], other))
	}
	return b.String()
}
