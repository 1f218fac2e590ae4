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
	// Source is the key of the read in the source catalogue, empty for writes and for reads that are
	// not assessed.
	Source string

	paging paging
	// repeat marks a read whose data another read of the table also returns.
	repeat bool
	handle func(*call) answer
}

// PerPage returns the default and maximum page size of a list; zero when the operation does not page.
func (r Route) PerPage() (byDefault, most int) { return r.paging.def, r.paging.max }

// Paging returns "page", "cursor" (result_info.cursor), "cursors" (result_info.cursors.after) or ""
// for unpaged responses.
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

// examples returns routes that serve the catalogue's example for each source that has no route of its own.
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

// covers reports whether a pattern matches the paths of another, regardless of variable names.
func covers(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool { return x == y || strings.HasPrefix(x, "{") })
}

func read(pattern, permission, source string, handle func(*call) answer) Route {
	return Route{Method: http.MethodGet, Pattern: pattern, Permission: permission, Source: source, handle: handle}
}

// again returns a read of one entry of a list, for clients that change it.
func again(pattern, permission string, handle func(*call) answer) Route {
	return read(pattern, permission, "", handle).repeats()
}

func (r Route) repeats() Route {
	r.repeat = true
	return r
}

// list returns a paged read.
func list(pattern, permission, source string, p paging, handle func(*call) answer) Route {
	r := read(pattern, permission, source, handle)
	r.paging = p
	return r
}

// change returns a write; it needs the Write permission that corresponds to a Read permission.
func change(method, pattern, readPermission string, handle func(*call) answer) Route {
	return Route{Method: method, Pattern: pattern, Permission: writeOf(readPermission), handle: handle}
}

func writeOf(readPermission string) string {
	return strings.TrimSuffix(readPermission, readSuffix) + writeSuffix
}

// Page sizes per list, see https://developers.cloudflare.com/api/. If the reference states no
// maximum, the catalogue's value is used.
func pages(byDefault, most int) paging { return paging{kind: pageNumber, def: byDefault, max: most} }

func clamped(byDefault, most int) paging {
	return paging{kind: pageNumber, def: byDefault, max: most, clamp: true}
}
