package siem

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// guesses is how often a batch may be split to find what spoils it. Finding one item in a thousand
// takes twenty.
const guesses = 60

// sender sends items to a receiver: several batches concurrently, each with its own attempts.
type sender struct {
	doer     Doer
	receiver receiver
	pace     Pace
}

// delivery is one run of a sender.
type delivery struct {
	sender
	mu       sync.Mutex
	outcomes []ItemOutcome
	requests int
	halted   string    // why the target gets no further requests
	until    time.Time // when the target may be asked again
}

// send sends everything from the source and waits until each item has an outcome. It holds one batch
// more than there are workers. An error of the source ends the reading; items read before have their
// outcomes.
func (c sender) send(ctx context.Context, source iter.Seq2[batchItem, error]) (Report, error) {
	d := &delivery{sender: c}
	var g errgroup.Group
	g.SetLimit(c.pace.Workers)
	var failed error
	var batch []batchItem
	size := 0
	items, bytes := c.receiver.limit()
	flush := func() {
		if len(batch) > 0 {
			full := batch
			g.Go(func() error { d.deliver(ctx, full, 0, new(int)); return nil })
		}
		batch, size = nil, 0
	}
	for p, err := range source {
		if err != nil {
			failed = wrapSource(c.receiver.name(), err)
			break
		}
		share := c.receiver.size(p)
		if len(batch) == items || size+share > bytes {
			flush()
		}
		p.at = d.place(p.id)
		batch, size = append(batch, p), size+share
	}
	flush()
	_ = g.Wait() // deliver settles its own errors
	return d.report(), failed
}

// place reserves an index in the report; until it is settled the outcome is Retry.
func (d *delivery) place(id string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outcomes = append(d.outcomes, ItemOutcome{ID: id, State: Retry, Reason: "It was not sent."})
	return len(d.outcomes) - 1
}

func (d *delivery) settle(p batchItem, state State, reason string, wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.outcomes[p.at] = ItemOutcome{ID: p.id, State: state, Reason: reason, Wait: wait}
}

func (d *delivery) halt(reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.halted = reason
}

func (d *delivery) stopped() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.halted
}

// pause is how long the target still wants to be left alone. A wait that one batch was asked for
// applies to all.
func (d *delivery) pause() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.until.Sub(d.pace.Now())
}

// obey records the longest wait that an answer asks for.
func (d *delivery) obey(j judgement) {
	var wait time.Duration
	for _, v := range j.verdicts {
		wait = max(wait, v.wait)
	}
	if wait == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if until := d.pace.Now().Add(wait); until.After(d.until) {
		d.until = until
	}
}

func (d *delivery) report() Report {
	r := Report{Outcomes: d.outcomes, Requests: d.requests}
	for _, o := range d.outcomes {
		switch o.State {
		case Sent:
			r.Sent++
		case Retry:
			r.Retry++
		default:
			r.Failed++
		}
	}
	return r
}

// deliver sends a group until each item is settled. used counts the guesses spent on the batch that the
// group came from.
func (d *delivery) deliver(ctx context.Context, group []batchItem, attempt int, used *int) {
	for len(group) > 0 {
		if wait := d.pause(); wait > 0 && (wait > d.pace.MaxWait || d.pace.Sleep(ctx, wait) != nil) {
			for _, p := range group {
				d.settle(p, Retry, "The "+d.receiver.name()+" asked to be left alone for a while.", wait)
			}
			return
		}
		j := d.post(ctx, group)
		later, wait, reason := d.sort(ctx, group, j, attempt, used)
		if len(later) == 0 {
			return
		}
		attempt++
		wait = max(wait, d.pace.backoff(attempt))
		if attempt >= d.pace.Attempts || wait > d.pace.MaxWait || ctx.Err() != nil || d.pace.Sleep(ctx, wait) != nil {
			for i, p := range later {
				d.settle(p, Retry, reason[i], wait)
			}
			return
		}
		group = later
	}
}

// sort settles what can be settled, sends parts that need no wait, and returns the items that must
// wait, with the longest wait and the reason of each.
func (d *delivery) sort(ctx context.Context, group []batchItem, j judgement, attempt int,
	used *int) (later []batchItem, wait time.Duration, reasons []string) {
	var again, apart []batchItem
	progress, counted := false, false
	small := d.small(group)
	for i, p := range group {
		v := j.verdicts[i]
		switch {
		case v.fate == fateSent:
			d.settle(p, Sent, "", 0)
		case v.fate == fateFailed, v.fate == fateTight && len(group) == 1, (v.blamed || v.fate == fateTight && small) && *used >= guesses:
			d.settle(p, Failed, v.reason, 0)
		case v.fate == fateAgain:
			again = append(again, p)
			continue
		case v.fate == fateTight, v.fate == fateApart && len(group) > 1 && *used < guesses:
			apart, counted = append(apart, p), v.fate == fateApart || small
			continue
		default:
			later, reasons, wait = append(later, p), append(reasons, v.reason), max(wait, v.wait)
			continue
		}
		progress = true
	}
	if !progress && len(again) > 0 { // nothing was settled, so it must count as an attempt
		for _, p := range again {
			later, reasons = append(later, p), append(reasons, "The answer does not tell what became of it.")
		}
		again = nil
	}
	d.deliver(ctx, again, attempt, used)
	if counted {
		*used++
	}
	d.deliver(ctx, apart[:len(apart)/2], attempt, used)
	d.deliver(ctx, apart[len(apart)/2:], attempt, used)
	return later, wait, reasons
}

// small reports whether every receiver accepts a group of this size, so that splitting it is a guess.
func (d *delivery) small(group []batchItem) bool {
	size := 0
	for _, p := range group {
		size += d.receiver.size(p)
	}
	return size <= 2*MaxDocument
}

// post sends a group once.
func (d *delivery) post(ctx context.Context, group []batchItem) judgement {
	if reason := d.stopped(); reason != "" {
		return all(len(group), verdict{fate: fateFailed, reason: reason})
	}
	later := func(reason string) judgement {
		return all(len(group), verdict{fate: fateLater, reason: reason})
	}
	if ctx.Err() != nil {
		return later("Sending was stopped before it was sent.")
	}
	limited, cancel := context.WithTimeout(ctx, d.pace.Timeout)
	defer cancel()
	request, err := d.receiver.request(limited, group)
	if err != nil {
		return all(len(group), verdict{fate: fateFailed, reason: reasonOf(d.receiver.clean(err.Error()))})
	}
	d.mu.Lock()
	d.requests++
	d.mu.Unlock()
	answer, err := d.doer.Do(request)
	var problem *posture.Problem
	var wrapped *url.Error
	switch {
	case err == nil && answer != nil:
		j := d.receiver.judge(group, answer)
		d.obey(j)
		if j.halt {
			d.halt(j.verdicts[0].reason)
		}
		return j
	case errors.As(err, &problem) && problem.Code == posture.CodeOutboundDenied:
		d.halt(reasonOf(d.receiver.clean(problem.Detail)))
		return refused(len(group), d.stopped())
	case ctx.Err() != nil:
		return later("Sending was stopped; nobody knows whether it arrived.")
	case limited.Err() != nil:
		return later("The " + d.receiver.name() + " did not answer in time.")
	case errors.As(err, &wrapped): // its text contains the address, which may be confidential
		err = wrapped.Err
	case err == nil:
		err = errors.New("there was no answer")
	}
	why := strings.TrimSuffix(d.receiver.clean(err.Error()), ".")
	return later(reasonOf("The " + d.receiver.name() + " could not be reached: " + why + "."))
}
