package whatif

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// object is a JSON object.
type object = map[string]any

var (
	errUnread  = errors.New("the section was not read")
	errMissing = errors.New("there is no such item")
)

func decoded(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err = d.Decode(&v); err == nil && d.More() {
		err = errors.New("more follows its end")
	}
	return v, err
}

func encoded(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null") // the value was decoded from JSON
	}
	return raw
}

func member(v any, name string) any {
	o, _ := v.(object)
	return o[name]
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// of returns the items of a list.
func of(v any) []any {
	list, _ := v.([]any)
	return list
}

// listed reports whether a section holds items that calls name by id.
func listed(s snapshot.Source) bool { return s.Listed() || s.Stored().Kind() == reflect.Slice }

// names lists the members by which a path may name an item.
func names() []string {
	return []string{"id", "hostname", "domain", "name", "domain_name", "script_name", "pattern", "tag", "uid"}
}

// nameOf returns the member of an item whose value is the given name, or "".
func nameOf(item any, name string) string {
	for _, n := range names() {
		switch v := member(item, n).(type) {
		case string:
			if v == name {
				return n
			}
		case json.Number:
			if v.String() == name {
				return n
			}
		}
	}
	return ""
}

// named adds to the body of an item the name that the path has for it.
func named(s snapshot.Source, body object, item any, name string) (object, error) {
	out := copied(body)
	if id := member(item, "id"); out["id"] == nil && id != nil {
		out["id"] = id
	}
	_, err := storedItem(s, out)
	for _, n := range names() {
		now, bad := storedItem(s, with(out, n, name))
		if bad == nil && nameOf(now, name) != "" && out[n] == nil {
			return with(out, n, name), nil
		}
	}
	return out, err
}

// wrapped returns an answer of a source that holds one item.
func wrapped(s snapshot.Source, item any) any {
	wire := s.Wire()
	if wire.Kind() == reflect.Slice {
		return []any{item}
	}
	for f := range wire.Fields() {
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return object{name: []any{item}}
		}
	}
	return item
}

// stored converts an answer to the form in which a section keeps it.
func stored(s snapshot.Source, wire any) (any, error) {
	sent := encoded(wire)
	// Answers are decoded leniently, as far as their form is known; a body that is sent must have
	// that form.
	if wrong, is := errors.AsType[*json.UnmarshalTypeError](json.Unmarshal(sent, reflect.New(s.Wire()).Interface())); is {
		return nil, refuse("the body is not what Cloudflare takes here: %s is a %s", cmp.Or(lastOf(wrong.Field), "it"), wrong.Value)
	}
	raw, err := s.Decode(sent)
	if err != nil {
		return nil, refuse("the body is not what Cloudflare takes here: %v", err)
	}
	return decoded(raw)
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// storedItem converts one item to the form in which a list keeps it.
func storedItem(s snapshot.Source, wire any) (any, error) {
	all, err := stored(s, wrapped(s, wire))
	if err != nil {
		return nil, err
	}
	items := of(all)
	if len(items) != 1 {
		return nil, refuse("the body is not an object that Cloudflare lists here")
	}
	return items[0], nil
}

// edited returns an object as it is after a write; old is nil for a new object. What is sent
// replaces the whole object (whole), or the members that were sent, at every depth. Sections keep
// less than Cloudflare sends and use other names, so the stored members that depend on the body are
// found by storing variants of the body and comparing.
func edited(s snapshot.Source, old, sent any, item, whole bool) (any, error) {
	form := stored
	if item {
		form = storedItem
	}
	now, err := form(s, sent)
	if err != nil || old == nil {
		return now, err
	}
	touched := map[string]bool{}
	for other := range variants(sent) {
		if v, err := form(s, other); err == nil {
			differing(now, v, "", touched)
		}
	}
	before, isObject := old.(object)
	after, both := now.(object)
	if !isObject || !both {
		return now, nil
	}
	if whole {
		out := maps.Clone(after)
		for _, name := range []string{"id", "created_on", "created_at", "issued_on", "modified_on", "updated_at", "last_updated", "status",
			"scope", "proxiable"} {
			if v, has := before[name]; has && !touched["/"+name] {
				out[name] = v
			}
		}
		return out, nil
	}
	return overlaid(before, after, "", touched), nil
}

// overlaid copies the touched members from now and keeps the others from before.
func overlaid(before, now object, at string, touched map[string]bool) object {
	out := maps.Clone(before)
	for name := range touched {
		rest, below := strings.CutPrefix(name, at+"/")
		if !below {
			continue
		}
		head, _, deeper := strings.Cut(rest, "/")
		inner, is := now[head].(object)
		outer, was := out[head].(object)
		switch {
		case deeper && is && was:
			out[head] = overlaid(outer, inner, at+"/"+head, touched)
		case now[head] != nil:
			out[head] = now[head]
		default:
			delete(out, head)
		}
	}
	return out
}

// differing records where two values differ; a list is one value.
func differing(a, b any, at string, to map[string]bool) {
	x, is := a.(object)
	y, both := b.(object)
	if !is || !both {
		if !reflect.DeepEqual(a, b) {
			to[at] = true
		}
		return
	}
	for name := range x {
		differing(x[name], y[name], at+"/"+name, to)
	}
	for name := range y {
		if _, in := x[name]; !in {
			to[at+"/"+name] = true
		}
	}
}

// variants yields the body with one member removed or changed, for every member at every depth.
func variants(v any) func(yield func(any) bool) {
	return func(yield func(any) bool) { vary(v, yield) }
}

func vary(v any, yield func(any) bool) bool {
	o, is := v.(object)
	if !is {
		return yield(nil)
	}
	for name, was := range o {
		with := maps.Clone(o)
		delete(with, name)
		if !yield(with) {
			return false
		}
		for _, other := range others(was) {
			with := maps.Clone(o)
			if with[name] = other; !yield(with) {
				return false
			}
		}
		if _, inner := was.(object); inner {
			if !vary(was, func(v any) bool { with := maps.Clone(o); with[name] = v; return yield(with) }) {
				return false
			}
		}
	}
	return true
}

// others returns different values of the same kind.
func others(v any) []any {
	switch v := v.(type) {
	case bool:
		return []any{!v}
	case string:
		return []any{v + "x", "", "off", "on", "none"}
	case json.Number:
		return []any{json.Number("1"), json.Number("7919")}
	case []any:
		return []any{[]any{}}
	case nil:
		return []any{true, "x", json.Number("1"), []any{}, object{}}
	default:
		return nil
	}
}

// sorted orders items as sections do.
func sorted(items []any) []any {
	slices.SortStableFunc(items, func(a, b any) int { return strings.Compare(idOf(a), idOf(b)) })
	return items
}

func idOf(v any) string {
	for _, n := range names() {
		if s := member(v, n); s != nil {
			return fmt.Sprint(s)
		}
	}
	return ""
}
