// Package deliver sends the content of an assessment to one target and keeps the ledger of the
// delivery. The row is stored before anything is sent, and the receiver's progress is stored after
// every group of documents: a sender that is killed in between sends that group again, with the same
// ids. Nothing is lost, and a receiver that recognizes ids stores everything once.
package deliver

import (
	"bytes"
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

// groupSize is how many documents are passed to a target at once, and thus how many a killed sender
// repeats.
const groupSize = 4000

// Verdict is the outcome of one document.
type Verdict struct {
	Sent   bool
	Again  bool // not accepted now, but it may be retried
	Reason string
	Wait   time.Duration // the wait that the receiver asked for
}

// Receiver is one receiver of documents of type D. Documents must give the same documents in the same
// order at every call of an attempt; when those of a later attempt have other ids, all of them are sent.
// Send returns one verdict for each document.
type Receiver[D any] struct {
	Name        string
	Destination string // origin of the URL, never a path
	Documents   func() iter.Seq2[D, error]
	ID          func(D) string
	Send        func(ctx context.Context, documents []D) []Verdict
}

// Patience is how long a delivery is retried: a few times in place with doubling waits, then again
// after each of the pauses.
type Patience struct {
	Tries  int           // in place; at least 1
	First  time.Duration // wait after the first try, then doubled
	Most   time.Duration // longest wait in place, even if the receiver asks for more
	Pauses []time.Duration
}

// Prompt is for callers who wait for the answer: some 10 s.
func Prompt() Patience { return Patience{Tries: 4, First: time.Second, Most: 5 * time.Second} }

// Patient is for runs in the background: 17 hours.
func Patient() Patience {
	return Patience{Tries: 3, First: time.Second, Most: 10 * time.Second, Pauses: []time.Duration{30 * time.Second, 2 * time.Minute,
		10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 9 * time.Hour}}
}

// Runner delivers. All fields are required unless noted.
type Runner struct {
	Ledger store.Deliveries
	Now    func() time.Time
	NewID  func() string
	Sleep  func(ctx context.Context, d time.Duration) error
	Jitter func() float64 // 0 to 1
	// Ended is called with the delivery after each pass that ends; it may be nil.
	Ended func(d posture.Delivery)
	// Span is called for each pass; it may be nil.
	Span span.Begin
}

// Job is the attempt that a delivery belongs to.
type Job struct {
	Row        store.JobRow
	Assessment posture.AssessmentSummary
	Patience   Patience
	// Replay names the delivery that this job takes over; documents that the receiver refused are
	// retried.
	Replay string
	// ID is the id of a new row; if empty, one is generated.
	ID string
}

// Result is the outcome of a delivery.
type Result struct {
	Delivery posture.Delivery
	Errors   []string // distinct reasons of documents not sent
}

// Run delivers to one target. Its error is a *posture.LaterError when the rest is to be retried later,
// that of ctx, store.ErrFenced, or an error of the service; a receiver's refusal is not an error but a
// state of the delivery.
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
	if err := resume(c, t); err != nil {
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

// deliveryRun is a delivery in progress.
type deliveryRun struct {
	r       *Runner
	d       posture.Delivery
	p       *progress
	name    string
	attempt int
	left    int    // documents of the last pass that may be retried
	why     string // the reason of the last of them
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
	if c.d.Destination != destination { // another receiver has nothing yet
		c.d.Destination, c.p = destination, newProgress()
	}
	return c, nil
}

// resume forgets what an earlier attempt sent when the documents are no longer the same.
func resume[D any](c *deliveryRun, t Receiver[D]) error {
	if len(c.p.Sent)+len(c.p.Refused) == 0 {
		return nil
	}
	list, n := newListing(), 0
	for doc, err := range t.Documents() {
		if err != nil {
			return fmt.Errorf("make the documents for %s: %w", c.name, err)
		}
		if n == c.p.Listed {
			break
		}
		list.add(t.ID(doc))
		n++
	}
	if n == 0 || n < c.p.Listed || !bytes.Equal(list.sum(), c.p.Listing) {
		c.p = newProgress()
	}
	return nil
}

// pass sends everything that is not settled, and returns the longest wait that the receiver asked for.
func pass[D any](ctx context.Context, c *deliveryRun, t Receiver[D]) (asked time.Duration, err error) {
	c.left, c.why = 0, ""
	var group []D
	var places []int
	list, n := newListing(), 0
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
		c.p.list(n, list)
		return c.mark(ctx)
	}
	for doc, err := range t.Documents() {
		if err != nil {
			return asked, fmt.Errorf("make the documents for %s: %w", c.name, err)
		}
		if !c.p.settled(n) {
			group, places = append(group, doc), append(places, n)
		}
		list.add(t.ID(doc))
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

// close stores how a pass ended, and reports it.
func (c *deliveryRun) close(ctx context.Context) error {
	err := c.mark(ctx)
	if err == nil && c.r.Ended != nil {
		c.r.Ended(c.d)
	}
	return err
}

// end closes a delivery with nothing left to try.
func (c *deliveryRun) end(ctx context.Context) error {
	c.d.State, c.d.Reason, c.d.NextAt = posture.DeliveryDelivered, "", nil
	if refused := c.p.errors(); len(refused) > 0 {
		c.d.State, c.d.Reason = posture.DeliveryFailed, refused[0]
	}
	return c.close(ctx)
}

// later postpones the rest, or gives up when all pauses are used.
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
