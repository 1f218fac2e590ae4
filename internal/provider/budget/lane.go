package budget

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// maxBatch bounds the grants of one exchange with Redis; it is at most what one job may be ahead of
// another.
const maxBatch = 16

// noMore is requested instead of a number of grants for a job that has ended.
const noMore = -1

// laneKey identifies the requests that share the grants held in this process.
type laneKey struct {
	credential, job string
	class           Class
}

// lane holds the unused grants of one job, and the answers that have not been reported to Redis. It
// exists as long as it holds anything.
type lane struct {
	b    *Budget
	key  laneKey
	turn chan struct{} // held while taking a grant or requesting more

	mu      sync.Mutex
	users   int      // requests that wait for a grant or for an answer
	batch   int      // grants to request
	free    []held   // all from the same entry
	entry   string   // Redis's name of the entry with these grants
	unused  []string // grants of lent to return
	lent    string
	answers []report
	over    bool // the job has ended, which Redis does not know yet
	tidy    *time.Timer
}

type held struct {
	id    string
	until time.Time
}

type report struct {
	id   string
	seen Seen
	at   time.Time
}

// enter returns the lane of a request, with one more user.
func (b *Budget) enter(r Request) *lane {
	key := laneKey{r.Credential, r.Job, r.Class}
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.lanes[key]
	if l == nil {
		l = &lane{b: b, key: key, turn: make(chan struct{}, 1), batch: 1}
		b.lanes[key] = l
	}
	l.mu.Lock()
	l.users++
	l.mu.Unlock()
	return l
}

// leave removes a user from a lane; what the lane still holds is settled soon.
func (l *lane) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	l.settleIn(l.hold())
}

// End reports that the job of a request has ended, so that it no longer delays other jobs. It does
// not wait; if Redis does not receive the report, the job expires there after two seconds.
func (b *Budget) End(r Request) {
	if r.Job == "" {
		return
	}
	l := b.enter(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	l.over = true
	l.settleIn(0)
}

// hold is how long a grant may stay unused. Margin is four times as long; the rest of it is for
// requests that are slow to arrive.
func (l *lane) hold() time.Duration { return l.b.opt.Margin / 4 }

// settleIn must be called with the lock held.
func (l *lane) settleIn(d time.Duration) {
	if l.tidy == nil {
		l.tidy = time.AfterFunc(d, l.settle)
	} else {
		l.tidy.Reset(d)
	}
}

// settle returns unused grants and reports the pending answers. What Redis does not accept now is
// sent with the next request for grants; grants that are never returned count as used.
func (l *lane) settle() {
	l.mu.Lock()
	if len(l.free) > 0 {
		l.giveBack()
	}
	due, want := l.over || len(l.unused)+len(l.answers) > 0, 0
	if l.over {
		l.over, want = false, noMore
	}
	l.mu.Unlock()
	if due {
		ctx, cancel := context.WithTimeout(context.Background(), maxTrouble)
		defer cancel()
		_, _ = l.exchange(ctx, want, 1)
	}
	l.b.mu.Lock()
	defer l.b.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 {
		delete(l.b.lanes, l.key)
	}
}

// giveBack must be called with the lock held. Grants that an earlier call could not return count as used.
func (l *lane) giveBack() {
	if len(l.free) > 0 {
		l.unused, l.lent = nil, l.entry
	}
	for _, h := range l.free {
		l.unused = append(l.unused, h.id)
	}
	l.free, l.batch = nil, max(l.batch/2, 1)
}

// take returns a held grant.
func (l *lane) take() (id string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.free) == 0 {
		return "", false
	}
	if !l.b.clock().Before(l.free[0].until) {
		l.giveBack()
		return "", false
	}
	id, l.free = l.free[0].id, l.free[1:]
	return id, true
}

// ask requests grants, or returns how long none will be available.
func (l *lane) ask(ctx context.Context, r Request) (wait time.Duration, err error) {
	l.mu.Lock()
	want := l.batch
	l.mu.Unlock()
	if l.hold() < time.Millisecond {
		want = 1
	}
	ahead := 1
	if r.Patience > 0 {
		ahead = max(l.b.opt.Limit/16, 1)
	}
	got, err := l.exchange(ctx, want, ahead)
	if err != nil {
		return 0, err
	}
	if got.many == 0 {
		return got.wait, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entry = got.entry
	until := l.b.clock().Add(max(l.hold(), time.Millisecond))
	for id := range got.many {
		l.free = append(l.free, held{strconv.FormatInt(got.first+id, 10), until})
	}
	if int(got.many) == want { // the previous batch was used up
		l.batch = min(2*l.batch, maxBatch)
	}
	l.settleIn(l.hold())
	return 0, nil
}

// given is the answer of Redis: a number of grants, or how long none will be available.
type given struct {
	first, many int64
	entry       string
	wait        time.Duration
}

// exchange sends the pending answers to Redis and requests grants.
func (l *lane) exchange(ctx context.Context, want, ahead int) (g given, err error) {
	b := l.b
	limit := b.opt.Limit
	if l.key.class == Scheduled {
		limit -= b.opt.Reserve
	}
	l.mu.Lock()
	unused, lent, answers := l.unused, l.lent, l.answers
	l.unused, l.answers = nil, nil
	l.mu.Unlock()
	args := []any{b.now(), (b.opt.Window + b.opt.Margin).Microseconds(), limit, l.key.job, b.opt.Limit - limit, want, ahead, lent, len(unused)}
	for _, id := range unused {
		args = append(args, id)
	}
	now := b.clock()
	for _, a := range answers {
		age := now.Sub(a.at)
		args = append(args, a.id, a.seen.Remaining, max(a.seen.Reset-age, 0).Microseconds(), max(a.seen.RetryAfter-age, 0).Microseconds())
	}
	got, err := b.script.Run(ctx, b.rdb, keys(l.key.credential), args...).Slice()
	if err == nil {
		g, err = parse(got)
	}
	if err != nil {
		l.mu.Lock()
		if len(l.unused) == 0 {
			l.unused = unused
		}
		l.answers = append(answers, l.answers...)
		l.mu.Unlock()
		return given{}, fmt.Errorf("ask Redis for the request budget: %w", err)
	}
	return g, nil
}

func parse(got []any) (g given, err error) {
	if len(got) < 2 {
		return g, errors.New("the answer is not understood")
	}
	first, isNumber := got[0].(int64)
	second, isAlso := got[1].(int64)
	if !isNumber || !isAlso || first > 0 && len(got) < 3 {
		return g, errors.New("the answer is not understood")
	}
	if first == 0 {
		return given{wait: time.Duration(second) * time.Microsecond}, nil
	}
	g.first, g.many = first, second
	if g.entry, isNumber = got[2].(string); !isNumber {
		return g, errors.New("the answer is not understood")
	}
	return g, nil
}

// Grant is the permission to send one request. Call Done when the answer has arrived or the request
// has failed.
type Grant struct {
	lane *lane
	id   string
}

// Seen is what an answer says about the budget. Remaining is negative when it says nothing.
// RetryAfter is set only on 429.
type Seen struct {
	Remaining  int
	Reset      time.Duration
	RetryAfter time.Duration
}

// Done ends the grant and reports the answer to the budget, at the latest before the next grant of
// the same job. A 429 is reported at once, and returns all grants of the credential that this
// process holds.
func (g Grant) Done(ctx context.Context, s Seen) {
	l := g.lane
	if l == nil {
		return
	}
	l.mu.Lock()
	l.answers = append(l.answers, report{g.id, s, l.b.clock()})
	l.mu.Unlock()
	l.leave()
	if s.RetryAfter <= 0 {
		return
	}
	for _, other := range l.b.of(l.key.credential) {
		other.mu.Lock()
		other.giveBack()
		other.mu.Unlock()
	}
	// What Redis does not accept is sent with the next request for grants.
	_, _ = l.exchange(context.WithoutCancel(ctx), 0, 1)
}

// of returns the lanes of a credential.
func (b *Budget) of(credential string) (out []*lane) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, l := range b.lanes {
		if key.credential == credential {
			out = append(out, l)
		}
	}
	return out
}
