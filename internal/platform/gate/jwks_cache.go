package gate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// How long a fetched set is believed and how often it is asked for.
const (
	setAge      = 10 * time.Minute // so long a key that was taken back may still be believed
	askAgain    = time.Minute      // between fetches for kids that the set does not have
	tryAgain    = 5 * time.Second  // after a failed fetch, while no set is kept
	fetchWithin = 10 * time.Second
)

// key source gives the key set for a header. Its errors are reasons or the end of the context.
type keySource interface {
	set(ctx context.Context, h header) (*keySet, error)
	trouble() error // why the last fetch failed, or nil
}

// fixedRing is a set that was configured as a text.
type fixedKeys struct{ only *keySet }

func (r fixedKeys) set(context.Context, header) (*keySet, error) { return r.only, nil }

func (fixedKeys) trouble() error { return nil }

// fetchedRing keeps a set that is fetched. Several who need a fetch share one. It
// goes on when the one who caused it leaves, for at most fetchWithin.
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

// set gives the kept set while it is young and has what the header names. Else it
// is fetched, unless that was done just now. A fetch that fails leaves the kept set
// in force until it is too old; from then on there is none.
func (r *jwksCache) set(ctx context.Context, h header) (*keySet, error) {
	if set, due := r.look(h); !due {
		return orNone(set)
	}
	done := r.flight.DoChan("", func() (any, error) {
		if _, due := r.look(h); due { // another may have fetched since
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

// look gives the kept set unless it is too old, and whether a fetch is due. An
// age below zero, from a clock that was set back, is no age.
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

// fetch asks once and keeps what came, if it is a set that can be used.
func (r *jwksCache) fetch(ctx context.Context) {
	began := r.now()
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	set, err := r.read(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried = r.now() // not before: those who come while it is under way shall wait for it
	if r.err = err; err == nil {
		r.kept, r.at = set, began
	}
}

func (r *jwksCache) trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// read fetches and parses. A fetcher that panics must not end the process from a
// goroutine that cannot be guarded.
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
