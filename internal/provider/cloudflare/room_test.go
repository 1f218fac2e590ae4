package cloudflare

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/clock"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/platform/gate"
)

// weighed counts the bytes of answers that were read and not let go of. The end of each of
// the first answers comes when all of them have come that far or were given up.
type weighed struct {
	body     string
	first    int64
	now, max atomic.Int64
	asked    atomic.Int64
	arrived  atomic.Int64
	all      chan struct{}
}

func (w *weighed) RoundTrip(*http.Request) (*http.Response, error) {
	b := &weighedBody{w: w, left: w.body}
	if w.asked.Add(1) <= w.first {
		b.arrive = sync.OnceFunc(func() {
			if w.arrived.Add(1) == w.first {
				close(w.all)
			}
		})
	}
	return &http.Response{StatusCode: http.StatusOK, ContentLength: -1, Body: b}, nil
}

// weighedBody is one of them. Given up before its end, it is let go of when it is closed.
type weighedBody struct {
	w      *weighed
	left   string
	read   int64
	arrive func()
}

func (b *weighedBody) Read(p []byte) (int, error) {
	if b.left == "" {
		if b.arrive != nil {
			b.arrive()
			<-b.w.all
		}
		return 0, io.EOF
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	b.read += int64(n)
	now := b.w.now.Add(int64(n))
	for most := b.w.max.Load(); now > most && !b.w.max.CompareAndSwap(most, now); most = b.w.max.Load() {
	}
	return n, nil
}

func (b *weighedBody) Close() error {
	if b.left != "" {
		b.w.now.Add(-b.read)
		if b.arrive != nil {
			b.arrive()
		}
	}
	return nil
}

// Answers of 96 MiB at once, each held until it was used, stay within the room, and all come.
func TestAnswersShareTheRoom(t *testing.T) {
	w := &weighed{body: `{"success":true,"result":"` + strings.Repeat("a", 8<<20) + `"}`, first: 12, all: make(chan struct{})}
	tr := newTransport("provider.example", Options{Transport: w, Room: NewRoom(), Gate: open{}})
	var reads sync.WaitGroup
	for range w.first {
		reads.Go(func() {
			ctx, release := tr.o.Room.hold(context.Background())
			req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://provider.example/", nil)
			resp, err := tr.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return
			}
			n, err := io.Copy(io.Discard, resp.Body)
			if err != nil || n != int64(len(w.body)) {
				t.Error(n, err)
			}
			w.now.Add(-n)
			release()
		})
	}
	reads.Wait()
	require.LessOrEqual(t, w.max.Load(), int64(roomBytes))
	require.Greater(t, w.max.Load(), int64(roomBytes/4), "they were read side by side")
	require.LessOrEqual(t, w.asked.Load(), 2*w.first, "one that found no room was asked for once more")
	require.True(t, tr.o.Room.free.TryAcquire(roomBytes), "nothing is held in the end")
}

// Who waits for room ends when nobody waits for the answer.
func TestWaitingForRoomEnds(t *testing.T) {
	tr := newTransport("provider.example", Options{Transport: &weighed{body: "{}"}, Room: NewRoom(), Gate: open{}})
	require.True(t, tr.o.Room.free.TryAcquire(roomBytes))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://provider.example/", nil)
		_, err := tr.RoundTrip(req)
		ended <- err
	}()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// What unpacks to more than an answer may have, and lists that have no end, are refused.
func TestLargeAnswers(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		size := 6 << 20
		if r.URL.Path == "/bomb" {
			size = 20 << 20
		}
		info := fmt.Sprintf(`"success":true,"result_info":{"page":%d,"per_page":1,"count":1,"total_pages":1000,"total_count":1000}`, n)
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		_, err := io.WriteString(z, `{`+info+`,"result":[{"value":"`)
		for chunk := bytes.Repeat([]byte("a"), 1<<20); size > 0 && err == nil; size -= len(chunk) {
			_, err = z.Write(chunk)
		}
		_, _ = io.WriteString(z, `"}]}`)
		_ = z.Close()
	}))
	t.Cleanup(server.Close)
	pool := NewPool()
	t.Cleanup(pool.CloseIdleConnections)
	c, err := New(Options{BaseURL: server.URL, Token: secret.New("token"), Gate: open{}, Transport: pool})
	require.NoError(t, err)

	_, _, err = c.Get(t.Context(), "/bomb", nil)
	var apiErr *APIError
	require.ErrorAs(t, err, &apiErr)
	require.Contains(t, apiErr.Message, "16 MiB")

	asked.Store(0)
	_, err = c.Live(t.Context(), "/list", nil)
	var few *incompleteError
	require.ErrorAs(t, err, &few)
	require.LessOrEqual(t, asked.Load(), int64(4))

	asked.Store(0)
	_, err = c.singly(t.Context(), snapshot.SourceOf(snapshot.ZoneSettings), snapshot.SourceScope{}, snapshot.NewKnown(nil),
		&APIError{Status: 400, Code: 1})
	require.ErrorAs(t, err, &few)
	require.LessOrEqual(t, asked.Load(), int64(4))
	require.True(t, c.room.free.TryAcquire(roomBytes), "nothing is held in the end")
}

// TestAnswersOfManyValues: an element of two bytes becomes a value of hundreds, so an answer of 16 MiB took up to 9 GB. What many
// values take is held like what many bytes take.
func TestAnswersOfManyValues(t *testing.T) {
	for _, item := range []string{"0", "null", "{}", "[]", `""`, `{"a":0}`, `{"id":"x"}`} {
		client, asked := scripted(t, func(url.Values) string {
			return `{"success":true,"result":[` + strings.Repeat(item+",", (maxBody-100)/(len(item)+1)) + item + `]}`
		})
		sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.ZoneDNSRecords),
			snapshot.SourceScope{AccountID: "a", Zone: snapshot.Zone{ID: "z"}}, knows(), nil)
		require.NoError(t, err)
		require.Equal(t, snapshot.Failed, sec.Status)
		require.Contains(t, sec.Reason, "too many values")
		require.Len(t, *asked, 1)
	}
	require.Less(t, weight([]byte(`{"result":[{"a":"},],[\\\",,","b":[1,2,3]},{}]}`)), 40+3*elementBytes+10*memberBytes)

	room := NewRoom()
	ctx, release := room.hold(t.Context())
	tr := newTransport("provider.example", Options{Room: room, Gate: open{},
		Transport: &weighed{body: `{"success":true,"result":[` + strings.Repeat("0,", 40_000) + `0]}`}})
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://provider.example/", nil)
	resp, err := tr.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.False(t, room.free.TryAcquire(roomBytes-40_000*elementBytes), "an answer of 80 kB holds 10 MB")
	release()
	require.True(t, room.free.TryAcquire(roomBytes))
}

// TestAHugeHeader: what is in a header is outside the room.
func TestAHugeHeader(t *testing.T) {
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("a", 128<<10))
		_, _ = w.Write([]byte(`{"success":true,"result":[]}`))
	})
	_, _, err := client.Get(t.Context(), "/zones", nil)
	require.Error(t, err)
	require.Error(t, Unanswered(err))
	require.Less(t, len(err.Error()), 400)
}

// TestAWriteIsSentOnce: whether a write happened is not known when its answer is lost, so only a
// read is tried again. A write that was answered with 429 did not happen; what it rests on is read
// again before the next.
func TestAWriteIsSentOnce(t *testing.T) {
	for _, tc := range []struct {
		method       string
		status, want int
	}{{http.MethodGet, 502, 4}, {http.MethodPut, 502, 1}, {http.MethodDelete, 502, 1}, {http.MethodPatch, 429, 1}} {
		method, want, sent := tc.method, tc.want, 0
		client, err := New(Options{BaseURL: "http://sim.test", Token: secret.New("t"), Gate: open{}, Tries: 4,
			Sleep: func(context.Context, time.Duration) error { return nil }, Jitter: func() float64 { return 0 },
			Transport: handler{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				sent++
				w.WriteHeader(tc.status)
			})}})
		require.NoError(t, err)
		if method == http.MethodGet {
			_, err = client.Live(t.Context(), "/zones", nil)
		} else {
			_, err = client.Write(t.Context(), grant(t), change.Call{Method: method, Path: "/zones/z"})
		}
		require.Error(t, err)
		require.Equal(t, want, sent, method)
		require.Equal(t, tc.status == 429, errors.As(err, new(*HeldBackError)), method)
	}
}

// TestAWriteDoesNotWaitLong: what a write changes was read right before, so one that the gate has no
// room for is given back, and nothing is sent. A read waits.
func TestAWriteDoesNotWaitLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crowded := gated(func(ctx context.Context) (func(Answer), error) {
			if err := clock.Sleep(ctx, 45*time.Second); err != nil {
				return nil, err
			}
			return func(Answer) {}, nil
		})
		sent := 0
		client, err := New(Options{BaseURL: "http://sim.test", Token: secret.New("t"), Gate: crowded,
			Transport: handler{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				sent++
				_, _ = w.Write([]byte(`{"success":true,"result":{}}`))
			})}})
		require.NoError(t, err)
		_, err = client.Write(t.Context(), grant(t), change.Call{Method: http.MethodPut, Path: "/zones/z"})
		require.ErrorAs(t, err, new(*HeldBackError))
		require.NotErrorAs(t, err, new(*GateError))
		require.Zero(t, sent)
		_, err = client.Live(t.Context(), "/zones/z", nil)
		require.NoError(t, err)
		require.Equal(t, 1, sent)
	})
}

// TestAnOldGrantSendsNothing: a process that was frozen between its permission and the write may have lost the job meanwhile.
func TestAnOldGrantSendsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		client, err := New(Options{BaseURL: "http://sim.test", Token: secret.New("t"), Gate: open{},
			Transport: handler{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				sent++
				_, _ = w.Write([]byte(`{"success":true,"result":{}}`))
			})}})
		require.NoError(t, err)
		for age, want := range map[time.Duration]int{6 * time.Second: 0, 5 * time.Second: 1} {
			sent = 0
			permission := grant(t)
			time.Sleep(age)
			_, err = client.Write(t.Context(), permission, change.Call{Method: http.MethodPut, Path: "/zones/z"})
			require.Equal(t, want == 0, errors.As(err, new(*HeldBackError)))
			require.Equal(t, want, sent, age)
		}
	})
}

func grant(t *testing.T) gate.Grant {
	t.Helper()
	g, err := gate.New(gate.Options{Allowed: true, Secret: secret.New("edit"), Now: time.Now})
	require.NoError(t, err)
	got, err := g.Admit(t.Context(), secret.New("edit"))
	require.NoError(t, err)
	return got
}
