package apitest

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Unknown is a value of an enumeration that Cloudflare has not published.
const Unknown = "a-value-of-tomorrow"

// Body is a result generated from a published shape, with one deviation.
type Body struct {
	// Kind is full, minimal, null, member, value or form.
	Kind string
	// At is the path of the deviation.
	At    string
	Value any
}

// Bodies generates results of a shape: one with all members, one with only the required ones, and variants of the first with one
// member null, one extra member in an object, one unknown enumeration value, or one primitive in another form (a number or boolean
// as text, a text of digits as number).
func (s Shape) Bodies() []Body {
	out := []Body{{Kind: "full", Value: s.full("", "", "")}, {Kind: "minimal", Value: s.minimal()}}
	for at, kinds := range s.places("") {
		for _, kind := range kinds {
			out = append(out, Body{kind, at, s.full("", at, kind)})
		}
	}
	return out
}

// places lists every deviation of a full body and where it applies.
func (s Shape) places(at string) map[string][]string {
	out := map[string][]string{}
	if item, ok := s.Item(); ok {
		maps.Copy(out, item.places(at))
		return out
	}
	if s.Object() {
		if !slices.Contains(s.Names(), "*") { // what may have any name has no unknown one
			out[at] = append(out[at], "member")
		}
		for _, name := range s.Names() {
			member, _ := s.Member(name)
			maps.Copy(out, member.places(at+"/"+name))
			out[at+"/"+name] = append(out[at+"/"+name], "null")
		}
		return out
	}
	switch {
	case len(s.Values()) > 0:
		out[at] = append(out[at], "value")
	case s.Takes("number"), s.Takes("boolean"), s.Takes("string"):
		out[at] = append(out[at], "form")
	}
	return out
}

// full generates a value with every member and the deviation of a place.
func (s Shape) full(here, at, kind string) any {
	if here == at && kind == "null" && at != "" {
		return nil
	}
	if item, ok := s.Item(); ok {
		return []any{item.full(here, at, kind)}
	}
	if s.Object() {
		out := map[string]any{}
		for _, name := range s.Names() {
			member, _ := s.Member(name)
			out[strings.Replace(name, "*", "any", 1)] = member.full(here+"/"+name, at, kind)
		}
		if here == at && kind == "member" {
			out["added_tomorrow"] = map[string]any{"x": []any{1, "2", nil}}
		}
		return out
	}
	values := s.Values()
	switch {
	case here == at && kind == "value":
		return Unknown
	case len(values) > 0:
		return values[0]
	case s.Takes("string"):
		if here == at && kind == "form" {
			return 7
		}
		return "7"
	case s.Takes("number"):
		n := 7
		for _, w := range s.words() {
			if fixed, err := strconv.Atoi(w); err == nil {
				n = fixed
			}
		}
		if here == at && kind == "form" {
			return strconv.Itoa(n)
		}
		return n
	case s.Takes("boolean"):
		if here == at && kind == "form" {
			return "true"
		}
		return true
	}
	return map[string]any{}
}

// minimal generates a value with only the required members.
func (s Shape) minimal() any {
	if item, ok := s.Item(); ok {
		return []any{item.minimal()}
	}
	if !s.Object() {
		return s.full("", "", "")
	}
	out := map[string]any{}
	for _, one := range s.alternatives() {
		object, _ := one.v.(map[string]any)
		for name, inner := range object {
			if name != "*" && !strings.HasSuffix(name, "?") {
				out[name] = Shape{inner}.minimal()
			}
		}
	}
	return out
}
