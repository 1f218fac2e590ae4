package assess_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// shop is a small account in which every kind of thing is found. Its time stands still,
// so that a run that takes longer reads the same.
func shop() simcloud.Options {
	noon := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	return simcloud.Options{Seed: 31, Now: func() time.Time { return noon }, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 4, RecordsPerZone: 12, Plant: 0.4, Plans: []string{"enterprise", "pro"}}}}
}

// whole is all that must not depend on how a run went.
type whole struct {
	digest, findings string
	unknown          int
}

func (b *bench) whole() (w whole, handedBack int) {
	b.t.Helper()
	return b.wholeWith(func(run *assess.Run) { run.Token = secret.New(b.cloud.Tokens()[0].Secret) })
}

// wholeWith is whole with what begin changes about each attempt.
func (b *bench) wholeWith(begin func(*assess.Run)) (w whole, handedBack int) {
	b.t.Helper()
	a, handedBack, err := b.runWith(b.cloud.Accounts()[0], begin)
	require.NoError(b.t, err)
	w = whole{digest: a.SnapshotDigest}
	var all strings.Builder
	for _, f := range b.findings(a) {
		fmt.Fprintln(&all, f.ID, f.Result, f.Message)
		if f.Result == posture.Unknown {
			w.unknown++
		}
	}
	w.findings = all.String()
	return w, handedBack
}

// undisturbed is how a run of the shop ends, and what it costs.
func undisturbed(t *testing.T) (whole, int) {
	t.Helper()
	b := newBench(t, shop(), 100_000)
	w, handedBack := b.whole()
	require.Zero(t, handedBack)
	return w, b.cloud.Requests().Total
}

// TestUsedUpBudgetHandsTheJobBack: with a budget of a few requests a run gives its worker
// back again and again, ends the same and asks nothing twice.
func TestUsedUpBudgetHandsTheJobBack(t *testing.T) {
	want, requests := undisturbed(t)
	b := newBench(t, shop(), 60)
	got, handedBack := b.whole()
	same(t, want, got)
	require.Equal(t, requests, b.cloud.Requests().Total)
	require.Greater(t, handedBack, 3)
}

// TestAnotherTokenReadsAnew: an attempt with a token that the account got after the run began uses nothing that the
// attempt before it read, and the attempts that follow go on from what it read itself.
func TestAnotherTokenReadsAnew(t *testing.T) {
	t.Parallel()
	const wide, narrow = "token-wide-0000000000000000000000000000", "token-narrow-00000000000000000000000000"
	o := shop()
	o.Tokens = []simcloud.Token{{Secret: wide}, {Secret: narrow, Denied: []string{"Zone: Zone Settings Read", "Zone: DNS Read"}}}
	read := func(tokens ...string) (whole, int) {
		b := newBench(t, o, 60)
		attempts := 0
		began := b.clock.Now()
		w, _ := b.wholeWith(func(run *assess.Run) {
			run.Token = secret.New(tokens[min(attempts, len(tokens)-1)])
			run.TokenAt = began
			if attempts > 0 && len(tokens) > 1 {
				run.TokenAt = began.Add(time.Microsecond)
			}
			attempts++
		})
		return w, b.cloud.Requests().Total
	}
	want, requests := read(wide)
	partly, _ := read(narrow)
	require.Greater(t, partly.unknown, want.unknown)
	got, sent := read(narrow, wide)
	same(t, want, got)
	require.LessOrEqual(t, sent, requests+60, "the first attempt may send 60 requests, and no other is repeated")
}

// TestAnotherCatalogueReadsAnew: a run that a worker of another version began is read anew, because that one kept something else of
// the answers; one of the same goes on.
func TestAnotherCatalogueReadsAnew(t *testing.T) {
	t.Parallel()
	read := func(versions ...string) (whole, int, int) {
		b := newBench(t, shop(), 60)
		attempts, before := 0, 0
		w, _ := b.wholeWith(func(run *assess.Run) {
			run.Token = secret.New(b.cloud.Tokens()[0].Secret)
			if attempts == 1 {
				before = b.cloud.Requests().Total
			}
			o := b.options
			o.CatalogueVersion = versions[min(attempts, len(versions)-1)]
			b.runner = assess.New(o)
			attempts++
		})
		return w, before, b.cloud.Requests().Total
	}
	want, _, requests := read("new")
	got, before, sent := read("old", "new")
	same(t, want, got)
	require.Positive(t, before)
	require.GreaterOrEqual(t, sent, requests+before, "all that was read for the other catalogue is read again")
}

// TestSweepProviderOutage takes the provider away in the middle of a run and at its start:
// the run ends as if nothing had been.
func TestSweepProviderOutage(t *testing.T) {
	t.Parallel()
	want, requests := undisturbed(t)
	for _, lasts := range []time.Duration{time.Second, 8 * time.Second, 30 * time.Second, 120 * time.Second} {
		for _, from := range []int{1, 100} {
			if testing.Short() && lasts != 8*time.Second {
				continue
			}
			t.Run(fmt.Sprint(lasts, " from request ", from), func(t *testing.T) {
				t.Parallel()
				o := shop()
				var b *bench
				var mu sync.Mutex
				var seen int
				var until time.Time
				o.OnRequest = func(string, string) {
					mu.Lock()
					defer mu.Unlock()
					if seen++; seen == from {
						until = b.clock.Now().Add(lasts)
					}
					b.cloud.Outage(b.clock.Now().Before(until))
				}
				b = newBench(t, o, 100_000)
				got, _ := b.whole()
				same(t, want, got)
				// The tries of what was under way, and of one read each time it was asked again.
				require.Less(t, b.cloud.Requests().Total-requests, 600, "requests spent on the outage")
			})
		}
	}
}

// same tells the first finding that differs.
func same(t *testing.T, want, got whole) {
	t.Helper()
	a, b := strings.Split(want.findings, "\n"), strings.Split(got.findings, "\n")
	for i := range min(len(a), len(b)) {
		require.Equal(t, a[i], b[i])
	}
	require.Equal(t, want, got)
}

// TestSweepProviderGone: a provider that never answers ends a run after five minutes, one that
// stops answering leaves gaps after five minutes, and neither holds a worker meanwhile.
func TestSweepProviderGone(t *testing.T) {
	t.Parallel()
	t.Run("from the start", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, shop(), 100_000)
		b.cloud.Outage(true)
		began := b.clock.Now()
		_, handedBack, err := b.run(b.cloud.Accounts()[0], b.cloud.Tokens()[0].Secret)
		require.Equal(t, posture.CodeProvider, problemOf(t, err).Code)
		require.Greater(t, handedBack, 8)
		require.InDelta(t, 5*time.Minute, b.clock.Now().Sub(began), float64(time.Minute))
	})
	t.Run("in the middle", func(t *testing.T) {
		if testing.Short() {
			t.Skip("its five minutes are for the whole sweep")
		}
		t.Parallel()
		o := shop()
		var b *bench
		o.OnRequest = func(string, string) {
			if b.cloud.Requests().Total > 300 {
				b.cloud.Outage(true)
			}
		}
		b = newBench(t, o, 100_000)
		began := b.clock.Now()
		got, handedBack := b.whole()
		require.NotZero(t, got.unknown)
		require.Greater(t, handedBack, 8)
		require.InDelta(t, 5*time.Minute, b.clock.Now().Sub(began), float64(2*time.Minute))
	})
}

// TestSweepOneEndpointFails: it is asked in two more passes, and then it has failed while the
// rest is judged.
func TestSweepOneEndpointFails(t *testing.T) {
	want, _ := undisturbed(t)
	dnssec := func(_, path string) bool { return strings.HasSuffix(path, "/dnssec") }
	b := newBench(t, shop(), 100_000)
	b.cloud.SetFaults(simcloud.Faults{Rate500: 1, Only: dnssec})
	began := b.clock.Now()
	got, handedBack := b.whole()
	require.Equal(t, 2, handedBack)
	require.Less(t, b.clock.Now().Sub(began), time.Minute)
	require.Greater(t, got.unknown, want.unknown)
	require.Less(t, got.unknown, want.unknown+30)

	b = newBench(t, shop(), 100_000)
	heals := b.clock.Now().Add(8 * time.Second)
	b.cloud.SetFaults(simcloud.Faults{Rate500: 1, Only: func(m, path string) bool { return dnssec(m, path) && b.clock.Now().Before(heals) }})
	got, _ = b.whole()
	require.Equal(t, want, got)
}

// TestQueueTrouble takes Redis away in the middle of a run: a run is no different for it.
func TestQueueTrouble(t *testing.T) {
	t.Parallel()
	want, requests := undisturbed(t)
	for name, trouble := range map[string]struct {
		begin, end func(*testing.T, *redistest.Server)
	}{
		"away":   {func(_ *testing.T, s *redistest.Server) { s.Down() }, func(_ *testing.T, s *redistest.Server) { s.Up() }},
		"frozen": {func(_ *testing.T, s *redistest.Server) { s.Freeze() }, func(_ *testing.T, s *redistest.Server) { s.Thaw() }},
		"full":   {memory("1"), memory("0")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Run(t)
			options, err := redis.ParseURL(server.URL)
			require.NoError(t, err)
			options.ReadTimeout, options.MaxRetries, options.DialerRetries = 50*time.Millisecond, -1, 1
			o := shop()
			var mu sync.Mutex
			seen, waited := 0, time.Duration(0)
			o.OnRequest = func(string, string) {
				mu.Lock()
				defer mu.Unlock()
				if seen++; seen == 150 {
					trouble.begin(t, server)
				}
			}
			const lasts = 6 * time.Second
			b := newBenchOn(t, o, options, budget.Options{Limit: 100_000, Trouble: func(_ error, again time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				if waited += again; waited >= lasts && waited-again < lasts {
					trouble.end(t, server)
				}
			}})
			got, handedBack := b.whole()
			// A server without memory may still take what a script replaces.
			require.True(t, waited >= lasts || name == "full", "the trouble went unnoticed")
			require.Equal(t, want, got)
			require.Equal(t, requests, b.cloud.Requests().Total)
			require.Zero(t, handedBack)
		})
	}
	t.Run("empty", func(t *testing.T) {
		t.Parallel()
		server := redistest.Run(t)
		options, err := redis.ParseURL(server.URL)
		require.NoError(t, err)
		o := shop()
		var once sync.Once
		var b *bench
		o.OnRequest = func(string, string) {
			if b.cloud.Requests().Total == 150 {
				once.Do(func() { server.Down(); server.Up() })
			}
		}
		b = newBenchOn(t, o, options, budget.Options{Limit: 100_000})
		got, _ := b.whole()
		require.Equal(t, want, got)
		require.Equal(t, requests, b.cloud.Requests().Total)
	})
}

// memory bounds the memory of a server, so that it takes nothing in.
func memory(limit string) func(*testing.T, *redistest.Server) {
	return func(t *testing.T, s *redistest.Server) {
		options, err := redis.ParseURL(s.URL)
		if err != nil {
			t.Error(err)
			return
		}
		rdb := redis.NewClient(options)
		defer func() { _ = rdb.Close() }()
		if err := rdb.ConfigSet(t.Context(), "maxmemory", limit).Err(); err != nil {
			t.Error(err)
		}
	}
}
