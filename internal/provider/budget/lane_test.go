package budget

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
)

// TestBatchesNeverExceedTheLimit lets eight workers with grants of their own send for four
// jobs: what counts is when a request leaves, not when its grant was given.
func TestBatchesNeverExceedTheLimit(t *testing.T) {
	m := miniredis.RunT(t)
	c := &fakeClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	const limit, window = 400, 10 * time.Second
	workers := make([]*Budget, 8)
	for n := range workers {
		rdb := redis.NewClient(&redis.Options{Addr: m.Addr()})
		defer func() { _ = rdb.Close() }()
		workers[n] = New(rdb, Options{Limit: limit, Reserve: 1, Window: window, Now: c.Now, Sleep: c.Sleep})
	}
	random := rand.New(rand.NewPCG(1, 2))
	var sent []time.Time
	start := c.Now()
	for c.Now().Sub(start) < 5*window {
		n := random.IntN(len(workers))
		for range random.IntN(20) {
			g, err := workers[n].Acquire(t.Context(), Request{Credential: "k", Job: strconv.Itoa(n % 4), Class: Interactive,
				Patience: time.Nanosecond})
			if _, ok := errors.AsType[*WaitError](err); ok {
				break
			}
			require.NoError(t, err)
			sent = append(sent, c.Now())
			g.Done(t.Context(), Seen{Remaining: -1})
		}
		_ = c.Sleep(t.Context(), time.Duration(random.IntN(60))*time.Millisecond)
	}
	held := 0
	for i := limit; i < len(sent); i++ {
		require.GreaterOrEqual(t, sent[i].Sub(sent[i-limit]), window, "request %d", i)
	}
	for _, b := range workers {
		for _, l := range b.of("k") {
			held = max(held, l.batch)
		}
	}
	require.Equal(t, maxBatch, held, "no worker took several grants at once")
	require.Greater(t, len(sent), 3*limit)
}

// TestHeldGrantsGrowStale: a grant that was taken with others and lay for seconds would
// leave in the provider's next window, together with its successors.
func TestHeldGrantsGrowStale(t *testing.T) {
	b, c := open(t, Options{Limit: 100, Reserve: 1, Window: 10 * time.Second})
	r := Request{Credential: "k", Job: "j", Class: Interactive, Patience: time.Nanosecond}
	send := func() (sent int) {
		for {
			g, err := b.Acquire(t.Context(), r)
			if err != nil {
				return sent
			}
			sent++
			g.Done(t.Context(), Seen{Remaining: -1})
		}
	}
	for range 5 { // of which the last comes with two more
		take(t, b, r)
	}
	_ = c.Sleep(t.Context(), 4*time.Second)
	late := send()
	_ = c.Sleep(t.Context(), 8*time.Second+time.Millisecond)
	require.LessOrEqual(t, late+send(), 100, "in nine seconds")
}

func TestUnusedGrantsComeBack(t *testing.T) {
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr()})
	defer func() { _ = rdb.Close() }()
	b := New(rdb, Options{Limit: 1000, Margin: 200 * time.Millisecond})
	r := Request{Credential: "k", Job: "j", Class: Interactive}
	for range 20 {
		take(t, b, r)
	}
	require.Eventually(t, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return used(t, b, "k") == 20 && len(b.lanes) == 0
	}, 10*time.Second, 10*time.Millisecond)
}

// TestRefusalTakesGrantsBack: what is held when a 429 comes is not sent any more.
func TestRefusalTakesGrantsBack(t *testing.T) {
	b, c := open(t, Options{Limit: 1000})
	r := Request{Credential: "k", Job: "j", Class: Interactive}
	for range 8 {
		take(t, b, r)
	}
	g, err := b.Acquire(t.Context(), r)
	require.NoError(t, err)
	other, err := b.Acquire(t.Context(), Request{Credential: "k", Job: "other", Class: Interactive})
	require.NoError(t, err)
	other.Done(t.Context(), Seen{Remaining: -1})
	g.Done(t.Context(), Seen{Remaining: -1, RetryAfter: time.Minute})
	start := c.Now()
	take(t, b, r)
	require.GreaterOrEqual(t, c.Now().Sub(start), time.Minute)
}

func TestTroubleIsWaitedOut(t *testing.T) {
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr(), MaxRetries: -1, DialerRetries: 1})
	defer func() { _ = rdb.Close() }()
	c := &fakeClock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	told := 0
	heal := func() {}
	b := New(rdb, Options{Now: c.Now, Sleep: c.Sleep, Trouble: func(error, time.Duration) {
		if told++; told%12 == 0 {
			heal()
		}
	}})
	r := Request{Credential: "k", Job: "j", Class: Interactive, Patience: time.Second}
	m.SetError("LOADING Redis is loading the dataset in memory")
	heal = func() { m.SetError("") }
	take(t, b, r)
	require.Equal(t, 12, told)
	for range 20 { // until none is held
		take(t, b, r)
	}
	address := m.Addr()
	m.Close()
	heal = func() { require.NoError(t, m.StartAddr(address)) }
	for range 20 {
		take(t, b, r)
	}
	require.Equal(t, 24, told)

	m.SetError("OOM command not allowed when used memory > 'maxmemory'.")
	ctx, cancel := context.WithCancel(t.Context())
	heal = cancel
	for err := error(nil); err == nil; {
		_, err = b.Acquire(ctx, r)
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
	m.SetError("")
}

// TestPatience: who cannot wait is told how long it would be, and that there will be room
// for more than one request then.
func TestPatience(t *testing.T) {
	b, c := open(t, Options{Limit: 160, Reserve: 1})
	r := Request{Credential: "k", Job: "j", Class: Interactive, Patience: time.Second}
	for range 160 {
		take(t, b, r)
		_ = c.Sleep(t.Context(), 100*time.Millisecond)
	}
	var told time.Duration
	r.Waiting = func(d time.Duration) { told = d }
	_, err := b.Acquire(t.Context(), r)
	var wait *WaitError
	require.ErrorAs(t, err, &wait)
	require.Equal(t, told, wait.Wait)
	require.Greater(t, wait.Wait, 280*time.Second)
	require.Less(t, wait.Wait, 295*time.Second, "not until all of them are free")
	l := b.enter(r)
	defer l.leave()
	one, err := l.ask(t.Context(), Request{Credential: "k", Job: "j", Class: Interactive})
	require.NoError(t, err)
	require.Less(t, one, wait.Wait, "who waits is let in one by one")
	_ = c.Sleep(t.Context(), wait.Wait)
	start := c.Now()
	for range 10 {
		take(t, b, r)
	}
	require.Equal(t, start, c.Now())
}

// BenchmarkCommands counts the commands Redis runs for one request of a job that has 16
// under way, those of scripts among them.
func BenchmarkCommands(b *testing.B) {
	options, err := redis.ParseURL(redistest.Start(b))
	require.NoError(b, err)
	rdb := redis.NewClient(options)
	defer func() { _ = rdb.Close() }()
	budget := New(rdb, Options{Limit: 100_000_000})
	before := commands(b, rdb)
	requests := 0
	for b.Loop() {
		var under sync.WaitGroup
		for range 16 {
			under.Go(func() {
				for range 50 {
					g, err := budget.Acquire(b.Context(), Request{Credential: "k", Job: "j", Class: Interactive})
					if err != nil {
						b.Error(err)
						return
					}
					g.Done(b.Context(), Seen{Remaining: 1_000_000, Reset: time.Minute})
				}
			})
		}
		under.Wait()
		requests += 16 * 50
	}
	b.ReportMetric(float64(commands(b, rdb)-before)/float64(requests), "redis-commands/request")
}

// commands sums the calls of every command, inside scripts and out.
func commands(b *testing.B, rdb *redis.Client) (sum int) {
	b.Helper()
	info, err := rdb.Info(b.Context(), "commandstats").Result()
	require.NoError(b, err)
	calls := regexp.MustCompile(`calls=(\d+)`)
	for lines := bufio.NewScanner(strings.NewReader(info)); lines.Scan(); {
		if found := calls.FindStringSubmatch(lines.Text()); found != nil {
			n, err := strconv.Atoi(found[1])
			require.NoError(b, err)
			sum += n
		}
	}
	return sum
}
