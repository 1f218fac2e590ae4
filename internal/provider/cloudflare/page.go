package cloudflare

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// queryOf returns the query for a page.
func queryOf(p snapshot.Paging, page int, cursor string) url.Values {
	q := url.Values{}
	name := p.SizeParam
	if name == "" {
		name = "per_page"
	}
	q.Set(name, strconv.Itoa(p.Size))
	switch {
	case p.Kind == snapshot.ByPage:
		q.Set("page", strconv.Itoa(page))
	case cursor != "":
		q.Set(cmp.Or(p.CursorParam, "cursor"), cursor)
	}
	return q
}

// lastPage trusts the totals, whichever announce more; without any, and with a total of fewer items than were given, it continues
// while pages are full.
func lastPage(info *PageInfo, p snapshot.Paging, page, got, items int) (bool, error) {
	total := max(info.Total, info.Count) // the count is of the page, or of all
	announced := page < info.TotalPages || got < total
	switch {
	case items == 0 && announced:
		return false, incomplete("Cloudflare announced %d items on %d pages and gave %d", total, info.TotalPages, got)
	case announced:
		return false, nil
	case items == 0, p.Kind == snapshot.Single, info.TotalPages > 0 && info.Total == 0, got <= info.Total:
		return true, nil
	case info.PerPage > 0:
		return items < info.PerPage, nil
	default:
		return items < p.Size, nil
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
	Next  string          `json:"next,omitempty"` // cursor of the next page
	Last  bool            `json:"last"`           // the last page of its list
	Mark  string          `json:"mark,omitempty"` // see mark
}

// Checkpoint stores the pages of an unfinished read, so that a read that was killed resumes at its
// page. Pages are numbered from 0.
type Checkpoint interface {
	Load(n int) (Part, bool)
	Save(ctx context.Context, n int, p Part) error
}

// noCheckpoint stores nothing.
type noCheckpoint struct{}

func (noCheckpoint) Load(int) (Part, bool)                 { return Part{}, false }
func (noCheckpoint) Save(context.Context, int, Part) error { return nil }

// maxPages stops a list that the provider never ends: 50,000 items for lists with the smallest
// pages, far more for others.
const maxPages = 1000

// maxKept bounds what is kept of a list, in bytes: some 400,000 DNS records.
const maxKept = 64 << 20

// mark tells a page of a list from the others: by the id of its first item, because other members may change between two answers, or
// by all of it where items have no ids. "" is that of a page without items.
func mark(result json.RawMessage) string {
	var item json.RawMessage
	items := json.NewDecoder(bytes.NewReader(result))
	if open, _ := items.Token(); open != json.Delim('[') || !items.More() || items.Decode(&item) != nil {
		return ""
	}
	var first struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(item, &first) == nil && len(first.ID) > 0 && !slices.Contains([]string{"null", `""`}, string(first.ID)) {
		result = first.ID
	}
	sum := sha256.Sum256(result)
	return hex.EncodeToString(sum[:16])
}

// pager reads a list page by page. It trusts result_info rather than the length of a page, and
// stops at a repeated cursor or page, and at a list that grows as fast as it is read.
type pager struct {
	client     *Client
	paging     snapshot.Paging
	path       string
	header     http.Header
	reduce     func(json.RawMessage) (json.RawMessage, error)
	listed     bool // a list, which may be null when it is empty
	mayBeEmpty bool
	whole      bool // read to its end, whatever its pages say

	first  *PageInfo // of the first page that was read
	page   int
	got    int
	bytes  int // of what is kept
	cursor string
	seen   map[string]bool // cursors
	marks  map[string]bool // of the pages
}

// read reads the next page.
func (p *pager) read(ctx context.Context) (Part, error) {
	path := p.path
	switch {
	case p.paging.Kind != snapshot.Single:
		path = withQuery(path, queryOf(p.paging, p.page+1, p.cursor))
	case p.page > 0: // more pages than the single one that was expected
		path = withQuery(path, url.Values{"page": {strconv.Itoa(p.page + 1)}})
	}
	ctx, release := p.client.room.hold(ctx)
	defer release()
	result, info, err := p.client.Get(ctx, path, p.header)
	if err != nil {
		return Part{}, err
	}
	if err := p.plausible(result, info); err != nil {
		return Part{}, err
	}
	value, err := p.reduce(result)
	if err != nil {
		return Part{}, err
	}
	if info == nil && p.paging.Totals != nil {
		totals := p.paging.Totals(result)
		info = &PageInfo{Count: totals.Count, PerPage: totals.PerPage, Total: totals.Total}
	}
	part := Part{Value: value, Last: true}
	if p.paging.Kind != snapshot.Single || p.listed {
		if part.Mark = mark(result); part.Mark == "" {
			part.Mark = mark(value) // the list is inside an object
		}
		if part.Mark != "" && p.marks[part.Mark] {
			return Part{}, errRepeated()
		}
	}
	if info == nil || p.paging.Kind == snapshot.Single && !p.listed {
		return part, nil
	}
	if err := p.growing(info); err != nil {
		return Part{}, err
	}
	if part.Items = arrayLength(result); part.Items == 0 {
		part.Items = max(arrayLength(value), info.Count) // the list is inside an object
	}
	if p.whole && (info.TotalPages >= maxPages || info.Total > maxPages*max(part.Items, p.paging.Size)) {
		return Part{}, errTooLong() // none of its pages would be of use
	}
	if p.paging.Kind == snapshot.ByCursor {
		part.Next = info.Cursor
		part.Last = part.Next == ""
		if got := p.got + part.Items; part.Last && (max(info.Total, info.Count) > got || info.TotalPages > p.page+1) {
			return Part{}, incomplete("Cloudflare ended the list after %d items and announced more", got)
		}
		return part, nil
	}
	part.Last, err = lastPage(info, p.paging, p.page+1, p.got+part.Items, part.Items)
	return part, err
}

// growing rejects a list of which each page announces more: it would be read to maxPages.
func (p *pager) growing(info *PageInfo) error {
	if p.first == nil {
		p.first = info
	}
	const some = 10 // pages that may come while a list is read
	pages, items := 2*p.first.TotalPages+some, 2*p.first.Total+some*p.paging.Size
	if p.first.TotalPages > 0 && info.TotalPages > pages || p.first.Total > 0 && info.Total > items {
		return incomplete("Cloudflare announced %d items on %d pages, and then %d on %d, so the list cannot be completed", p.first.Total,
			p.first.TotalPages, info.Total, info.TotalPages)
	}
	return nil
}

func errTooLong() error { return incomplete("the list has more than %d pages", maxPages) }

func errRepeated() error {
	return incomplete("Cloudflare gave the same page twice, so the list cannot be completed")
}

// incompleteError is an answer that does not contain what was requested.
type incompleteError struct{ reason string }

func (e *incompleteError) Error() string { return e.reason }

func incomplete(format string, args ...any) error {
	return &incompleteError{fmt.Sprintf(format, args...)}
}

// plausible rejects results that prove nothing: a missing result, an object without members, a text
// far too long to be a name, and a full page that does not say whether more follow.
func (p *pager) plausible(result json.RawMessage, info *PageInfo) error {
	text := bytes.TrimSpace(result)
	switch {
	case len(text) == 0 || string(text) == "null":
		if !p.listed || info == nil || info.Count > 0 || info.Total > 0 {
			return incomplete("Cloudflare gave no result")
		}
	case string(text) == "{}" && !p.mayBeEmpty:
		return incomplete("Cloudflare gave an empty object")
	case longText(text):
		return incomplete("the result holds a text of more than %d bytes", maxText)
	case p.paging.Kind != snapshot.Single && info == nil && p.paging.Totals == nil && arrayLength(text) >= p.paging.Size:
		return incomplete("Cloudflare gave a full page and did not say whether more follow")
	case p.paging.Kind == snapshot.Single && info != nil && !p.listed && info.TotalPages > 1:
		return incomplete("Cloudflare has %d pages where one was expected", info.TotalPages)
	}
	return nil
}

// maxText bounds one text of a result. The longest legitimate one is the code of a snippet, which
// is transferred in an envelope.
const maxText = 4 << 20

// longText reports whether JSON contains a string longer than maxText.
func longText(raw []byte) bool {
	if len(raw) <= maxText {
		return false
	}
	for start := bytes.IndexByte(raw, '"'); start >= 0; {
		end := start + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		if end-start > maxText {
			return true
		}
		if end >= len(raw) {
			return false
		}
		next := bytes.IndexByte(raw[end+1:], '"')
		if next < 0 {
			return false
		}
		start = end + 1 + next
	}
	return false
}

// advance moves past a page, whether it was read now or restored.
func (p *pager) advance(part Part) error {
	p.page++
	p.got += part.Items
	if p.bytes += len(part.Value); p.bytes > maxKept {
		return incomplete("what is kept of the list is larger than %d bytes", maxKept)
	}
	if p.page >= maxPages {
		return errTooLong()
	}
	if part.Next != "" && p.seen[part.Next] {
		return incomplete("Cloudflare repeated a page cursor, so the list cannot be completed")
	}
	p.cursor = part.Next
	p.seen[part.Next], p.marks[part.Mark] = true, true
	return nil
}
