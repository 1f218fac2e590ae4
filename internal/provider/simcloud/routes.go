package simcloud

import (
	"net/http"
	"slices"
	"strings"
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
		ztnaRoutes(), firewallRoutes(), deliveryRoutes(), platformRoutes(), nameRoutes(), tlsRoutes(), mailRoutes())
	slices.SortFunc(table, func(x, y Route) int {
		if c := strings.Compare(x.Pattern, y.Pattern); c != 0 {
			return c
		}
		return strings.Compare(x.Method, y.Method)
	})
	return table
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
