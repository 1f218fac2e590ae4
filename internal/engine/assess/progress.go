package assess

import (
	"context"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// progress turns what happens in a run into progress. How often it is stored is up to the
// receiver.
type progress struct {
	now     func() time.Time
	tell    func(posture.Progress)
	started time.Time

	mu   sync.Mutex
	p    posture.Progress
	wait time.Time // until when the run waits
	why  string    // what for
}

func newProgress(run Run, now func() time.Time) *progress {
	tell := run.Progress
	if tell == nil {
		tell = func(posture.Progress) {}
	}
	return &progress{now: now, tell: tell, started: now(), p: posture.Progress{Requests: run.Job.Progress.Requests}}
}

func (m *progress) phase(name, unit string, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.p = posture.Progress{Phase: name, Unit: unit, Total: total, Requests: m.p.Requests}
	m.report()
}

func (m *progress) done(done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.p.Done, m.p.Total = max(m.p.Done, done), total
	m.report()
}

func (m *progress) budget(d time.Duration) { m.waiting(d, "waiting for Cloudflare's request budget") }

func (m *progress) waiting(d time.Duration, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wait, m.why = m.now().Add(d), why
	m.report()
}

// flush tells where a run stands that is handed back.
func (m *progress) flush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report()
}

func (m *progress) request() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.p.Requests++
}

func (m *progress) requests() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.p.Requests
}

// report is called with the lock held.
func (m *progress) report() {
	now, p := m.now(), m.p
	if left := m.wait.Sub(now); left > 0 {
		p.WaitingSeconds = int(left.Seconds()) + 1
		p.Detail = m.why
	}
	// An estimate before a tenth is done would be a guess.
	if p.Total > 0 && p.Done*10 >= p.Total && p.Done < p.Total {
		eta := int(now.Sub(m.started).Seconds()*float64(p.Total-p.Done)/float64(p.Done)) + p.WaitingSeconds
		p.ETASeconds = &eta
	}
	m.tell(p)
}

// gate lets the requests of one run through its pace and the shared budget.
type gate struct {
	budget   *budget.Budget
	pace     *pace
	progress *progress
	request  budget.Request
	observer Observer
}

// Enter waits for a grant.
func (g *gate) Enter(ctx context.Context) (func(cloudflare.Answer), error) {
	if err := g.pace.enter(ctx); err != nil {
		return nil, err
	}
	began := g.progress.now()
	grant, err := g.budget.Acquire(ctx, g.request)
	if err != nil {
		g.pace.skip()
		return nil, err
	}
	sent := g.progress.now()
	if g.observer.Granted != nil {
		g.observer.Granted(string(g.request.Class), sent.Sub(began))
	}
	g.progress.request()
	return func(a cloudflare.Answer) {
		g.pace.done(a.Status, g.progress.now().Sub(sent))
		grant.Done(ctx, budget.Seen{Remaining: a.Remaining, Reset: a.Reset, RetryAfter: a.RetryAfter})
		if g.observer.Request != nil {
			g.observer.Request(cloudflare.Family(ctx), a.Status)
		}
	}, nil
}
