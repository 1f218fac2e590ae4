package traffic

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
)

// language is the texts that meet a comparison: those that a regular expression finds something in, or
// those of certain lengths. Not turns it into the texts that do not.
type language struct {
	prog *syntax.Prog
	fold func(rune) rune // what is done to the text before
	size func(int64) bool
	most int64 // the length, in bytes, from which on size is the same
	not  bool

	sets [][]uint32     // the states: instructions of prog to go on with
	ids  map[string]int // of the states
	next map[[2]int]int // the state after a state and a class of characters
}

// languageOf returns the language of a comparison of a field of one part, or nil when it has none.
func languageOf(part string, e expression.Expr, not bool) *language {
	if size, turns := sized(e); size != nil && len(turns) > 0 {
		return &language{size: size, most: slices.Max(turns), not: not}
	}
	left, op, texts := compared(e)
	l := &language{not: not != (op == expression.Ne)}
	f, plain := left.(expression.Field)
	if c, isCall := left.(expression.Call); isCall && len(c.Args) == 1 {
		f, plain = c.Args[0].(expression.Field)
		switch c.Name {
		case "lower":
			l.fold = lowered
		case "upper":
			l.fold = raised
		default:
			return nil
		}
	}
	switch {
	case !plain || len(texts) == 0:
		return nil
	case fieldName(f) == part:
		return l.of(op, texts)
	case fieldName(f) == extension && l.fold == nil && !slices.Contains(texts, "") &&
		slices.Contains([]expression.Op{expression.Eq, expression.In, expression.Ne}, op):
		l.fold = lowered
		return l.compiled(`\.` + oneOf(texts) + "$")
	}
	return nil
}

// oneOf is the expression for one of some texts.
func oneOf(texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = regexp.QuoteMeta(t)
	}
	return "(?s:" + strings.Join(out, "|") + ")"
}

// of sets the comparison with one of some texts.
func (l *language) of(op expression.Op, texts []string) *language {
	one := oneOf(texts)
	switch op {
	case expression.Eq, expression.In, expression.Ne:
		one = "^" + one + "$"
	case "starts_with":
		one = "^" + one
	case "ends_with":
		one += "$"
	case expression.Contains:
	case expression.Wildcard, expression.StrictWildcard:
		if strings.Contains(texts[0], `\`) {
			return nil
		}
		one = "^" + strings.ReplaceAll(one, `\*`, ".*") + "$"
		if op == expression.Wildcard {
			one = "(?i:" + one + ")"
		}
	case expression.Matches:
		if one = texts[0]; strings.Contains(one, "(?m") {
			return nil
		}
		if _, err := expression.Pattern(one); err != nil {
			return nil
		}
	default:
		return nil
	}
	return l.compiled(one)
}

// compiled sets the expression; nil when it looks at lines or words.
func (l *language) compiled(pattern string) *language {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	if l.prog, err = syntax.Compile(re.Simplify()); err != nil {
		return nil
	}
	for _, in := range l.prog.Inst {
		if in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
			return nil
		}
	}
	return l
}

func lowered(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

func raised(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	return r
}

// sized returns which lengths meet a comparison with the length of a field, and those at which that turns.
func sized(e expression.Expr) (is func(int64) bool, turns []int64) {
	t, _ := e.(expression.Test)
	c, _ := t.Left.(expression.Call)
	if c.Name != "len" || len(c.Args) != 1 {
		return nil, nil
	}
	if _, plain := c.Args[0].(expression.Field); !plain {
		return nil, nil
	}
	return func(n int64) bool {
		return expression.Eval(expression.Test{Left: expression.Number(n), Op: t.Op, Right: t.Right}, expression.Env{}) == truth.Yes
	}, sizes(t.Right)
}

// The states of a language before the first character, once something was found, and once nothing can be found
// any more. The state of a language by length is the length.
const (
	begun = iota
	found
	dead
)

// start forgets what was worked out for other characters.
func (l *language) start() {
	l.sets, l.ids, l.next = [][]uint32{begun: nil, found: nil, dead: nil}, map[string]int{}, map[[2]int]int{}
}

// step returns the state after one more character of a class.
func (l *language) step(state, class int, r rune) int {
	if l.size != nil {
		return int(min(int64(state+utf8.RuneLen(r)), l.most+1))
	}
	if state == found || state == dead {
		return state
	}
	if to, known := l.next[[2]int{state, class}]; known {
		return to
	}
	at, to := l.reached(state, false)
	if to != found {
		if l.fold != nil {
			r = l.fold(r)
		}
		var set []uint32
		for _, i := range at {
			if in := &l.prog.Inst[i]; in.MatchRune(r) {
				set = append(set, in.Out)
			}
		}
		slices.Sort(set)
		to = l.id(slices.Compact(set))
	}
	l.next[[2]int{state, class}] = to
	return to
}

func (l *language) id(set []uint32) int {
	var b []byte
	for _, i := range set {
		b = binary.LittleEndian.AppendUint32(b, i)
	}
	id, known := l.ids[string(b)]
	if !known {
		id = len(l.sets)
		l.sets = append(l.sets, set)
		if at, _ := l.reached(id, false); len(at) == 0 && !l.finds(id) {
			id = dead
		}
		l.ids[string(b)] = id
	}
	return id
}

// reached lists the instructions that take a next character; to is found when the expression has found something,
// perhaps because the text ends here.
func (l *language) reached(state int, end bool) (at []uint32, to int) {
	seen := make([]bool, len(l.prog.Inst))
	todo := append(slices.Clone(l.sets[state]), uint32(l.prog.Start))
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		switch in := &l.prog.Inst[i]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstNop, syntax.InstCapture:
			todo = append(todo, in.Out)
		case syntax.InstEmptyWidth:
			edges := syntax.EmptyOp(in.Arg)
			if (state == begun || edges&syntax.EmptyBeginText == 0) && (end || edges&syntax.EmptyEndText == 0) {
				todo = append(todo, in.Out)
			}
		case syntax.InstMatch:
			return nil, found
		case syntax.InstFail:
		default:
			at = append(at, i)
		}
	}
	return at, begun
}

// finds reports whether the expression finds something in a text that led to a state and ends there.
func (l *language) finds(state int) bool {
	_, to := l.reached(state, true)
	return to == found
}

// accepts reports whether a text that led to a state is in the language.
func (l *language) accepts(state int) bool {
	if l.size != nil {
		return l.size(int64(state)) != l.not
	}
	return (state == found || state != dead && l.finds(state)) != l.not
}

// lost reports whether no text that begins like one that led to a state is in the language.
func (l *language) lost(state int) bool {
	if l.size != nil {
		return int64(state) > l.most && !l.accepts(state)
	}
	return !l.not && state == dead || l.not && state == found
}

// characters lists one character for each class that the languages do not tell apart.
func characters(all []*language) (out []rune) {
	candidates := []rune("abcdefghijklmnopqrstuvwxyz0123456789-_./ABCDEFGHIJKLMNOPQRSTUVWXYZ=&%+:;,@!$'()*~ ?#[]{}|<>^`\"\\é€\n")
	var insts []*syntax.Inst
	var folds []func(rune) rune
	for _, l := range all {
		if l.prog == nil {
			continue
		}
		known := map[string]bool{} // instructions that take the same characters tell no more apart
		for i := range l.prog.Inst {
			switch in := &l.prog.Inst[i]; in.Op {
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				is := fmt.Sprint(in.Op, in.Arg, in.Rune)
				if known[is] {
					continue
				}
				known[is] = true
				insts, folds = append(insts, in), append(folds, l.fold)
				for _, r := range in.Rune {
					candidates = append(candidates, r-1, r, r+1)
				}
			default:
			}
		}
	}
	seen := map[string]bool{}
	for _, r := range candidates {
		if !utf8.ValidRune(r) {
			continue
		}
		sign := []byte{byte(utf8.RuneLen(r))}
		for i, in := range insts {
			to := r
			if folds[i] != nil {
				to = folds[i](r)
			}
			sign = append(sign, '0')
			if in.MatchRune(to) {
				sign[len(sign)-1] = '1'
			}
		}
		if !seen[string(sign)] {
			seen[string(sign)] = true
			out = append(out, r)
		}
	}
	return out
}

// Bounds on the beginnings of texts that are tried times the characters that may follow: for one text, and for
// all texts of a space. With a thousand instructions more, a step counts once more.
const (
	maxSteps = 50_000
	allSteps = 250_000
)

// beginning is the beginning of a text: one character more than the one before.
type beginning struct {
	states []int
	before int
	last   rune
}

// in reports whether the text is in all languages.
func (b beginning) in(all []*language) bool {
	for i, l := range all {
		if !l.accepts(b.states[i]) {
			return false
		}
	}
	return true
}

// solution is a text that is in several languages. None is set when there certainly is none; without both, more
// than maxSteps would have to be tried.
type solution struct {
	text     string
	is, none bool
	steps    int
}

// together returns the shortest text that is in all languages.
func together(all []*language) (out solution) {
	for _, l := range all {
		l.start()
	}
	tried := []beginning{{states: make([]int, len(all)), before: -1}}
	seen := map[string]bool{}
	alphabet, size := characters(all), 0
	for _, l := range all {
		if l.prog != nil {
			size += len(l.prog.Inst)
		}
	}
	out.steps = size / 4 // for what was compiled
	var key []byte
	for i := 0; i < len(tried) && out.steps <= maxSteps; i++ {
		if tried[i].in(all) {
			var text []rune
			for b := tried[i]; b.before >= 0; b = tried[b.before] {
				text = append(text, b.last)
			}
			slices.Reverse(text)
			out.text, out.is = string(text), true
			return out
		}
		for class, r := range alphabet {
			states, lost := make([]int, len(all)), false
			key = key[:0]
			for j, l := range all {
				states[j] = l.step(tried[i].states[j], class, r)
				lost = lost || l.lost(states[j])
				key = binary.AppendUvarint(key, uint64(states[j]))
			}
			if !lost && !seen[string(key)] {
				seen[string(key)] = true
				tried = append(tried, beginning{states, i, r})
			}
		}
		out.steps += len(alphabet) * (1 + size/1000)
	}
	out.none = out.steps <= maxSteps
	return out
}
