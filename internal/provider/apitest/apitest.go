// Package apitest gives tests what Cloudflare publishes about the operations in use: names, types, enumerations and paging, as data
// that make api-facts extracts from Cloudflare's own client.
package apitest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

//go:embed operations.json
var published []byte

// Operation is one published operation.
type Operation struct {
	// Key is the method and the path, with {} for each variable segment.
	Key string `json:"-"`
	// Paging is the page type of the provider's client; empty for one answer. SinglePage means that the client reads one
	// page, not that there is only one.
	Paging     string           `json:"paging"`
	Query      map[string]Shape `json:"query"`
	Body       map[string]Shape `json:"body"`
	Result     Shape            `json:"result"`
	Deprecated bool             `json:"deprecated"`
}

// Operations returns the published operations by key.
func Operations() map[string]Operation {
	var digest struct {
		Operations map[string]Operation `json:"operations"`
	}
	if err := json.Unmarshal(published, &digest); err != nil {
		panic("apitest: " + err.Error())
	}
	for key, o := range digest.Operations {
		o.Key = key
		digest.Operations[key] = o
	}
	return digest.Operations
}

// Find returns the operation of a method and a path. A published operation with the same literal segments is preferred over one
// that has parameters in their place.
func Find(all map[string]Operation, method, path string) (Operation, bool) {
	path, _, _ = strings.Cut(path, "?")
	asked := strings.Split(path, "/")
	best, fit := "", -1
	for key := range all {
		verb, template, _ := strings.Cut(key, " ")
		segments := strings.Split(template, "/")
		if verb != method || len(segments) != len(asked) {
			continue
		}
		same := 0
		for i, s := range segments {
			switch {
			case s == asked[i]:
				same++
			case s != "{}":
				same = -len(segments)
			}
		}
		if same > fit {
			best, fit = key, same
		}
	}
	o, ok := all[best]
	return o, ok && fit >= 0
}

// Parameter returns the shape of a query parameter.
func (o Operation) Parameter(name string) (Shape, bool) { return member(o.Query, name) }

// BodyDifferences lists the unpublished members of a decoded body, as Shape.Differences does.
func (o Operation) BodyDifferences(body any) []string {
	if s, ok := member(o.Body, "body"); ok { // the client wraps bodies that are no object of parameters
		if d := s.Differences(body); len(d) == 0 {
			return nil
		}
	}
	object, ok := body.(map[string]any)
	if !ok {
		return []string{": not an object"}
	}
	var out []string
	for name, value := range object {
		if s, ok := member(o.Body, name); ok {
			out = append(out, differences(s, value, "/"+name)...)
		} else {
			out = append(out, "/"+name+": not published")
		}
	}
	return out
}

func member(of map[string]Shape, name string) (Shape, bool) {
	for _, key := range []string{name, name + "?", "*"} {
		if s, ok := of[key]; ok {
			return s, true
		}
	}
	return Shape{}, false
}

// Shape is a published type: the name of a primitive or its quoted values joined by |, a list of one shape, an object of shapes
// by name (? ends the name of a member that may be missing, * stands for any name), or {"|": alternatives}.
type Shape struct{ v any }

// UnmarshalJSON reads a shape.
func (s *Shape) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &s.v) }

// Any reports whether no type is published.
func (s Shape) Any() bool { return s.v == nil || s.v == "any" || s.v == "file" }

func (s Shape) alternatives() []Shape {
	if m, ok := s.v.(map[string]any); ok && m["|"] != nil {
		var out []Shape
		for _, one := range m["|"].([]any) {
			out = append(out, Shape{one})
		}
		return out
	}
	return []Shape{s}
}

// words returns the primitives and values of a text shape.
func (s Shape) words() []string {
	text, ok := s.v.(string)
	if !ok {
		return nil
	}
	return strings.Split(text, "|")
}

// Item returns the shape of the items of a list.
func (s Shape) Item() (Shape, bool) {
	for _, one := range s.alternatives() {
		if list, ok := one.v.([]any); ok {
			return Shape{list[0]}, true
		}
	}
	return Shape{}, false
}

// Member returns the shape of an object member, by its name or by the wildcard *.
func (s Shape) Member(name string) (Shape, bool) {
	for _, one := range s.alternatives() {
		object, _ := one.v.(map[string]any)
		for _, key := range []string{name, name + "?", "*"} {
			if v, ok := object[key]; ok {
				return Shape{v}, true
			}
		}
	}
	return Shape{}, false
}

// Names lists the member names of an object.
func (s Shape) Names() []string {
	var out []string
	for _, one := range s.alternatives() {
		if object, ok := one.v.(map[string]any); ok {
			for name := range object {
				out = append(out, strings.TrimSuffix(name, "?"))
			}
		}
	}
	slices.Sort(out)
	return out
}

// Object reports whether the shape may be an object.
func (s Shape) Object() bool { return len(s.Names()) > 0 }

// Values returns the published values of an enumeration, nil when any text is allowed.
func (s Shape) Values() []string {
	var out []string
	for _, one := range s.alternatives() {
		for _, w := range one.words() {
			value, quoted := strings.CutPrefix(w, "'")
			if quoted {
				out = append(out, strings.TrimSuffix(value, "'"))
			} else if w == "string" || w == "any" {
				return nil
			}
		}
	}
	return out
}

// Takes reports whether a primitive of a kind (string, number or boolean) is allowed.
func (s Shape) Takes(kind string) bool {
	for _, one := range s.alternatives() {
		for _, w := range one.words() {
			switch {
			case w == kind, w == "any":
				return true
			case kind == "string" && strings.HasPrefix(w, "'"), kind == "number" && w != "" && (w[0] >= '0' && w[0] <= '9' || w[0] == '-'):
				return true
			}
		}
	}
	return false
}

// Differences lists the parts of a decoded JSON value that are not published or have another type, as paths with a reason. Null is
// accepted everywhere, because the published document is inexact about it.
func (s Shape) Differences(value any) []string { return differences(s, value, "") }

func differences(s Shape, value any, at string) []string {
	if s.Any() || value == nil {
		return nil
	}
	switch v := value.(type) {
	case map[string]any:
		if !s.Object() {
			return []string{at + ": an object"}
		}
		var out []string
		for name, inner := range v {
			if member, ok := s.Member(name); ok {
				out = append(out, differences(member, inner, at+"/"+name)...)
			} else {
				out = append(out, at+"/"+name+": not published")
			}
		}
		return out
	case []any:
		item, ok := s.Item()
		if !ok {
			return []string{at + ": a list"}
		}
		var out []string
		for _, inner := range v {
			out = append(out, differences(item, inner, at)...)
		}
		return out
	case string:
		if values := s.Values(); values != nil && !slices.Contains(values, v) {
			return []string{fmt.Sprintf("%s: %q is not one of the published values", at, v)}
		}
		return primitive(s, "string", at)
	case bool:
		return primitive(s, "boolean", at)
	default:
		return primitive(s, "number", at)
	}
}

func primitive(s Shape, kind, at string) []string {
	if s.Takes(kind) {
		return nil
	}
	return []string{at + ": a " + kind}
}
