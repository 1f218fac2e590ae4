package expression

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

type kind int

const (
	end kind = iota
	word
	text
	number
	address
	list
	punct
)

// token is one token of the input. raw is its meaning: the decoded string, the name without its
// dollar sign, the canonical operator.
type token struct {
	kind kind
	raw  string
	at   int
	num  int64
	addr Addresses
}

type lexer struct {
	in  string
	pos int
	// pattern is set after the operator matches: a quoted string then has the escapes of patterns.
	pattern bool
}

// operators are tried longest first; each maps to the one name the parser uses.
func operators() [][2]string {
	return [][2]string{
		{"==", "eq"}, {"!=", "ne"}, {"<=", "le"}, {">=", "ge"}, {"&&", "and"}, {"||", "or"}, {"^^", "xor"}, {"..", ".."},
		{"<", "lt"}, {">", "gt"}, {"~", "matches"}, {"!", "not"},
		{"(", "("}, {")", ")"}, {"{", "{"}, {"}", "}"}, {"[", "["}, {"]", "]"}, {",", ","}, {"*", "*"},
	}
}

func (l *lexer) fail(format string, args ...any) error {
	return fmt.Errorf("at byte %d: %s", l.pos, fmt.Sprintf(format, args...))
}

func (l *lexer) next() (token, error) {
	t, err := l.read()
	l.pattern = t.raw == string(Matches) && (t.kind == word || t.kind == punct)
	return t, err
}

func (l *lexer) read() (token, error) {
	for l.pos < len(l.in) && strings.IndexByte(" \t\r\n", l.in[l.pos]) >= 0 {
		l.pos++
	}
	start := l.pos
	rest := l.in[start:]
	switch {
	case rest == "":
		return token{kind: end, at: start}, nil
	case rest[0] == '"':
		return l.quoted()
	case rest[0] == 'r' && len(rest) > 1 && (rest[1] == '"' || rest[1] == '#'):
		return l.rawText()
	case rest[0] == '$':
		n := 1 + run(rest[1:], nameByte)
		if n == 1 {
			return token{}, l.fail("a list has no name")
		}
		l.pos += n
		return token{kind: list, raw: rest[1:n], at: start}, nil
	}
	if t, ok, err := l.value(rest); ok || err != nil {
		return t, err
	}
	if letter(rest[0]) {
		n := run(rest, nameByte)
		l.pos += n
		return token{kind: word, raw: rest[:n], at: start}, nil
	}
	for _, op := range operators() {
		if strings.HasPrefix(rest, op[0]) {
			l.pos += len(op[0])
			return token{kind: punct, raw: op[1], at: start}, nil
		}
	}
	return token{}, l.fail("%q is not part of the language", rest[0])
}

// value reads a number or an address. A name may start like a hexadecimal
// number, so letters count only when a colon follows them.
func (l *lexer) value(rest string) (token, bool, error) {
	n := 0
	for n < len(rest) && (hex(rest[n]) || rest[n] == ':' || rest[n] == '.' && !strings.HasPrefix(rest[n:], "..")) {
		n++
	}
	body, start := rest[:n], l.pos
	isV6 := strings.Contains(body, ":")
	if !isV6 && !digit(rest[0]) && !(rest[0] == '-' && len(rest) > 1 && digit(rest[1])) {
		return token{}, false, nil
	}
	if isV6 || strings.Contains(body, ".") {
		bits := ""
		if n < len(rest) && rest[n] == '/' {
			bits = rest[n+1 : n+1+run(rest[n+1:], digit)]
			n += 1 + len(bits)
		}
		a, err := addresses(body, bits, n > len(body))
		if err != nil {
			return token{}, false, l.fail("%v", err)
		}
		l.pos += n
		return token{kind: address, at: start, addr: a}, true, nil
	}
	n = 0
	if rest[0] == '-' {
		n = 1
	}
	n += run(rest[n:], nameByte)
	if i := strings.Index(rest[:n], ".."); i >= 0 {
		n = i
	}
	v, err := strconv.ParseInt(rest[:n], 0, 64)
	if err != nil {
		return token{}, false, l.fail("%q is not a number", rest[:n])
	}
	l.pos += n
	return token{kind: number, at: start, num: v}, true, nil
}

func addresses(body, bits string, prefix bool) (Addresses, error) {
	a, err := netip.ParseAddr(body)
	if err != nil || a.Is4In6() { // an IPv4-mapped prefix would hide its real width
		return Addresses{}, fmt.Errorf("%q is not an address", body)
	}
	if !prefix {
		return Addresses{Lo: a, Hi: a}, nil
	}
	n, err := strconv.Atoi(bits)
	if err != nil {
		return Addresses{}, fmt.Errorf("%q has no prefix length", body)
	}
	p, err := a.Prefix(n)
	if err != nil {
		return Addresses{}, fmt.Errorf("%q cannot have the prefix length %d", body, n)
	}
	last := p.Addr().AsSlice()
	for i := n; i < len(last)*8; i++ {
		last[i/8] |= 0x80 >> (i % 8)
	}
	hi, _ := netip.AddrFromSlice(last)
	return Addresses{Lo: p.Addr(), Hi: hi}, nil
}

// quoted reads a string with the escapes \" \\ \xHH and \OOO; others keep their backslash. In a
// pattern, all but \" do
// (developers.cloudflare.com/ruleset-engine/rules-language/values/#quoted-string-syntax).
func (l *lexer) quoted() (token, error) {
	var b strings.Builder
	start := l.pos
	for i := start + 1; i < len(l.in); i++ {
		c := l.in[i]
		switch {
		case c == '"':
			l.pos = i + 1
			return token{kind: text, raw: b.String(), at: start}, nil
		case c != '\\':
			b.WriteByte(c)
		case l.pattern && i+1 < len(l.in):
			i++
			if l.in[i] != '"' {
				b.WriteByte(c)
			}
			b.WriteByte(l.in[i])
		case i+1 < len(l.in) && (l.in[i+1] == '"' || l.in[i+1] == '\\'):
			i++
			b.WriteByte(l.in[i])
		case i+3 < len(l.in) && l.in[i+1] == 'x' && hex(l.in[i+2]) && hex(l.in[i+3]):
			v, _ := strconv.ParseUint(l.in[i+2:i+4], 16, 8)
			b.WriteByte(byte(v))
			i += 3
		case i+3 < len(l.in) && octal(l.in[i+1:i+4]):
			v, _ := strconv.ParseUint(l.in[i+1:i+4], 8, 8)
			b.WriteByte(byte(v))
			i += 3
		default:
			b.WriteByte(c)
		}
	}
	return token{}, l.fail("a string has no end")
}

// octal reports whether three digits form a byte.
func octal(s string) bool {
	_, err := strconv.ParseUint(s, 8, 8)
	return err == nil && s[0] <= '3'
}

func (l *lexer) rawText() (token, error) {
	rest := l.in[l.pos+1:]
	hashes := run(rest, func(c byte) bool { return c == '#' })
	if hashes >= len(rest) || rest[hashes] != '"' {
		return token{}, l.fail("a raw string has no opening quote")
	}
	body, _, closed := strings.Cut(rest[hashes+1:], `"`+strings.Repeat("#", hashes))
	if !closed {
		return token{}, l.fail("a raw string has no end")
	}
	start := l.pos
	l.pos += 1 + 2*hashes + 2 + len(body)
	return token{kind: text, raw: body, at: start}, nil
}

func run(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

func digit(c byte) bool    { return c >= '0' && c <= '9' }
func hex(c byte) bool      { return digit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
func letter(c byte) bool   { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func nameByte(c byte) bool { return letter(c) || digit(c) || c == '.' }
