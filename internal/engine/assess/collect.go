package assess

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
)

// reader performs one read; *cloudflare.Client implements it.
type reader interface {
	Read(ctx context.Context, s snapshot.Source, t snapshot.SourceScope, known *snapshot.Known, cp cloudflare.Checkpoint) (snapshot.Section,
		error)
}

// sectionStore keeps sections as they land.
type sectionStore interface {
	PutSections(ctx context.Context, jobID string, attempt int, sections []snapshot.Section) error
}

// collector reads the sections of a plan. Each section is a promise that is made once, waits for the
// sections its skip rule looks at, takes one of a bounded number of slots, and holds the slot until the
// section is durable: a killed process therefore repeats at most as many reads as there are slots.
// Reads without an answer that may get one later are left to the next pass.
type collector struct {
	jobID   string
	attempt int
	account string
	req     posture.AssessRequest
	sources []snapshot.Source
	byName  map[string]snapshot.Source
	client  reader
	store   sectionStore
	slots   chan struct{}
	onDone  func(done, total int)
	// baseline holds the sections that may be carried forward; nil when everything is read.
	baseline *baseline
	// notCarried is why nothing was carried although that was asked for.
	notCarried string
	// pass decides about reads without an answer; nil: they have failed.
	pass *pass

	group   *errgroup.Group
	ctx     context.Context //nolint:containedctx // lives exactly as long as collect
	landed  chan landing
	total   atomic.Int64
	done    atomic.Int64
	mu      sync.Mutex
	known   *snapshot.Known // the sections that have settled
	chosen  atomic.Pointer[chosen]
	promise map[sectionKey]*promise
	resumed map[sectionKey]snapshot.Section

	lost    atomic.Int64  // promises left to the next pass
	halt    chan struct{} // closed when no further read may begin
	stopped error         // why; guarded by mu
	heard   time.Time     // when the provider last answered; guarded by mu
	probing sync.Mutex    // lets one read at a time probe whether the provider answers
	failed  error         // the error of the last read without an answer; guarded by probing
	over    bool          // the longest wait for the provider is over; guarded by probing
}

type sectionKey struct{ source, scope string }

// promise is a section to come. It is settled when the section is available, or lost when it is left to
// the next pass.
type promise struct {
	settled chan struct{}
	lost    bool
	section snapshot.Section
}

// chosen is the choice of zones, or why there is none.
type chosen struct {
	zones []snapshot.Zone
	err   error
}

type landing struct {
	section snapshot.Section
	stored  chan error
}

// errProvider marks a run in which the provider answered nothing at all.
var errProvider = errors.New("Cloudflare gave no answer")

// errLost ends work that needs a section that is left to the next pass.
var errLost = errors.New("the section is left to the next pass")

// collect reads everything and returns the zones in scope and all sections. With a pass, its error may
// be a *posture.LaterError: then everything that was read is durable.
func (c *collector) collect(ctx context.Context, have []snapshot.Section) ([]snapshot.Zone, []snapshot.Section, error) {
	c.group, c.ctx = errgroup.WithContext(ctx)
	c.promise, c.resumed, c.byName = map[sectionKey]*promise{}, map[sectionKey]snapshot.Section{}, map[string]snapshot.Source{}
	for _, s := range c.sources {
		c.byName[s.Name] = s
	}
	for _, s := range have {
		c.resumed[sectionKey{s.Source, s.Scope}] = s
	}
	c.halt = make(chan struct{})
	if c.pass != nil {
		c.hear()
	}
	c.known = snapshot.NewKnown(c.section)
	c.chosen.Store(nil)
	c.landed = make(chan landing)
	writer := make(chan struct{})
	go func() { defer close(writer); c.write(context.WithoutCancel(ctx)) }()
	var zones []snapshot.Zone
	c.spawn(func() (err error) { zones, err = c.walk(); return err })
	err := c.group.Wait()
	close(c.landed)
	<-writer
	if err == nil {
		err = c.rest(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	var out []snapshot.Section
	for _, p := range c.promise {
		out = append(out, p.section)
	}
	return zones, out, nil
}

// spawn runs a part of the walk; a part that needs a lost section ends without an error.
func (c *collector) spawn(do func() error) {
	c.group.Go(func() error {
		if err := do(); !errors.Is(err, errLost) {
			return err
		}
		return nil
	})
}

// need returns the promise of a section, making it if it is new.
func (c *collector) need(s snapshot.Source, t snapshot.SourceScope) *promise {
	key := sectionKey{s.Name, s.Scope(t)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.promise[key]; p != nil {
		return p
	}
	p := &promise{settled: make(chan struct{})}
	c.promise[key] = p
	if s.Level() != snapshot.LevelZone {
		c.total.Add(1)
	}
	if have, ok := c.resumed[key]; ok {
		p.section = have
		close(p.settled)
		c.done.Add(1)
		return p
	}
	c.spawn(func() error {
		defer close(p.settled)
		err := c.fulfil(p, s, t)
		if p.lost = err != nil; p.lost {
			c.lost.Add(1)
		}
		return err
	})
	return p
}

func (c *collector) fulfil(p *promise, s snapshot.Source, t snapshot.SourceScope) error {
	before := c.before(s, t)
	if err := c.await(before...); err != nil {
		return err
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-c.halt:
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	if c.halted() {
		return errLost
	}
	section, err := c.read(s, t, before)
	if why := c.pass.limited(sectionKey{s.Name, s.Scope(t)}, err); why != "" {
		section, err = snapshot.Section{Source: s.Name, Scope: s.Scope(t), Status: snapshot.Failed, Reason: why}, nil
	}
	if err != nil {
		return c.unread(err)
	}
	if section.Unanswered != nil {
		if final, err := c.final(section); err != nil || !final {
			return cmp.Or(c.unread(err), errLost)
		}
		section.Unanswered = nil
	} else if c.pass != nil {
		c.hear()
	}
	if err := c.keep(section); err != nil {
		return err
	}
	p.section = section
	done := int(c.done.Add(1))
	if c.onDone != nil {
		c.onDone(done, int(c.total.Load()))
	}
	return nil
}

// unread stops the pass when the request budget is used up; another error ends it.
func (c *collector) unread(err error) error {
	var later *posture.LaterError
	if c.pass == nil || !errors.As(laterOf(err, c.pass.now()), &later) {
		return err
	}
	c.stop(later)
	return errLost
}

// read carries the section forward from an earlier run or asks the provider.
func (c *collector) read(s snapshot.Source, t snapshot.SourceScope, before []*promise) (snapshot.Section, error) {
	if section, ok := c.baseline.reuse(s, t, before); ok && s.SkipReason(c.known, t) == "" {
		return section, nil
	}
	return c.client.Read(c.ctx, s, t, c.known, &pages{c, s.Name, s.Scope(t)})
}

func (c *collector) await(ps ...*promise) error {
	for _, p := range ps {
		select {
		case <-p.settled:
			if p.lost {
				return errLost
			}
		case <-c.ctx.Done():
			return c.ctx.Err()
		}
	}
	return nil
}

// section returns a settled section that is not lost.
func (c *collector) section(source, scope string) (snapshot.Section, bool) {
	c.mu.Lock()
	p := c.promise[sectionKey{source, scope}]
	c.mu.Unlock()
	if p == nil {
		return snapshot.Section{}, false
	}
	select {
	case <-p.settled:
		return p.section, !p.lost
	default:
		return snapshot.Section{}, false
	}
}
