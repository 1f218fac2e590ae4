package siem_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
)

// key is a canary: it must be found nowhere but in the header.
const key = "canary-id:canary-Secret-0123456789"

func numbered(n int) iter.Seq2[siem.Document, error] {
	return func(yield func(siem.Document, error) bool) {
		for i := range n {
			if !yield(siem.Document{ID: docID(i), Index: "edgeposture-test", Body: fmt.Appendf(nil, `{"n":%d}`, i)}, nil) {
				return
			}
		}
	}
}

func docID(i int) string { return fmt.Sprintf("a:%06d", i) }

// index starts a search index and a sender to it.
func index(t *testing.T, b *siemtest.Bulk, change ...func(*siem.Search, *siem.Pace,
	*siemtest.Client)) (*siem.SearchSender, *siemtest.Clock) {
	t.Helper()
	clock, client := &siemtest.Clock{}, siemtest.NewClient(t)
	target, pace := siem.Search{URL: siemtest.Start(t, b), APIKey: secret.New(key)}, clock.Pace()
	for _, c := range change {
		c(&target, &pace, client)
	}
	s, err := siem.NewSearchSender(client, target, pace)
	require.NoError(t, err)
	return s, clock
}

// holds checks what holds for every report: each document has one outcome, what
// is said to be sent is stored, and no reason tells too much.
func holds(t *testing.T, r siem.Report, n int, stored map[string][]byte) {
	t.Helper()
	require.Len(t, r.Outcomes, n)
	require.Equal(t, n, r.Sent+r.Retry+r.Failed)
	seen := map[string]bool{}
	for _, o := range r.Outcomes {
		require.False(t, seen[o.ID])
		seen[o.ID] = true
		require.Contains(t, []siem.State{siem.Sent, siem.Retry, siem.Failed}, o.State)
		if o.State == siem.Sent {
			require.Contains(t, stored, o.ID, "only what arrived is sent")
		}
		require.Equal(t, o.State == siem.Sent, o.Reason == "", o.Reason)
		require.LessOrEqual(t, len([]rune(o.Reason)), 300)
		for _, part := range []string{"canary", "Y2FuYXJ5", "\n"} {
			require.NotContains(t, o.Reason, part)
		}
	}
}

// TestSilentDropsAreFound drops a document as a real server does, which answers
// with fewer items than were sent, with and without ids.
func TestSilentDropsAreFound(t *testing.T) {
	for _, silent := range []bool{true, false} {
		b := &siemtest.Bulk{Reply: func(siemtest.Call) siemtest.Reply {
			return siemtest.Reply{Silent: silent, Drop: func(_ int, item siemtest.Item) bool { return item.ID == docID(3) || item.ID == docID(177) }}
		}}
		s, _ := index(t, b)
		r, err := s.Send(t.Context(), numbered(200))
		require.NoError(t, err)
		holds(t, r, 200, b.Stored())
		require.Equal(t, 198, r.Sent)
		require.Equal(t, siem.Retry, r.Outcomes[3].State)
		require.Equal(t, siem.Retry, r.Outcomes[177].State)
		if !silent {
			require.Equal(t, 4, r.Requests, "ids tell at once which ones are missing")
		}
	}
}

// TestOnlyWhatFailedGoesAgain holds that nothing that was taken is sent twice.
func TestOnlyWhatFailedGoesAgain(t *testing.T) {
	b := &siemtest.Bulk{Reply: func(c siemtest.Call) siemtest.Reply {
		return siemtest.Reply{Item: func(i int, item siemtest.Item) *siemtest.Fault {
			if (i+c.Number)%2 == 0 {
				return rejected(429)
			}
			return nil
		}}
	}}
	s, _ := index(t, b, func(_ *siem.Search, p *siem.Pace, _ *siemtest.Client) { p.Attempts = 40 })
	r, err := s.Send(t.Context(), numbered(3000))
	require.NoError(t, err)
	holds(t, r, 3000, b.Stored())
	require.Equal(t, 3000, r.Sent)
	for id, times := range b.Times() {
		require.Equal(t, 1, times, id)
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	at := (&siemtest.Clock{}).Now()
	for _, c := range []struct {
		header  string
		slept   time.Duration // 0: not slept, given back
		givenUp time.Duration
	}{
		{"7", 7 * time.Second, 0},
		{at.Add(12 * time.Second).Format(http.TimeFormat), 12 * time.Second, 0},
		{"0", 375 * time.Millisecond, 0},
		{"", 375 * time.Millisecond, 0},
		{"soon", 375 * time.Millisecond, 0},
		{at.Add(-time.Hour).Format(http.TimeFormat), 375 * time.Millisecond, 0},
		{"299", 0, 299 * time.Second},
		{"99999999999999999999", 0, 24 * time.Hour},
	} {
		t.Run(c.header, func(t *testing.T) {
			b := &siemtest.Bulk{Reply: func(call siemtest.Call) siemtest.Reply {
				if call.Number > 1 {
					return siemtest.Reply{}
				}
				return siemtest.Reply{Status: 429, Header: map[string]string{"Retry-After": c.header}}
			}}
			s, clock := index(t, b)
			r, err := s.Send(t.Context(), numbered(10))
			require.NoError(t, err)
			require.Equal(t, c.givenUp, r.Wait())
			if c.slept == 0 {
				require.Equal(t, 10, r.Retry)
				require.Empty(t, clock.Waits())
				require.Equal(t, 1, r.Requests)
				return
			}
			require.Equal(t, 10, r.Sent)
			require.Equal(t, []time.Duration{c.slept}, clock.Waits())
		})
	}
}

// TestSweepOneBatchIsToldForAll holds that no batch goes out while the server wants to
// be left alone.
func TestSweepOneBatchIsToldForAll(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	for _, c := range []struct {
		after    string
		requests int
		sent     int
	}{{"20", 9, 8000}, {"299", 1, 0}} {
		b := &siemtest.Bulk{Reply: func(call siemtest.Call) siemtest.Reply {
			if call.Number > 1 {
				return siemtest.Reply{}
			}
			return siemtest.Reply{Status: 503, Header: map[string]string{"Retry-After": c.after}}
		}}
		s, clock := index(t, b, func(_ *siem.Search, p *siem.Pace, _ *siemtest.Client) { p.Workers = 1 })
		r, err := s.Send(t.Context(), numbered(8000))
		require.NoError(t, err)
		holds(t, r, 8000, b.Stored())
		require.Equal(t, c.requests, r.Requests)
		require.Equal(t, c.sent, r.Sent)
		if c.sent > 0 {
			require.Equal(t, []time.Duration{20 * time.Second}, clock.Waits(), "the wait is waited once")
		} else {
			require.Equal(t, 299*time.Second, r.Wait())
		}
	}
}

func TestHangingIndex(t *testing.T) {
	b := &siemtest.Bulk{Reply: func(c siemtest.Call) siemtest.Reply { return siemtest.Reply{Hang: c.Number == 1} }}
	s, _ := index(t, b, func(_ *siem.Search, p *siem.Pace, _ *siemtest.Client) { p.Timeout = 200 * time.Millisecond })
	r, err := s.Send(t.Context(), numbered(10))
	require.NoError(t, err)
	require.Equal(t, 10, r.Sent)
	require.Equal(t, 2, r.Requests)
}

func TestStoppedWhileSending(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := &siemtest.Bulk{Reply: func(c siemtest.Call) siemtest.Reply {
		if c.Number == 2 {
			cancel()
			return siemtest.Reply{Hang: true}
		}
		return siemtest.Reply{}
	}}
	s, _ := index(t, b, func(_ *siem.Search, p *siem.Pace, _ *siemtest.Client) { p.Workers = 1 })
	r, err := s.Send(ctx, numbered(5000))
	require.NoError(t, err)
	holds(t, r, 5000, b.Stored())
	require.Equal(t, 1000, r.Sent)
	require.Equal(t, 4000, r.Retry)
	require.Equal(t, 2, r.Requests, "nothing is sent after the stop")
}

func TestARefusedTargetIsNotAskedAgain(t *testing.T) {
	b := &siemtest.Bulk{Authorization: "ApiKey other"}
	s, _ := index(t, b, func(_ *siem.Search, p *siem.Pace, _ *siemtest.Client) { p.Workers = 1 })
	r, err := s.Send(t.Context(), numbered(20_000))
	require.NoError(t, err)
	holds(t, r, 20_000, nil)
	require.Equal(t, 20_000, r.Failed)
	require.Equal(t, 1, r.Requests)
}

func TestErrorOfTheSourceEndsTheSending(t *testing.T) {
	broken := errors.New("the database went away")
	b := &siemtest.Bulk{}
	s, _ := index(t, b)
	r, err := s.Send(t.Context(), siem.Documents(exporttest.Failing(exporttest.Large(3000), 1501, broken), siem.Options{}))
	require.ErrorIs(t, err, broken)
	holds(t, r, 1500, b.Stored())
	require.Equal(t, 1500, r.Sent)
}

func TestBatchesStayWithinTheirLimits(t *testing.T) {
	big := []byte(`{"t":"` + strings.Repeat("x", 30_000) + `"}`)
	docs := func(yield func(siem.Document, error) bool) {
		for i := range 400 {
			if !yield(siem.Document{ID: docID(i), Index: "i", Body: big}, nil) {
				return
			}
		}
	}
	for _, packed := range []bool{false, true} {
		b := &siemtest.Bulk{}
		s, _ := index(t, b, func(target *siem.Search, _ *siem.Pace, _ *siemtest.Client) { target.Gzip = packed })
		r, err := s.Send(t.Context(), docs)
		require.NoError(t, err)
		holds(t, r, 400, b.Stored())
		require.Equal(t, 400, r.Sent)
		require.Len(t, b.Requests(), 3)
		for _, q := range b.Requests() {
			require.LessOrEqual(t, q.Bytes, 5<<20)
			require.LessOrEqual(t, len(q.IDs), 1000)
			require.Equal(t, packed, q.Header.Get("Content-Encoding") == "gzip")
			require.Equal(t, "application/x-ndjson", q.Header.Get("Content-Type"))
		}
	}
	b := &siemtest.Bulk{}
	s, _ := index(t, b)
	r, err := s.Send(t.Context(), numbered(2500))
	require.NoError(t, err)
	require.Equal(t, 3, r.Requests)
}

// TestLongAnswersAreReadInPart sends to a server that answers in full, more than
// is read of an answer; what the part tells is settled.
func TestLongAnswersAreReadInPart(t *testing.T) {
	b := &siemtest.Bulk{}
	s, clock := index(t, b, func(_ *siem.Search, _ *siem.Pace, client *siemtest.Client) { client.Limit = 64 << 10 })
	r, err := s.Send(t.Context(), numbered(1000))
	require.NoError(t, err)
	holds(t, r, 1000, b.Stored())
	require.Equal(t, 1000, r.Sent)
	require.Greater(t, r.Requests, 1)
	require.Empty(t, clock.Waits())
}

func TestDataStreams(t *testing.T) {
	b, d := &siemtest.Bulk{}, exporttest.Large(50)
	s, _ := index(t, b)
	for range 2 {
		r, err := s.Send(t.Context(), siem.Documents(d, siem.Options{Form: siem.Posture}))
		require.NoError(t, err)
		require.Equal(t, 41, r.Sent, "what exists already counts as sent")
	}
	created := 0
	for id, body := range b.Stored() {
		var doc map[string]any
		require.NoError(t, json.Unmarshal(body, &doc))
		if doc["result"] != nil {
			created++
			require.Equal(t, 1, b.Times()[id])
		}
	}
	require.Equal(t, 40, created)
	// With an index, 409 is no success.
	b.Reply = func(siemtest.Call) siemtest.Reply {
		return siemtest.Reply{Item: func(int, siemtest.Item) *siemtest.Fault {
			return &siemtest.Fault{Status: 409, Type: "version_conflict_engine_exception"}
		}}
	}
	r, err := s.Send(t.Context(), numbered(1))
	require.NoError(t, err)
	require.Equal(t, 1, r.Failed)
}
