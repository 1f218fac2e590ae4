package simcloud

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// pagingKind is how a list is paginated.
type pagingKind string

// Kinds of paging in the API.
const (
	pageNone    pagingKind = ""
	pageNumber  pagingKind = "page"
	pageCursors pagingKind = "cursors" // result_info.cursors.after
	pageCursor  pagingKind = "cursor"  // result_info.cursor
)

// paging is the pagination of one list: default and maximum page size. Clamp reduces a too large
// per_page silently, where the API does so.
type paging struct {
	kind     pagingKind
	def, max int
	clamp    bool
	size     string // the name of the page size parameter, per_page when empty
}

// window is a validated request for one page.
type window struct {
	page, perPage, offset int
}

const cursorPrefix = "off-"

// parseWindow reads page, per_page and cursor of a query.
func (p paging) parseWindow(q url.Values) (window, *apiError) {
	w := window{page: 1, perPage: p.def}
	name := cmp.Or(p.size, "per_page")
	if raw := q.Get(name); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 1 {
			return w, &apiError{Code: 6003, Message: name + " must be a number of at least 1"}
		}
		if n > p.max && !p.clamp {
			return w, &apiError{Code: 6003, Message: fmt.Sprintf("%s must not be larger than %d", name, p.max)}
		}
		w.perPage = min(n, p.max)
	}
	if p.kind == pageCursors || p.kind == pageCursor {
		off, valid := parseCursor(q.Get("cursor"))
		if !valid {
			return w, &apiError{Code: 10004, Message: "cursor is not valid"}
		}
		w.offset = off
		return w, nil
	}
	if raw := q.Get("page"); raw != "" {
		n, err := strconv.Atoi(raw)
		if err != nil || n < 1 || n > 1_000_000_000 {
			return w, &apiError{Code: 6003, Message: "page must be a number of at least 1"}
		}
		w.page = n
	}
	w.offset = (w.page - 1) * w.perPage
	return w, nil
}

func parseCursor(raw string) (int, bool) {
	if raw == "" {
		return 0, true
	}
	digits, found := strings.CutPrefix(raw, cursorPrefix)
	n, err := strconv.Atoi(digits)
	if !found || err != nil || n < 0 || n > 1_000_000_000 {
		return 0, false
	}
	return n, true
}

// cut returns the bounds of the page in a list of n items and its result_info.
func (p paging) cut(n int, w window) (lo, hi int, info *resultInfo) {
	lo = min(w.offset, n)
	hi = min(lo+w.perPage, n)
	info = &resultInfo{Count: hi - lo}
	switch p.kind {
	case pageCursors, pageCursor:
		info.PerPage = w.perPage
		if hi < n {
			after := cursorPrefix + num(hi)
			if p.kind == pageCursor {
				info.Cursor = after
			} else {
				info.Cursors = &cursors{After: after}
			}
		}
	default:
		pages := (n + w.perPage - 1) / w.perPage
		info.Page, info.PerPage, info.TotalCount, info.TotalPages = w.page, w.perPage, &n, &pages
	}
	return lo, hi, info
}

// listOf returns one page of items, paginated as the route requires.
func listOf[T any](c *call, items []T) answer {
	p := c.route.paging
	if p.kind == pageNone {
		if items == nil {
			items = []T{}
		}
		return ok(items)
	}
	w, bad := p.parseWindow(c.query)
	if bad != nil {
		return answer{status: http.StatusBadRequest, err: bad}
	}
	lo, hi, info := p.cut(len(items), w)
	return answer{status: http.StatusOK, result: append([]T{}, items[lo:hi]...), info: info}
}
