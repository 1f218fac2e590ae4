package assess_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// bench is the real pipeline on a simulated provider and a virtual clock.
type bench struct {
	t       *testing.T
	clock   *virtual
	cloud   *simcloud.Cloud
	store   store.Store
	options assess.Options
	runner  *assess.Runner
	url     string
	sent    []time.Time
	mu      sync.Mutex
}

func newBench(t *testing.T, o simcloud.Options, limit int) *bench {
	t.Helper()
	m := miniredis.RunT(t)
	return newBenchOn(t, o, &redis.Options{Addr: m.Addr(), PoolSize: 64}, budget.Options{Limit: limit})
}

func newBenchOn(t *testing.T, o simcloud.Options, queue *redis.Options, limits budget.Options) *bench {
	t.Helper()
	b := &bench{t: t, clock: newVirtual(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))}
	t.Cleanup(b.clock.Stop)
	if o.Now == nil {
		o.Now = b.clock.Now
	}
	also := o.OnRequest
	o.OnRequest = func(method, path string) {
		b.mu.Lock()
		b.sent = append(b.sent, b.clock.Now())
		b.mu.Unlock()
		if also != nil {
			also(method, path)
		}
	}
	b.cloud = simcloud.New(o)
	server, err := b.cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	b.url = server.URL
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	b.store = db
	rdb := redis.NewClient(queue)
	t.Cleanup(func() { _ = rdb.Close() })
	limits.Now, limits.Sleep = b.clock.Now, b.clock.Sleep
	key := secret.Key{}
	b.options = assess.Options{Store: db,
		Requests: assess.Requests{Budget: budget.New(rdb, limits), BaseURL: func(bool) string { return server.URL }, Transport: b.clock,
			Timeout: 30 * time.Second},
		Catalogue: assess.Catalogue{Checks: checks.All(), Sources: snapshot.Sources(), CatalogueVersion: "test"},
		Process: assess.Process{Fingerprint: key.Fingerprint, Now: b.clock.Now, NewID: newID, Jitter: func() float64 { return 0.5 },
			Sleep: b.clock.Sleep}}
	b.runner = assess.New(b.options)
	return b
}

// enqueued is the id of a new assess job.
func enqueued(t testing.TB, db store.Store, now time.Time) string {
	t.Helper()
	e, err := db.Enqueue(t.Context(), store.NewJob{ID: newID(), Kind: posture.JobAssess, Queue: "interactive", Arguments: []byte("{}"),
		CreatedAt: now})
	require.NoError(t, err)
	return e.Job.ID
}

// findings are those of an assessment, of which there are some.
func (b *bench) findings(a posture.Assessment) []posture.Finding {
	b.t.Helper()
	out, _, err := b.store.Findings(b.t.Context(), a.ID, store.FindingFilter{}, store.Page{})
	require.NoError(b.t, err)
	require.NotEmpty(b.t, out)
	return out
}

func problemOf(t *testing.T, err error) *posture.Problem {
	t.Helper()
	var p *posture.Problem
	require.ErrorAs(t, err, &p)
	return p
}

// assess runs one job of an account to its end.
func (b *bench) assess(account, token string) (posture.Assessment, error) {
	a, _, err := b.run(account, token)
	return a, err
}

// run takes a job up again whenever it was handed back, and counts how often it was.
func (b *bench) run(account, token string) (made posture.Assessment, handedBack int, err error) {
	return b.runWith(account, func(run *assess.Run) { run.Token = secret.New(token) })
}

// runWith is run with what begin changes about each attempt.
func (b *bench) runWith(account string, begin func(*assess.Run)) (made posture.Assessment, handedBack int, err error) {
	ctx := b.t.Context()
	id := enqueued(b.t, b.store, b.clock.Now())
	for ; ; handedBack++ {
		row, err := b.store.Claim(ctx, id, "test", b.clock.Now(), 1000*time.Hour)
		if err != nil {
			return made, handedBack, err
		}
		run := assess.Run{Job: row, Account: posture.AccountRef{ID: account}}
		begin(&run)
		made, err = b.runner.Do(ctx, run)
		var later *posture.LaterError
		if !errors.As(err, &later) {
			return made, handedBack, err
		}
		if err := b.store.Release(ctx, row.ID, row.Attempt, later.At); err != nil {
			return made, handedBack, err
		}
		if err := b.clock.Sleep(ctx, later.At.Sub(b.clock.Now())); err != nil {
			return made, handedBack, err
		}
	}
}

// TestSweepBudgetIsUsedAndNeverExceeded runs three accounts on one token with eight
// workers, under the provider's own limit and block, on a virtual clock.
func TestSweepBudgetIsUsedAndNeverExceeded(t *testing.T) {
	for _, sliding := range []bool{false, true} {
		if testing.Short() && !sliding {
			continue
		}
		t.Run(fmt.Sprintf("sliding=%v", sliding), func(t *testing.T) {
			spec := simcloud.AccountSpec{Zones: 14, RecordsPerZone: 3, Clean: true, Plans: []string{"enterprise", "pro"}}
			b := newBench(t, simcloud.Options{Seed: 4, Accounts: []simcloud.AccountSpec{spec, spec, spec}, Limit: simcloud.Limit{Sliding: sliding}},
				1200)
			token := b.cloud.Tokens()[0].Secret
			start := b.clock.Now()
			work := make(chan string)
			var g errgroup.Group
			for range 8 {
				g.Go(func() error {
					for account := range work {
						if _, err := b.assess(account, token); err != nil {
							return err
						}
					}
					return nil
				})
			}
			for range 2 {
				for _, account := range b.cloud.Accounts() {
					work <- account
				}
			}
			close(work)
			require.NoError(t, g.Wait())

			stats := b.cloud.Requests()
			require.Zero(t, stats.RateLimited, "Cloudflare had to refuse requests")
			windows := int(b.sent[len(b.sent)-1].Sub(start) / (300 * time.Second))
			require.GreaterOrEqual(t, windows, 2, "too little work to tell")
			used := 0
			for _, at := range b.sent {
				if at.Sub(start) < time.Duration(windows)*300*time.Second {
					used++
				}
			}
			share := float64(used) / float64(windows*1200)
			t.Logf("%d requests, %d full windows of 300 s, %.1f %% of the budget used, %d refused", stats.Total, windows, 100*share,
				stats.RateLimited)
			require.GreaterOrEqual(t, share, 0.95)
		})
	}
}

// TestBudgetGuardMatters shows that the simulated limit bites: when somebody
// else has spent everything, the first request is refused and the block is
// waited out.
func TestBudgetGuardMatters(t *testing.T) {
	b := newBench(t, simcloud.Options{Seed: 4, Accounts: []simcloud.AccountSpec{{Zones: 5, RecordsPerZone: 3, Clean: true}}}, 1200)
	b.cloud.Spend(b.cloud.Tokens()[0].User, 1200)
	start := b.clock.Now()
	_, err := b.assess(b.cloud.Accounts()[0], b.cloud.Tokens()[0].Secret)
	require.NoError(t, err, "a 429 must be waited out, not lost")
	require.NotZero(t, b.cloud.Requests().RateLimited)
	require.GreaterOrEqual(t, b.clock.Now().Sub(start), 290*time.Second)
}

// TestSweepOthersSpendingIsNoticed spends half the budget elsewhere: after the first
// answer that tells, nothing is refused.
func TestSweepOthersSpendingIsNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	b := newBench(t, simcloud.Options{Seed: 4, Accounts: []simcloud.AccountSpec{{Zones: 60, RecordsPerZone: 3, Clean: true}}}, 1200)
	b.cloud.Spend(b.cloud.Tokens()[0].User, 600)
	_, err := b.assess(b.cloud.Accounts()[0], b.cloud.Tokens()[0].Secret)
	require.NoError(t, err)
	require.Zero(t, b.cloud.Requests().RateLimited)
}

// TestARunThatIsOverLeavesTheBudget: the budget keeps nobody level with a run that has
// ended, and the next run of the token begins at its full speed.
func TestARunThatIsOverLeavesTheBudget(t *testing.T) {
	m := miniredis.RunT(t)
	b := newBenchOn(t, simcloud.Options{Seed: 4, Accounts: []simcloud.AccountSpec{{Zones: 2, RecordsPerZone: 3, Clean: true}}},
		&redis.Options{Addr: m.Addr()}, budget.Options{Limit: 1200})
	_, err := b.assess(b.cloud.Accounts()[0], b.cloud.Tokens()[0].Secret)
	require.NoError(t, err)
	jobs := func() (n int) {
		for _, key := range m.Keys() {
			if strings.HasSuffix(key, ":state") {
				fields, err := m.HKeys(key)
				require.NoError(t, err)
				require.NotEmpty(t, fields)
				n += strings.Count(strings.Join(fields, " "), "job:")
			}
		}
		return n
	}
	require.Eventually(t, func() bool { return jobs() == 0 }, 10*time.Second, time.Millisecond)
}

// TestAReadThatIsAlwaysLimited: one that Cloudflare answers with 429 whenever it is asked is given up, so that the run ends with
// everything else; and where nothing of zones is answered, the run ends, too.
func TestAReadThatIsAlwaysLimited(t *testing.T) {
	t.Parallel()
	always := "Cloudflare answered it with 429 in 3 passes of the run, the last time for 1h0m0s"
	for name, c := range map[string]struct {
		limited string
		whole   bool // all of zones
		reason  string
		within  time.Duration // on the clock of the test; which hour a pass falls into varies
	}{
		"one address":  {`/zones/[0-9a-f]{32}/settings$`, false, always, 12 * time.Hour},
		"all of zones": {`/zones/`, true, " in all, and a run waits for 6h0m0s at most", 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := regexp.MustCompile(c.limited)
			b := newBench(t, simcloud.Options{Accounts: []simcloud.AccountSpec{{Zones: 1}}, Faults: simcloud.Faults{Rate429: 1,
				RetryAfter: time.Hour, Only: func(_, asked string) bool { return path.MatchString(asked) }}}, 1200)
			began := b.clock.Now()
			made, _, err := b.runWith(b.cloud.Accounts()[0], func(run *assess.Run) {
				run.Token = secret.New(b.cloud.Tokens()[0].Secret)
				require.LessOrEqual(t, b.clock.Now().Sub(began), c.within)
			})
			require.NoError(t, err)
			sections, err := b.store.Sections(t.Context(), made.JobID)
			require.NoError(t, err)
			failed := 0
			for _, s := range sections {
				if s.Status != snapshot.Failed || s.Source == snapshot.DNSLookup.Source() {
					continue
				}
				failed++
				require.True(t, c.whole || s.Source == snapshot.ZoneSettings.Source(), s.Source) // the rest of the run waits, too
				require.True(t, s.Reason == always || strings.HasSuffix(s.Reason, c.reason), s.Reason)
			}
			require.Equal(t, c.whole, failed > 1)
			require.Positive(t, failed)
			require.Positive(t, made.Summary.Unknown)
		})
	}
}
