package simcloud

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// Route is one operation of the simulated API.
type Route struct {
	Method string
	// Pattern below [BasePath], with {name} for variable segments.
	Pattern string
	// Permission the token needs, empty for none beyond a valid token.
	Permission string
	// Source is the key of the read in the source catalogue, empty for writes
	// and for reads nothing assesses.
	Source string

	paging paging
	// repeat marks a read whose answer another read of the table holds too.
	repeat bool
	handle func(*call) answer
}

// PerPage returns the page size of a list by default and at most; zero when
// the operation does not page.
func (r Route) PerPage() (byDefault, most int) { return r.paging.def, r.paging.max }

// Paging returns "page", "cursor" (result_info.cursor), "cursors"
// (result_info.cursors.after) or "" for single answers.
func (r Route) Paging() string { return string(r.paging.kind) }

// Routes returns the routes table, reads first, sorted by pattern and method.
func Routes() []Route {
	table := slices.Concat(userRoutes(), accountRoutes(), accessRoutes(), workloadRoutes(), zoneRoutes(), rulesetRoutes(),
		ztnaRoutes(), firewallRoutes(), deliveryRoutes(), platformRoutes(), productRoutes(), nameRoutes(), tlsRoutes(), mailRoutes())
	table = append(table, examples(table)...)
	slices.SortFunc(table, func(x, y Route) int {
		if c := strings.Compare(x.Pattern, y.Pattern); c != 0 {
			return c
		}
		return strings.Compare(x.Method, y.Method)
	})
	return table
}

// examples answers each source that has no route of its own with its example.
func examples(table []Route) (out []Route) {
	known := make(map[string]bool, len(table))
	var reads [][]string
	for _, r := range table {
		if known[r.Source] = true; r.Method == http.MethodGet {
			reads = append(reads, strings.Split(r.Pattern, "/"))
		}
	}
	for _, s := range snapshot.Sources() {
		pattern, _, _ := strings.Cut(s.Path, "?")
		parts := strings.Split(pattern, "/")
		if !known[s.Name] && !slices.ContainsFunc(reads, func(r []string) bool { return covers(r, parts) }) {
			out = append(out, read(pattern, s.Permission, s.Name, func(*call) answer { return ok(json.RawMessage(s.Example)) }))
		}
	}
	return out
}

// covers tells whether a pattern matches the paths of another, whatever their variables are called.
func covers(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool { return x == y || strings.HasPrefix(x, "{") })
}

func read(pattern, permission, source string, handle func(*call) answer) Route {
	return Route{Method: http.MethodGet, Pattern: pattern, Permission: permission, Source: source, handle: handle}
}

// again reads one entry of a list once more, for clients that change it.
func again(pattern, permission string, handle func(*call) answer) Route {
	return read(pattern, permission, "", handle).repeats()
}

func (r Route) repeats() Route {
	r.repeat = true
	return r
}

// list is a read that pages.
func list(pattern, permission, source string, p paging, handle func(*call) answer) Route {
	r := read(pattern, permission, source, handle)
	r.paging = p
	return r
}

// change is a write; it needs the Write permission that belongs to a read.
func change(method, pattern, readPermission string, handle func(*call) answer) Route {
	return Route{Method: method, Pattern: pattern, Permission: writeOf(readPermission), handle: handle}
}

func writeOf(readPermission string) string {
	return strings.TrimSuffix(readPermission, readSuffix) + writeSuffix
}

// Page sizes of https://developers.cloudflare.com/api/ per list. Where no
// reference states a maximum the catalogue's figure is used.
func pages(byDefault, most int) paging { return paging{kind: pageNumber, def: byDefault, max: most} }

func clamped(byDefault, most int) paging {
	return paging{kind: pageNumber, def: byDefault, max: most, clamp: true}
}
