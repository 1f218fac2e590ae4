package traffic

import (
	"maps"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/expression"
)

// Request is a request to the edge as rules see it. Fields holds other fields that rules read, by
// their name in the rules language; nil when the request has no such field. Fields that are missing
// are unknown.
type Request struct {
	Host, Path, Query string
	Plain             bool // http, not https
	Fields            map[string]any
	// only and value hold a single field for a request without Fields; most requests have just one,
	// and this avoids a map.
	only  string
	value any
}

// URL is the address of the request.
func (r Request) URL() string {
	scheme := "https://"
	if r.Plain {
		scheme = "http://"
	}
	return scheme + r.Host + r.uri()
}

func (r Request) uri() string {
	if r.Query == "" {
		return r.Path
	}
	return r.Path + "?" + r.Query
}

// Names of the parts of a request that several fields are derived from.
const (
	partPath   = "http.request.uri.path"
	partQuery  = "http.request.uri.query"
	partScheme = "ssl"
	partHost   = "http.host"
)

// field returns the value of a field of the rules language
// (developers.cloudflare.com/ruleset-engine/rules-language/fields/reference/).
func (r Request) field(f expression.Field) (any, bool) {
	switch name := fieldName(f); name {
	case partHost:
		return r.Host, true
	case partPath:
		return r.Path, true
	case partQuery:
		return r.Query, true
	case partScheme:
		return !r.Plain, true
	case "http.request.scheme":
		scheme, _, _ := strings.Cut(r.URL(), ":")
		return scheme, true
	case "http.request.uri":
		return r.uri(), true
	case "http.request.full_uri":
		return r.URL(), true
	case extension:
		return strings.ToLower(strings.TrimPrefix(path.Ext(r.Path), ".")), true
	default:
		if misspelt(f) {
			return nil, true
		}
		v, ok := r.lookup(name)
		if len(f.Index) == 0 {
			return v, ok
		}
		switch all := v.(type) {
		case []string:
			return pick(all, f.Index[len(f.Index)-1]), true
		case []int64:
			return pick(all, f.Index[len(f.Index)-1]), true
		}
		return v, ok
	}
}

// pick returns what an index selects from a field with several values: all of them, or one.
func pick[T any](all []T, index string) any {
	n, err := strconv.Atoi(index)
	switch {
	case err != nil:
		return all
	case n < 0 || n >= len(all):
		return nil
	}
	return all[n]
}

// extension is what follows the last dot of a path, in lower case and without the dot.
const extension = "http.request.uri.path.extension"

// partsOf names the parts of a request that a field is derived from.
func partsOf(name string) []string {
	switch name {
	case "http.request.uri":
		return []string{partPath, partQuery}
	case "http.request.full_uri":
		return []string{partHost, partScheme, partPath, partQuery}
	case extension:
		return []string{partPath}
	case "http.request.scheme":
		return []string{partScheme}
	default:
		return []string{name}
	}
}

// fieldName returns the canonical name of a field that has several. A raw field is compared like
// the normalised one (URL normalisation changes only unusual spellings), older names are aliases,
// and headers that have a field of their own map to it.
func fieldName(f expression.Field) string {
	name := strings.TrimPrefix(f.Name, "raw.")
	switch name {
	case "ip.geoip.country":
		return "ip.src.country"
	case "ip.geoip.asnum":
		return "ip.src.asnum"
	case "ip.geoip.continent":
		return "ip.src.continent"
	case "ip.geoip.is_in_european_union":
		return "ip.src.is_in_european_union"
	}
	index := f.Index
	if n := len(index); n > 0 && (index[n-1] == "*" || numbered(index[n-1])) {
		index = index[:n-1]
	}
	if len(index) == 0 {
		return name
	}
	key := strings.Join(index, `"]["`)
	if name == headers {
		key = strings.ToLower(key)
	}
	return name + `["` + key + `"]`
}

// numbered reports whether an index selects one of several values.
func numbered(index string) bool { return strings.Trim(index, "0123456789") == "" }

// headers is the field with the headers of a request.
const headers = "http.request.headers"

// misspelt reports whether a field is a header whose name has capitals: the names of headers are in lower
// case, so there is none of this name.
func misspelt(f expression.Field) bool {
	return isHeader(fieldName(f)) && f.Index[0] != strings.ToLower(f.Index[0])
}

func isHeader(name string) bool { return strings.HasPrefix(name, headers+`["`) }

// with returns the request with one part replaced.
func (r Request) with(part string, value any) Request {
	switch part {
	case partPath, partQuery, partHost, partScheme:
		r.set(part, value)
	default:
		if r.Fields == nil && r.only == "" {
			r.only, r.value = part, value
			return r
		}
		r.Fields = maps.Clone(r.Fields)
		if r.only != "" {
			r.set(r.only, r.value)
			r.only = ""
		}
		r.set(part, value)
	}
	return r
}

// lookup returns a field by its name.
func (r *Request) lookup(name string) (any, bool) {
	if r.only == name {
		return r.value, true
	}
	v, ok := r.Fields[name]
	return v, ok
}

// set replaces a part of the request.
func (r *Request) set(part string, value any) {
	switch part {
	case partPath:
		r.Path, _ = value.(string)
	case partQuery:
		r.Query, _ = value.(string)
	case partHost:
		r.Host, _ = value.(string)
	case partScheme:
		secure, _ := value.(bool)
		r.Plain = !secure
	default:
		if r.Fields == nil {
			r.Fields = map[string]any{}
		}
		r.Fields[part] = value
	}
}

// Source returns the source address of the request, when it matters.
func (r Request) Source() (netip.Addr, bool) {
	a, ok := r.Fields["ip.src"].(netip.Addr)
	return a, ok
}

// Describe formats the request in one line: method and URL, then the other relevant fields, sorted.
func (r Request) Describe() string {
	method, _ := r.Fields["http.request.method"].(string)
	if method == "" {
		method = "GET"
	}
	out := []string{method + " " + r.URL()}
	for _, name := range slices.Sorted(maps.Keys(r.Fields)) {
		switch v := r.Fields[name].(type) {
		case netip.Addr:
			out = append(out, "from "+v.String())
		case bool:
			if v {
				out = append(out, "with "+name)
			}
		}
	}
	return strings.Join(out, " ")
}
