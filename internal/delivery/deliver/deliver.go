// Package deliver sends what an assessment says to one target and keeps the
// ledger of it. The row is there before anything leaves, and what the receiver
// has is noted after every group of documents: a sender that is killed in
// between sends that group again, with the same ids. Nothing is lost, and a
// receiver that knows ids stores everything once.
package deliver

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/span"
	"github.com/edgeposture/edgeposture/internal/store"
)

// groupSize is how many documents are handed to a target at once: what a killed
// sender repeats.
const groupSize = 4000

// Verdict is what became of one document.
type Verdict struct {
	Sent   bool
	Again  bool // not now, but it may be tried again
	Reason string
	Wait   time.Duration // how long the receiver asked to be left alone
}

// Receiver is one receiver of documents of type D. They come in the same order
// with the same ids whenever they are asked for. Send gives one verdict for each.
type Receiver[D any] struct {
	Name        string
	Destination string // origin of the URL, never a path
	Documents   func() iter.Seq2[D, error]
	Send        func(ctx context.Context, documents []D) []Verdict
}

// Patience says how long a delivery is tried: a few times in place with doubling
// waits, and then again later, each time after the next of the pauses.
type Patience struct {
	Tries  int           // in place; at least 1
	First  time.Duration // wait after the first try, then doubled
	Most   time.Duration // longest wait in place, also of a receiver's own wish
	Pauses []time.Duration
}

// Prompt is for callers who wait for the answer: some 10 s.
func Prompt() Patience { return Patience{Tries: 4, First: time.Second, Most: 5 * time.Second} }

// Patient is for runs in the background: 17 hours.
func Patient() Patience {
	return Patience{Tries: 3, First: time.Second, Most: 10 * time.Second, Pauses: []time.Duration{30 * time.Second, 2 * time.Minute,
		10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 9 * time.Hour}}
}

// Runner delivers. All fields are needed unless noted.
type Runner struct {
	Ledger store.Deliveries
	Now    func() time.Time
	NewID  func() string
	Sleep  func(ctx context.Context, d time.Duration) error
	Jitter func() float64 // 0 to 1
	// Ended is called with how a pass over a delivery ended; it may be nil.
	Ended func(d posture.Delivery)
	// Span is called for each pass; it may be nil.
	Span span.Begin
}

// Job is the attempt on whose behalf is delivered.
type Job struct {
	Row        store.JobRow
	Assessment posture.AssessmentSummary
	Patience   Patience
	// Replay names the delivery this job takes over; what the receiver refused is
	// tried again.
	Replay string
	// ID is the id of the row when it is new; empty takes the next one.
	ID string
}

// Result is how a delivery ended.
type Result struct {
	Delivery posture.Delivery
	Errors   []string // distinct reasons of what was not sent
}

// Run delivers to one target. Its error is a *posture.LaterError when the rest is
// to be tried later, that of ctx, store.ErrFenced, or the service's own; what a
// receiver says is no error but a state of the delivery.
func Run[D any](ctx context.Context, r *Runner, j Job, t Receiver[D]) (Result, error) {
	ctx, end := r.Span.Start(ctx, "deliver")
	out, err := run(ctx, r, j, t)
	end(slog.String("delivery.target", t.Name), slog.String("delivery.state", string(out.Delivery.State)),
		slog.Int("delivery.documents", out.Delivery.Documents), slog.Int("delivery.sent", out.Delivery.Sent),
		slog.Int("delivery.attempts", out.Delivery.Attempts), span.Failed(err))
	return out, err
}

func run[D any](ctx context.Context, r *Runner, j Job, t Receiver[D]) (Result, error) {
	c, err := r.open(ctx, j, t.Name, t.Destination)
	if err != nil || c.d.State == posture.DeliveryDelivered {
		return c.result(), err
	}
	wait := j.Patience.First
	for try := 1; ; try++ {
		c.d.Attempts++
		asked, err := pass(ctx, c, t)
		if err != nil {
			return c.result(), err
		}
		if c.left == 0 {
			err := c.end(ctx)
			return c.result(), err
		}
		if try >= j.Patience.Tries || asked > j.Patience.Most {
			err := c.later(ctx, j.Patience, asked)
			return c.result(), err
		}
		pause := max(asked, time.Duration(float64(wait)*(0.75+r.Jitter()/2)))
		if err := r.Sleep(ctx, min(pause, j.Patience.Most)); err != nil {
			return c.result(), err
		}
		wait *= 2
	}
}

// deliveryRun is a delivery under way.
type deliveryRun struct {
	r       *Runner
	d       posture.Delivery
	p       *progress
	name    string
	attempt int
	left    int    // documents of the last pass that may be tried again
	why     string // of the last of them
}

func (r *Runner) open(ctx context.Context, j Job, name, destination string) (*deliveryRun, error) {
	now := r.Now().UTC().Truncate(time.Microsecond)
	c := &deliveryRun{r: r, name: name, attempt: j.Row.Attempt, p: &progress{}}
	d := posture.Delivery{ID: cmp.Or(j.ID, r.NewID()), JobID: j.Row.ID, AssessmentID: j.Assessment.ID, Account: j.Assessment.Account,
		Kind: j.Row.Kind, Target: name, Destination: destination, State: posture.DeliveryPending, CreatedAt: now, UpdatedAt: now}
	var raw []byte
	var err error
	if j.Replay != "" {
		if c.d, raw, err = r.Ledger.AdoptDelivery(ctx, j.Replay, j.Row.ID, j.Row.Attempt); err != nil {
			return c, fmt.Errorf("take a delivery over: %w", err)
		}
	} else if c.d, raw, err = r.Ledger.OpenDelivery(ctx, d, j.Row.Attempt); err != nil {
		return c, fmt.Errorf("open a delivery: %w", err)
	}
	if c.p, err = readProgress(raw); err != nil {
		return c, err
	}
	if j.Replay != "" && c.d.State != posture.DeliveryDelivered {
		c.p.forgive()
	}
	c.d.Destination = destination
	return c, nil
}

// pass sends everything that is not settled, and gives the longest time the
// receiver asked to be left alone.
func pass[D any](ctx context.Context, c *deliveryRun, t Receiver[D]) (asked time.Duration, err error) {
	c.left, c.why = 0, ""
	var group []D
	var places []int
	flush := func() error {
		if len(group) == 0 {
			return nil
		}
		verdicts := t.Send(ctx, group)
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(verdicts) != len(group) {
			return fmt.Errorf("deliver to %s: %d verdicts on %d documents", c.name, len(verdicts), len(group))
		}
		for i, v := range verdicts {
			switch {
			case v.Sent:
				c.p.sent(places[i])
			case v.Again:
				c.left, c.why, asked = c.left+1, v.Reason, max(asked, v.Wait)
			default:
				c.p.refuse(places[i], v.Reason)
			}
		}
		group, places = group[:0], places[:0]
		return c.mark(ctx)
	}
	n := 0
	for doc, err := range t.Documents() {
		if err != nil {
			return asked, fmt.Errorf("make the documents for %s: %w", c.name, err)
		}
		if !c.p.settled(n) {
			group, places = append(group, doc), append(places, n)
		}
		n++
		if len(group) == groupSize {
			if err := flush(); err != nil {
				return asked, err
			}
		}
	}
	c.d.Documents = n
	if err := flush(); err != nil {
		return asked, err
	}
	return asked, nil
}

func (c *deliveryRun) mark(ctx context.Context) error {
	raw, err := c.p.encode()
	if err != nil {
		return err
	}
	c.d.Sent, c.d.Failed, c.d.UpdatedAt = count(c.p.Sent), count(c.p.Refused), c.r.Now().UTC().Truncate(time.Microsecond)
	if err := c.r.Ledger.MarkDelivery(ctx, c.d, c.attempt, raw); err != nil {
		return fmt.Errorf("keep how far the delivery to %s is: %w", c.name, err)
	}
	return nil
}

// close keeps how a pass ended, and tells.
func (c *deliveryRun) close(ctx context.Context) error {
	err := c.mark(ctx)
	if err == nil && c.r.Ended != nil {
		c.r.Ended(c.d)
	}
	return err
}

// end closes a delivery of which nothing is left to try.
func (c *deliveryRun) end(ctx context.Context) error {
	c.d.State, c.d.Reason, c.d.NextAt = posture.DeliveryDelivered, "", nil
	if refused := c.p.errors(); len(refused) > 0 {
		c.d.State, c.d.Reason = posture.DeliveryFailed, refused[0]
	}
	return c.close(ctx)
}

// later puts the rest off, or gives it up when patience is at its end.
func (c *deliveryRun) later(ctx context.Context, p Patience, asked time.Duration) error {
	rounds := (c.d.Attempts+p.Tries-1)/p.Tries - 1
	c.d.Reason = c.why
	if rounds >= len(p.Pauses) {
		c.d.State, c.d.NextAt = posture.DeliveryFailed, nil
		return c.close(ctx)
	}
	at := c.r.Now().UTC().Add(max(asked, p.Pauses[rounds])).Truncate(time.Microsecond)
	c.d.State, c.d.NextAt = posture.DeliveryRetrying, &at
	if err := c.close(ctx); err != nil {
		return err
	}
	return &posture.LaterError{At: at, Err: fmt.Errorf("%s does not take the delivery: %s", c.name, c.why)}
}

func (c *deliveryRun) result() Result {
	out := Result{Delivery: c.d, Errors: c.p.errors()}
	if c.why != "" {
		out.Errors = append(out.Errors, c.why)
	}
	return out
}
