package simcloud

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	playback "github.com/edgeposture/edgeposture/internal/provider/record"
)

// clock is a time that only moves when told.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func TestFixedWindowAndBlock(t *testing.T) {
	c := &clock{at: fixedNow()}
	cl := New(Options{Now: c.now, Limit: Limit{Requests: 3, Window: time.Minute, Block: 5 * time.Minute}, Tokens: []Token{
		{Secret: "a", User: "u"}, {Secret: "b", User: "u"}, {Secret: "c", User: "v"}, {Secret: "d", Kind: AccountToken},
	}})
	get := func(secret string) reply { return ask(t, cl, secret, http.MethodGet, "/zones", "") }
	first := get("a")
	require.Equal(t, `"default";r=2;t=60`, first.Header.Get("Ratelimit"))
	require.Equal(t, `"default";q=3;w=60`, first.Header.Get("Ratelimit-Policy"))
	c.step(20 * time.Second)
	require.Equal(t, `"default";r=1;t=40`, get("b").Header.Get("Ratelimit"), "tokens of one user share")
	cl.Spend("u", 1)
	over := get("a")
	require.Equal(t, http.StatusTooManyRequests, over.Status)
	require.Equal(t, "300", over.Header.Get("Retry-After"))
	require.Equal(t, 971, over.Errors[0].Code)
	require.Equal(t, http.StatusOK, get("c").Status, "another user is not affected")
	require.Equal(t, http.StatusOK, get("d").Status, "an account token has its own budget")
	c.step(299 * time.Second)
	require.Equal(t, "1", get("b").Header.Get("Retry-After"))
	c.step(time.Second)
	require.Equal(t, `"default";r=2;t=60`, get("b").Header.Get("Ratelimit"))
	c.step(time.Minute)
	require.Equal(t, `"default";r=2;t=60`, get("b").Header.Get("Ratelimit"), "a new window")
	require.Equal(t, 2, cl.Requests().RateLimited)
}

func TestSlidingWindow(t *testing.T) {
	c := &clock{at: fixedNow()}
	cl := New(Options{Now: c.now, Limit: Limit{Requests: 2, Window: time.Minute, Sliding: true}})
	get := func() reply { return ask(t, cl, cl.Tokens()[0].Secret, http.MethodGet, "/zones", "") }
	get()
	c.step(40 * time.Second)
	require.Equal(t, `"default";r=0;t=20`, get().Header.Get("Ratelimit"))
	c.step(20 * time.Second)
	require.Equal(t, `"default";r=0;t=40`, get().Header.Get("Ratelimit"))
	require.Equal(t, http.StatusTooManyRequests, get().Status)
}

func TestDefaultsOfTheLimit(t *testing.T) {
	require.Equal(t, Limit{Requests: 1200, Window: 5 * time.Minute, Block: 5 * time.Minute}, Limit{}.withDefaults())
}

func TestFaultsAreDeterministic(t *testing.T) {
	run := func(seed uint64) []int {
		cl := New(Options{Now: fixedNow, Faults: Faults{Rate429: 0.2, Rate500: 0.2, Rate502: 0.2, Seed: seed, RetryAfter: 3 * time.Second}})
		var out []int
		for range 60 {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, BasePath+"/zones", nil)
			r.Header.Set("Authorization", "Bearer "+cl.Tokens()[0].Secret)
			cl.ServeHTTP(w, r)
			if w.Code == 429 {
				require.Equal(t, "3", w.Header().Get("Retry-After"))
			}
			out = append(out, w.Code)
		}
		return out
	}
	one := run(1)
	require.Equal(t, one, run(1))
	require.NotEqual(t, one, run(2))
	for _, status := range []int{200, 429, 500, 502} {
		require.True(t, slices.Contains(one, status), "%d", status)
	}
}

// client talks to a started server without keeping connections.
func client(t *testing.T) *http.Client {
	tr := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

func get(ctx context.Context, t *testing.T, hc *http.Client, s *playback.Server, cl *Cloud) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/zones", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+cl.Tokens()[0].Secret)
	resp, err := hc.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(t, resp.Body.Close()) }()
	return io.ReadAll(resp.Body)
}

func TestBrokenConnections(t *testing.T) {
	cl := New(Options{Now: fixedNow})
	s, err := cl.Start("127.0.0.1:0")
	require.NoError(t, err)
	hc := client(t)
	body, err := get(t.Context(), t, hc, s, cl)
	require.NoError(t, err)
	require.Contains(t, string(body), `"success":true`)
	cl.SetFaults(Faults{RateTruncate: 1})
	_, err = get(t.Context(), t, hc, s, cl)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	cl.SetFaults(Faults{RateReset: 1})
	_, err = get(t.Context(), t, hc, s, cl)
	require.Error(t, err)
	cl.SetFaults(Faults{RateHang: 1, Only: func(_, path string) bool { return strings.HasSuffix(path, "/zones") }})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = get(ctx, t, hc, s, cl)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	cl.SetFaults(Faults{RateHang: 1, HangFor: time.Millisecond})
	_, err = get(t.Context(), t, hc, s, cl)
	require.Error(t, err)
	cl.SetFaults(Faults{})
	cl.Outage(true)
	body, err = get(t.Context(), t, hc, s, cl)
	require.NoError(t, err)
	require.Contains(t, string(body), `"success":false`)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "a second close does nothing")
	stats := cl.Requests()
	require.Equal(t, 6, stats.Total)
	require.Equal(t, map[int]int{200: 2, 0: 3, 503: 1}, stats.Statuses)
}

func TestLatencyEndsWithTheRequest(t *testing.T) {
	cl := New(Options{Now: fixedNow, Latency: time.Hour, Jitter: time.Minute})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest(http.MethodGet, BasePath+"/zones", nil).WithContext(ctx)
	cl.ServeHTTP(httptest.NewRecorder(), r) // returns at once instead of after an hour
}

func TestCounters(t *testing.T) {
	var seen []string
	cl := New(Options{Now: fixedNow, OnRequest: func(method, path string) { seen = append(seen, method+" "+path) }})
	secret := cl.Tokens()[0].Secret
	for range 2 {
		ask(t, cl, secret, http.MethodGet, "/zones?per_page=50&page=1", "")
	}
	ask(t, cl, secret, http.MethodGet, "/zones?page=1&per_page=50", "")
	ask(t, cl, secret, http.MethodGet, "/nowhere", "")
	got := cl.Requests()
	require.Equal(t, 4, got.Total)
	require.Equal(t, 3, got.Patterns["GET /zones"])
	require.Equal(t, 3, got.Paths["GET "+BasePath+"/zones?page=1&per_page=50"])
	require.Equal(t, 1, got.Patterns["unrouted"])
	require.Equal(t, map[int]int{200: 3, 404: 1}, got.Statuses)
	require.Equal(t, 1, got.MaxInFlight)
	require.Len(t, seen, 4)
	cl.ResetRequests()
	require.Zero(t, cl.Requests().Total)
}

func TestConcurrentReadsAndWrites(t *testing.T) {
	cl := New(Options{Now: fixedNow, Limit: Limit{Disabled: true}, Tokens: []Token{{Secret: "w", CanWrite: true}},
		Accounts: []AccountSpec{{Zones: 4, Plant: 0.5}}})
	zones := cl.ZoneIDs(cl.Accounts()[0])
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				z := "/zones/" + zones[i%len(zones)]
				ask(t, cl, "w", http.MethodGet, z+"/dns_records", "")
				ask(t, cl, "w", http.MethodPatch, z+"/settings/ssl", `{"value":"full"}`)
				ask(t, cl, "w", http.MethodGet, z+"/settings", "")
				ask(t, cl, "w", http.MethodGet, "/zones", "")
				_ = cl.Requests()
			}
		})
	}
	wg.Wait()
	require.Equal(t, 320, cl.Requests().Total)
}

func TestHoldStopsRequestsUntilReleased(t *testing.T) {
	arrived := make(chan struct{})
	cl := New(Options{Now: fixedNow, OnRequest: func(string, string) { arrived <- struct{}{} }})
	release := cl.Hold()
	done := make(chan int, 1)
	secret := cl.Tokens()[0].Secret
	go func() {
		r := httptest.NewRequest(http.MethodGet, BasePath+"/zones", nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		w := httptest.NewRecorder()
		cl.ServeHTTP(w, r)
		done <- w.Code
	}()
	<-arrived
	require.Empty(t, done)
	release()
	release() // a second call does nothing
	require.Equal(t, http.StatusOK, <-done)
}
