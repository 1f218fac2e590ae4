package budget

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is virtual: it stands still until someone sleeps.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *fakeClock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }
func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return ctx.Err()
}

func open(t *testing.T, opt Options) (*Budget, *fakeClock) {
	t.Helper()
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr()})
	t.Cleanup(func() { _ = rdb.Close() })
	c := &fakeClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	opt.Now, opt.Sleep = c.Now, c.Sleep
	return New(rdb, opt), c
}

func take(t *testing.T, b *Budget, r Request) {
	t.Helper()
	g, err := b.Acquire(t.Context(), r)
	require.NoError(t, err)
	g.Done(t.Context(), Seen{Remaining: -1})
}

// once asks for one grant and does not wait for it.
func once(t *testing.T, b *Budget, r Request) (granted bool) {
	t.Helper()
	l := b.enter(r)
	defer l.leave()
	got, err := l.exchange(t.Context(), 1, 1)
	require.NoError(t, err)
	return got.many > 0
}

// used tells how many grants are in the list of a credential.
func used(t *testing.T, b *Budget, credential string) (n int) {
	t.Helper()
	entries, err := b.rdb.LRange(t.Context(), keys(credential)[0], 0, -1).Result()
	require.NoError(t, err)
	for _, e := range entries {
		many, err := strconv.Atoi(e[strings.LastIndexByte(e, ':')+1:])
		require.NoError(t, err)
		n += many
	}
	state, err := b.rdb.HGet(t.Context(), keys(credential)[1], "used").Int()
	require.NoError(t, err)
	if state != n {
		return -1 // between two writes
	}
	return n
}

func TestWindowIsNeverExceeded(t *testing.T) {
	b, c := open(t, Options{Limit: 50, Reserve: 5, Window: 10 * time.Second, Margin: time.Nanosecond})
	var at []time.Time
	for range 500 {
		take(t, b, Request{Credential: "k", Job: "j", Class: Interactive})
		at = append(at, c.Now())
	}
	for i := range at {
		if i >= 50 {
			require.GreaterOrEqual(t, at[i].Sub(at[i-50]), 10*time.Second, "grant %d", i)
		}
	}
	// A reply of Redis that is late on a busy machine may cost a grant, and so the next window.
	require.LessOrEqual(t, at[499].Sub(at[0]), 115*time.Second, "the budget is not used")
}

func TestReserveIsLeftToPeople(t *testing.T) {
	b, c := open(t, Options{Limit: 50, Reserve: 10, Window: 10 * time.Second})
	for range 40 {
		take(t, b, Request{Credential: "k", Job: "s", Class: Scheduled})
	}
	start := c.Now()
	for range 10 {
		take(t, b, Request{Credential: "k", Job: "i", Class: Interactive})
	}
	require.Equal(t, start, c.Now(), "a person had to wait")
	take(t, b, Request{Credential: "k", Job: "s", Class: Scheduled})
	require.Greater(t, c.Now().Sub(start), 9*time.Second)
}

// TestReserveIsKeptOfWhatTheProviderLeaves: headers that leave little leave the reserve to people too.
func TestReserveIsKeptOfWhatTheProviderLeaves(t *testing.T) {
	b, _ := open(t, Options{Limit: 1000, Reserve: 10})
	g, err := b.Acquire(t.Context(), Request{Credential: "k", Job: "i", Class: Interactive})
	require.NoError(t, err)
	g.Done(t.Context(), Seen{Remaining: 10, Reset: 100 * time.Second})
	require.True(t, once(t, b, Request{Credential: "k", Job: "i", Class: Interactive})) // which tells it
	require.False(t, once(t, b, Request{Credential: "k", Job: "s", Class: Scheduled}))
	require.True(t, once(t, b, Request{Credential: "k", Job: "i", Class: Interactive}))
}

func TestCredentialsDoNotShare(t *testing.T) {
	b, c := open(t, Options{Limit: 10, Reserve: 1, Window: time.Minute})
	start := c.Now()
	for range 10 {
		take(t, b, Request{Credential: "a", Job: "j", Class: Interactive})
		take(t, b, Request{Credential: "b", Job: "j", Class: Interactive})
	}
	require.Equal(t, start, c.Now())
}

func TestHeadersAndRetryAfterAreObeyed(t *testing.T) {
	b, c := open(t, Options{Limit: 1000, Reserve: 1})
	r := Request{Credential: "k", Job: "j", Class: Interactive}
	g, err := b.Acquire(t.Context(), r)
	require.NoError(t, err)
	g.Done(t.Context(), Seen{Remaining: 3, Reset: 100 * time.Second})
	start := c.Now()
	for range 3 {
		take(t, b, r)
	}
	require.Equal(t, start, c.Now())
	g, err = b.Acquire(t.Context(), r)
	require.NoError(t, err)
	require.GreaterOrEqual(t, c.Now().Sub(start), 100*time.Second)
	g.Done(t.Context(), Seen{Remaining: -1, RetryAfter: 299 * time.Second})
	start = c.Now()
	take(t, b, r)
	require.GreaterOrEqual(t, c.Now().Sub(start), 299*time.Second)
}

func TestWaitingIsToldAndCancellable(t *testing.T) {
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr()})
	defer func() { _ = rdb.Close() }()
	b := New(rdb, Options{Limit: 1, Reserve: 1})
	r := Request{Credential: "k", Job: "j", Class: Interactive}
	take(t, b, r)
	ctx, cancel := context.WithCancel(t.Context())
	var told time.Duration
	r.Waiting = func(d time.Duration) { told = d; cancel() }
	_, err := b.Acquire(ctx, r)
	require.ErrorIs(t, err, context.Canceled)
	require.Greater(t, told, 290*time.Second)
	require.Equal(t, 1, used(t, b, "k"))
}

// TestAQuestionHoldsNobodyUp: a registration asks once, without a job, and a run begins at
// its full speed right after it.
func TestAQuestionHoldsNobodyUp(t *testing.T) {
	b, _ := open(t, Options{Limit: 10000, Reserve: 1})
	for _, r := range append([]Request{{Credential: "k", Class: Interactive}},
		slices.Repeat([]Request{{Credential: "k", Job: "run", Class: Interactive}}, 100)...) {
		require.True(t, once(t, b, r))
	}
	require.Equal(t, 101, used(t, b, "k"))
}

func TestJobsAreServedFairly(t *testing.T) {
	b, _ := open(t, Options{Limit: 10000, Reserve: 1})
	counts := map[string]int{}
	one := func(job string) bool {
		granted := once(t, b, Request{Credential: "k", Job: job, Class: Interactive})
		if granted {
			counts[job]++
		}
		return granted
	}
	require.True(t, one("slow"))
	for range 500 {
		one("greedy")
	}
	require.LessOrEqual(t, counts["greedy"], 20)
	for range 100 {
		one("slow")
		for range 9 {
			one("greedy")
		}
	}
	require.InDelta(t, counts["greedy"], counts["slow"], 40)
}

// TestAJobThatIsOverHoldsNobodyUp: a run right after another of the same token begins at
// its full speed; one that is not over is kept level with.
func TestAJobThatIsOverHoldsNobodyUp(t *testing.T) {
	b, _ := open(t, Options{Limit: 10000, Reserve: 1})
	share := func(job string) Request { return Request{Credential: "k", Job: job, Class: Interactive} }
	sent := func(job string) (n int) {
		for n < 100 && once(t, b, share(job)) {
			n++
		}
		return n
	}
	require.True(t, once(t, b, share("first")))
	require.LessOrEqual(t, sent("second"), 17)
	b.End(share("first"))
	require.Eventually(t, func() bool {
		_, err := b.rdb.HGet(t.Context(), keys("k")[1], "job:first").Result()
		return errors.Is(err, redis.Nil)
	}, 10*time.Second, time.Millisecond)
	require.Equal(t, 100, sent("second"))
	require.True(t, once(t, b, share("first")), "it asks again, as a newcomer")
}

// TestLeast: only requests beyond the limit have to wait for a further window.
func TestLeast(t *testing.T) {
	b := New(nil, Options{Limit: 100, Window: 5 * time.Minute, Margin: 2 * time.Second})
	for requests, windows := range map[int]int{0: 0, 1: 0, 100: 0, 101: 1, 200: 1, 201: 2} {
		require.Equal(t, time.Duration(302*windows)*time.Second, b.Least(requests), "%d requests", requests)
	}
}
