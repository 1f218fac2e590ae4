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
package budget

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed acquire.lua
var acquireScript string

//go:embed observe.lua
var observeScript string

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
}

// Budget grants requests. It is safe for concurrent use.
type Budget struct {
	rdb     redis.UniversalClient
	acquire *redis.Script
	observe *redis.Script
	opt     Options
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
		opt.Sleep = sleep
	}
	return &Budget{rdb: rdb, acquire: redis.NewScript(acquireScript), observe: redis.NewScript(observeScript), opt: opt}
}

// Request says for whom a grant is asked. Credential is a fingerprint, never
// the token itself.
type Request struct {
	Credential string
	Job        string // "": no job, a question that is not held against the fairness between jobs
	Class      Class
	// Waiting is told before each wait how long it will be, and 0 when it is over.
	Waiting func(d time.Duration)
}

// Grant is the permission to send one request. Done must be called when the
// answer is there or the request failed.
type Grant struct {
	budget     *Budget
	credential string
	id         string
}

// maxNap bounds one wait, so that a budget that frees early is noticed.
const maxNap = 15 * time.Second

// Acquire waits until the request may be sent. It returns early only with the
// error of ctx, or when Redis fails.
func (b *Budget) Acquire(ctx context.Context, r Request) (Grant, error) {
	waited := false
	for {
		id, wait, err := b.try(ctx, r)
		if err != nil {
			return Grant{}, err
		}
		if wait <= 0 {
			if waited && r.Waiting != nil {
				r.Waiting(0)
			}
			return Grant{budget: b, credential: r.Credential, id: id}, nil
		}
		waited = true
		if r.Waiting != nil {
			r.Waiting(wait)
		}
		if err := b.opt.Sleep(ctx, min(wait, maxNap)); err != nil {
			return Grant{}, fmt.Errorf("wait for the request budget: %w", err)
		}
	}
}

func (b *Budget) try(ctx context.Context, r Request) (id string, wait time.Duration, err error) {
	limit := b.opt.Limit
	if r.Class == Scheduled {
		limit -= b.opt.Reserve
	}
	window := b.opt.Window + b.opt.Margin
	got, err := b.acquire.Run(ctx, b.rdb, keys(r.Credential), b.now(), window.Microseconds(), limit, r.Job, b.opt.Limit-limit).Int64Slice()
	if err != nil {
		return "", 0, fmt.Errorf("ask Redis for the request budget: %w", err)
	}
	if len(got) != 2 {
		return "", 0, errors.New("ask Redis for the request budget: the answer is not understood")
	}
	if got[0] == 0 {
		return "", time.Duration(got[1]) * time.Microsecond, nil
	}
	return strconv.FormatInt(got[0], 10), 0, nil
}

// Seen is what an answer told about the budget. A negative Remaining means that
// it told nothing. RetryAfter is set on 429 only.
type Seen struct {
	Remaining  int
	Reset      time.Duration
	Quota      int
	RetryAfter time.Duration
}

// Done ends the grant and teaches the budget what the answer said. It works
// after ctx has ended, so that a cancelled job does not count as in flight.
func (g Grant) Done(ctx context.Context, s Seen) error {
	if g.budget == nil {
		return nil
	}
	err := g.budget.observe.Run(context.WithoutCancel(ctx), g.budget.rdb, keys(g.credential), g.budget.now(), g.id,
		s.Remaining, s.Reset.Microseconds(), s.RetryAfter.Microseconds()).Err()
	if err != nil && !errors.Is(err, redis.Nil) {
		return fmt.Errorf("tell Redis about the request budget: %w", err)
	}
	return nil
}

// Used tells how many grants lie in the current window.
func (b *Budget) Used(ctx context.Context, credential string) (int, error) {
	now := b.now()
	if now == 0 {
		t, err := b.rdb.Time(ctx).Result()
		if err != nil {
			return 0, fmt.Errorf("ask Redis for the time: %w", err)
		}
		now = t.UnixMicro()
	}
	from := now - (b.opt.Window + b.opt.Margin).Microseconds()
	n, err := b.rdb.ZCount(ctx, keys(credential)[0], "("+strconv.FormatInt(from, 10), "+inf").Result()
	if err != nil {
		return 0, fmt.Errorf("ask Redis for the request budget: %w", err)
	}
	return int(n), nil
}

// now is the virtual clock in microseconds, or 0 for Redis's own clock, which
// all workers share.
func (b *Budget) now() int64 {
	if b.opt.Now == nil {
		return 0
	}
	return b.opt.Now().UnixMicro()
}

// keys share a hash tag so that they live in one slot of a Redis Cluster.
func keys(credential string) []string {
	p := "edgeposture:budget:{" + credential + "}:"
	return []string{p + "log", p + "state", p + "flight", p + "jobs", p + "served"}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
