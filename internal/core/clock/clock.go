// Package clock provides the time of a clock that several processes share, such as that of their
// database, so that leases, due times and the order of runs do not depend on the clocks of the
// machines.
package clock

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// slowest is the longest response time accepted after the first measurement: the error of a
// measurement is at most half the time it took.
const slowest = time.Second

// Clock shows the shared time. It is safe for concurrent use.
type Clock struct {
	local func() time.Time
	ask   func(ctx context.Context) (time.Time, error)
	last  atomic.Pointer[reading]
}

// reading is the time of the shared clock at a time of the local one.
type reading struct{ shared, local time.Time }

// New makes a clock that asks for the shared time and measures the time since then with the local
// clock; setting the local clock does no harm. Until Sync has succeeded once it shows the local
// time.
func New(local func() time.Time, ask func(ctx context.Context) (time.Time, error)) *Clock {
	return &Clock{local: local, ask: ask}
}

// Now returns the shared time, in UTC.
func (c *Clock) Now() time.Time {
	r := c.last.Load()
	if r == nil {
		return c.local().UTC()
	}
	return r.shared.Add(c.local().Sub(r.local))
}

// Sync reads the shared clock once.
func (c *Clock) Sync(ctx context.Context) error {
	before := c.local()
	shared, err := c.ask(ctx)
	if err != nil {
		return fmt.Errorf("read the shared clock: %w", err)
	}
	took := c.local().Sub(before)
	if took > slowest && c.last.Load() != nil {
		return nil
	}
	c.last.Store(&reading{shared: shared.UTC(), local: before.Add(took / 2)})
	return nil
}

// Follow reads the shared clock after each interval until ctx ends. After a failure the time
// continues from the last reading.
func (c *Clock) Follow(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			within, cancel := context.WithTimeout(ctx, 5*time.Second)
			_ = c.Sync(within)
			cancel()
		}
	}
}

// Sleep waits for d. If ctx ends first it returns the cause.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
