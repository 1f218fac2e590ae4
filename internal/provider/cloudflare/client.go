// Package cloudflare reads and writes the provider's API. It is the only package that depends on
// the vendor's client: cloudflare-go v0 provides transport, envelope and credential handling
// through api.Raw; paging, retries, the shared request budget and the meaning of errors are decided
// here.
//
// A source is one file in internal/core/snapshot: what is read, with which permission, how it is
// paged, when it is not needed, and how its answer is reduced to the small form that is stored.
// Everything else in the answer is dropped in memory.
package cloudflare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	cf "github.com/cloudflare/cloudflare-go"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/core/span"
)

// Options configures a Client.
type Options struct {
	// BaseURL is the address of the API, such as https://api.cloudflare.com/client/v4.
	BaseURL string
	Token   secret.Text
	// Gate admits each request and is notified of each answer.
	Gate Limiter
	// Transport is the connection pool; nil uses a private one.
	Transport http.RoundTripper
	// Room bounds the memory of all answers together; nil uses a private one.
	Room *Room
	// Timeout bounds one attempt at a request; 0 is 30 s.
	Timeout time.Duration
	// Tries bounds the attempts at a request that fails temporarily; 0 is 5. A 429 does not count,
	// because the gate waits it out.
	Tries int
	// Now is the clock, which ends the window of logs; nil is time.Now.
	Now func() time.Time
	// Span is called for each read; it may be nil.
	Span span.Begin
	// Jitter returns numbers in [0,1) that spread retries.
	Jitter func() float64
	// Sleep waits between attempts or until ctx ends.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Client reads the API with one credential. It is safe for concurrent use.
type Client struct {
	api  *cf.API
	now  func() time.Time
	span span.Begin
	room *Room
	// retired holds the error of each source whose list no longer exists and whose items are read one
	// by one.
	retired sync.Map
}

// New returns a client. The token is only sent in the Authorization header of requests to the host
// of BaseURL.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, fmt.Errorf("the address of the Cloudflare API, %q, is not an http or https URL", o.BaseURL)
	}
	if o.Token.IsZero() {
		return nil, errors.New("there is no API token to read Cloudflare with")
	}
	if !o.Token.IsToken() { // it would be tried again and again as if Cloudflare were away
		return nil, posture.Problemf(posture.CodeInvalid, "The API token has a character that no token of Cloudflare has, such as a space or a "+
			"line break; copy it again.")
	}
	if o.Room == nil {
		o.Room = NewRoom()
	}
	rt := newTransport(base.Host, o)
	api, err := cf.NewWithAPIToken(o.Token.Reveal(), cf.BaseURL(strings.TrimRight(o.BaseURL, "/")),
		cf.HTTPClient(&http.Client{Transport: rt, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}),
		cf.UsingRetryPolicy(0, 0, 0), cf.UsingRateLimit(1e9), cf.UserAgent("edgeposture"))
	if err != nil {
		return nil, fmt.Errorf("prepare Cloudflare client: %w", err)
	}
	c := &Client{api: api, now: o.Now, span: o.Span, room: o.Room}
	if c.now == nil {
		c.now = time.Now
	}
	return c, nil
}

// Get reads one path and returns its raw result. If ctx comes from Room.hold, the memory of the
// answer stays reserved until the caller releases it.
func (c *Client) Get(ctx context.Context, path string, header http.Header) (json.RawMessage, *PageInfo, error) {
	if !change.Clean(path) {
		return nil, nil, incomplete("an id or a name in %s leads elsewhere", bare(path))
	}
	e, err := c.call(ctx, http.MethodGet, path, nil, header)
	if err != nil {
		return nil, nil, err
	}
	if !e.Success {
		return nil, nil, incomplete("Cloudflare does not say that reading %s succeeded", bare(path))
	}
	return e.Result, e.Info, nil
}

func withQuery(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	if strings.Contains(path, "?") {
		return path + "&" + q.Encode()
	}
	return path + "?" + q.Encode()
}

// bare returns a path without its query, for messages.
func bare(path string) string {
	p, _, _ := strings.Cut(path, "?")
	return p
}

// Live returns the complete result of a path, or nil when the provider answers that there is no
// such object. Lists are read to their end.
func (c *Client) Live(ctx context.Context, path string, header map[string]string) (_ any, err error) {
	ctx, end := c.begin(ctx)
	defer func() { end("live", zoneOf(path), statusOf(err)) }()
	ctx, release := c.room.hold(ctx)
	defer release()
	var all []any
	bytes := 0
	seen, marks := map[string]bool{}, map[string]bool{} // cursors, and marks of pages
	for page, at := 1, path; ; page++ {
		raw, info, err := c.Get(ctx, at, headers(header))
		if isAbsent(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if bytes += len(raw); bytes > maxBody {
			return nil, incomplete("read %s: the list is larger than %d bytes", bare(path), maxBody)
		}
		value, err := change.Decode(raw)
		if err != nil {
			return nil, err
		}
		list, isList := value.([]any)
		if !isList {
			return value, nil
		}
		all = append(all, list...)
		this := mark(raw)
		if marks[this] && len(list) > 0 {
			return nil, incomplete("read %s: Cloudflare gave the same page twice", bare(path))
		}
		marks[this] = true
		next := url.Values{}
		switch {
		case info == nil:
			return all, nil
		case info.Cursor != "" && !seen[info.Cursor]:
			seen[info.Cursor] = true
			next.Set("cursor", info.Cursor)
		case info.TotalPages <= page && info.Total <= len(all) && (info.Cursor == "" || info.Total > 0):
			return all, nil
		case info.Cursor != "" || len(seen) > 0 || len(list) == 0:
			return nil, incomplete("read %s: Cloudflare announced more than the %d items it gave", bare(path), len(all))
		default:
			next.Set("page", strconv.Itoa(page+1))
		}
		if page >= maxPages || info.TotalPages > maxPages {
			return nil, incomplete("read %s: the list has more than %d pages", bare(path), maxPages)
		}
		at = withQuery(path, next)
	}
}

func headers(in map[string]string) http.Header {
	out := http.Header{}
	for name, value := range in {
		out.Set(name, value)
	}
	return out
}

// isAbsent reports whether the provider said that an object does not exist. An address that it does
// not know, or an answer without a code, proves nothing.
func isAbsent(err error) bool {
	var e *APIError
	return errors.As(err, &e) && e.Status == http.StatusNotFound && e.meaning() == snapshot.Absent
}
