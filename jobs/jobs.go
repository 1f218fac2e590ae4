// Package jobs holds the kinds of background work, one file each: its arguments, and Work.
package jobs

import (
	"encoding/json"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/engine/work"
)

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
func Kinds(p Parts) []work.Kind {
	return []work.Kind{
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

func arguments[T any](a work.Attempt) (args T, err error) {
	if err := json.Unmarshal(a.Row.Arguments, &args); err != nil {
		return args, fmt.Errorf("read the arguments of the job: %w", err)
	}
	return args, nil
}

func outcome(v any) (work.Result, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return work.Result{}, fmt.Errorf("write the result of the job: %w", err)
	}
	return work.Result{Result: raw}, nil
}
