package cloudflare

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// envelope is the form of every answer
// (developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/). Some products write numbers
// as strings.
type envelope struct {
	Success bool            `json:"success"`
	Errors  []apiProblem    `json:"errors"`
	Result  json.RawMessage `json:"result"`
	Info    *PageInfo       `json:"result_info"`
}

type apiProblem struct {
	Code    wholeNumber `json:"code"`
	Message string      `json:"message"`
}

// PageInfo is the paging part of an envelope. Missing members are 0 or empty.
type PageInfo struct {
	PerPage    int
	TotalPages int
	Count      int
	Total      int
	Cursor     string
}

// UnmarshalJSON accepts numbers and strings. Totals that are neither are an error, because without
// them it is unknown whether the list is complete; the other members are hints.
func (p *PageInfo) UnmarshalJSON(raw []byte) error {
	var w struct {
		PerPage    hint        `json:"per_page"`
		PageSize   hint        `json:"page_size"`
		TotalPages wholeNumber `json:"total_pages"`
		Count      hint        `json:"count"`
		Total      wholeNumber `json:"total_count"`
		Cursor     cursorText  `json:"cursor"`
		Token      cursorText  `json:"next_page_token"`
		Cursors    struct {
			After cursorText `json:"after"`
		} `json:"cursors"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return err
	}
	*p = PageInfo{PerPage: int(max(w.PerPage, w.PageSize)), TotalPages: int(w.TotalPages), Count: int(w.Count), Total: int(w.Total),
		Cursor: string(w.Cursors.After)}
	p.Cursor = cmp.Or(p.Cursor, string(w.Cursor), string(w.Token))
	return nil
}

// wholeNumber is a number, or a string with one; missing and negative values are 0.
type wholeNumber int

// UnmarshalJSON rejects everything else.
func (n *wholeNumber) UnmarshalJSON(raw []byte) error {
	text := strings.TrimSpace(strings.Trim(string(raw), `"`))
	if text == "" || text == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || f > math.MaxInt32 {
		return fmt.Errorf("%.40q is not a whole number", text)
	}
	*n = wholeNumber(max(f, 0))
	return nil
}

// hint is a wholeNumber that is 0 when it is invalid.
type hint int

// UnmarshalJSON never fails.
func (h *hint) UnmarshalJSON(raw []byte) error {
	var n wholeNumber
	if n.UnmarshalJSON(raw) == nil {
		*h = hint(n)
	}
	return nil
}

// cursorText is a string, or a number as written.
type cursorText string

// UnmarshalJSON rejects lists and objects.
func (c *cursorText) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '{', '[':
		return fmt.Errorf("%.40q is not a cursor", raw)
	case '"':
		return json.Unmarshal(raw, (*string)(c))
	case 'n', 'f':
		return nil // null, or false for no cursor
	}
	*c = cursorText(raw)
	return nil
}

// exchange is what the transport records about a call besides what the vendor's client returns: the
// raw answer, why the gate refused the request, and how long the last 429 before that told to wait.
type exchange struct {
	body    []byte
	refused error
	limited time.Duration
}

type exchangeKey struct{}

// call sends a request through the vendor's client and decodes the answer. The error is a
// *GateError, an *APIError, that of the transport or of ctx, or says that the answer cannot be
// read.
func (c *Client) call(ctx context.Context, method, path string, body any, header http.Header) (*envelope, error) {
	var x exchange
	_, err := c.api.Raw(context.WithValue(ctx, exchangeKey{}, &x), method, path, body, header)
	if x.refused != nil {
		return nil, &GateError{x.refused, x.limited}
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return nil, failed.Err // of the transport, which names the path
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, bare(path), err)
	}
	var e envelope
	if err := json.Unmarshal(x.body, &e); err != nil {
		return nil, incomplete("the answer to %s cannot be read: %s", bare(path), oneLine(err.Error()))
	}
	switch {
	case len(e.Errors) > 0 && e.Success:
		return nil, incomplete("the answer to %s says that it succeeded and names an error: %s", bare(path), oneLine(e.Errors[0].Message))
	case len(e.Errors) > 0:
		return nil, &APIError{Status: http.StatusOK, Code: int(e.Errors[0].Code), Message: oneLine(e.Errors[0].Message), Path: bare(path)}
	}
	return &e, nil
}
