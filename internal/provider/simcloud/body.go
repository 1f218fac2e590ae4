package simcloud

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// sent reads the body as one JSON object.
func (c *call) sent() (obj, bool) {
	var o obj
	if json.Unmarshal(c.body, &o) != nil || o == nil {
		return nil, false
	}
	return o, true
}

// merged returns an object after a partial write: members in the request change, the others stay.
// Members named in kept belong to the provider and never change.
func merged(old, sent obj, kept ...string) obj {
	out := maps.Clone(old)
	for k, v := range sent {
		if !slices.Contains(kept, k) {
			out[k] = v
		}
	}
	return out
}

// pick drops unknown members: those that are neither in the object nor listed in others.
func pick(sent, old obj, others ...string) obj {
	out := obj{}
	for k, v := range sent {
		if _, has := old[k]; has || slices.Contains(others, k) {
			out[k] = v
		}
	}
	return out
}

// replaced returns an object after a write that replaces it: missing members fall back to defaults,
// those named in kept stay.
func replaced(old, defaults, sent obj, kept ...string) obj {
	out := merged(defaults, sent, kept...)
	for _, k := range kept {
		if v, has := old[k]; has {
			out[k] = v
		}
	}
	return out
}

// deepMerged merges objects member by member; null removes a member.
func deepMerged(old, sent obj, kept ...string) obj {
	out := maps.Clone(old)
	for k, v := range sent {
		inner, isObject := v.(obj)
		before, wasObject := old[k].(obj)
		switch {
		case slices.Contains(kept, k):
		case v == nil:
			delete(out, k)
		case isObject && wasObject:
			out[k] = deepMerged(before, inner)
		default:
			out[k] = v
		}
	}
	return out
}

// fits reports whether each member in the request has the JSON type of the member it replaces; null
// fits everything.
func fits(old, sent obj) bool {
	for k, v := range sent {
		was, is := jsonType(old[k]), jsonType(v)
		if was != is && was != reflect.Invalid && is != reflect.Invalid {
			return false
		}
	}
	return true
}

// jsonType maps Go kinds to one kind per JSON type; Invalid is null.
func jsonType(v any) reflect.Kind {
	switch kind := reflect.ValueOf(v).Kind(); {
	case kind >= reflect.Int && kind <= reflect.Float64:
		return reflect.Float64
	case kind == reflect.Array:
		return reflect.Slice
	default:
		return kind
	}
}

// objects reads a list of objects, either from a request or generated.
func objects(v any) []obj {
	switch list := v.(type) {
	case []obj:
		return list
	case []any:
		out := make([]obj, 0, len(list))
		for _, e := range list {
			o, isObject := e.(obj)
			if !isObject {
				return nil
			}
			out = append(out, o)
		}
		return out
	}
	return nil
}

// invalid refuses a body whose members make no sense.
func invalid(message string) answer { return refuse(400, 1004, message) }
