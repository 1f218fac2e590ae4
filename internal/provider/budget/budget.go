// Package budget shares one request budget per provider credential among all workers, in Redis. The
// provider allows 1,200 requests in 300 s per user or account token and blocks everything for 300 s
// after that is exceeded (developers.cloudflare.com/fundamentals/api/reference/limits/), so the
// count must be shared, exact and ahead of the requests.
//
// A grant is taken before a request is sent. Any Window contains at most Limit grants, which
// satisfies both a fixed and a sliding window. The Ratelimit headers of every answer reveal what
// others have used of the same credential; the budget follows them and Retry-After, whichever is
// stricter.
//
// One exchange with Redis requests several grants and reports several answers. Grants that are not
// used soon are returned. While Redis has trouble nothing is granted, and everybody waits.
package budget

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/edgeposture/edgeposture/internal/core/clock"
)

//go:embed acquire.lua
var script string

// Class is the priority of the work that a request belongs to.
type Class string

// Somebody waits for Interactive work; Scheduled work leaves the reserve alone.
const (
	Interactive Class = "interactive"
	Scheduled   Class = "scheduled"
)

// Options configures a Budget. Zero values are replaced with the defaults given here.
type Options struct {
	Limit   int           // requests in a Window; 1200
	Window  time.Duration // 300 s
	Reserve int           // withheld from Scheduled work; 100
	// Margin widens the window, so that a request that is slow to arrive does not count in the
	// provider's next window together with its successors; 2 s.
	Margin time.Duration
	// Now replaces the Redis clock, for tests with a virtual clock.
	Now func() time.Time
	// Sleep waits for a grant or until ctx ends; nil uses a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Trouble is called each time Redis gave no usable answer, with the wait until the next attempt;
	// it may be nil.
	Trouble func(err error, again time.Duration)
}

// Budget grants requests. It is safe for concurrent use.
type Budget struct {
	rdb    redis.UniversalClient
	script *redis.Script
	opt    Options

	mu    sync.Mutex
	lanes map[laneKey]*lane
}

// New returns a budget on a Redis connection, which the caller still owns.
func New(rdb redis.UniversalClient, opt Options) *Budget {
	opt.Limit = cmp.Or(opt.Limit, 1200)
	opt.Window = cmp.Or(opt.Window, 300*time.Second)
	opt.Reserve = cmp.Or(opt.Reserve, 100)
	if opt.Reserve >= opt.Limit {
		opt.Reserve = opt.Limit / 10
	}
	opt.Margin = cmp.Or(opt.Margin, 2*time.Second)
	if opt.Sleep == nil {
		opt.Sleep = clock.Sleep
	}
	if opt.Trouble == nil {
		opt.Trouble = func(error, time.Duration) {}
	}
	return &Budget{rdb: rdb, script: redis.NewScript(script), opt: opt, lanes: map[laneKey]*lane{}}
}

// Least returns the minimum time that a number of requests of one credential takes when nobody else
// uses it: the limit determines when the last of them may be sent.
func (b *Budget) Least(requests int) time.Duration {
	return time.Duration(max(0, requests-1)/b.opt.Limit) * (b.opt.Window + b.opt.Margin)
}

// Request describes who asks for a grant. Credential is a fingerprint, never the token itself.
type Request struct {
	Credential string
	Job        string // "": no job; not subject to the fairness between jobs
	Class      Class
	// Waiting is called with the duration before each wait, and with 0 when the waiting is over.
	Waiting func(d time.Duration)
	// Patience is the longest wait for which a worker should be held; 0 is unlimited.
	Patience time.Duration
}

// WaitError means that the budget is exhausted for longer than the patience of a request. After
// Wait, a good part of a window is available.
type WaitError struct{ Wait time.Duration }

// Error says how long the budget is exhausted.
func (e *WaitError) Error() string {
	return "Cloudflare's request budget is used up for " + e.Wait.Round(time.Second).String()
}

const (
	// maxNap bounds one wait, so that a budget that becomes free early is noticed.
	maxNap = 15 * time.Second
	// firstTrouble and maxTrouble bound the wait before the next attempt to reach Redis.
	firstTrouble, maxTrouble = 50 * time.Millisecond, 5 * time.Second
)

// Acquire waits until the request may be sent. It also waits while Redis is unreachable, empty,
// loading, full or frozen. Its error is that of ctx or a *WaitError.
func (b *Budget) Acquire(ctx context.Context, r Request) (Grant, error) {
	l := b.enter(r)
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		l.leave()
		return Grant{}, ctx.Err()
	}
	waited, trouble := false, firstTrouble
	for {
		if id, ok := l.take(); ok {
			if waited && r.Waiting != nil {
				r.Waiting(0)
			}
			return Grant{lane: l, id: id}, nil
		}
		wait, err := l.ask(ctx, r)
		switch {
		case ctx.Err() != nil:
			l.leave()
			return Grant{}, ctx.Err()
		case err != nil:
			wait, trouble = trouble, min(2*trouble, maxTrouble)
			b.opt.Trouble(err, wait)
		case wait <= 0:
			continue
		case r.Patience > 0 && wait > r.Patience:
			if r.Waiting != nil {
				r.Waiting(wait)
			}
			l.leave()
			return Grant{}, &WaitError{Wait: wait}
		}
		waited = true
		if r.Waiting != nil {
			r.Waiting(wait)
		}
		if err := b.opt.Sleep(ctx, min(wait, maxNap)); err != nil {
			l.leave()
			return Grant{}, fmt.Errorf("wait for the request budget: %w", err)
		}
	}
}

// now returns the virtual time in microseconds, or 0 for Redis's own clock, which all workers share.
func (b *Budget) now() int64 {
	if b.opt.Now == nil {
		return 0
	}
	return b.opt.Now().UnixMicro()
}

// clock returns the time for measuring durations within this process.
func (b *Budget) clock() time.Time {
	if b.opt.Now == nil {
		return time.Now()
	}
	return b.opt.Now()
}

// keys share a hash tag, so that they are in the same slot of a Redis Cluster.
func keys(credential string) []string {
	p := "edgeposture:budget:{" + credential + "}:"
	return []string{p + "grants", p + "state", p + "flight"}
}
