package limit

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func TestOneCallerLeavesRoomForOthers(t *testing.T) {
	var refused []Kind
	l := New(Table{Streams: {Caller: 2, All: 3}}, func(k Kind) { refused = append(refused, k) })
	take := func(caller string) func() {
		t.Helper()
		release, err := l.Take(Streams, caller)
		require.NoError(t, err)
		return release
	}
	first := take("a")
	take("a")
	_, err := l.Take(Streams, "a")
	var p *posture.Problem
	require.ErrorAs(t, err, &p)
	require.Equal(t, posture.CodeRateLimited, p.Code)
	require.Equal(t, 5, p.RetryAfterSeconds)
	require.Contains(t, p.Detail, "You hold 2 event streams")
	take("b")
	_, err = l.Take(Streams, "c")
	require.ErrorContains(t, err, "There are 3 event streams")
	first()
	first() // counts once
	require.Equal(t, 2, l.kinds[Streams].all)
	take("c")
	require.Equal(t, []Kind{Streams, Streams}, refused)
	_, err = l.Take(Waits, "a")
	require.NoError(t, err, "kinds are apart")
}

func TestNothingIsLostAtOnce(t *testing.T) {
	l := New(nil, nil)
	var all sync.WaitGroup
	for range 1000 {
		all.Go(func() {
			if release, err := l.Take(Requests, "a"); err == nil {
				release()
			}
		})
	}
	all.Wait()
	require.Zero(t, l.kinds[Requests].all)
}

func TestParse(t *testing.T) {
	b, err := Parse(" 32 / 256 ")
	require.NoError(t, err)
	require.Equal(t, Bound{32, 256}, b)
	for _, raw := range []string{"", "32", "0/5", "5/4", "a/b", "1/2/3", "-1/4", "1/1000001"} {
		_, err := Parse(raw)
		require.ErrorContains(t, err, "for example 32/256", raw)
	}
}

// TestMoreThanMayEverBeHeld: who asks for more than they may hold is not told to try again.
func TestMoreThanMayEverBeHeld(t *testing.T) {
	l := New(Table{Answers: {Caller: 10, All: 100}}, nil)
	_, err := l.TakeSome(Answers, "a", 11)
	require.Equal(t, posture.Problemf(posture.CodeTooLarge, "This takes 11 KiB of answers, and one caller may hold 10; ask for less at once."),
		err)
}

// TestTurns: whoever waits gets a turn, never more at once than may be held, and is refused once nobody waits for the answer.
func TestTurns(t *testing.T) {
	var refusals atomic.Int64
	l := New(Table{Judgements: {Caller: 3, All: 3}}, func(Kind) { refusals.Add(1) })
	var held, most atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			release, err := l.Await(t.Context(), Judgements, "a")
			if err != nil {
				t.Error(err)
				return
			}
			for now := held.Add(1); now > most.Load(); {
				most.Store(now)
			}
			runtime.Gosched()
			held.Add(-1)
			release()
		})
	}
	all.Wait()
	require.LessOrEqual(t, most.Load(), int64(3))
	require.Zero(t, refusals.Load())
	for range 3 {
		_, err := l.Take(Judgements, "a")
		require.NoError(t, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Await(gone, Judgements, "a")
	var problem *posture.Problem
	require.ErrorAs(t, err, &problem)
	require.Equal(t, posture.CodeRateLimited, problem.Code)
	require.EqualValues(t, 1, refusals.Load())
}
