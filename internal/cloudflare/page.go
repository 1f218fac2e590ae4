package cloudflare

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// PageKind says how a list is paged.
type PageKind int

// The paging styles of the API.
const (
	Single PageKind = iota
	ByPage
	ByCursor
)

// Paging says how a list is paged and the largest page the provider gives.
// SizeParam is "per_page" unless the list calls it something else.
type Paging struct {
	Kind      PageKind
	Size      int
	SizeParam string
	// Totals reads the paging part of lists that carry it inside the result.
	Totals func(result json.RawMessage) *PageInfo
}

func (p Paging) query(page int, cursor string) url.Values {
	q := url.Values{}
	name := p.SizeParam
	if name == "" {
		name = "per_page"
	}
	q.Set(name, strconv.Itoa(p.Size))
	switch {
	case p.Kind == ByPage:
		q.Set("page", strconv.Itoa(page))
	case cursor != "":
		q.Set("cursor", cursor)
	}
	return q
}

// lastPage believes the totals; without any it goes on while pages are full.
func lastPage(info *PageInfo, p Paging, page, got, items int) bool {
	switch {
	case items == 0:
		return true
	case info.TotalPages > 0:
		return page >= info.TotalPages
	case info.Total > 0:
		return got >= info.Total
	case info.PerPage > 0:
		return items < info.PerPage
	default:
		return items < p.Size
	}
}

func arrayLength(raw json.RawMessage) int {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return 0
	}
	return len(items)
}

// Part is one page of a read, reduced to what is stored.
type Part struct {
	Value json.RawMessage `json:"value"`
	Items int             `json:"items"`
	Next  string          `json:"next,omitempty"` // cursor of the page after
	Last  bool            `json:"last"`           // of its list
}

// Checkpoint keeps the pages of an unfinished read, so that a read that was
// killed goes on with the page it was at. Pages are numbered from 0.
type Checkpoint interface {
	Load(n int) (Part, bool)
	Save(ctx context.Context, n int, p Part) error
}

// noCheckpoint keeps nothing.
type noCheckpoint struct{}

func (noCheckpoint) Load(int) (Part, bool)                 { return Part{}, false }
func (noCheckpoint) Save(context.Context, int, Part) error { return nil }

// maxPages stops a provider that never ends a list.
const maxPages = 10000

// pager reads a list page by page. It believes result_info, never the length of
// a page, and stops at a repeated cursor.
type pager struct {
	client *Client
	paging Paging
	path   string
	header http.Header
	reduce func(json.RawMessage) (json.RawMessage, error)

	page   int
	got    int
	cursor string
	seen   map[string]bool
}

// read asks for the next page.
func (p *pager) read(ctx context.Context) (Part, error) {
	path := p.path
	if p.paging.Kind != Single {
		path = withQuery(path, p.paging.query(p.page+1, p.cursor))
	}
	result, info, err := p.client.Get(ctx, path, p.header)
	if err != nil {
		return Part{}, err
	}
	value, err := p.reduce(result)
	if err != nil {
		return Part{}, err
	}
	if info == nil && p.paging.Totals != nil {
		info = p.paging.Totals(result)
	}
	part := Part{Value: value, Last: true}
	if p.paging.Kind == Single || info == nil {
		return part, nil
	}
	if part.Items = info.Count; part.Items == 0 {
		part.Items = arrayLength(result)
	}
	if p.paging.Kind == ByCursor {
		if part.Next = info.Cursors.After; part.Next == "" {
			part.Next = info.Cursor
		}
		part.Last = part.Next == ""
		return part, nil
	}
	got := p.got + part.Items
	if part.Items == 0 && got < info.Total {
		return Part{}, fmt.Errorf("read %s: the provider announced %d items and gave %d", bare(path), info.Total, got)
	}
	part.Last = lastPage(info, p.paging, p.page+1, got, part.Items)
	return part, nil
}

// advance moves past a page, whether it was read now or before.
func (p *pager) advance(part Part) error {
	p.page++
	p.got += part.Items
	if p.page >= maxPages {
		return fmt.Errorf("read %s: the list has more than %d pages", bare(p.path), maxPages)
	}
	if part.Next != "" && p.seen[part.Next] {
		return fmt.Errorf("read %s: the provider repeated a page cursor, so the list cannot be completed", bare(p.path))
	}
	p.cursor = part.Next
	p.seen[part.Next] = true
	return nil
}
