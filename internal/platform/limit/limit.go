// Package limit bounds what callers hold concurrently in one process: each caller, so that it takes
// nothing from the others, and all together, so that the process survives.
package limit

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Kind is a kind of limited resource.
type Kind string

// The limited resources. Requests are running requests, Waits calls that wait for a job, Streams
// server-sent event streams, Jobs requested jobs that have not ended, Reads calls that query the
// provider before they answer, Judgements calls that judge again what a run read, Tools calls of the
// tool server, and Answers the KiB of large responses that are being written.
const (
	Requests   Kind = "requests"
	Waits      Kind = "waits"
	Streams    Kind = "streams"
	Jobs       Kind = "jobs"
	Reads      Kind = "reads"
	Judgements Kind = "judgements"
	Tools      Kind = "tools"
	Answers    Kind = "answers"
)

// Bound is how many one caller, and all callers together, may hold.
type Bound struct{ Caller, All int }

// Table holds the configured bounds of some kinds.
type Table map[Kind]Bound

// Definition describes a kind.
type Definition struct {
	Kind  Kind
	Name  string // plural, for people
	Bound Bound  // the default
	Retry int    // seconds until a retry makes sense
}

// Definitions returns every kind.
func Definitions() []Definition {
	return []Definition{
		{Requests, "requests in work", Bound{128, 1024}, 1},
		{Waits, "calls that wait for a job", Bound{32, 256}, 5},
		{Streams, "event streams", Bound{32, 256}, 5},
		{Jobs, "jobs that have not ended", Bound{500, 5000}, 30},
		{Reads, "calls that ask Cloudflare", Bound{4, 16}, 5},
		{Judgements, "calls that judge again", Bound{4, 8}, 2},
		{Tools, "calls of the tool server", Bound{40, 160}, 2},
		{Answers, "KiB of answers", Bound{32 << 10, 128 << 10}, 2},
	}
}

// Parse parses a bound such as "32/256": one caller, and all callers.
func Parse(raw string) (Bound, error) {
	caller, all, two := strings.Cut(raw, "/")
	b := Bound{}
	var errs [2]error
	b.Caller, errs[0] = strconv.Atoi(strings.TrimSpace(caller))
	b.All, errs[1] = strconv.Atoi(strings.TrimSpace(all))
	if !two || errs[0] != nil || errs[1] != nil || b.Caller < 1 || b.All < b.Caller || b.All > 1_000_000 {
		return Bound{}, fmt.Errorf("is not two whole numbers, those of one caller and of all, which are not fewer; use for example 32/256")
	}
	return b, nil
}

// Limiter counts what is held. It is safe for concurrent use.
type Limiter struct {
	refused func(Kind)

	mu    sync.Mutex
	kinds map[Kind]*held
	freed chan struct{} // closed, and replaced, when something is released
}

// held counts who holds how many of a kind.
type held struct {
	Definition
	by  map[string]int
	all int
}

// New returns a limiter. refused is called for each refusal and may be nil.
func New(chosen Table, refused func(Kind)) *Limiter {
	l := &Limiter{refused: refused, kinds: map[Kind]*held{}, freed: make(chan struct{})}
	if refused == nil {
		l.refused = func(Kind) {}
	}
	for _, d := range Definitions() {
		if b, is := chosen[d.Kind]; is {
			d.Bound = b
		}
		l.kinds[d.Kind] = &held{Definition: d, by: map[string]int{}}
	}
	return l
}

// Take counts one more for a caller until release is called, which may be called repeatedly. If
// that would exceed a bound, the error is a problem that says when to retry.
func (l *Limiter) Take(k Kind, caller string) (release func(), err error) {
	return l.TakeSome(k, caller, 1)
}

// TakeSome is Take for several at once: all of them or none.
func (l *Limiter) TakeSome(k Kind, caller string, n int) (release func(), err error) {
	if release, _, err = l.try(k, caller, n); err != nil {
		l.refused(k)
	}
	return release, err
}

// Await is Take that waits for its turn until the context ends.
func (l *Limiter) Await(ctx context.Context, k Kind, caller string) (release func(), err error) {
	for {
		release, freed, err := l.try(k, caller, 1)
		if err == nil {
			return release, nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			l.refused(k)
			return nil, err
		}
	}
}

// try takes or says why not; freed is closed when trying again makes sense.
func (l *Limiter) try(k Kind, caller string, n int) (release func(), freed <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.kinds[k]
	switch {
	case n > h.Bound.Caller: // waiting does not help
		return nil, l.freed, posture.Problemf(posture.CodeTooLarge, "This takes %d %s, and one caller may hold %d; ask for less at once.", n,
			h.Name, h.Bound.Caller)
	case h.by[caller]+n > h.Bound.Caller:
		return nil, l.freed, h.full(fmt.Sprintf("You hold %d %s, and one caller may hold %d", h.by[caller], h.Name, h.Bound.Caller))
	case h.all+n > h.Bound.All:
		return nil, l.freed, h.full(fmt.Sprintf("There are %d %s, and this service takes %d", h.all, h.Name, h.Bound.All))
	}
	h.by[caller] += n
	h.all += n
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		h.all -= n
		if h.by[caller] -= n; h.by[caller] == 0 {
			delete(h.by, caller)
		}
		close(l.freed)
		l.freed = make(chan struct{})
	}), nil, nil
}

func (h *held) full(what string) error {
	return &posture.Problem{Code: posture.CodeRateLimited, RetryAfterSeconds: h.Retry,
		Detail: fmt.Sprintf("%s; let some end, or try again after %d s.", what, h.Retry)}
}
