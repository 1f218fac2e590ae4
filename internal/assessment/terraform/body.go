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
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// kind describes, as data, how resources of a type are written. By default its items are below
// path: POST there creates one, PUT and DELETE with its id change and remove it.
type kind struct {
	path   string            // {x} is the value of attribute x, {scope} the account or the zone
	id     string            // the attribute that identifies an item, if not id
	set    string            // the method that writes a setting, which exists whether or not Terraform manages it
	off    object            // what destroying such a setting writes; nil: nothing
	update string            // the method that changes an item, if not PUT
	names  map[string]string // API names of attributes, at any depth
	blocks string            // blocks in version 4, at any depth
	omit   string            // attributes that are not part of the body
	keep   string            // if set, the only attributes of the body
	rank   int               // order of writing: resources that refer to others have a higher rank
	no     string            // why the resource is not judged
	adds   string            // why its creation is not judged
	goes   string            // why its destruction is not judged
	shape  func(r *resource, body object) (any, string)
	whole  func(k kind, r *resource, does string) ([]change.Call, string) // replaces all of the above
}

// lookup finds the kind of a resource; an Access policy that belongs to an application has a kind
// of its own.
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

// value returns an attribute after the change, or before it when the resource is destroyed.
func (r *resource) value(name string) any {
	if r.after != nil {
		return r.after[name]
	}
	return r.before[name]
}

// calls returns the API calls that a change results in, or why it is not judged.
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

// replaced deletes a resource and creates it again. If one of the two changes nothing, its calls
// are left out.
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
	at := r.values(does)
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
		raw = nil // the value was decoded from JSON
	}
	return change.Call{Method: method, Path: path, Body: raw}
}

// body returns the request body for a resource.
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

// chosen reports whether Cloudflare sets an attribute.
func chosen(name string) bool {
	return slices.Contains([]string{"id", "ref", "created_on", "modified_on", "created_at", "updated_at", "last_updated", "created",
		"modified",
		"timeouts", "version", "etag", "modified_by", "created_by"}, name)
}

// plain removes nulls and unwraps the blocks of version 4.
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

// named renames the members of objects to their API names.
func named(v any, names map[string]string) any {
	switch v := v.(type) {
	case object:
		out := make(object, len(v))
		for _, name := range sortedNames(v) { // sorted, because two names may map to the same one
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

// path fills in a path, or says what is missing.
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
		if name == "bucket_name" {
			value = snapshot.BucketID(scalar(o["jurisdiction"]), value) // what-if names buckets as findings do
		}
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

// scalar returns a string or a number as text.
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
