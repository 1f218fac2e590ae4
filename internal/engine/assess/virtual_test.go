package assess_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// virtual is a clock that moves only when everybody who could do something is
// asleep on it: after a while without activity it jumps to the next waking.
type virtual struct {
	pool *http.Transport

	mu       sync.Mutex
	now      time.Time
	sleepers []sleeper
	activity int
	busy     int // requests on their way: the clock must not jump under them
	stop     chan struct{}
	stopped  chan struct{}
}

type sleeper struct {
	until time.Time
	wake  chan struct{}
}

func newVirtual(start time.Time) *virtual {
	v := &virtual{now: start, pool: cloudflare.NewPool(), stop: make(chan struct{}), stopped: make(chan struct{})}
	go v.run()
	return v
}

func (v *virtual) Now() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// RoundTrip makes the clock a connection pool that it stands still for.
func (v *virtual) RoundTrip(req *http.Request) (*http.Response, error) {
	v.mu.Lock()
	v.activity++
	v.busy++
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		v.activity++
		v.busy--
		v.mu.Unlock()
	}()
	return v.pool.RoundTrip(req)
}

func (v *virtual) Sleep(ctx context.Context, d time.Duration) error {
	v.mu.Lock()
	v.activity++
	s := sleeper{v.now.Add(d), make(chan struct{})}
	v.sleepers = append(v.sleepers, s)
	v.mu.Unlock()
	select {
	case <-s.wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (v *virtual) Stop() {
	close(v.stop)
	<-v.stopped
	v.pool.CloseIdleConnections()
}

func (v *virtual) run() {
	defer close(v.stopped)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	last, quiet := -1, 0
	for {
		select {
		case <-v.stop:
			return
		case <-tick.C:
		}
		v.mu.Lock()
		if v.activity != last {
			last, quiet = v.activity, 0
		} else if quiet++; quiet >= 8 && v.busy == 0 && len(v.sleepers) > 0 {
			v.advance()
			quiet = 0
		}
		v.mu.Unlock()
	}
}

// advance is called with the lock held.
func (v *virtual) advance() {
	first := slices.MinFunc(v.sleepers, func(a, b sleeper) int { return a.until.Compare(b.until) })
	if first.until.After(v.now) {
		v.now = first.until
	}
	v.sleepers = slices.DeleteFunc(v.sleepers, func(s sleeper) bool {
		if s.until.After(v.now) {
			return false
		}
		close(s.wake)
		return true
	})
}
