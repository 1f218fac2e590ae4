package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/limit"
	"github.com/edgeposture/edgeposture/internal/store"
)

// share counts a running request against its caller, identified by credential and address. Rows
// marked Always, such as health checks and cancelling a job, are not counted.
func (s *Server) share(c *fiber.Ctx) error {
	call := callIn(c)
	call.caller = call.entry.Actor + "@" + neighbors(call.entry.Address)
	if call.row != nil && call.row.Always {
		return c.Next()
	}
	takes := map[limit.Kind]int{limit.Requests: 1}
	if call.tool() {
		takes[limit.Tools] = callsIn(c.BodyRaw())
	}
	if takes[limit.Tools] > maxBatch {
		return s.fence(c, posture.Problemf(posture.CodeTooLarge, "The batch has more than %d calls; send them in several.", maxBatch))
	}
	for kind, n := range takes {
		release, err := s.limits.TakeSome(kind, call.caller, n)
		if err != nil {
			return s.fence(c, known(err))
		}
		defer release()
	}
	if call.row != nil && slices.Contains(call.row.Limits, limit.Judgements) {
		ctx, cancel := context.WithTimeout(c.UserContext(), judgedWithin)
		defer cancel()
		release, err := s.limits.Await(ctx, limit.Judgements, call.caller)
		if err != nil {
			return s.fence(c, known(err))
		}
		defer release()
	}
	if err := c.Next(); err != nil {
		return err
	}
	return s.holdAnswer(c, call.caller)
}

// judgedWithin is how long a call that judges again waits for its turn.
const judgedWithin = 5 * time.Second

// take takes from the share of the caller. The row must list the limit.
func (n *called) take(from *limit.Limiter, kind limit.Kind) (release func(), err error) {
	if n.row != nil && !slices.Contains(n.row.Limits, kind) {
		return nil, fmt.Errorf("the row of %s %s does not name the limit %q", n.row.Method, n.row.Path, kind)
	}
	return from.Take(kind, n.caller)
}

// heldFrom is the size in bytes from which a response is counted.
const heldFrom = 64 << 10

// holdAnswer counts a large in-memory response against its caller until it is written, because a
// slow reader determines how long it is held.
func (s *Server) holdAnswer(c *fiber.Ctx, caller string) error {
	answer := c.Response()
	if answer.IsBodyStream() || len(answer.Body()) < heldFrom {
		return nil
	}
	raw := answer.Body()
	body := answer.SwapBody(nil)
	if len(body) == 0 { // set as a raw body, like a file of the dashboard, so no memory is held for it
		answer.SetBodyRaw(raw)
		return nil
	}
	release, err := s.limits.TakeSome(limit.Answers, caller, len(body)>>10)
	if err != nil {
		for _, of := range []string{fiber.HeaderContentEncoding, fiber.HeaderContentDisposition, fiber.HeaderETag} {
			answer.Header.Del(of)
		}
		return s.fence(c, known(err))
	}
	answer.SetBodyStream(&heldAnswer{bytes.NewReader(body), release}, len(body))
	return nil
}

// heldAnswer is a response body that is closed once it has been written or cannot be.
type heldAnswer struct {
	*bytes.Reader
	release func()
}

// Close releases the share that it held.
func (a *heldAnswer) Close() error { a.release(); return nil }

// pending holds the jobs that callers of this process requested and that had not ended when last checked.
type pending struct {
	limits *limit.Limiter
	store  store.Jobs
	now    func() time.Time

	mu     sync.Mutex
	jobs   map[string]func() // releases the share of each job, by job id
	looked time.Time         // when they were last checked
}

// pendingLook is how often the jobs are checked while a caller is over the limit.
const pendingLook = time.Second

// take makes room for one more job of the caller. It checks for ended jobs only when there is no
// room, so the common call costs nothing.
func (p *pending) take(ctx context.Context) (release func(), err error) {
	if release, err = callOf(ctx).take(p.limits, limit.Jobs); err != nil && p.forget() { //nolint:contextcheck // jobs of all callers
		release, err = callOf(ctx).take(p.limits, limit.Jobs)
	}
	return release, err
}

// keep holds the share of a job until the job has ended.
func (p *pending) keep(id string, release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[id] = release
}

// forget releases the jobs that have ended, unless it did so less than pendingLook ago. It reports
// whether it looked. It sees the jobs of all accounts, whoever calls: those that the caller may not
// see have not ended.
func (p *pending) forget() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now().Sub(p.looked) < pendingLook {
		return false
	}
	p.looked = p.now()
	ctx, cancel := context.WithTimeout(context.Background(), probeWithin)
	defer cancel()
	rows, err := p.store.JobsByID(ctx, slices.Collect(maps.Keys(p.jobs)))
	if err != nil {
		return false
	}
	unfinished := map[string]bool{}
	for _, row := range rows {
		unfinished[row.ID] = !row.State.Terminal()
	}
	for id, release := range p.jobs {
		if !unfinished[id] {
			release()
			delete(p.jobs, id)
		}
	}
	return true
}
