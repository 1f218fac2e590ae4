package queue

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/store"
)

// TestStopReturnsWhenAllIsDone: neither a job that takes longer than asynq waits for it nor a sweep goes on after Stop.
func TestStopReturnsWhenAllIsDone(t *testing.T) {
	t.Parallel()
	rdb, err := Connect(t.Context(), "redis://"+miniredis.RunT(t).Addr())
	require.NoError(t, err)
	defer func() { require.NoError(t, rdb.Close()) }()
	l := &ledger{due: map[string][]string{Interactive: {"j"}}, claims: map[string]error{}, once: true}
	began, endJob, fired, endSweep := make(chan bool), make(chan bool), make(chan bool), make(chan bool)
	w := NewWorker(Options{Redis: rdb, Store: l, Concurrency: 1, Now: morning, Log: slog.New(slog.DiscardHandler),
		Timing: Timing{Reconcile: 10 * time.Millisecond, DrainAfter: time.Millisecond},
		Schedules: fires(func(ctx context.Context) error {
			close(fired)
			<-ctx.Done()
			<-endSweep
			return ctx.Err()
		}),
		Kinds: []work.Kind{working(func(ctx context.Context, _ work.Attempt) (work.Result, error) {
			close(began)
			<-ctx.Done()
			<-endJob
			return work.Result{}, ctx.Err()
		})}})
	require.NoError(t, w.notifier.Notify(t.Context(), store.JobRow{}))
	require.NoError(t, w.Start())
	<-began
	<-fired
	stopped := make(chan struct{})
	go func() { defer close(stopped); w.Stop() }()
	over := func() bool {
		select {
		case <-stopped:
			return true
		default:
			return false
		}
	}
	const patience = 300 * time.Millisecond // of a fault; right code is never waited for
	require.Never(t, over, patience, time.Millisecond, "a job is at work")
	close(endJob)
	require.Never(t, over, patience, time.Millisecond, "a sweep is at work")
	close(endSweep)
	<-stopped
	require.Contains(t, l.sofar(), "release j/1 +0s")
}
