// Package jobs holds the kinds of background work, one file each: its arguments, and Work. A kind knows
// nothing about queues, leases or retries; it is given one attempt and either completes it or fails
// with a problem.
package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Attempt is one try at a job. Progress may be called at any time and never
// blocks for long.
type Attempt struct {
	Row      store.JobRow
	Progress func(posture.Progress)
}

// AttemptResult is the result of a finished attempt. Saved means that Work has ended the job itself, in
// the transaction that stored its result.
type AttemptResult struct {
	Result json.RawMessage
	Saved  bool
}

// Kind is one kind of job. Work must stop soon after ctx ends and may be run again after any crash:
// whatever it does must be safe to do twice. A *posture.Problem fails the job for good, a
// *posture.LaterError hands it back until then; any other error is treated as an error of the service
// and retried.
type Kind interface {
	Kind() posture.JobKind
	Work(ctx context.Context, a Attempt) (AttemptResult, error)
}

// Parts holds the kinds and what they need.
type Parts struct {
	Assess Assess
	Notify Notify
	Ship   Ship
	Ticket Ticket
	Alert  Alert
	Remedy Remedy
}

// Kinds lists every kind, in the order in which the dashboard offers them.
func Kinds(p Parts) []Kind {
	return []Kind{
		p.Assess,
		Plan{p.Remedy},
		Apply{p.Remedy},
		Rollback{p.Remedy},
		p.Ship,
		p.Notify,
		p.Ticket,
		p.Alert,
	}
}

func arguments[T any](a Attempt) (args T, err error) {
	if err := json.Unmarshal(a.Row.Arguments, &args); err != nil {
		return args, fmt.Errorf("read the arguments of the job: %w", err)
	}
	return args, nil
}

func outcome(v any) (AttemptResult, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return AttemptResult{}, fmt.Errorf("write the result of the job: %w", err)
	}
	return AttemptResult{Result: raw}, nil
}
