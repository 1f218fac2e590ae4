package assess

import (
	"context"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// progress turns the events of a run into progress reports. The receiver decides how often they are
// stored.
type progress struct {
	now     func() time.Time
	tell    func(posture.Progress)
	budget  *budget.Budget
	started time.Time
	before  int // requests of earlier attempts

	mu   sync.Mutex
	p    posture.Progress
	had  int       // what earlier attempts have done of the phase
	wait time.Time // until when the run waits
	why  string    // what it waits for
}

// progress starts the progress of a run.
func (r *Runner) progress(run Run) *progress {
	tell := run.Progress
	if tell == nil {
		tell = func(posture.Progress) {}
	}
	p := run.Job.Progress
	p.Detail, p.WaitingSeconds, p.ETASeconds = "", 0, nil
	return &progress{now: r.o.Now, tell: tell, budget: r.budget(run), started: r.o.Now(), before: p.Requests, had: p.Done, p: p}
}

// phase begins a phase, or goes on with the one that an earlier attempt was in.
func (m *progress) phase(name, unit string, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.p.Phase != name {
		m.p = posture.Progress{Phase: name, Unit: unit, Total: total, Requests: m.p.Requests}
	}
	m.had = m.p.Done
	m.report()
}

func (m *progress) done(done, total int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.p.Done, m.p.Total = max(m.p.Done, done), max(m.p.Total, total)
	m.report()
}

func (m *progress) queued(d time.Duration) { m.waiting(d, "waiting for Cloudflare's request budget") }

func (m *progress) waiting(d time.Duration, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wait, m.why = m.now().Add(d), why
	m.report()
}

// flush reports the progress of a run that is handed back.
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
	p.ETASeconds = m.left(now, p)
	m.tell(p)
}

// left estimates the seconds until everything is read, from the speed so far and from the provider's
// limit: the first 1,200 requests are fast and say nothing about those that must wait. It is nil while
// it would be a guess, before this attempt has done a tenth, unless the limit alone decides.
func (m *progress) left(now time.Time, p posture.Progress) *int {
	open := p.Total - p.Done
	if p.Total == 0 || open <= 0 {
		return nil
	}
	elapsed := now.Sub(m.started)
	var limited time.Duration
	if p.Phase == "collect" {
		limited = m.budget.Least(p.Requests-m.before+open) - elapsed
	}
	done := p.Done - m.had
	if done*10 < p.Total-m.had && limited <= 0 {
		return nil
	}
	paced := time.Duration(0)
	if done > 0 {
		paced = time.Duration(float64(elapsed)*float64(open)/float64(done)) + time.Duration(p.WaitingSeconds)*time.Second
	}
	seconds := int(max(limited, paced).Seconds())
	return &seconds
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
