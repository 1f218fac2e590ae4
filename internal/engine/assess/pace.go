package assess

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// minPace, firstPace and maxPace bound the requests one job has under way.
	minPace, firstPace, maxPace = 4, 16, 64
	// calm is how long one trouble slows a job down only once.
	calm = time.Second
)

// pace decides how many requests of a job are under way at once by what the answers
// tell: one more while they come as fast as ever, half as many after a refusal, an error
// of the provider or no answer.
type pace struct {
	now func() time.Time

	mu      sync.Mutex
	limit   float64
	under   int
	queue   []chan struct{}
	fastest time.Duration // the shortest time of an answer
	usual   time.Duration // of the last answers, smoothed
	steady  bool          // there was trouble: grow by one in the time of an answer
	slowed  time.Time     // when the limit was halved last
}

func newPace(now func() time.Time) *pace { return &pace{now: now, limit: firstPace} }

// enter waits until one more request may be under way.
func (p *pace) enter(ctx context.Context) error {
	p.mu.Lock()
	if p.under < int(p.limit) {
		p.under++
		p.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	p.queue = append(p.queue, turn)
	p.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, turn); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		return ctx.Err()
	}
	p.leave() // the turn came all the same
	return ctx.Err()
}

// done ends a request that was answered after a while; status is 0 when it was not.
func (p *pace) done(status int, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.learn(status, took)
	p.leave()
}

// skip ends a request that was not sent.
func (p *pace) skip() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
}

// leave is called with the lock held, as is learn.
func (p *pace) leave() {
	p.under--
	for len(p.queue) > 0 && p.under < int(p.limit) {
		close(p.queue[0])
		p.queue = p.queue[1:]
		p.under++
	}
}

func (p *pace) learn(status int, took time.Duration) {
	if status == 0 || status == http.StatusTooManyRequests || status >= http.StatusInternalServerError {
		if now := p.now(); now.Sub(p.slowed) >= calm {
			p.slowed, p.steady, p.limit = now, true, max(p.limit/2, minPace)
		}
		return
	}
	if p.fastest == 0 || took < p.fastest {
		p.fastest = took
	}
	p.usual += (took - p.usual) / 8
	switch {
	case p.usual > 2*p.fastest+20*time.Millisecond: // more at once would only wait there
	case p.under < int(p.limit): // there was room
	case p.steady:
		p.limit = min(p.limit+1/p.limit, maxPace)
	default:
		p.limit = min(p.limit+1, maxPace)
	}
}
