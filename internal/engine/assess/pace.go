package assess

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// minPace, firstPace and maxPace bound the concurrent requests of one job.
	minPace, firstPace, maxPace = 4, 16, 64
	// calm is the shortest time between two reductions, so that one incident slows a job down only
	// once.
	calm = time.Second
)

// pace decides how many requests of a job run concurrently, by their answers: one more while answers
// come as fast as ever, half as many after a refusal, a server error or no answer.
type pace struct {
	now func() time.Time

	mu      sync.Mutex
	limit   float64
	under   int
	queue   []chan struct{}
	fastest time.Duration // the shortest response time
	usual   time.Duration // the smoothed response time
	steady  bool          // there was a setback: grow by one per response time from now on
	slowed  time.Time     // when the limit was last halved
}

func newPace(now func() time.Time) *pace { return &pace{now: now, limit: firstPace} }

// enter waits until one more request may start.
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
	p.leave() // the turn was granted at the same time
	return ctx.Err()
}

// done ends a request that took a while; status is 0 when there was no answer.
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

// leave, like learn, is called with the lock held.
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
	case p.usual > 2*p.fastest+20*time.Millisecond: // more at once would only wait at the provider
	case p.under < int(p.limit): // the limit was not used up
	case p.steady:
		p.limit = min(p.limit+1/p.limit, maxPace)
	default:
		p.limit = min(p.limit+1, maxPace)
	}
}
