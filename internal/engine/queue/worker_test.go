package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, time.Minute, 5*time.Millisecond, what)
}

// scripted is a kind whose attempts do what the test says.
type scripted struct {
	kind posture.JobKind
	work func(ctx context.Context, a work.Attempt) (work.Result, error)
}

func (s scripted) Kind() posture.JobKind { return s.kind }
func (s scripted) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	return s.work(ctx, a)
}

// bench is a store, a Redis and one worker on them.
type bench struct {
	t        *testing.T
	db       store.Store
	rdb      queue.Client
	worker   *queue.Worker
	notifier *queue.Notifier
}

func newBench(t *testing.T, redisURL string, change func(*queue.Options)) *bench {
	t.Helper()
	db, err := postgres.Open(t.Context(), pgtest.Start(t))
	require.NoError(t, err)
	rdb, err := queue.Connect(t.Context(), redisURL)
	require.NoError(t, err)
	o := queue.Options{Redis: rdb, Store: db, Owner: newID(), Concurrency: 2, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Timing: queue.Timing{Reconcile: 20 * time.Millisecond}}
	change(&o)
	b := &bench{t: t, db: db, rdb: rdb, worker: queue.NewWorker(o), notifier: queue.NewNotifier(rdb)}
	require.NoError(t, b.worker.Start())
	t.Cleanup(func() { b.worker.Stop(); require.NoError(t, rdb.Close()); require.NoError(t, db.Close()) })
	return b
}

func (b *bench) enqueue(queueName string, created time.Time) string {
	b.t.Helper()
	got, err := b.db.Enqueue(b.t.Context(), store.NewJob{ID: newID(), Kind: posture.JobAssess, Queue: queueName, CreatedAt: created})
	require.NoError(b.t, err)
	return got.Job.ID
}

func (b *bench) job(id string) store.JobRow {
	b.t.Helper()
	row, err := b.db.Job(b.t.Context(), id)
	require.NoError(b.t, err)
	return row
}

// memory is what Redis says of its memory, in bytes, and its number of keys.
func (b *bench) memory() (bytes, keys int) {
	b.t.Helper()
	info, err := b.rdb.Info(b.t.Context(), "memory").Result()
	require.NoError(b.t, err)
	_, rest, _ := strings.Cut(info, "used_memory:")
	digits, _, _ := strings.Cut(rest, "\r")
	bytes, err = strconv.Atoi(digits)
	require.NoError(b.t, err)
	size, err := b.rdb.DBSize(b.t.Context()).Result()
	require.NoError(b.t, err)
	return bytes, int(size)
}

// TestSweepTheQueueIsNotInRedis has 10,000 jobs wait for an hour, looked for every second,
// on a Redis of 16 MB while both slots are taken: Redis holds what the slots can take
// and no more, and a slot that becomes free takes the job that has been due longest.
func TestSweepTheQueueIsNotInRedis(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	const waiting = 10_000
	server := redistest.Run(t)
	began, release := make(chan string, waiting), make(chan struct{})
	b := newBench(t, server.URL, func(o *queue.Options) {
		o.Kinds = []work.Kind{scripted{posture.JobAssess, func(ctx context.Context, a work.Attempt) (work.Result, error) {
			began <- a.Row.ID
			select {
			case <-release:
				return work.Result{Result: []byte(`{}`)}, nil
			case <-ctx.Done():
				return work.Result{}, ctx.Err()
			}
		}}}
		o.Timing.Reconcile = time.Hour // the test looks itself
	})
	require.NoError(t, b.rdb.ConfigSet(t.Context(), "maxmemory", "16mb").Err())
	start := time.Now().Add(-time.Hour)
	for range 2 {
		id := b.enqueue(queue.Scheduled, start.Add(-time.Hour))
		require.NoError(t, b.notifier.Notify(t.Context(), b.job(id)))
		<-began
	}
	var oldest string
	for i := range waiting {
		// The last one to come has been due longest.
		id := b.enqueue(queue.Scheduled, start.Add(-time.Duration(i)*time.Millisecond))
		if i < 200 {
			require.NoError(t, b.notifier.Notify(t.Context(), b.job(id)))
		}
		oldest = id
	}
	require.NoError(t, b.worker.Reconcile(t.Context()))
	before, _ := b.memory()
	for range 3600 {
		require.NoError(t, b.worker.Reconcile(t.Context()))
	}
	after, keys := b.memory()
	require.Less(t, after-before, 200_000, "bytes")
	require.Less(t, keys, 100)
	release <- struct{}{}
	require.Equal(t, oldest, <-began)
	release <- struct{}{}
	<-began
	close(release)
}

// TestAFullRedisIsWaitedOut: while Redis takes nothing, jobs wait; then they run.
func TestAFullRedisIsWaitedOut(t *testing.T) {
	server := redistest.Run(t)
	b := newBench(t, server.URL, func(o *queue.Options) {
		o.Kinds = []work.Kind{scripted{posture.JobAssess, func(context.Context, work.Attempt) (work.Result, error) {
			return work.Result{Result: []byte(`{}`)}, nil
		}}}
	})
	require.NoError(t, b.rdb.ConfigSet(t.Context(), "maxmemory", "1").Err())
	id := b.enqueue(queue.Interactive, time.Now())
	require.Error(t, b.notifier.Notify(t.Context(), b.job(id)))
	require.Error(t, b.worker.Reconcile(t.Context()))
	require.Equal(t, posture.JobQueued, b.job(id).State)
	require.NoError(t, b.rdb.ConfigSet(t.Context(), "maxmemory", "0").Err())
	eventually(t, "the job ends", func() bool { return b.job(id).State == posture.JobSucceeded })
	require.Equal(t, 1, b.job(id).Attempt)
}

// TestTroubleIsTriedAgainLater: trouble of the service does not use up the attempts of
// a job within seconds, waits do not count at all, and a panic ends it soon.
func TestTroubleIsTriedAgainLater(t *testing.T) {
	var mu sync.Mutex
	offset := time.Duration(0)
	now := func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().Add(offset) }
	for _, c := range []struct {
		name      string
		work      func(attempt int) error
		attempts  int
		within    time.Duration // that all attempts take at least
		wantState posture.JobState
	}{
		{"trouble", func(int) error { return errors.New("the disk is full") }, 10, 20 * time.Minute, posture.JobFailed},
		{"trouble that passes", func(n int) error {
			if n < 9 {
				return errors.New("the disk is full")
			}
			return nil
		}, 9, 10 * time.Minute, posture.JobSucceeded},
		{"waits", func(n int) error {
			if n < 30 {
				return &posture.LaterError{At: now().Add(time.Minute), Err: errors.New("no budget")}
			}
			return nil
		}, 30, 29 * time.Minute, posture.JobSucceeded},
		{"panic", func(int) error { panic("wrong") }, 3, time.Second, posture.JobFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, redistest.Start(t), func(o *queue.Options) {
				o.Timing.Lease, o.Now = 24*time.Hour, now
				o.Kinds = []work.Kind{scripted{posture.JobAssess, func(_ context.Context, a work.Attempt) (work.Result, error) {
					return work.Result{Result: []byte(`{}`)}, c.work(a.Row.Attempt)
				}}}
			})
			began := now()
			id := b.enqueue(queue.Interactive, began)
			var row store.JobRow
			eventually(t, "the job ends", func() bool {
				if row = b.job(id); row.State == posture.JobQueued && row.DueAt.After(now()) {
					mu.Lock()
					offset += row.DueAt.Sub(time.Now().Add(offset))
					mu.Unlock()
				}
				return row.State.Terminal()
			})
			require.Equal(t, c.wantState, row.State)
			require.Equal(t, c.attempts, row.Attempt)
			require.GreaterOrEqual(t, now().Sub(began), c.within)
		})
	}
}

// TestAJobThatIsHandedBackGoesOnElsewhere stops a worker: the others take its job at once.
func TestAJobThatIsHandedBackGoesOnElsewhere(t *testing.T) {
	server := redistest.Run(t)
	began := make(chan string, 4)
	waits := func(ctx context.Context, a work.Attempt) (work.Result, error) {
		began <- a.Row.Owner
		if a.Row.Attempt == 1 {
			<-ctx.Done()
			return work.Result{}, ctx.Err()
		}
		return work.Result{Result: []byte(`{}`)}, nil
	}
	b := newBench(t, server.URL, func(o *queue.Options) {
		o.Kinds, o.Owner, o.Timing.Reconcile = []work.Kind{scripted{posture.JobAssess, waits}}, "first", time.Hour
	})
	id := b.enqueue(queue.Delivery, time.Now())
	require.NoError(t, b.notifier.Notify(t.Context(), b.job(id)))
	require.Equal(t, "first", <-began)
	second := queue.NewWorker(queue.Options{Redis: b.rdb, Store: b.db, Owner: "second", Concurrency: 2, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Kinds: []work.Kind{scripted{posture.JobAssess, waits}}, Timing: queue.Timing{Reconcile: time.Hour}})
	require.NoError(t, second.Start())
	defer second.Stop()
	b.worker.Stop()
	require.Equal(t, "second", <-began)
	eventually(t, "the job ends", func() bool { return b.job(id).State == posture.JobSucceeded })
	require.Equal(t, 0, b.job(id).Lost)
}

// TestManyJobsOfFewSlots: every job runs once, however often and by whom it is told of.
func TestManyJobsOfFewSlots(t *testing.T) {
	const n = 60
	server := redistest.Run(t)
	var mu sync.Mutex
	ran, most, atOnce := map[string]int{}, 0, 0
	b := newBench(t, server.URL, func(o *queue.Options) {
		o.Kinds = []work.Kind{scripted{posture.JobAssess, func(_ context.Context, a work.Attempt) (work.Result, error) {
			mu.Lock()
			ran[a.Row.ID]++
			atOnce++
			most = max(most, atOnce)
			mu.Unlock()
			defer func() { mu.Lock(); atOnce--; mu.Unlock() }()
			return work.Result{Result: []byte(`{}`)}, nil
		}}}
	})
	for i := range n {
		id := b.enqueue([]string{queue.Interactive, queue.Scheduled, queue.Delivery}[i%3], time.Now())
		for range 3 {
			require.NoError(t, b.notifier.Notify(t.Context(), b.job(id)))
		}
	}
	eventually(t, "all end", func() bool {
		kinds, err := b.db.CountKinds(t.Context())
		require.NoError(t, err)
		return kinds[posture.JobAssess][posture.JobSucceeded] == n
	})
	mu.Lock()
	defer mu.Unlock()
	require.LessOrEqual(t, most, 2)
	for id, times := range ran {
		require.Equal(t, 1, times, fmt.Sprint("runs of ", id))
	}
}

// TestTheLastCountIsStored has an attempt tell two counts at once and then nothing:
// whoever looks sees the second.
func TestTheLastCountIsStored(t *testing.T) {
	b := newBench(t, redistest.Run(t).URL, func(o *queue.Options) {
		o.Timing.Watch = 10 * time.Millisecond
		o.Kinds = []work.Kind{scripted{posture.JobAssess, func(ctx context.Context, a work.Attempt) (work.Result, error) {
			for done := range 8 {
				a.Progress(posture.Progress{Phase: "collect", Done: done, Total: 8})
			}
			<-ctx.Done()
			return work.Result{}, ctx.Err()
		}}}
	})
	id := b.enqueue(queue.Interactive, time.Now())
	require.Eventually(t, func() bool { return b.job(id).Progress.Done == 7 }, 10*time.Second, 10*time.Millisecond)
}

// TestTheLeaseIsRenewed: while a job is worked on, its lease moves on.
func TestTheLeaseIsRenewed(t *testing.T) {
	b := newBench(t, redistest.Start(t), func(o *queue.Options) {
		o.Timing.Lease, o.Timing.Renew = time.Hour, time.Millisecond
		o.Kinds = []work.Kind{scripted{posture.JobAssess, func(ctx context.Context, _ work.Attempt) (work.Result, error) {
			<-ctx.Done()
			return work.Result{}, ctx.Err()
		}}}
	})
	id := b.enqueue(queue.Interactive, time.Now())
	eventually(t, "the job begins", func() bool { return b.job(id).State == posture.JobRunning })
	first := b.job(id).LeaseUntil
	eventually(t, "the lease is renewed", func() bool { return b.job(id).LeaseUntil.After(first) })
}
