package assess

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fill keeps all the room there is taken until each request that was first under way has
// got an answer, and tells how many these were.
func fill(p *pace, status int, took time.Duration) (most int) {
	enter := func() {
		for p.under < int(p.limit) {
			_ = p.enter(context.Background())
		}
	}
	enter()
	most = p.under
	for range most {
		p.done(status, took)
		enter()
	}
	for p.under > 0 {
		p.skip()
	}
	return most
}

func TestPaceFollowsTheAnswers(t *testing.T) {
	now := time.Unix(0, 0)
	p := newPace(func() time.Time { return now })
	require.Equal(t, firstPace, fill(p, http.StatusOK, 50*time.Millisecond))
	for range 5 {
		fill(p, http.StatusOK, 50*time.Millisecond)
	}
	require.Equal(t, maxPace, int(p.limit))
	for _, status := range []int{http.StatusTooManyRequests, http.StatusBadGateway, 0} {
		now = now.Add(calm)
		before := p.limit
		fill(p, status, 50*time.Millisecond)
		require.InDelta(t, before/2, p.limit, 0.1, "one trouble slows down once")
	}
	now = now.Add(calm)
	fill(p, 0, time.Millisecond)
	require.Equal(t, minPace, int(p.limit))
	fill(p, http.StatusForbidden, 50*time.Millisecond)
	require.Equal(t, minPace+1, int(p.limit+0.1), "a refusal of one thing is an answer")
	slow := p.limit
	for range 10 {
		fill(p, http.StatusOK, time.Second)
	}
	require.InDelta(t, slow, p.limit, 1, "slower answers are no reason to ask for more")
}

func TestPaceEndsWithTheJob(t *testing.T) {
	p := newPace(time.Now)
	for range firstPace {
		require.NoError(t, p.enter(t.Context()))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, p.enter(ctx), context.Canceled)
	require.Empty(t, p.queue)
	p.skip()
	require.NoError(t, p.enter(t.Context()))
}
