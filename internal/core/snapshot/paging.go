package snapshot

import "encoding/json"

// PageKind is the paging style of a list.
type PageKind int

// The paging styles of the API.
const (
	Single PageKind = iota
	ByPage
	ByCursor
)

// Paging describes how a list is paged and its maximum page size. SizeParam defaults to "per_page"
// and CursorParam to "cursor".
type Paging struct {
	Kind        PageKind
	Size        int
	SizeParam   string
	CursorParam string
	// Totals reads the paging information of lists that have it inside the result.
	Totals func(result json.RawMessage) Totals
}

// Totals is the paging information of a list; Total is 0 when unknown.
type Totals struct{ Count, PerPage, Total int }
