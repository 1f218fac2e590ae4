// Package budget shares one request budget per provider credential between all
// workers, in Redis. The provider allows 1,200 requests in 300 s per user or
// account token and blocks everything for 300 s when that is exceeded
// (developers.cloudflare.com/fundamentals/api/reference/limits/), so the count
// must be shared, exact and ahead of the requests.
//
// A grant is taken before a request is sent. At most Limit grants lie in any
// Window, which satisfies a fixed and a sliding window alike. The Ratelimit
// headers of every answer tell what others have spent of the same credential;
// the budget follows them and Retry-After, whichever is stricter.
//
// Several grants are requested, and several answers reported, with
// them. A grant that is not used soon is given back. While Redis is in trouble
// nothing is granted: everybody waits.
package budget

import (
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

// Class is the priority of the work behind a request.
type Class string

// Interactive work is somebody waiting; Scheduled work leaves the reserve alone.
const (
	Interactive Class = "interactive"
	Scheduled   Class = "scheduled"
)

// Options configures a Budget. Zero values take the defaults named.
type Options struct {
	Limit   int           // requests in a Window; 1200
	Window  time.Duration // 300 s
	Reserve int           // kept from Scheduled work for people; 100
	// Margin widens the window so that a request that is slow to arrive does
	// not land in the provider's next window together with its successors; 2 s.
	Margin time.Duration
	// Now replaces the Redis clock, for tests with a virtual clock.
	Now func() time.Time
	// Sleep waits for a grant and obeys ctx; nil uses a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Trouble is called each time Redis gave no usable answer and will be asked again
	// after a wait; it may be nil.
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

// New makes a budget on a Redis connection, which stays the caller's.
func New(rdb redis.UniversalClient, opt Options) *Budget {
	if opt.Limit == 0 {
		opt.Limit = 1200
	}
	if opt.Window == 0 {
		opt.Window = 300 * time.Second
	}
	if opt.Reserve == 0 {
		opt.Reserve = 100
	}
	if opt.Reserve >= opt.Limit {
		opt.Reserve = opt.Limit / 10
	}
	if opt.Margin == 0 {
		opt.Margin = 2 * time.Second
	}
	if opt.Sleep == nil {
		opt.Sleep = clock.Sleep
	}
	if opt.Trouble == nil {
		opt.Trouble = func(error, time.Duration) {}
	}
	return &Budget{rdb: rdb, script: redis.NewScript(script), opt: opt, lanes: map[laneKey]*lane{}}
}

// Least is the time that so many requests of one credential take at least, when nobody else uses it: the limit says when
// the last of them may be sent.
func (b *Budget) Least(requests int) time.Duration {
	return time.Duration(max(0, requests-1)/b.opt.Limit) * (b.opt.Window + b.opt.Margin)
}

// Request says for whom a grant is asked. Credential is a fingerprint, never
// the token itself.
type Request struct {
	Credential string
	Job        string // "": no job, a question that is not held against the fairness between jobs
	Class      Class
	// Waiting is called with the duration before each wait, and with 0 when it is over.
	Waiting func(d time.Duration)
	// Patience is the longest wait for a grant that is worth holding a worker; 0: any.
	Patience time.Duration
}

// WaitError tells that the budget is used up for longer than the patience of a
// request. After Wait there is room for a good part of a window.
type WaitError struct{ Wait time.Duration }

// Error says so.
func (e *WaitError) Error() string {
	return "Cloudflare's request budget is used up for " + e.Wait.Round(time.Second).String()
}

const (
	// maxNap bounds one wait, so that a budget that frees early is noticed.
	maxNap = 15 * time.Second
	// firstTrouble and maxTrouble bound the wait before Redis is asked again.
	firstTrouble, maxTrouble = 50 * time.Millisecond, 5 * time.Second
)

// Acquire waits until the request may be sent, also while Redis is in trouble: it may
// be away, empty, loading, full or frozen. Its error is that of ctx or a *WaitError.
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

// now is the virtual clock in microseconds, or 0 for Redis's own clock, which
// all workers share.
func (b *Budget) now() int64 {
	if b.opt.Now == nil {
		return 0
	}
	return b.opt.Now().UnixMicro()
}

// clock measures spans within this process.
func (b *Budget) clock() time.Time {
	if b.opt.Now == nil {
		return time.Now()
	}
	return b.opt.Now()
}

// keys share a hash tag so that they live in one slot of a Redis Cluster.
func keys(credential string) []string {
	p := "edgeposture:budget:{" + credential + "}:"
	return []string{p + "grants", p + "state", p + "flight"}
}
