package budget

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// laneOf gives the lane of a request as it is held now, or nil.
func laneOf(b *Budget, r Request) *lane {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lanes[laneKey{r.Credential, r.Job, r.Class}]
}

func TestDefaultsAndBounds(t *testing.T) {
	for _, c := range []struct{ limit, reserve, want int }{{0, 0, 100}, {100, 100, 10}, {100, 99, 99}, {50, 200, 5}} {
		b := New(nil, Options{Limit: c.limit, Reserve: c.reserve})
		require.Equal(t, c.want, b.opt.Reserve, "of %d, %d", c.limit, c.reserve)
	}
}

// TestWhoeverLeavesIsNotCounted: however a demand ends, its lane is given up afterwards, and the answer that came is told.
func TestWhoeverLeavesIsNotCounted(t *testing.T) {
	r := Request{Credential: "k", Job: "j", Class: Interactive}
	ends := map[string]func(t *testing.T, b *Budget){
		"answered": func(t *testing.T, b *Budget) { take(t, b, r) },
		"over":     func(_ *testing.T, b *Budget) { b.End(r) },
		"impatient": func(t *testing.T, b *Budget) {
			take(t, b, r)
			hurried := r
			hurried.Patience = time.Second
			_, err := b.Acquire(t.Context(), hurried)
			require.ErrorAs(t, err, new(*WaitError))
		},
		"given up while it waits": func(t *testing.T, b *Budget) {
			take(t, b, r)
			b.opt.Sleep = func(context.Context, time.Duration) error { return context.Canceled }
			_, err := b.Acquire(t.Context(), r)
			require.ErrorIs(t, err, context.Canceled)
		},
		"given up before it asked": func(t *testing.T, b *Budget) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := b.Acquire(ctx, r)
			require.ErrorIs(t, err, context.Canceled)
		},
		"given up in the row": func(t *testing.T, b *Budget) {
			first := b.enter(r)
			first.turn <- struct{}{}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := b.Acquire(ctx, r)
			require.ErrorIs(t, err, context.Canceled)
			<-first.turn
			first.leave()
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			b, _ := open(t, Options{Limit: 1, Reserve: 1, Margin: 40 * time.Millisecond})
			end(t, b)
			require.Eventually(t, func() bool { return laneOf(b, r) == nil }, 5*time.Second, time.Millisecond)
			require.Zero(t, b.rdb.ZCard(t.Context(), keys("k")[2]).Val(), "a request that is over counts as under way")
		})
	}
}

// TestWaitingIsToldAndEnds: the one who waits hears how long, and 0 when it is over.
func TestWaitingIsToldAndEnds(t *testing.T) {
	b, _ := open(t, Options{Limit: 1, Reserve: 1, Window: 10 * time.Second, Margin: time.Second})
	var told []time.Duration
	r := Request{Credential: "k", Job: "j", Class: Interactive, Waiting: func(d time.Duration) { told = append(told, d) }}
	take(t, b, r)
	require.Empty(t, told)
	r.Patience = 11 * time.Second // which the wait is, and no longer
	take(t, b, r)
	require.Equal(t, []time.Duration{11 * time.Second, 0}, told)
}

// TestAnswersGrowOld: what an answer told of the time to come is shorter by how long it lay here.
func TestAnswersGrowOld(t *testing.T) {
	for name, seen := range map[string]Seen{
		"reset":       {Remaining: 0, Reset: 100 * time.Second},
		"retry after": {Remaining: -1, RetryAfter: 100 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			b, c := open(t, Options{Limit: 1000, Reserve: 1})
			l := b.enter(Request{Credential: "k", Job: "j", Class: Interactive})
			defer l.leave()
			l.answers = append(l.answers, report{"0", seen, c.Now()})
			_ = c.Sleep(t.Context(), 40*time.Second)
			got, err := l.exchange(t.Context(), 1, 1)
			require.NoError(t, err)
			require.Zero(t, got.many)
			require.Equal(t, 60*time.Second, got.wait)
		})
	}
}

// TestWhatRedisDidNotTakeIsToldAgain: grants and answers of an exchange that failed go with the next one.
func TestWhatRedisDidNotTakeIsToldAgain(t *testing.T) {
	b, _ := open(t, Options{Limit: 1000, Reserve: 1})
	l := b.enter(Request{Credential: "k", Job: "j", Class: Interactive})
	defer l.leave()
	got, err := l.exchange(t.Context(), 4, 1)
	require.NoError(t, err)
	require.EqualValues(t, 4, got.many)
	l.unused, l.lent, l.answers = []string{"3", "4"}, got.entry, []report{{"1", Seen{Remaining: -1}, b.clock()}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.exchange(ended, 0, 1)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, l.unused, 2)
	require.Len(t, l.answers, 1)
	_, err = l.exchange(t.Context(), 0, 1)
	require.NoError(t, err)
	require.Equal(t, 2, used(t, b, "k"))
	require.Equal(t, []string{"2"}, b.rdb.ZRange(t.Context(), keys("k")[2], 0, -1).Val(), "grants without an answer")
}

// TestBatches: grants have the numbers Redis gave them; a margin that leaves no time to hold them allows one at a time.
func TestBatches(t *testing.T) {
	for _, c := range []struct {
		margin time.Duration
		want   []string
	}{{4 * time.Millisecond, []string{"1", "2", "3", "4"}}, {4*time.Millisecond - time.Microsecond, []string{"1"}}} {
		b, _ := open(t, Options{Limit: 1000, Margin: c.margin})
		r := Request{Credential: "k", Job: "j", Class: Interactive}
		l := b.enter(r)
		l.mu.Lock()
		l.batch, l.tidy = 4, time.AfterFunc(time.Hour, l.settle)
		l.mu.Unlock()
		wait, err := l.ask(t.Context(), r)
		require.NoError(t, err)
		require.Zero(t, wait)
		var ids []string
		for {
			id, ok := l.take()
			if !ok {
				break
			}
			ids = append(ids, id)
		}
		require.Equal(t, c.want, ids)
		l.tidy.Stop()
	}
}

func TestAnswersOfRedisAreRead(t *testing.T) {
	one := int64(1)
	for _, bad := range [][]any{nil, {one}, {"1", one, "e"}, {one, "1", "e"}, {one, one}, {one, one, one}} {
		_, err := parse(bad)
		require.Error(t, err, "%v", bad)
	}
	none, err := parse([]any{int64(0), int64(1500)})
	require.NoError(t, err)
	require.Equal(t, given{wait: 1500 * time.Microsecond}, none)
	some, err := parse([]any{int64(7), int64(3), "entry"})
	require.NoError(t, err)
	require.Equal(t, given{first: 7, many: 3, entry: "entry"}, some)
}

// TestRedisIsAskedAfterWaits: trouble is told with waits that double.
func TestRedisIsAskedAfterWaits(t *testing.T) {
	b, _ := open(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	var waits []time.Duration
	b.opt.Trouble = func(err error, again time.Duration) {
		require.Error(t, err)
		if waits = append(waits, again); len(waits) == 9 {
			cancel()
		}
	}
	require.NoError(t, b.rdb.Set(ctx, keys("k")[0], "not a list", 0).Err())
	_, err := b.Acquire(ctx, Request{Credential: "k", Job: "j", Class: Interactive})
	require.ErrorIs(t, err, context.Canceled)
	const ms = time.Millisecond
	require.Equal(t, []time.Duration{50 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 5000 * ms, 5000 * ms}, waits)
}

// TestNothingToGiveBack: where no grant is held, the size of the batches stays, and so does what is yet to be given back.
func TestNothingToGiveBack(t *testing.T) {
	b, _ := open(t, Options{Limit: 1000})
	l := b.enter(Request{Credential: "k", Job: "j", Class: Interactive})
	defer l.leave()
	l.batch = 4
	l.settle()
	require.Equal(t, 4, l.batch)
	l.unused, l.lent = []string{"3"}, "e"
	l.giveBack()
	require.Equal(t, []string{"3"}, l.unused)
}

// TestHeldGrantsAreSettled: from the moment grants are held somebody looks after them, as soon as they may lie no longer.
func TestHeldGrantsAreSettled(t *testing.T) {
	b, _ := open(t, Options{Limit: 1000, Margin: 4 * time.Millisecond})
	r := Request{Credential: "k", Job: "j", Class: Interactive}
	l := b.enter(r)
	_, err := l.ask(t.Context(), r)
	require.NoError(t, err)
	l.mu.Lock()
	require.NotNil(t, l.tidy)
	l.tidy.Stop()
	l.tidy = time.AfterFunc(time.Hour, l.settle)
	l.mu.Unlock()
	l.leave()
	require.Eventually(t, func() bool { return laneOf(b, r) == nil }, 10*time.Second, time.Millisecond)
}

// TestDemandsThatEndedAreNotCounted: whether a demand ends before its turn or while Redis is asked.
func TestDemandsThatEndedAreNotCounted(t *testing.T) {
	b, _ := open(t, Options{Limit: 1000})
	r := Request{Credential: "k", Job: "j", Class: Interactive}
	l := b.enter(r)
	defer l.leave()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 30 { // which of the two it is, is by chance
		_, err := b.Acquire(ended, r)
		require.ErrorIs(t, err, context.Canceled)
	}
	l.mu.Lock()
	users := l.users
	l.mu.Unlock()
	require.Equal(t, 1, users)
}

// TestGrantsAreCounted holds what Redis answers against a list of the times of all grants.
func TestGrantsAreCounted(t *testing.T) {
	const limit, window = 10, 302 * time.Second
	b, clock := open(t, Options{Limit: limit})
	l := b.enter(Request{Credential: "a", Job: "j"})
	defer l.leave()
	type batch struct {
		given
		at      time.Time
		settled bool
	}
	var batches []batch
	random := rand.New(rand.NewPCG(1, 2))
	waits := 0
	for range 600 {
		if n := len(batches); n > 0 && random.IntN(3) == 0 { // some come back, at times long after they were given
			if g := &batches[max(0, n-1-random.IntN(4))]; !g.settled {
				g.settled, l.lent = true, g.entry
				for range random.Int64N(g.many + 1) {
					g.many--
					l.unused = append(l.unused, strconv.FormatInt(g.first+g.many, 10))
				}
			}
		}
		var counted []time.Time
		for _, g := range batches {
			for range g.many {
				if clock.Now().Sub(g.at) < window {
					counted = append(counted, g.at)
				}
			}
		}
		want, ahead := 1+random.IntN(6), 1+random.IntN(6)
		got := exchange(t, l, want, ahead)
		require.Equal(t, int64(min(want, limit-len(counted))), got.many)
		if got.many > 0 {
			batches = append(batches, batch{got, clock.Now(), false})
		} else {
			waits++
			require.Equal(t, counted[min(ahead, limit)-1].Add(window).Sub(clock.Now()), got.wait)
		}
		require.NoError(t, clock.Sleep(t.Context(), time.Duration(random.IntN(80_000))*time.Millisecond))
	}
	require.Greater(t, waits, 60)
}

// TestClockSetBack: a wait is for the newest of the grants that must be over, wherever they stand.
func TestClockSetBack(t *testing.T) {
	b, clock := open(t, Options{Limit: 10})
	l := b.enter(Request{Credential: "a", Job: "j"})
	defer l.leave()
	require.Equal(t, int64(6), exchange(t, l, 6, 1).many)
	require.NoError(t, clock.Sleep(t.Context(), -time.Minute))
	require.Equal(t, int64(4), exchange(t, l, 10, 1).many)
	require.Equal(t, 362*time.Second, exchange(t, l, 10, 10).wait)
}

func exchange(t *testing.T, l *lane, want, ahead int) given {
	t.Helper()
	g, err := l.exchange(t.Context(), want, ahead)
	require.NoError(t, err)
	return g
}
