package terraform

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/change"
)

// kind is how resources of a type are written, as data. Without anything else it has items below path: POST there makes one, PUT and
// DELETE of its id change and remove it.
type kind struct {
	path   string            // {x} is the value of the attribute x, {scope} the account or the zone
	id     string            // the attribute that names an item, when that is not its id
	set    string            // the method that writes a setting, which is there whether or not Terraform manages it
	off    object            // what destroying such a setting writes; nil: it stays as it is
	update string            // the method that changes an item, when that is not PUT
	names  map[string]string // what the API calls attributes, at any depth
	blocks string            // what version 4 has as blocks, at any depth
	omit   string            // attributes that are no part of the body
	keep   string            // the attributes that are, when the others are not
	rank   int               // what refers to others has a higher one
	no     string            // why it is not judged
	adds   string            // why what is made is not judged
	goes   string            // why what is destroyed is not judged
	shape  func(r *resource, body object) (any, string)
	whole  func(k kind, r *resource, does string) ([]change.Call, string) // instead of all of this
}

// lookup finds the kind of a resource; a policy of Access that belongs to an application is one of its own.
func lookup(all map[string]kind, r *resource) (kind, bool) {
	name := r.kind
	if now := renamed()[name]; now != "" {
		name = now
	}
	if r.value("application_id") != nil || r.unknown["application_id"] == true {
		if k, is := all[name+" of an application"]; is {
			return k, true
		}
	}
	k, is := all[name]
	return k, is
}

// value is that of an attribute after the change, or before when there is nothing after it.
func (r *resource) value(name string) any {
	if r.after != nil {
		return r.after[name]
	}
	return r.before[name]
}

// calls gives the calls that a change comes to, or why it is not judged.
func (k kind) calls(r *resource, does string) ([]change.Call, string) {
	switch {
	case does == unclear:
		return nil, "what the plan does with it is not known here"
	case k.no != "":
		return nil, k.no
	case r.before == nil && does != create, r.after == nil && does != remove:
		return nil, "the plan does not tell its values"
	case does == replace:
		return k.replaced(r)
	case does == create && k.adds != "":
		return nil, k.adds
	case does == remove && k.goes != "":
		return nil, k.goes
	case k.whole != nil:
		return k.whole(k, r, does)
	default:
		return k.usual(r, does)
	}
}

// replaced removes a resource and makes it anew, as far as either changes anything.
func (k kind) replaced(r *resource) ([]change.Call, string) {
	old, made := *r, *r
	old.after, made.before = nil, nil
	calls, why := k.calls(&old, remove)
	if why != "" && why != leftAsItIs && why != doesNotPass {
		return nil, why
	}
	more, why := k.calls(&made, create)
	if why == doesNotPass && len(calls) > 0 {
		why = ""
	}
	return append(calls, more...), why
}

func (k kind) usual(r *resource, does string) ([]change.Call, string) {
	at := r.after
	if does == remove {
		at = r.before
	}
	path, why := r.path(k.path, at)
	if why != "" {
		return nil, why
	}
	id := k.id
	if id == "" {
		id = "id"
	}
	method := http.MethodPost
	switch {
	case k.set != "":
		method = k.set
	case does != create:
		name := scalar(r.before[id])
		if name == "" {
			return nil, "its " + id + " is not known"
		}
		path += "/" + url.PathEscape(name)
		if method = http.MethodPut; k.update != "" {
			method = k.update
		}
	}
	if does == remove && k.set == "" {
		return []change.Call{{Method: http.MethodDelete, Path: path}}, ""
	}
	var body any = k.off
	if does == remove && k.off == nil {
		return nil, leftAsItIs
	}
	if does != remove {
		if body, why = k.body(r); why != "" {
			return nil, why
		}
	}
	return []change.Call{write(method, path, body)}, ""
}

func write(method, path string, body any) change.Call {
	raw, err := json.Marshal(body)
	if err != nil {
		raw = nil // it was read as JSON
	}
	return change.Call{Method: method, Path: path, Body: raw}
}

// body is what is sent of a resource.
func (k kind) body(r *resource) (any, string) {
	body, _ := k.plain(r.after).(object)
	for name := range body {
		if chosen(name) || strings.Contains(k.path, "{"+name+"}") || slices.Contains(strings.Fields(k.omit), name) ||
			strings.Contains(k.path, "{scope}") && (name == "zone_id" || name == "account_id") ||
			k.keep != "" && !slices.Contains(strings.Fields(k.keep), name) {
			delete(body, name)
		}
	}
	body, _ = named(body, k.names).(object)
	if k.shape == nil {
		return body, ""
	}
	return k.shape(r, body)
}

// chosen reports whether an attribute is Cloudflare's to choose.
func chosen(name string) bool {
	return slices.Contains([]string{"id", "ref", "created_on", "modified_on", "created_at", "updated_at", "last_updated", "created",
		"modified",
		"timeouts", "version", "etag", "modified_by", "created_by"}, name)
}

// plain leaves out null and unwraps the blocks of version 4.
func (k kind) plain(v any) any {
	blocks := strings.Fields(k.blocks)
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case object:
			out := make(object, len(v))
			for name, inner := range v {
				if list, is := inner.([]any); is && slices.Contains(blocks, name) && !slices.ContainsFunc(list, func(one any) bool {
					o, is := one.(object)
					return !is || o == nil
				}) && len(list) < 2 {
					if len(list) == 0 {
						continue
					}
					inner = list[0]
				}
				if inner = walk(inner); inner != nil {
					out[name] = inner
				}
			}
			return out
		case []any:
			out := make([]any, 0, len(v))
			for _, inner := range v {
				if inner = walk(inner); inner != nil {
					out = append(out, inner)
				}
			}
			return out
		default:
			return v
		}
	}
	return walk(v)
}

// named gives the members of objects the names that the API has for them.
func named(v any, names map[string]string) any {
	switch v := v.(type) {
	case object:
		out := make(object, len(v))
		for _, name := range sortedNames(v) { // two may have the same name afterwards
			inner := named(v[name], names)
			if now := names[name]; now != "" {
				name = now
			}
			out[name] = inner
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = named(inner, names)
		}
		return out
	default:
		return v
	}
}

// path fills in a path, or tells what is missing.
func (r *resource) path(pattern string, o object) (string, string) {
	var out []string
	for segment := range strings.SplitSeq(pattern, "/") {
		name, is := strings.CutPrefix(segment, "{")
		name = strings.TrimSuffix(name, "}")
		if !is {
			out = append(out, segment)
			continue
		}
		if name == "scope" {
			switch {
			case scalar(o["zone_id"]) != "":
				out, name = append(out, "zones"), "zone_id"
			case scalar(o["account_id"]) != "":
				out, name = append(out, "accounts"), "account_id"
			case r.unknown["zone_id"] == true:
				name = "zone_id"
			default:
				name = "account_id"
			}
		}
		value := scalar(o[name])
		switch {
		case value != "":
			out = append(out, url.PathEscape(value))
		case r.unknown[name] == true:
			return "", "its " + name + " is known only after apply"
		case name == "account_id" && scalar(o["zone_id"]) != "":
			return "", "it belongs to a zone, and only what belongs to the account is assessed"
		default:
			return "", "it has no " + name
		}
	}
	return strings.Join(out, "/"), ""
}

// scalar is a text or a number as a text.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	default:
		return ""
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func member(v any, name string) any {
	o, _ := v.(object)
	return o[name]
}

func sortedNames(o object) []string { return slices.Sorted(maps.Keys(o)) }

func same(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }
