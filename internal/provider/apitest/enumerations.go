package apitest

import (
	"reflect"
	"regexp"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

var variable = regexp.MustCompile(`\{[^}]*\}`)

// anonymous returns the path of a template without its query and its variable names.
func anonymous(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return variable.ReplaceAllString(path, "{}")
}

// Enumerations returns the published values of stored fields, by type and JSON name. A field that two sources fill has the values
// of both.
func Enumerations() map[string][]string {
	out := map[string][]string{}
	open := map[string]bool{}
	all := Operations()
	for _, s := range snapshot.Sources() {
		o, ok := Find(all, "GET", anonymous(s.Path))
		if !ok {
			continue
		}
		result := o.Result
		if item, ok := result.Item(); ok && s.Listed() {
			result = item
		}
		enumerate(s.Stored(), result, result, out, open)
	}
	for field := range open {
		delete(out, field)
	}
	return out
}

// enumerate walks a stored type and the published shape in parallel. A field stored in another place than it is published in is
// looked up by its name in the whole result.
func enumerate(typ reflect.Type, at, whole Shape, out map[string][]string, open map[string]bool) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		if item, ok := at.Item(); ok && typ.Kind() == reflect.Slice {
			at = item
		}
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[snapshot.Time]() {
		return
	}
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		member, ok := at.Member(name)
		if !ok {
			member, ok = whole.anywhere(name)
		}
		if !ok {
			continue
		}
		if f.Type.Kind() == reflect.String {
			field := typ.Name() + "." + name
			if values := member.Values(); len(values) > 0 {
				out[field] = append(out[field], values...)
			} else {
				open[field] = true
			}
		}
		enumerate(f.Type, member, whole, out, open)
	}
}

// anywhere finds a member by its name at any depth.
func (s Shape) anywhere(name string) (Shape, bool) {
	if m, ok := s.Member(name); ok {
		return m, true
	}
	for _, inner := range s.Names() {
		if m, ok := s.Member(inner); ok && inner != "*" {
			if found, ok := m.anywhere(name); ok {
				return found, true
			}
		}
	}
	if item, ok := s.Item(); ok {
		return item.anywhere(name)
	}
	return Shape{}, false
}
