package terraform

import (
	"fmt"
	"slices"
	"strings"
)

// unset lists the configured values that are known only after apply, except those that Cloudflare
// sets.
func (r *resource) unset(k kind) (out []string) {
	for _, name := range sortedNames(r.unknown) {
		if chosen(name) || slices.Contains(strings.Fields(k.omit), name) || len(k.keep) > 0 && !slices.Contains(strings.Fields(k.keep), name) {
			continue
		}
		if r.expressions != nil && !refers(r.expressions[name]) {
			continue
		}
		unknowns(r.unknown[name], r.after[name], name, func(path string) { out = append(out, path) })
	}
	return out
}

// named writes the path of an attribute with the names of the API.
func (k kind) named(path string) string {
	parts := strings.Split(path, ".")
	for i, p := range parts {
		name, index, _ := strings.Cut(p, "[")
		if now := k.names[name]; now != "" {
			name = now
		}
		if parts[i] = name; index != "" {
			parts[i] += "[" + index
		}
	}
	return strings.Join(parts, ".")
}

// refers reports whether an expression has references.
func refers(expression any) bool {
	switch e := expression.(type) {
	case object:
		if names, _ := e["references"].([]any); len(names) > 0 {
			return true
		}
		for _, inner := range e {
			if refers(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(e, refers)
	}
	return false
}

// unknowns lists where a value is unknown. Ids of rules and policies defined inline are set by
// Cloudflare and left out; other ids refer to something.
func unknowns(v, after any, path string, each func(path string)) {
	switch v := v.(type) {
	case bool:
		if v {
			each(path)
		}
	case object:
		inPlace := member(after, "action") != nil || member(after, "decision") != nil
		for _, name := range sortedNames(v) {
			if (!chosen(name) || name == "id") && !(inPlace && (name == "id" || name == "logging")) {
				unknowns(v[name], member(after, name), path+"."+name, each)
			}
		}
	case []any:
		items := list(after)
		for i, inner := range v {
			var item any
			if i < len(items) {
				item = items[i]
			}
			unknowns(inner, item, fmt.Sprintf("%s[%d]", path, i), each)
		}
	}
}
