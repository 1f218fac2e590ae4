// Package work is the contract between the queue and the kinds of background work in package jobs. A kind
// knows nothing about queues, leases or retries; it is given one attempt and either completes it or fails
// with a problem.
package work

import (
	"context"
	"encoding/json"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Attempt is one try at a job. Progress may be called at any time and never
// blocks for long.
type Attempt struct {
	Row      store.JobRow
	Progress func(posture.Progress)
}

// Result is the result of a finished attempt. Saved means that Work has ended the job itself, in
// the transaction that stored its result.
type Result struct {
	Result json.RawMessage
	Saved  bool
}

// Kind is one kind of job. Work must stop soon after ctx ends and may be run again after any crash:
// whatever it does must be safe to do twice. A *posture.Problem fails the job for good, a
// *posture.LaterError hands it back until then; any other error is treated as an error of the service
// and retried.
type Kind interface {
	Kind() posture.JobKind
	Work(ctx context.Context, a Attempt) (Result, error)
}

// Follower is a Kind with jobs that follow one that failed; they are queued in the transaction that fails it.
type Follower interface {
	AfterFailure(ctx context.Context, row store.JobRow) ([]store.NewJob, error)
}
