package siem

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

// Doer performs a request. It must not follow redirects and must return when
// the context of the request ends.
type Doer = outbound.Doer

// State says what became of a document.
type State string

// A document is sent when the receiver says so, to be retried when nobody knows
// or the receiver asks for later, and failed when sending it again is no use.
const (
	Sent   State = "sent"
	Retry  State = "retry"
	Failed State = "failed"
)

// ItemOutcome is what became of one document. Reason is empty when it was sent; it
// has at most 300 characters and never a credential. Wait is how long the
// receiver or the sender wants to be left alone before the next try.
type ItemOutcome struct {
	ID     string
	State  State
	Reason string
	Wait   time.Duration
}

// Report is the outcome of every document that was read, in their order.
type Report struct {
	Outcomes            []ItemOutcome
	Sent, Retry, Failed int
	Requests            int
}

// Wait is the longest wait among documents to be retried.
func (r Report) Wait() time.Duration {
	var longest time.Duration
	for _, o := range r.Outcomes {
		if o.State == Retry {
			longest = max(longest, o.Wait)
		}
	}
	return longest
}

// Pace says how a delivery behaves. Now, Sleep and Jitter must be given; the
// others have defaults.
type Pace struct {
	Now    func() time.Time
	Sleep  func(context.Context, time.Duration) error // ends early with the context's error
	Jitter func() float64                             // in [0, 1)

	Workers  int           // batches in flight; 4 when 0
	Attempts int           // requests for one document before it is given back; 4 when 0
	Base     time.Duration // first wait between attempts, doubled each time; 500 ms when 0
	MaxWait  time.Duration // longer waits are given back to the caller; 30 s when 0
	Timeout  time.Duration // of one request; 30 s when 0
}

func (p Pace) filled() (Pace, error) {
	if p.Now == nil || p.Sleep == nil || p.Jitter == nil {
		return p, errors.New("prepare a delivery: a clock, a sleep and a jitter must be given")
	}
	p.Workers, p.Attempts = orDefault(p.Workers, 4), orDefault(p.Attempts, 4)
	p.Base, p.MaxWait, p.Timeout = orDefault(p.Base, 500*time.Millisecond), orDefault(p.MaxWait, 30*time.Second),
		orDefault(p.Timeout, 30*time.Second)
	if p.Workers < 0 || p.Attempts < 0 || p.Base < 0 || p.MaxWait < 0 || p.Timeout < 0 {
		return p, errors.New("prepare a delivery: its numbers must not be negative")
	}
	return p, nil
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v == 0 {
		return otherwise
	}
	return v
}

// backoff is the wait after the n-th failed attempt, counted from 1: doubled
// each time, half of it by chance so that senders do not come back together.
func (p Pace) backoff(n int) time.Duration {
	wait := p.MaxWait
	if n < 20 && p.Base<<(n-1) < p.MaxWait {
		wait = p.Base << (n - 1)
	}
	return wait/2 + time.Duration(float64(wait/2)*p.Jitter())
}

// item is a document on its way. at is its place in the report.
type batchItem struct {
	at   int
	id   string
	keep bool // an existing document is kept, and that it exists means it was sent
	body []byte
}

// fate is what an answer means for one item.
type fate int

const (
	fateSent   fate = iota
	fateFailed      // sending again is no use
	fateLater       // after a wait, which counts as an attempt
	fateAgain       // at once, because the answer settled others
	fateApart       // in two halves, because one of them spoils the rest
	fateTight       // in two halves, because the request was too large
)

type verdict struct {
	fate   fate
	reason string
	wait   time.Duration
	// blamed says, of items taken apart, that the receiver has refused them and
	// not only kept silent: when guessing ends they have failed.
	blamed bool
}

// judgement is what an answer means for a batch. A target that refuses us
// altogether is not asked again for other batches.
type judgement struct {
	verdicts []verdict
	halt     bool
}

// all gives every item the same verdict.
func all(n int, v verdict) judgement {
	out := judgement{verdicts: make([]verdict, n)}
	for i := range out.verdicts {
		out.verdicts[i] = v
	}
	return out
}

func refused(n int, reason string) judgement {
	j := all(n, verdict{fate: fateFailed, reason: reason})
	j.halt = true
	return j
}

// receiver knows one protocol. It is used by several goroutines.
type receiver interface {
	request(ctx context.Context, batch []batchItem) (*http.Request, error)
	// judge gives a verdict for each item of the batch, whatever the answer is.
	judge(batch []batchItem, answer *outbound.Response) judgement
	// clean takes credentials out of a text that came from elsewhere.
	clean(text string) string
	// size is the share of a item in a request, and the most a request may have.
	size(p batchItem) int
	limit() (items, bytes int)
	name() string
}

func wrapSource(name string, err error) error {
	return fmt.Errorf("read what is to be sent to the %s: %w", name, err)
}
