package queue

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

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
	w := idle(t, l)
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
		require.Equal(t, []int{601, 3, 601}, []int{fired, swept, len(l.told)})
		w.lookAgain()
		synctest.Wait()
		require.Equal(t, 602, len(l.told)) //nolint:testifylint // six hundred lines say nothing
		w.drain(errDraining)
		w.loops.Wait()
	})
}
