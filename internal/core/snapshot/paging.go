package snapshot

import "encoding/json"

// PageKind says how a list is paged.
type PageKind int

// The paging styles of the API.
const (
	Single PageKind = iota
	ByPage
	ByCursor
)

// Paging says how a list is paged and the largest page the provider gives.
// SizeParam is "per_page" and CursorParam "cursor" unless the list calls them something else.
type Paging struct {
	Kind        PageKind
	Size        int
	SizeParam   string
	CursorParam string
	// Totals reads the paging part of lists that carry it inside the result.
	Totals func(result json.RawMessage) Totals
}

// Totals are what a list tells about its length; Total is 0 when it does not.
type Totals struct{ Count, PerPage, Total int }
