package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store"
)

// RollbackArguments are the arguments of a rollback job; tokens are sealed on it.
type RollbackArguments struct {
	BundleID string `json:"bundleId"`
	Force    bool   `json:"force,omitempty"`
}

// Rollback takes the changes of a bundle back.
type Rollback struct{ Remedy }

// Kind names the kind.
func (Rollback) Kind() posture.JobKind { return posture.JobRollback }

// Work rolls back, or goes on where an earlier attempt stopped.
func (k Rollback) Work(ctx context.Context, a Attempt) (AttemptResult, error) {
	args, err := arguments[RollbackArguments](a)
	if err != nil {
		return AttemptResult{}, err
	}
	bundle, err := k.Bundle(ctx, args.BundleID)
	if err != nil {
		return AttemptResult{}, err
	}
	b, err := k.open(ctx, a, bundle.Account)
	if err != nil {
		return AttemptResult{}, err
	}
	defer b.leave()
	if a.Row.Attempt > 1 {
		if bundle, err = b.Look(ctx, bundle); err != nil {
			return AttemptResult{}, err
		}
	}
	if _, err := b.Admit(ctx); err != nil {
		return AttemptResult{}, err
	}
	if a.Row.Attempt > 1 && bundle.State == change.StateRolledBack {
		// The attempt before this one came to its end and could not say so.
		return outcome(change.Execution{PlanID: bundle.PlanID, BundleID: bundle.ID, State: bundle.State, Results: bundle.Results()})
	}
	bundle, err = b.Rollback(ctx, bundle, args.Force)
	if err != nil {
		return AttemptResult{}, err
	}
	k.changed(posture.JobRollback, bundle)
	return outcome(change.Execution{PlanID: bundle.PlanID, BundleID: bundle.ID, State: bundle.State, Results: bundle.Results()})
}

// Bundle opens a bundle. One whose job has ended without settling it is partial.
func (r Remedy) Bundle(ctx context.Context, id string) (change.Bundle, error) {
	row, err := r.Store.Bundle(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return change.Bundle{}, posture.Problemf(posture.CodeNotFound, "There is no bundle %s; GET /api/remediate/backups lists all.", id)
	}
	if err != nil {
		return change.Bundle{}, fmt.Errorf("load the bundle: %w", err)
	}
	return remedy.Unseal(r.Key, row)
}
