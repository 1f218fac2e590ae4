package siem

import (
	"bytes"
	"cmp"
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

// State is the outcome of a document.
type State string

// A document is Sent when the receiver confirms it, Retry when the outcome is unknown or the receiver
// asks for later, and Failed when sending it again is pointless.
const (
	Sent   State = "sent"
	Retry  State = "retry"
	Failed State = "failed"
)

// ItemOutcome is the outcome of one document. Reason is empty when it was sent; it has at most 300
// characters and never contains a credential. Wait is how long the receiver or the sender wants to wait
// before the next try.
type ItemOutcome struct {
	ID     string
	State  State
	Reason string
	Wait   time.Duration
}

// Report is the outcome of every document that was read, in order.
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

// Pace controls the concurrency, retries and timeouts of a delivery. Now, Sleep and Jitter are
// required; the others have defaults.
type Pace struct {
	Now    func() time.Time
	Sleep  func(context.Context, time.Duration) error // ends early with the context's error
	Jitter func() float64                             // in [0, 1)

	Workers  int           // concurrent batches; 4 when 0
	Attempts int           // requests per document before it is handed back; 4 when 0
	Base     time.Duration // first wait between attempts, doubled each time; 500 ms when 0
	MaxWait  time.Duration // longer waits are handed back to the caller; 30 s when 0
	Timeout  time.Duration // per request; 30 s when 0
}

func (p Pace) filled() (Pace, error) {
	if p.Now == nil || p.Sleep == nil || p.Jitter == nil {
		return p, errors.New("prepare a delivery: a clock, a sleep and a jitter must be given")
	}
	p.Workers, p.Attempts = cmp.Or(p.Workers, 4), cmp.Or(p.Attempts, 4)
	p.Base, p.MaxWait, p.Timeout = cmp.Or(p.Base, 500*time.Millisecond), cmp.Or(p.MaxWait, 30*time.Second), cmp.Or(p.Timeout, 30*time.Second)
	if p.Workers < 0 || p.Attempts < 0 || p.Base < 0 || p.MaxWait < 0 || p.Timeout < 0 {
		return p, errors.New("prepare a delivery: its numbers must not be negative")
	}
	return p, nil
}

// backoff is the wait after the n-th failed attempt, counted from 1: doubled each time, half of it
// random so that senders do not come back at the same time.
func (p Pace) backoff(n int) time.Duration {
	wait := p.MaxWait
	if n < 20 && p.Base<<(n-1) < p.MaxWait {
		wait = p.Base << (n - 1)
	}
	return wait/2 + time.Duration(float64(wait/2)*p.Jitter())
}

// batchItem is a document being sent. at is its index in the report.
type batchItem struct {
	at   int
	id   string
	keep bool // an existing document is kept; a conflict then means that it was sent
	body []byte
}

// joined is the bodies of a batch, each followed by end.
func joined(batch []batchItem, end string) []byte {
	bodies := make([][]byte, len(batch))
	for i, p := range batch {
		bodies[i] = p.body
	}
	return append(bytes.Join(bodies, []byte(end)), end...)
}

// fate is the consequence of an answer for one item.
type fate int

const (
	fateSent   fate = iota
	fateFailed      // sending again is pointless
	fateLater       // send after a wait, which counts as an attempt
	fateAgain       // send at once, because the answer settled other items
	fateApart       // send in two halves, because one item spoils the batch
	fateTight       // send in two halves, because the request was too large
)

type verdict struct {
	fate   fate
	reason string
	wait   time.Duration
	// blamed means, for items being split, that the receiver has refused them rather than kept silent:
	// when the guesses are used up they have failed.
	blamed bool
}

// judgement is the meaning of an answer for a batch. With halt, the target refuses us altogether and
// gets no further batches.
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

// receiver implements one protocol. It must be safe for concurrent use.
type receiver interface {
	request(ctx context.Context, batch []batchItem) (*http.Request, error)
	// judge returns a verdict for each item of the batch, whatever the answer is.
	judge(batch []batchItem, answer *outbound.Response) judgement
	// clean removes credentials from a text of foreign origin.
	clean(text string) string
	// size is the share of an item in a request, in bytes; limit is the most that a request may have.
	size(p batchItem) int
	limit() (items, bytes int)
	name() string
}

func wrapSource(name string, err error) error {
	return fmt.Errorf("read what is to be sent to the %s: %w", name, err)
}
