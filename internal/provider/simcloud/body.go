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

// merged is an object after a write that changes the members sent and leaves
// the others; the members named in kept are the provider's.
func merged(old, sent obj, kept ...string) obj {
	out := maps.Clone(old)
	for k, v := range sent {
		if !slices.Contains(kept, k) {
			out[k] = v
		}
	}
	return out
}

// pick drops unknown members: those the object does not have and that
// are not among the others it may have.
func pick(sent, old obj, others ...string) obj {
	out := obj{}
	for k, v := range sent {
		if _, has := old[k]; has || slices.Contains(others, k) {
			out[k] = v
		}
	}
	return out
}

// replaced is an object after a write that puts a whole new one in its place:
// what was not sent falls back to defaults, the members named in kept stay.
func replaced(old, defaults, sent obj, kept ...string) obj {
	out := merged(defaults, sent, kept...)
	for _, k := range kept {
		if v, has := old[k]; has {
			out[k] = v
		}
	}
	return out
}

// deepMerged merges objects member by member; null takes a member away.
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

// fits tells whether each member sent has the JSON type of the member it
// replaces; null fits everything.
func fits(old, sent obj) bool {
	for k, v := range sent {
		was, is := jsonType(old[k]), jsonType(v)
		if was != is && was != reflect.Invalid && is != reflect.Invalid {
			return false
		}
	}
	return true
}

// jsonType folds Go kinds into one kind for each JSON type; Invalid is null.
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

// objects reads a list of objects that was sent or generated.
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

// invalid is the refusal of a body whose members do not make sense.
func invalid(message string) answer { return refuse(400, 1004, message) }
