package queue_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
)

// asked counts how often one job is read, and the most jobs that are read at once.
type asked struct {
	store.Store
	one, most *atomic.Int64
}

func (a asked) Job(ctx context.Context, id string) (store.JobRow, error) {
	a.one.Add(1)
	return a.Store.Job(ctx, id)
}

func (a asked) JobsByID(ctx context.Context, ids []string) ([]store.JobRow, error) {
	a.most.Store(max(a.most.Load(), int64(len(ids))))
	return a.Store.JobsByID(ctx, ids)
}

// TestCancelsAreLookedForTogether: however many jobs a process works on, one question tells
// which of them are to be cancelled, and only those end.
func TestCancelsAreLookedForTogether(t *testing.T) {
	const n = 6
	began := make(chan string, n)
	a := asked{one: &atomic.Int64{}, most: &atomic.Int64{}}
	b := newBench(t, redistest.Run(t).URL, func(o *queue.Options) {
		a.Store = o.Store.(store.Store)
		o.Store, o.Concurrency, o.Timing.Watch = a, n, 10*time.Millisecond
		o.Kinds = []work.Kind{scripted{posture.JobAssess, func(ctx context.Context, a work.Attempt) (work.Result, error) {
			began <- a.Row.ID
			<-ctx.Done()
			return work.Result{}, ctx.Err()
		}}}
	})
	for range n {
		b.enqueue(queue.Interactive, time.Now())
	}
	var ids []string
	for range n {
		ids = append(ids, <-began)
	}
	eventually(t, "all are watched", func() bool { return a.most.Load() == n })
	_, err := b.db.RequestCancel(t.Context(), ids[0], time.Now())
	require.NoError(t, err)
	eventually(t, "the job is cancelled", func() bool { return b.job(ids[0]).State == posture.JobCancelled })
	for _, id := range ids[1:] {
		require.Equal(t, posture.JobRunning, b.job(id).State)
	}
	require.Zero(t, a.one.Load(), "reads of one job")
}
