// Package siemtest has receivers for tests: a search index and an event collector that store what they
// accept by id, count how often, and fail on request. They listen on loopback and end with the test.
package siemtest

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Start serves a handler until the test ends and returns its address.
func Start(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// Client is a Doer over net/http that reads at most Limit bytes of an answer and follows no redirects.
type Client struct {
	HTTP  *http.Client
	Limit int64
}

// NewClient makes a client with a transport of its own, closed with the test.
func NewClient(t testing.TB) *Client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	t.Cleanup(transport.CloseIdleConnections)
	return &Client{Limit: 4 << 20, HTTP: &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

// Do performs a request.
func (c *Client) Do(r *http.Request) (*outbound.Response, error) {
	answer, err := c.HTTP.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, c.Limit))
	if err != nil {
		return nil, fmt.Errorf("read an answer: %w", err)
	}
	return &outbound.Response{Status: answer.StatusCode, Header: answer.Header, Body: body}, nil
}

// Clock advances only when somebody sleeps on it, and records the waits.
type Clock struct {
	mu     sync.Mutex
	passed time.Duration
	waits  []time.Duration
}

// Now starts at 21 November 2026.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC).Add(c.passed)
}

// Sleep advances the clock and returns at once.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits, c.passed = append(c.waits, d), c.passed+d
	return ctx.Err()
}

// Waits returns the durations slept so far.
func (c *Clock) Waits() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.waits)
}

// Pace returns a pace that sleeps on the clock.
func (c *Clock) Pace() siem.Pace {
	return siem.Pace{Now: c.Now, Sleep: c.Sleep, Jitter: func() float64 { return 0.5 }}
}

// kept stores what a receiver accepted, by id, and how often.
type kept struct {
	mu       sync.Mutex
	bodies   map[string][]byte
	times    map[string]int
	requests []Request
	flying   int
	most     int
}

// Request is one request that a receiver got.
type Request struct {
	Path   string
	Header http.Header
	Bytes  int // after decompression
	IDs    []string
}

func (k *kept) take(id string, body []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.bodies == nil {
		k.bodies, k.times = map[string][]byte{}, map[string]int{}
	}
	k.bodies[id] = body
	k.times[id]++
}

func (k *kept) has(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.times[id] > 0
}

// begin records a request and returns its number, from 1.
func (k *kept) begin(r Request) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.requests = append(k.requests, r)
	k.flying++
	k.most = max(k.most, k.flying)
	return len(k.requests)
}

func (k *kept) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flying--
}

// Stored returns the accepted bodies by id.
func (k *kept) Stored() map[string][]byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.bodies)
}

// Times returns how often each id was accepted.
func (k *kept) Times() map[string]int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.times)
}

// Requests returns all requests in order of arrival.
func (k *kept) Requests() []Request {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.requests)
}

// MostAtOnce is the largest number of concurrent requests.
func (k *kept) MostAtOnce() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.most
}

// body reads and decompresses a request.
func body(r *http.Request) ([]byte, error) {
	var in io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		in = z
	}
	b, err := io.ReadAll(io.LimitReader(in, 64<<20))
	if err == nil && len(b) == 0 {
		err = errors.New("empty body")
	}
	return b, err
}

// hang waits until the client goes away.
func hang(r *http.Request) { <-r.Context().Done() }
