package siem_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
	"github.com/edgeposture/edgeposture/internal/delivery/siem"
	"github.com/edgeposture/edgeposture/internal/delivery/siem/siemtest"
)

const (
	token   = "canary-token-0123456789"
	channel = "0f0e0d0c-0b0a-4908-8706-050403020100"
)

func numberedEvents(n int) iter.Seq2[siem.Event, error] {
	return func(yield func(siem.Event, error) bool) {
		for i := range n {
			if !yield(siem.Event{ID: docID(i), Body: fmt.Appendf(nil, `{"time":1.000,"event":{"id":%q}}`, docID(i))}, nil) {
				return
			}
		}
	}
}

// splunk starts a collector and a sender to it.
func splunk(t *testing.T, c *siemtest.Collector, change ...func(*siem.Collector, *siem.Pace)) (*siem.CollectorSender, *siemtest.Clock) {
	t.Helper()
	c.Token = token
	clock := &siemtest.Clock{}
	target, pace := siem.Collector{URL: siemtest.Start(t, c), Token: secret.New(token), Channel: channel}, clock.Pace()
	for _, f := range change {
		f(&target, &pace)
	}
	s, err := siem.NewCollectorSender(siemtest.NewClient(t), target, pace)
	require.NoError(t, err)
	return s, clock
}

// spoiled answers 400 when one of the events is in a batch, as receivers do that
// take a batch whole or not at all.
func spoiled(code int, named bool, bad ...string) func(siemtest.Batch) siemtest.Word {
	return func(b siemtest.Batch) siemtest.Word {
		i := slices.IndexFunc(b.Events, func(e siemtest.Envelope) bool { return slices.Contains(bad, e.ID) })
		switch {
		case i < 0:
			return siemtest.Word{}
		case named:
			return siemtest.Word{Status: 400, Code: code, Invalid: &i}
		default:
			return siemtest.Word{Status: 400, Code: code}
		}
	}
}

type collectorCase struct {
	name   string
	word   func(siemtest.Batch) siemtest.Word
	want   want
	reason string
}

func once(w siemtest.Word) func(siemtest.Batch) siemtest.Word {
	return func(b siemtest.Batch) siemtest.Word {
		if b.Number == 1 {
			return w
		}
		return siemtest.Word{}
	}
}

func always(w siemtest.Word) func(siemtest.Batch) siemtest.Word {
	return func(siemtest.Batch) siemtest.Word { return w }
}

func collectorCases() []collectorCase {
	far := 5000
	return []collectorCase{
		{"everything is taken", nil, want{batch, 0, 0, 1}, ""},
		{"taken, near capacity", always(siemtest.Word{Code: 24}), want{batch, 0, 0, 1}, ""},
		{"one event named", spoiled(15, true, docID(40)), want{batch - 1, 0, 1, 2}, "nested"},
		{"three events named", spoiled(12, true, docID(0), docID(40), docID(999)), want{batch - 3, 0, 3, 4}, "missing"},
		{"one event, not named", spoiled(12, false, docID(40)), want{batch - 1, 0, 1, 0}, "missing"},
		{"one event cannot be read", spoiled(6, false, docID(999)), want{batch - 1, 0, 1, 0}, "code 6"},
		{"a number that is none", func(b siemtest.Batch) siemtest.Word {
			w := spoiled(13, true, docID(7))(b)
			if w.Invalid != nil {
				w.Invalid = &far
			}
			return w
		}, want{batch - 1, 0, 1, 0}, "empty"},
		{"all are bad", always(siemtest.Word{Status: 400, Code: 6}), want{0, 0, batch, 0}, "code 6"},
		{"busy once", once(siemtest.Word{Status: 503, Code: 9}), want{batch, 0, 0, 2}, ""},
		{"busy for ever", always(siemtest.Word{Status: 503, Code: 9}), want{0, batch, 0, 4}, "busy"},
		{"queue full once", once(siemtest.Word{Status: 429, Code: 26, Header: map[string]string{"Retry-After": "3"}}), want{batch, 0, 0, 2}, ""},
		{"its own error once", once(siemtest.Word{Status: 500, Code: 8}), want{batch, 0, 0, 2}, ""},
		{"shutting down once", once(siemtest.Word{Status: 503, Code: 23}), want{batch, 0, 0, 2}, ""},
		{"token disabled", always(siemtest.Word{Status: 403, Code: 1}), want{0, 0, batch, 1}, "refused the token"},
		{"token unknown, no JSON", always(siemtest.Word{Status: 401, Body: "Unauthorized " + token}), want{0, 0, batch, 1}, "refused the token"},
		{"index not allowed", always(siemtest.Word{Status: 400, Code: 7}), want{0, 0, batch, 1}, "may not write to the index"},
		{"channel missing", always(siemtest.Word{Status: 400, Code: 10}), want{0, 0, batch, 1}, "channel"},
		{"400 without a code", always(siemtest.Word{Status: 400, Body: "what"}), want{0, 0, batch, 1}, "answered 400"},
		{"no such place", always(siemtest.Word{Status: 404, Body: "x"}), want{0, 0, batch, 1}, "check its address"},
		{"a redirect", always(siemtest.Word{Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:1/"}, Body: "x"}),
			want{0, 0, batch, 1}, "answered 302"},
		{"a page that is no collector", always(siemtest.Word{Body: "<html>"}), want{0, batch, 0, 4}, "without saying"},
		{"a success with another code", always(siemtest.Word{Code: 17}), want{0, batch, 0, 4}, "without saying"},
		{"too large above 300 events", func(b siemtest.Batch) siemtest.Word {
			if len(b.Events) > 300 {
				return siemtest.Word{Status: 413, Body: "x"}
			}
			return siemtest.Word{}
		}, want{batch, 0, 0, 7}, ""},
	}
}

func TestCollectorCases(t *testing.T) {
	t.Parallel()
	for _, c := range collectorCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			receiver := &siemtest.Collector{Word: c.word}
			s, _ := splunk(t, receiver)
			r, err := s.Send(t.Context(), numberedEvents(batch))
			require.NoError(t, err)
			holds(t, r, batch, receiver.Stored())
			c.want.holds(t, r)
			for _, o := range r.Outcomes {
				if o.State != siem.Sent {
					require.Contains(t, o.Reason, c.reason)
				}
			}
			for id, times := range receiver.Times() {
				require.True(t, times == 1 || c.reason == "without saying", "%s arrived %d times", id, times)
			}
		})
	}
}

func TestCollectorBatches(t *testing.T) {
	for _, packed := range []bool{false, true} {
		receiver := &siemtest.Collector{}
		s, _ := splunk(t, receiver, func(c *siem.Collector, _ *siem.Pace) { c.Gzip = packed })
		d := exporttest.Large(1200)
		r, err := s.Send(t.Context(), siem.Events(d, siem.Options{}))
		require.NoError(t, err)
		want := events(t, d, siem.Options{})
		holds(t, r, len(want), receiver.Stored())
		require.Equal(t, len(want), r.Sent)
		for _, e := range want {
			require.Equal(t, string(e.Body), string(receiver.Stored()[e.ID]))
		}
		for _, q := range receiver.Requests() {
			require.LessOrEqual(t, q.Bytes, 800<<10)
			require.LessOrEqual(t, len(q.IDs), 1000)
			require.Equal(t, packed, q.Header.Get("Content-Encoding") == "gzip")
			require.Equal(t, channel, q.Header.Get("X-Splunk-Request-Channel"))
		}
	}
}

func TestHangingCollector(t *testing.T) {
	receiver := &siemtest.Collector{Word: func(b siemtest.Batch) siemtest.Word { return siemtest.Word{Hang: b.Number == 1} }}
	s, _ := splunk(t, receiver, func(_ *siem.Collector, p *siem.Pace) { p.Timeout = 200 * time.Millisecond })
	r, err := s.Send(t.Context(), numberedEvents(10))
	require.NoError(t, err)
	require.Equal(t, 10, r.Sent)
}

func TestCollectorOutcomesOfASecondTry(t *testing.T) {
	receiver := &siemtest.Collector{Word: func(b siemtest.Batch) siemtest.Word {
		if b.Number == 1 {
			return siemtest.Word{Status: 503, Code: 9, Header: map[string]string{"Retry-After": "120"}}
		}
		return siemtest.Word{}
	}}
	s, _ := splunk(t, receiver)
	r, err := s.Send(t.Context(), numberedEvents(10))
	require.NoError(t, err)
	require.Equal(t, 10, r.Retry)
	require.Equal(t, 2*time.Minute, r.Wait())
	r, err = s.Send(t.Context(), numberedEvents(10)) // the caller comes back with the same events
	require.NoError(t, err)
	require.Equal(t, 10, r.Sent)
}
