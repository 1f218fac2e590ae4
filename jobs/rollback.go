package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store"
)

// RollbackArguments are the arguments of a rollback job; tokens are sealed on the job.
type RollbackArguments struct {
	BundleID  string   `json:"bundleId"`
	ChangeIDs []string `json:"changeIds,omitempty"`
	Force     bool     `json:"force,omitempty"`
}

// Rollback undoes the changes of a bundle.
type Rollback struct{ Remedy }

// Kind returns the kind of job.
func (Rollback) Kind() posture.JobKind { return posture.JobRollback }

// Work rolls back, or resumes where an earlier attempt stopped.
func (k Rollback) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	args, err := arguments[RollbackArguments](a)
	if err != nil {
		return work.Result{}, err
	}
	bundle, err := k.Bundle(ctx, args.BundleID)
	if err != nil {
		return work.Result{}, err
	}
	b, err := k.open(ctx, a, bundle.Account)
	if err != nil {
		return work.Result{}, err
	}
	defer b.leave()
	if a.Row.Attempt > 1 {
		if bundle, err = b.Look(ctx, bundle); err != nil {
			return work.Result{}, err
		}
	}
	if _, err := b.Admit(ctx); err != nil {
		return work.Result{}, err
	}
	if a.Row.Attempt > 1 && bundle.State.Undone() {
		// The previous attempt finished its work but could not report it.
		return outcome(change.Execution{PlanID: bundle.PlanID, BundleID: bundle.ID, State: bundle.State, Results: bundle.Results(),
			PathsRemoved: []string{}})
	}
	bundle, err = b.Rollback(ctx, bundle, args.Force, args.ChangeIDs...)
	if err != nil {
		return work.Result{}, err
	}
	k.changed(posture.JobRollback, bundle)
	return outcome(change.Execution{PlanID: bundle.PlanID, BundleID: bundle.ID, State: bundle.State, Results: bundle.Results(),
		PathsRemoved: []string{}})
}

// Bundle loads and opens a bundle.
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
