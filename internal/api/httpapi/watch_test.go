package httpapi

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/store"
)

// counted has jobs that are queued until they are ended, and counts who asks for them.
type counted struct {
	store.Store
	reads, failing atomic.Int64
	mu             sync.Mutex
	ended          map[string]bool
}

func (c *counted) JobsByID(_ context.Context, ids []string) (rows []store.JobRow, err error) {
	c.reads.Add(1)
	if c.failing.Add(-1) >= 0 {
		return nil, errors.New("the database went away")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		rows = append(rows, queuedJob(id))
		if c.ended[id] {
			rows[len(rows)-1].State = posture.JobCancelled
		}
	}
	return rows, nil
}

func (c *counted) end(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.ended[id] = true
	}
}

func queuedJob(id string) store.JobRow {
	return store.JobRow{Job: posture.Job{ID: id, State: posture.JobQueued}}
}

func watching(t *testing.T) (*Server, *counted) {
	t.Helper()
	defer func(before goleak.Option) { t.Cleanup(func() { goleak.VerifyNone(t, before) }) }(goleak.IgnoreCurrent())
	c := &counted{ended: map[string]bool{}}
	s := &Server{o: Options{Store: c}, limits: limit.New(limit.Table{limit.Waits: {Caller: 1000, All: 1000}}, nil)}
	s.closing, s.close = context.WithCancel(t.Context())
	s.watch = &watch{ctx: s.closing, store: c, jobs: map[string]*watched{}}
	t.Cleanup(s.close)
	return s, c
}

// TestWatchersShareOneReader: 200 who wait for 3 jobs cost a query a tick, as one does,
// and all hear of the end, also when readings fail in between.
func TestWatchersShareOneReader(t *testing.T) {
	s, c := watching(t)
	names := []string{"a", "b", "c"}
	var all sync.WaitGroup
	begun := time.Now()
	for i := range 200 {
		all.Go(func() {
			if job := s.await(t.Context(), queuedJob(names[i%3]), time.Minute); job.State != posture.JobCancelled || job.ID != names[i%3] {
				t.Error("ended as", job)
			}
		})
	}
	require.Eventually(t, func() bool { return c.reads.Load() > 3 }, time.Minute, time.Millisecond)
	c.failing.Store(3)
	require.Eventually(t, func() bool { return c.failing.Load() < 0 }, time.Minute, time.Millisecond)
	c.end(names...)
	all.Wait()
	require.LessOrEqual(t, c.reads.Load(), int64(time.Since(begun)/watchEvery)+1)
}

// TestNobodyWatches: without a watcher the reader ends, and begins again with the next.
func TestNobodyWatches(t *testing.T) {
	s, c := watching(t)
	for range 2 {
		_, leave := s.watch.sit("a")
		before := c.reads.Load()
		require.Eventually(t, func() bool { return c.reads.Load() > before }, time.Minute, time.Millisecond)
		leave()
		require.Eventually(t, func() bool {
			s.watch.mu.Lock()
			defer s.watch.mu.Unlock()
			return !s.watch.busy
		}, time.Minute, time.Millisecond)
	}
	require.Empty(t, s.watch.jobs)
}

// TestWhoHangsUpIsNotWaitedFor: a caller that closes its connection ends its wait, one
// that is still there, or sends the next request early, does not.
func TestWhoHangsUpIsNotWaitedFor(t *testing.T) {
	s, _ := watching(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	caller, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	served, err := l.Accept()
	require.NoError(t, err)
	defer func() { _ = served.Close() }()
	require.False(t, hungUp(served))
	_, err = caller.Write([]byte("GET"))
	require.NoError(t, err)
	require.False(t, hungUp(served))
	left := make(chan store.JobRow)
	ctx := context.WithValue(t.Context(), callKey, &called{conn: served}) //nolint:staticcheck,revive // as fiber keeps it
	go func() { left <- s.await(ctx, queuedJob("a"), time.Hour) }()
	got := make([]byte, 3)
	_, err = served.Read(got)
	require.NoError(t, err)
	require.Equal(t, "GET", string(got), "what was sent is still there")
	require.NoError(t, caller.Close())
	require.Equal(t, posture.JobQueued, (<-left).State)
	require.Empty(t, s.watch.jobs)
}
