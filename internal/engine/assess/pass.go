package assess

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/store"
)

const (
	// passes is how often a run retries the reads that fail while the provider answers others; what
	// fails in the last pass stays failed.
	passes = 3
	// outageLimit is how long a run waits for a provider that answers nothing.
	outageLimit = 5 * time.Minute
	// minPause and maxPause bound the wait before a silent provider is asked again; in between it is
	// half of the time for which it has not answered.
	minPause, maxPause = time.Second, 8 * time.Second
	// limitedFor is how long a run waits in all because Cloudflare answered its reads with 429; a block of the
	// token takes 5 minutes.
	limitedFor = 6 * time.Hour
	// staleAfter is how much later than due a run may resume and still count the provider's silence
	// from before.
	staleAfter = time.Minute
)

// pass is one round of a run over what it has not read yet. A round that leaves something unread
// releases the job; what the next one must know is stored among the sections of the job.
type pass struct {
	job   store.JobRow
	store sectionStore
	now   func() time.Time
	tell  func(wait time.Duration, why string)
	mark  mark

	mu      sync.Mutex // guards what follows and mark.Limits and mark.Limited, which reads change at the same time
	until   time.Time  // when the last wait that Cloudflare told this pass ends
	unnoted bool       // what it told is not in a stored mark
}

// mark is the state that a pass leaves behind. Number counts the marks of a job.
type mark struct {
	Number int       `json:"number"`
	Again  int       `json:"again"`          // passes that ended while the provider answered
	Since  time.Time `json:"since,omitzero"` // when the provider fell silent; zero if it did not
	Due    time.Time `json:"due"`
	// Limits counts the passes in which a read was answered with 429, and Limited adds up how long the run
	// was told to wait.
	Limits  map[string]int `json:"limits,omitempty"`
	Limited time.Duration  `json:"limited,omitempty"`
}

// markSource is the name prefix of the sections that hold marks.
const markSource = "pass#"

// newPass continues after the last mark of the job.
func newPass(job store.JobRow, sections sectionStore, now func() time.Time, tell func(time.Duration, string),
	have []snapshot.Section) *pass {
	p := &pass{job: job, store: sections, now: now, tell: tell}
	for _, s := range have {
		var m mark
		if strings.HasPrefix(s.Source, markSource) && json.Unmarshal(s.Value, &m) == nil && m.Number > p.mark.Number {
			p.mark = m
		}
	}
	if now().After(p.mark.Due.Add(staleAfter)) {
		p.mark.Since = time.Time{}
	}
	return p
}

// last reports whether what fails now, while the provider answers, stays failed.
func (p *pass) last() bool { return p.mark.Again >= passes-1 }

// silent releases the job because the provider has not answered since an instant; it returns nil when
// the longest wait is over.
func (p *pass) silent(ctx context.Context, since time.Time, why error) error {
	if p.mark.Since.IsZero() {
		p.mark.Since = since
	}
	gone := p.now().Sub(p.mark.Since)
	if gone >= outageLimit {
		return nil
	}
	return p.later(ctx, min(max(gone/2, minPause), maxPause), fmt.Errorf("Cloudflare does not answer: %w", why))
}

// again releases the job because some reads failed while others were answered.
func (p *pass) again(ctx context.Context, why error) error {
	p.mark.Again++
	p.mark.Since = time.Time{}
	return p.later(ctx, time.Duration(p.mark.Again)*5*time.Second, fmt.Errorf("some reads failed: %w", why))
}

// limited notes that a read was answered with 429 and the budget then did not let it wait. Where the read
// or the run was told to wait too often, the reason for which it has failed is returned, and otherwise "".
func (p *pass) limited(key sectionKey, err error) string {
	closed, ok := errors.AsType[*cloudflare.GateError](err)
	if p == nil || !ok {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now, read := p.now(), key.source+" "+key.scope
	if closed.Limited > 0 {
		if p.mark.Limits == nil {
			p.mark.Limits = map[string]int{}
		}
		p.mark.Limits[read]++
		if end := now.Add(closed.Limited); end.After(p.until) {
			p.mark.Limited += min(closed.Limited, end.Sub(p.until))
			p.until = end
		}
		p.unnoted = true
		if p.mark.Limits[read] >= passes {
			return fmt.Sprintf("Cloudflare answered it with 429 in %d passes of the run, the last time for %s", passes, closed.Limited)
		}
	}
	if p.mark.Limited > limitedFor && now.Before(p.until) {
		return fmt.Sprintf("Cloudflare answered reads of the run with 429 for %s in all, and a run waits for %s at most", p.mark.Limited,
			limitedFor)
	}
	return ""
}

// pause notes what Cloudflare told a pass that ends for lack of budget, and returns why it ends.
func (p *pass) pause(ctx context.Context, why error) error {
	later, ok := errors.AsType[*posture.LaterError](why)
	if p == nil || !ok || !p.unnoted {
		return why
	}
	return cmp.Or(p.note(ctx, later.At), why)
}

// note stores the mark; the run resumes at an instant.
func (p *pass) note(ctx context.Context, due time.Time) error {
	p.mark.Number++
	p.mark.Due, p.unnoted = due, false
	value, err := json.Marshal(p.mark)
	if err != nil {
		return fmt.Errorf("note a pause: %w", err)
	}
	section := snapshot.Section{Source: markSource + strconv.Itoa(p.mark.Number), Status: snapshot.OK, Value: value}
	if err := p.store.PutSections(ctx, p.job.ID, p.job.Attempt, []snapshot.Section{section}); err != nil {
		return fmt.Errorf("note a pause: %w", err)
	}
	return nil
}

func (p *pass) later(ctx context.Context, wait time.Duration, why error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.note(ctx, p.now().Add(wait)); err != nil {
		return err
	}
	p.tell(wait, "Cloudflare does not answer all reads; waiting to ask again")
	return &posture.LaterError{At: p.mark.Due, Err: why}
}

// laterOf turns the error of a used-up budget into one that releases the job; other errors are returned
// unchanged.
func laterOf(err error, now time.Time) error {
	if used, ok := errors.AsType[*budget.WaitError](err); ok {
		return &posture.LaterError{At: now.Add(used.Wait), Err: used}
	}
	return err
}

// probeAge is for how long an answer proves that the provider answers.
const probeAge = 2 * time.Second

// final reports whether a read without an answer stays failed. When the provider answers nothing at
// all, no further reads begin.
func (c *collector) final(s snapshot.Section) (bool, error) {
	if c.pass == nil {
		return true, nil
	}
	c.probing.Lock()
	defer c.probing.Unlock()
	c.failed = s.Unanswered
	source, target, known := c.probe()
	switch {
	case c.over:
		return true, nil
	case !known || c.halted():
		return false, nil
	case c.pass.now().Before(c.lastHeard().Add(probeAge)):
		return c.pass.last(), nil
	}
	answers, err := c.ask(source, target)
	if err != nil {
		return false, err
	}
	return c.over || answers && c.pass.last(), nil
}

// ask reports whether the provider answers a read, and stops the pass when it does not and may still be
// waited for. The caller holds c.probing.
func (c *collector) ask(source snapshot.Source, target snapshot.SourceScope) (answers bool, err error) {
	asked, err := c.client.Read(c.ctx, source, target, c.known, nil)
	if why := c.pass.limited(sectionKey{source.Name, source.Scope(target)}, err); why != "" {
		asked.Unanswered, err = errors.New(why), nil
	}
	if err != nil {
		return false, err
	}
	if asked.Unanswered == nil {
		c.hear()
		return true, nil
	}
	if c.failed == nil {
		c.failed = asked.Unanswered
	}
	why := c.pass.silent(c.ctx, c.lastHeard(), c.failed)
	if c.over = why == nil; !c.over {
		c.stop(why)
	}
	return false, nil
}

// stillSilent asks once before a run resumes that found the provider silent: retries of all its reads
// would use up the request budget while the provider is down.
func (c *collector) stillSilent() error {
	if c.pass == nil || c.pass.mark.Since.IsZero() {
		return nil
	}
	c.probing.Lock()
	defer c.probing.Unlock()
	source, target, known := c.probe()
	if !known {
		return nil
	}
	answers, err := c.ask(source, target)
	switch {
	case err != nil:
		return c.unread(err)
	case answers:
		c.pass.mark.Since = time.Time{}
	case !c.over:
		return errLost
	}
	return nil
}

// probe returns a read that the provider has answered before in this run; false when there is none.
func (c *collector) probe() (snapshot.Source, snapshot.SourceScope, bool) {
	target := snapshot.SourceScope{AccountID: c.account}
	for _, name := range preflight() {
		source := c.byName[name]
		s, ready := c.section(name, source.Scope(target))
		if ready && s.Status != snapshot.Failed && s.Status != snapshot.Skipped {
			return source, target, true
		}
	}
	return snapshot.Source{}, target, false
}

// hear records that the provider answered.
func (c *collector) hear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = c.pass.now()
}

func (c *collector) lastHeard() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard
}

// stop lets no further reads begin; those in progress end and become durable.
func (c *collector) stop(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped == nil {
		c.stopped = why
		close(c.halt)
	}
}

func (c *collector) halted() bool {
	select {
	case <-c.halt:
		return true
	default:
		return false
	}
}

// rest returns the result of a pass: nil when everything is read.
func (c *collector) rest(ctx context.Context) error {
	if c.stopped != nil || c.lost.Load() == 0 {
		return c.pass.pause(ctx, c.stopped)
	}
	if _, _, known := c.probe(); known {
		return c.pass.again(ctx, c.failed)
	}
	if !cloudflare.Misconfigured(c.failed) {
		if later := c.pass.silent(ctx, c.heard, c.failed); later != nil {
			return later
		}
	}
	return fmt.Errorf("%w: %w", errProvider, c.failed)
}
