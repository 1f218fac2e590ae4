//go:build unix

package queue_test

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/queue"
	"github.com/edgeposture/edgeposture/internal/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/store/postgres"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
	"github.com/edgeposture/edgeposture/jobs"
)

// rung counts the bells of one schedule that is due again when the test says so.
type rung struct {
	due, fires atomic.Int64
}

func (r *rung) Sweep(context.Context) error { return nil }
func (r *rung) Fire(_ context.Context, id string) error {
	if id == "a schedule" {
		r.fires.Add(1)
	}
	return nil
}
func (r *rung) Bells(context.Context) ([]jobs.Bell, error) {
	return []jobs.Bell{{ScheduleID: "a schedule", Cron: "@every 1s", Due: time.Unix(r.due.Load(), 0)}}, nil
}

// TestABellRingsOnce leaves the sweep out: only asynq's periodic tasks are there to fire
// a schedule. Three workers wind the same bell, and it rings once for each due time.
func TestABellRingsOnce(t *testing.T) {
	server := redistest.Run(t)
	db, err := postgres.Open(t.Context(), pgtest.Start(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	r := &rung{}
	for range 3 {
		rdb, err := queue.Connect(t.Context(), server.URL)
		require.NoError(t, err)
		w := queue.NewWorker(queue.Options{Redis: rdb, Store: db, Owner: newID(), Concurrency: 2, Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
			Schedules: r, Sweep: time.Hour, Wind: 50 * time.Millisecond})
		require.NoError(t, w.Start())
		defer func() { w.Stop(); require.NoError(t, rdb.Close()) }()
	}
	for due := range int64(3) {
		r.due.Store(1_000 + due)
		eventually(t, "the bell rings", func() bool { return r.fires.Load() > due })
	}
	// Each worker has wound the last bell and rung it by the time a new one has rung.
	r.due.Store(2_000)
	eventually(t, "another bell rings", func() bool { return r.fires.Load() > 3 })
	require.EqualValues(t, 4, r.fires.Load())
}
