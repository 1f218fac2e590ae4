package mailauth

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// SPF is a record, term by term. Terms after the first "all" are left out: receivers ignore them.
type SPF struct {
	Terms []Term
	// Broken is the first term that receivers cannot parse, which makes them ignore the record.
	Broken string
}

// Term is a mechanism, or a modifier when Qualifier is 0.
type Term struct {
	Qualifier byte // + - ~ ?
	Name      string
	Value     string // the text after the colon or equals sign
}

// LookupLimit is the number of terms, in a record and its includes, that may cause DNS look-ups
// (RFC 7208, section 4.6.4).
const LookupLimit = 10

// IsSPF reports whether a text is an SPF record.
func IsSPF(text string) bool {
	version, _, _ := strings.Cut(text, " ")
	return strings.EqualFold(version, "v=spf1")
}

// ParseSPF parses a text for which IsSPF holds.
func ParseSPF(text string) SPF {
	var s SPF
	words := strings.Fields(text)
	for _, word := range words[min(1, len(words)):] {
		t, ok := readTerm(word)
		// Both modifiers may stand once only (RFC 7208, section 6).
		ok = ok && !(t.Qualifier == 0 && (t.Name == "redirect" || t.Name == "exp") && s.Uses(t.Name))
		if !ok && s.Broken == "" {
			s.Broken = word
		}
		if !ok || s.ends() && t.Qualifier != 0 {
			continue
		}
		s.Terms = append(s.Terms, t)
	}
	if s.ends() {
		s.Terms = slices.DeleteFunc(s.Terms, func(t Term) bool { return t.Name == "redirect" })
	}
	return s
}

func readTerm(word string) (Term, bool) {
	equals, colon := strings.IndexByte(word, '='), strings.IndexAny(word, ":/")
	if equals > 0 && (colon < 0 || equals < colon) {
		name := strings.ToLower(word[:equals])
		t := Term{Name: name, Value: word[equals+1:]}
		// Unknown modifiers are ignored by design.
		return t, name != "redirect" && name != "exp" || domainSpec(t.Value)
	}
	t := Term{Qualifier: '+'}
	if strings.IndexByte("+-~?", word[0]) >= 0 {
		t.Qualifier, word = word[0], word[1:]
	}
	end := strings.IndexAny(word, ":/")
	if end < 0 {
		end = len(word)
	}
	t.Name, t.Value = strings.ToLower(word[:end]), strings.TrimPrefix(word[end:], ":")
	if named := strings.HasPrefix(word[end:], ":"); named && (t.Value == "" || strings.HasPrefix(t.Value, "/")) {
		return t, false
	}
	return t, t.valid()
}

func (t Term) valid() bool {
	switch t.Name {
	case "all":
		return t.Value == ""
	case "include", "exists":
		return domainSpec(t.Value)
	case "ptr":
		return t.Value == "" || domainSpec(t.Value)
	case "a", "mx":
		host, _, _, ok := t.widths()
		return ok && (host == "" || domainSpec(host))
	case "ip4", "ip6":
		address, _, _ := strings.Cut(t.Value, "/")
		a, err := netip.ParseAddr(address)
		if p, bad := netip.ParsePrefix(t.Value); address != t.Value {
			return bad == nil && p.Addr().Is4() == (t.Name == "ip4")
		}
		return err == nil && a.Is4() == (t.Name == "ip4")
	default:
		return false
	}
}

// widths splits the value of an a or mx term into the host, "" for the domain itself, and the lengths
// of the networks around its addresses (RFC 7208, section 5.6).
func (t Term) widths() (host string, four, six int, ok bool) {
	four, six, ok = 32, 128, true
	start := strings.LastIndexByte(t.Value, '}') + 1 // a macro may contain a slash
	slash := strings.IndexByte(t.Value[start:], '/')
	if slash < 0 {
		return t.Value, four, six, ok
	}
	host = t.Value[:start+slash]
	short, long, both := strings.Cut(t.Value[start+slash:], "//")
	if short != "" {
		four, ok = length(strings.TrimPrefix(short, "/"), four)
	}
	if both && ok {
		six, ok = length(long, six)
	}
	return host, four, six, ok
}

// Host returns the name that an a, mx or exists term asks for, "" for the domain itself.
func (t Term) Host() string {
	if t.Name != "a" && t.Name != "mx" {
		return t.Value
	}
	host, _, _, valid := t.widths()
	if !valid {
		return "" // such a term is never kept
	}
	return host
}

// length parses the length of a network.
func length(text string, most int) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 8)
	return int(n), err == nil && int(n) <= most && (text == "0" || !strings.HasPrefix(text, "0"))
}

// domainSpec reports whether a text is a name of several labels, the last of which is no number, or
// ends in a macro (RFC 7208, section 7.1).
func domainSpec(text string) bool {
	last := text
	for {
		_, rest, found := strings.Cut(last, "%")
		if !found {
			break
		}
		switch {
		case strings.HasPrefix(rest, "%"), strings.HasPrefix(rest, "_"), strings.HasPrefix(rest, "-"):
			last = rest[1:]
		default:
			macro, after, closed := strings.Cut(rest, "}")
			if !closed || len(macro) < 2 || macro[0] != '{' || !strings.ContainsRune("slodiphcrtv", rune(macro[1]|0x20)) ||
				strings.Trim(strings.TrimPrefix(strings.ToLower(strings.TrimLeft(macro[2:], "0123456789")), "r"), ".-+,/_=") != "" {
				return false
			}
			last = after
		}
		if last == "" {
			return true
		}
	}
	last = strings.TrimSuffix(last, ".")
	label := last[strings.LastIndexByte(last, '.')+1:]
	return strings.Contains(last, ".") && strings.Trim(label, "0123456789") != "" && !strings.ContainsAny(label, "/:")
}

func (s SPF) ends() bool {
	return slices.ContainsFunc(s.Terms, func(t Term) bool { return t.Name == "all" })
}

// All returns the qualifier of the term for all other senders, 0 when there is none.
func (s SPF) All() byte {
	for _, t := range s.Terms {
		if t.Name == "all" {
			return t.Qualifier
		}
	}
	return 0
}

// Uses reports whether a mechanism occurs.
func (s SPF) Uses(name string) bool {
	return slices.ContainsFunc(s.Terms, func(t Term) bool { return t.Name == name })
}

// Redirect returns the name whose record replaces a missing "all".
func (s SPF) Redirect() string {
	for _, t := range s.Terms {
		if t.Name == "redirect" {
			return t.Value
		}
	}
	return ""
}

// Lookups counts the terms of the record itself that cause DNS look-ups.
func (s SPF) Lookups() int {
	n := 0
	for _, t := range s.Terms {
		if slices.Contains([]string{"include", "redirect", "a", "mx", "ptr", "exists"}, t.Name) {
			n++
		}
	}
	return n
}

// Nested lists the names whose records count as part of this one, in order. Names with a macro
// depend on the message and cannot be looked up.
func (s SPF) Nested() []string {
	var out []string
	for _, t := range s.Terms {
		if t.Name == "include" || t.Name == "redirect" {
			out = append(out, t.Value)
		}
	}
	return out
}

// Macro reports whether a name is known only when a message arrives.
func Macro(name string) bool { return strings.Contains(name, "%") }
