package queue

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Recover is the first thing a look into the store does.
func (l *ledger) Recover(context.Context, time.Time) error { return l.tell("recover") }

// TestTasksForWhatIsDue: of each queue as many tasks wait in Redis as jobs are due, none twice over for want of room.
func TestTasksForWhatIsDue(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	rdb, err := Connect(t.Context(), "redis://"+m.Addr())
	require.NoError(t, err)
	defer func() { require.NoError(t, rdb.Close()) }()
	waiting := func(queue string) int {
		n, err := rdb.LLen(t.Context(), pendingKey(queue)).Result()
		require.NoError(t, err)
		return int(n)
	}
	l := &ledger{due: map[string][]string{Interactive: {"a", "b"}, Scheduled: {"c"}}}
	w := idle(t, l)
	w.notifier = NewNotifier(rdb)
	for range 2 {
		require.NoError(t, w.Reconcile(t.Context()))
		require.Equal(t, []int{2, 1, 0}, []int{waiting(Interactive), waiting(Scheduled), waiting(Delivery)})
	}
	require.Equal(t, []string{"recover", "due interactive", "due delivery", "due scheduled"}, l.told[:4])
	l.due[Interactive] = []string{"a", "b", "d"}
	require.NoError(t, w.Reconcile(t.Context()))
	require.Equal(t, 3, waiting(Interactive))

	for range mostPending + 3 {
		require.NoError(t, w.notifier.Notify(t.Context(), store.JobRow{Queue: Delivery}))
		require.NoError(t, w.notifier.Notify(t.Context(), store.JobRow{}), "somebody waits")
	}
	require.Equal(t, []int{mostPending, mostPending}, []int{waiting(Delivery), waiting(Interactive)})

	m.SetError("LOADING")
	require.ErrorContains(t, w.Reconcile(t.Context()), "how many tasks wait")
	l.err = errors.New("away")
	require.ErrorContains(t, w.Reconcile(t.Context()), "nobody works on")
}

type sweeps func(ctx context.Context) (int, error)

func (s sweeps) Sweep(ctx context.Context) (int, error) { return s(ctx) }

type fires func(ctx context.Context) error

func (f fires) Sweep(ctx context.Context) error { return f(ctx) }

// TestWhatAWorkerDoesByItself: schedules are fired each second, the retention looks for its turn every five minutes, and
// the store is looked into each second and when a slot is free; whatever fails is tried again, until the worker stops.
func TestWhatAWorkerDoesByItself(t *testing.T) {
	t.Parallel()
	l := &ledger{err: errors.New("away")}
	w, lines := idle(t, l), new(atomic.Int64)
	w.o.Log = slog.New(counting{lines: lines})
	synctest.Test(t, func(t *testing.T) {
		w.draining, w.drain = context.WithCancelCause(context.Background())
		w.again = make(chan struct{}, 1)
		fired, swept := 0, 0
		w.o.Schedules = fires(func(context.Context) error { fired++; return l.err })
		w.o.Retention = sweeps(func(context.Context) (int, error) { swept++; return 1, l.err })
		for _, loop := range []func(){w.sweep, w.forgetPast, w.reconcile} {
			w.loops.Go(loop)
		}
		<-time.After(10*time.Minute + 500*time.Millisecond)
		synctest.Wait()
		require.Equal(t, []int{601, 3, 601}, []int{fired, swept, len(l.told)})
		w.lookAgain()
		synctest.Wait()
		require.Equal(t, 602, len(l.told)) //nolint:testifylint // six hundred lines say nothing
		w.drain(errDraining)
		w.loops.Wait()
		require.EqualValues(t, fired+swept+len(l.told), lines.Load(), "each failure is told")
		look := func() (told int64) {
			before := lines.Load()
			w.sweep()
			w.reconcile()
			w.forgetPast()
			return lines.Load() - before
		}
		require.Zero(t, look(), "not what fails because the worker stops")
	})
	for rows, told := range map[int]int{0: 0, 3: 1} {
		synctest.Test(t, func(t *testing.T) {
			w.draining, w.drain = context.WithCancelCause(t.Context())
			l.err, l.due, w.again = nil, nil, nil
			lines.Store(0)
			w.o.Schedules = fires(func(context.Context) error { return nil })
			w.o.Retention = sweeps(func(context.Context) (int, error) { return rows, nil })
			w.loops = sync.WaitGroup{}
			w.loops.Go(w.forgetPast)
			w.loops.Go(w.sweep)
			synctest.Wait()
			require.EqualValues(t, told, lines.Load())
			w.drain(errDraining)
			w.loops.Wait()
		})
	}
}

// counting counts what is logged.
type counting struct {
	slog.Handler
	lines *atomic.Int64
}

func (c counting) Enabled(context.Context, slog.Level) bool  { return true }
func (c counting) Handle(context.Context, slog.Record) error { c.lines.Add(1); return nil }
func (c counting) WithAttrs([]slog.Attr) slog.Handler        { return c }

// TestAWorkerAtWork: one job is cancelled, the other handed back when the worker stops; meanwhile the worker is seen, fires
// schedules, forgets what is past and removes what killed workers left in Redis.
func TestAWorkerAtWork(t *testing.T) {
	t.Parallel()
	m := miniredis.RunT(t)
	rdb, err := Connect(t.Context(), "redis://"+m.Addr())
	require.NoError(t, err)
	defer func() { require.NoError(t, rdb.Close()) }()
	cancelled := row("j", 1)
	cancelled.CancelRequested = true
	l := &ledger{due: map[string][]string{Interactive: {"j", "k"}}, claims: map[string]error{}, once: true, rows: []store.JobRow{cancelled}}
	began, fired, swept := make(chan string, 2), make(chan bool, 1), make(chan bool, 1)
	once := func(c chan bool) {
		select {
		case c <- true:
		default:
		}
	}
	w := NewWorker(Options{Redis: rdb, Store: l, Concurrency: 2, Now: morning, Log: slog.New(slog.DiscardHandler),
		Timing:    Timing{Reconcile: 10 * time.Millisecond, Watch: 10 * time.Millisecond},
		Schedules: fires(func(context.Context) error { once(fired); return nil }),
		Retention: sweeps(func(context.Context) (int, error) { once(swept); return 0, nil }),
		Kinds: []work.Kind{working(func(ctx context.Context, a work.Attempt) (work.Result, error) {
			a.Progress(posture.Progress{Phase: "read", Done: 1})
			a.Progress(posture.Progress{Phase: "read", Done: 2})
			began <- a.Row.ID
			<-ctx.Done()
			return work.Result{}, ctx.Err()
		})}})
	workers, host := Workers(rdb), func(name string) bool {
		alive, err := AliveOn(t.Context(), rdb, name)
		require.NoError(t, err)
		return alive
	}
	count := func() int {
		n, err := workers(t.Context())
		require.NoError(t, err)
		return n
	}
	name, err := os.Hostname()
	require.NoError(t, err)
	require.Zero(t, count())
	require.False(t, host(name))
	require.NoError(t, w.notifier.Notify(t.Context(), store.JobRow{}))
	_, err = m.ZAdd("asynq:{interactive}:archived", 1, "left")
	require.NoError(t, err)
	require.NoError(t, w.Start())
	require.ElementsMatch(t, []string{"j", "k"}, []string{<-began, <-began})
	<-fired
	<-swept
	require.Eventually(t, func() bool { return count() == 1 && host(name) && !m.Exists("asynq:{interactive}:archived") }, 10*time.Second,
		10*time.Millisecond)
	require.False(t, host("elsewhere"))
	require.Eventually(t, func() bool { return slices.Contains(l.sofar(), "finish j/1 cancelled cancelled") }, 10*time.Second,
		10*time.Millisecond)
	w.Stop()
	require.Contains(t, l.sofar(), "release k/1 +0s")
	require.Equal(t, 2, l.progress[len(l.progress)-1].Done, "the last count is stored")
	m.SetError("LOADING")
	_, err = workers(t.Context())
	require.Error(t, err)
	_, err = AliveOn(t.Context(), rdb, name)
	require.Error(t, err)
	require.ErrorContains(t, w.Start(), "start taking jobs", "it was stopped for good")
}

func (l *ledger) sofar() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.told)
}
