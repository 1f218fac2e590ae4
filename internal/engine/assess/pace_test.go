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

// TestPaceLearns: each answer by itself.
func TestPaceLearns(t *testing.T) {
	at := time.Unix(1000, 0)
	full := func(change func(*pace)) *pace {
		p := newPace(func() time.Time { return at })
		p.under, p.fastest, p.usual = firstPace, 100*time.Millisecond, 100*time.Millisecond
		change(p)
		p.under = int(p.limit)
		return p
	}
	for name, c := range map[string]struct {
		change func(*pace)
		status int
		took   time.Duration
		want   float64
	}{
		"an answer":                    {func(*pace) {}, http.StatusOK, 100 * time.Millisecond, firstPace + 1},
		"the client's fault":           {func(*pace) {}, 499, 100 * time.Millisecond, firstPace + 1},
		"the server's fault":           {func(*pace) {}, http.StatusInternalServerError, 0, firstPace / 2},
		"trouble of a moment ago":      {func(p *pace) { p.slowed = at.Add(-calm + 1) }, 0, 0, firstPace},
		"trouble after a calm":         {func(p *pace) { p.slowed = at.Add(-calm) }, 0, 0, firstPace / 2},
		"trouble at the least":         {func(p *pace) { p.limit = minPace + 1 }, 0, 0, minPace},
		"as many as there may be":      {func(p *pace) { p.limit = maxPace }, http.StatusOK, 100 * time.Millisecond, maxPace},
		"after a setback":              {func(p *pace) { p.steady = true }, http.StatusOK, 100 * time.Millisecond, firstPace + 1./firstPace},
		"after a setback, at the most": {func(p *pace) { p.steady, p.limit = true, maxPace }, http.StatusOK, 100 * time.Millisecond, maxPace},
		"just not slow": {func(p *pace) { p.usual = 220 * time.Millisecond }, http.StatusOK, 220 * time.Millisecond,
			firstPace + 1},
		"just slow": {func(p *pace) { p.usual = 220*time.Millisecond + 8 }, http.StatusOK, 220*time.Millisecond + 16,
			firstPace},
	} {
		p := full(c.change)
		p.learn(c.status, c.took)
		require.InDelta(t, c.want, p.limit, 1e-9, name)
	}

	p := full(func(*pace) {})
	p.under--
	p.learn(http.StatusOK, 180*time.Millisecond)
	require.InDelta(t, firstPace, p.limit, 0, "the limit was not used up")
	require.Equal(t, 100*time.Millisecond, p.fastest)
	require.Equal(t, 110*time.Millisecond, p.usual, "an eighth of the way")
	p.learn(http.StatusOK, 60*time.Millisecond)
	require.Equal(t, 60*time.Millisecond, p.fastest)
}

// TestPaceLetsIn: each request that ends lets in the one that waits longest, and one that gives up waits no more.
func TestPaceLetsIn(t *testing.T) {
	p := newPace(time.Now)
	p.limit, p.under = minPace, minPace
	for range 3 {
		p.queue = append(p.queue, make(chan struct{}))
	}
	first, second := p.queue[0], p.queue[1]
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, p.enter(gone), context.Canceled)
	require.Len(t, p.queue, 3)
	require.Equal(t, minPace, p.under, "who gave up lets nobody in")
	p.skip()
	<-first
	require.Len(t, p.queue, 2)
	require.Equal(t, minPace, p.under)
	p.limit = 0
	p.done(http.StatusForbidden, time.Millisecond)
	require.Len(t, p.queue, 2, "there are still too many")
	p.limit = minPace + 1
	p.skip()
	<-second
	require.Empty(t, p.queue)
	require.Equal(t, minPace, p.under)
}

// TestPaceTurnOfWhoGaveUp: who is let in at the moment of giving up lets in the next one.
func TestPaceTurnOfWhoGaveUp(t *testing.T) {
	for range 100 { // whether the turn or the end is seen first is left to chance
		p := newPace(time.Now)
		p.limit, p.under = 1, 1
		ctx, cancel := context.WithCancel(t.Context())
		entered := make(chan error)
		go func() { entered <- p.enter(ctx) }()
		require.Eventually(t, func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return len(p.queue) > 0
		}, 10*time.Second, time.Microsecond)
		p.mu.Lock()
		cancel()
		p.leave()
		p.mu.Unlock()
		if err := <-entered; err == nil {
			p.skip()
		}
		require.Zero(t, p.under)
	}
}
