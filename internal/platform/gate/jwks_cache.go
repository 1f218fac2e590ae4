package gate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// How long a fetched set is trusted, and how often it is fetched.
const (
	setAge      = 10 * time.Minute // how long a revoked key may still be trusted
	askAgain    = time.Minute      // between fetches for kids missing from the set
	tryAgain    = 5 * time.Second  // after a failed fetch, while there is no set
	fetchWithin = 10 * time.Second
)

// keySource returns the key set for a token header. Its errors are reasons or the end of the context.
type keySource interface {
	set(ctx context.Context, h header) (*keySet, error)
	trouble() error // why the last fetch failed, or nil
}

// fixedKeys is a configured set.
type fixedKeys struct{ only *keySet }

func (r fixedKeys) set(context.Context, header) (*keySet, error) { return r.only, nil }

func (fixedKeys) trouble() error { return nil }

// jwksCache caches a fetched set. Concurrent callers share one fetch, which continues when the
// caller that started it leaves, for at most fetchWithin.
type jwksCache struct {
	fetcher Fetcher
	now     func() time.Time
	flight  singleflight.Group

	mu    sync.Mutex
	kept  *keySet   // the last good set
	at    time.Time // when its fetch began
	tried time.Time // when the last fetch ended, good or not
	err   error     // how the last fetch failed, nil after a good one
}

// set returns the cached set while it is fresh and has a key for the header. Otherwise it fetches,
// unless that was done just now. After a failed fetch the cached set stays valid until it is too
// old; from then on there is none.
func (r *jwksCache) set(ctx context.Context, h header) (*keySet, error) {
	if set, due := r.look(h); !due {
		return orNone(set)
	}
	done := r.flight.DoChan("", func() (any, error) {
		if _, due := r.look(h); due { // another caller may have fetched it
			r.fetch(context.WithoutCancel(ctx))
		}
		return nil, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-done:
		set, _ := r.look(h)
		return orNone(set)
	}
}

func orNone(set *keySet) (*keySet, error) {
	if set == nil {
		return nil, because(ReasonKeysUnreadable)
	}
	return set, nil
}

// look returns the cached set unless it is too old, and whether a fetch is due. A negative age,
// after the clock was set back, counts as too old.
func (r *jwksCache) look(h header) (set *keySet, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if age := now.Sub(r.at); r.kept != nil && age >= 0 && age < setAge {
		set = r.kept
	}
	if set != nil && set.has(h) {
		return set, false
	}
	wait := askAgain
	if set == nil {
		wait = tryAgain
	}
	since := now.Sub(r.tried)
	return set, r.tried.IsZero() || since < 0 || since >= wait
}

// fetch reads the set once and stores it if it is usable.
func (r *jwksCache) fetch(ctx context.Context) {
	began := r.now()
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	set, err := r.read(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried = r.now() // only now, so that callers during the fetch wait for it
	if r.err = err; err == nil {
		r.kept, r.at = set, began
	}
}

func (r *jwksCache) trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// read fetches and parses. It recovers from a panic of the fetcher, which would otherwise end the
// process from a goroutine that nobody guards.
func (r *jwksCache) read(ctx context.Context) (set *keySet, err error) {
	defer func() {
		if p := recover(); p != nil {
			set, err = nil, fmt.Errorf("fetch the JWK set: it panicked with a %T", p)
		}
	}()
	b, err := r.fetcher.Fetch(ctx)
	if err != nil {
		return nil, fmt.Errorf("fetch the JWK set: %w", err)
	}
	return parseSet(b)
}
