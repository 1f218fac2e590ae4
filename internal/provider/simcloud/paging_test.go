package simcloud

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// walk reads a synthetic list of n items with one route's paging rule.
func walk(t *testing.T, route Route, n, perPage int) (got []int, calls int) {
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	q := url.Values{cmp.Or(route.paging.size, "per_page"): {num(perPage)}}
	for page := 1; ; page++ {
		q.Set("page", num(page))
		a := listOf(&call{route: &route, query: q}, items)
		require.Nil(t, a.err)
		part := a.result.([]int)
		got, calls = append(got, part...), calls+1
		require.Equal(t, len(part), a.info.Count)
		switch route.Paging() {
		case "page":
			require.Equal(t, n, *a.info.TotalCount)
			require.Equal(t, page, a.info.Page)
			if page >= *a.info.TotalPages {
				return got, calls
			}
		case "cursors":
			if a.info.Cursors == nil {
				return got, calls
			}
			q.Set("cursor", a.info.Cursors.After)
		default:
			if a.info.Cursor == "" {
				return got, calls
			}
			q.Set("cursor", a.info.Cursor)
		}
	}
}

func TestPagingOfEveryList(t *testing.T) {
	for _, route := range Routes() {
		byDefault, most := route.PerPage()
		if most == 0 {
			continue
		}
		t.Run(route.Pattern, func(t *testing.T) {
			full := min(most, 2000) // the largest maximum is five million
			for n, wantCalls := range map[int]int{0: 1, 1: 1, full: 1, full + 1: 2} {
				got, calls := walk(t, route, n, full)
				require.Equal(t, wantCalls, calls, "%d items", n)
				require.Len(t, got, n)
				for i := range got {
					require.Equal(t, i, got[i])
				}
			}
			a := listOf(&call{route: &route, query: url.Values{}}, make([]int, byDefault+1))
			require.Len(t, a.result, byDefault)
			over := listOf(&call{route: &route, query: url.Values{cmp.Or(route.paging.size, "per_page"): {num(most + 1)}}}, []int{1})
			if strings.Contains(route.Pattern, "/access/") {
				require.Nil(t, over.err)
				require.Equal(t, most, over.info.PerPage)
			} else {
				require.Equal(t, http.StatusBadRequest, over.status)
				require.Contains(t, over.err.Message, num(most))
			}
		})
	}
}

// ids returns something unique per item of any list.
func ids(t *testing.T, raw json.RawMessage) []string {
	var wrapped struct{ Buckets []json.RawMessage }
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		require.NoError(t, json.Unmarshal(raw, &wrapped))
		items = wrapped.Buckets
	}
	out := make([]string, 0, len(items))
	for _, i := range items {
		out = append(out, string(i))
	}
	return out
}

func TestListsOfARealAccountPage(t *testing.T) {
	cl := unlimited(AccountSpec{Plans: []string{"enterprise"}, Zones: 5, Members: 5, Tunnels: 5, Apps: 5, Buckets: 5, Namespaces: 5,
		Databases: 5, ListItems: 5, Clean: true})
	secret := cl.Tokens()[0].Secret
	for _, route := range Routes() {
		if _, most := route.PerPage(); most == 0 {
			continue
		}
		path := fill(cl, route.Pattern)
		path = strings.Replace(path, "/user_groups/unknown/", "/user_groups/"+asText(cl.accounts[0].userGroups[0]["id"])+"/", 1)
		path = strings.Replace(path, "/lists/unknown/", "/lists/"+asText(cl.accounts[0].lists[0]["id"])+"/", 1)
		path = strings.Replace(path, "/stores/unknown/", "/stores/"+asText(cl.accounts[0].held[secretStore][0]["id"])+"/", 1)
		path = strings.Replace(path, "/namespaces/unknown/", "/namespaces/default/", 1)
		path = strings.Replace(path, "/projects/unknown/", "/projects/"+asText(cl.accounts[0].projects[0]["name"])+"/", 1)
		glue := "?"
		if strings.Contains(path, "?") {
			glue = "&"
		}
		want := ids(t, ask(t, cl, secret, http.MethodGet, path, "").Result)
		got := []string{}
		cursor := ""
		for page := 1; page <= len(want)+1; page++ {
			r := ask(t, cl, secret, http.MethodGet, path+glue+"per_page=2&page="+num(page)+cursor, "")
			require.Equal(t, http.StatusOK, r.Status, path)
			got = append(got, ids(t, r.Result)...)
			after := r.Info.Cursors.After + r.Info.Cursor
			if (route.Paging() == "page" && page >= *r.Info.TotalPages) || (route.Paging() != "page" && after == "") {
				break
			}
			cursor = "&cursor=" + after
		}
		require.Equal(t, want, got, path)
	}
}

func FuzzRequestParameters(f *testing.F) {
	f.Add("per_page=50&page=2", "off-3")
	f.Add("per_page=-1", "off--1")
	f.Add("page=99999999999999999999", "")
	f.Fuzz(func(t *testing.T, rawQuery, cursor string) {
		defer fuzztest.Bound(t)()
		q, err := url.ParseQuery(rawQuery)
		if err != nil {
			return
		}
		items := []int{1, 2, 3, 4, 5}
		for _, kind := range []pagingKind{pageNumber, pageCursor, pageCursors} {
			p := paging{kind: kind, def: 2, max: 4}
			q.Set("cursor", cursor)
			a := listOf(&call{route: &Route{paging: p}, query: q}, items)
			if a.err == nil {
				require.LessOrEqual(t, len(a.result.([]int)), p.max)
			} else {
				require.Equal(t, http.StatusBadRequest, a.status)
			}
		}
	})
}
