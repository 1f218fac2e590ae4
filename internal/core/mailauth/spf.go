package mailauth

import (
	"net/netip"
	"slices"
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
		// Unknown modifiers are ignored by design.
		return Term{Name: name, Value: word[equals+1:]}, name != "redirect" || word[equals+1:] != ""
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
	return t, t.valid()
}

func (t Term) valid() bool {
	switch t.Name {
	case "all":
		return t.Value == ""
	case "include", "exists":
		return t.Value != "" && !strings.HasPrefix(t.Value, "/")
	case "a", "mx", "ptr":
		return true
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
