package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store"
)

// ApplyArguments are the arguments of an apply job. The edit token, and the caller's provider token if
// there is one, are sealed on the job.
type ApplyArguments struct {
	AssessmentID string        `json:"assessmentId"`
	CheckIDs     []string      `json:"checkIds"`
	PlanID       string        `json:"planId,omitempty"`
	ChangeIDs    []string      `json:"changeIds,omitempty"`
	Force        bool          `json:"force,omitempty"`
	Inputs       change.Inputs `json:"inputs,omitempty"`
}

// Apply makes the changes of a plan.
type Apply struct{ Remedy }

// Kind returns the kind of job.
func (Apply) Kind() posture.JobKind { return posture.JobApply }

// Work applies the changes, or resumes what an earlier attempt at the job had begun.
func (k Apply) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	var bundle change.Bundle
	out, err := k.apply(ctx, a, &bundle)
	return out, stopped(bundle, err)
}

// stopped adds to the problem that ended an apply what is in force by then.
func stopped(b change.Bundle, err error) error {
	p, is := errors.AsType[*posture.Problem](err)
	made, unsure := b.Count(change.Applied), b.Count(change.Unknown, change.Writing, change.Restoring)
	if !is || made+unsure == 0 {
		return err
	}
	said := *p
	said.BundleID = b.ID
	said.Detail = fmt.Sprintf("%d of %d changes are in force", made, len(b.Entries))
	if unsure > 0 {
		said.Detail += fmt.Sprintf(", of %d it is not known", unsure)
	}
	said.Detail += fmt.Sprintf(" (bundle %s, which can be rolled back), and then the apply stopped: %s", b.ID, p.Detail)
	return &said
}

// apply does the work, and leaves in bundle what was done.
func (k Apply) apply(ctx context.Context, a work.Attempt, bundle *change.Bundle) (work.Result, error) {
	args, err := arguments[ApplyArguments](a)
	if err != nil {
		return work.Result{}, err
	}
	assessed, paths, err := k.assessment(ctx, args.AssessmentID)
	if err != nil {
		return work.Result{}, err
	}
	b, err := k.open(ctx, a, assessed.Account)
	if err != nil {
		return work.Result{}, err
	}
	defer b.leave()
	begun, err := k.resume(ctx, b, a.Row.ID, bundle)
	if err != nil {
		return work.Result{}, err
	}
	grant, err := b.Admit(ctx)
	if err != nil {
		return work.Result{}, err
	}
	var kept change.Kept // the whole plan
	if begun {
		if kept, err = k.KeptPlan(ctx, bundle.PlanID); err != nil {
			return work.Result{}, err
		}
	} else {
		var steps []change.Step
		if kept, steps, err = k.chosen(ctx, b, assessed, paths, args); err != nil {
			return work.Result{}, err
		}
		*bundle = change.Bundle{ID: k.NewID(), CreatedAt: k.Now().UTC().Truncate(time.Microsecond), AssessmentID: assessed.ID,
			Account: assessed.Account, PlanID: kept.Plan.ID, JobID: a.Row.ID, By: grant.Subject(), PathsRemoved: []string{},
			Entries: remedy.Entries(steps, args.Force)}
	}
	req, err := k.request(ctx, b, assessed, findingsOf(*bundle), paths, kept.Inputs)
	if err != nil {
		return work.Result{}, err
	}
	req.Now = kept.Plan.CreatedAt // values that a plan derives from its instant must stay the same
	if !begun && args.PlanID != "" {
		if err := k.fresh(ctx, b, req, *bundle); err != nil {
			return work.Result{}, err
		}
	}
	if len(bundle.Entries) == 0 {
		return outcome(change.Execution{PlanID: kept.Plan.ID, State: change.StateNothing, Results: left(kept, args), PathsRemoved: []string{}})
	}
	if err := k.approved(ctx, a.Row, kept.Plan, args.Force); err != nil {
		return work.Result{}, err
	}
	if err := k.spare(ctx, b, req, bundle); err != nil {
		return work.Result{}, err
	}
	*bundle, err = b.Apply(ctx, req, *bundle)
	if err != nil {
		return work.Result{}, err
	}
	bundle.PathsRemoved = remedy.Removed(kept, inForce(*bundle), paths, req.Owner)
	if err := b.Keep(ctx, *bundle); err != nil {
		return work.Result{}, err
	}
	k.changed(posture.JobApply, *bundle)
	return outcome(change.Execution{PlanID: bundle.PlanID, BundleID: bundle.ID, State: bundle.State, Results: append(bundle.Results(),
		left(kept, args)...), PathsRemoved: bundle.PathsRemoved})
}

// resume loads what an earlier attempt at the job had begun, and looks at what it left.
func (k Apply) resume(ctx context.Context, b *remedySession, jobID string, bundle *change.Bundle) (begun bool, err error) {
	row, err := k.Store.BundleOfJob(ctx, jobID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for what an earlier attempt did: %w", err)
	}
	if *bundle, err = remedy.Unseal(k.Key, row); err != nil {
		return false, err
	}
	*bundle, err = b.Look(ctx, *bundle)
	return true, err
}

// spare skips the changes whose risk somebody has accepted since the plan was made.
func (k Apply) spare(ctx context.Context, b *remedySession, req remedy.Request, bundle *change.Bundle) error {
	accepted, err := k.accepted(ctx, b, req)
	if err != nil {
		return err
	}
	for i := range bundle.Entries {
		e := &bundle.Entries[i]
		if why := accepted[e.Change.FindingID]; why != "" && e.Change.Exception == "" && e.Status == change.Pending {
			e.Status, e.Reason = change.Skip, "The risk was accepted after the plan was made: "+why+"."
		}
	}
	return nil
}

// chosen loads the plan that the caller named, or makes one, and returns the steps that were asked for.
func (k Apply) chosen(ctx context.Context, b *remedySession, assessed posture.Assessment, paths []posture.AttackPath,
	args ApplyArguments) (kept change.Kept, steps []change.Step, err error) {
	if args.PlanID == "" {
		kept, err = k.plan(ctx, b, assessed, paths, PlanArguments{AssessmentID: assessed.ID, CheckIDs: args.CheckIDs, Inputs: args.Inputs})
	} else if kept, err = k.KeptPlan(ctx, args.PlanID); err == nil {
		switch {
		case kept.Plan.Account.ID != assessed.Account.ID:
			err = noPlan(args.PlanID) // whoever asks may not see that account
		case kept.Plan.AssessmentID != assessed.ID:
			err = posture.Invalid("body.planId", "the plan belongs to another assessment", args.PlanID)
		case !k.Now().Before(kept.Plan.ExpiresAt):
			err = posture.Problemf(posture.CodePlanStale, "Nothing was changed, because plan %s expired at %s; make a new plan and look at it "+
				"again.", args.PlanID, kept.Plan.ExpiresAt.Format(time.RFC3339))
		}
	}
	if err != nil {
		return change.Kept{}, nil, err
	}
	for i, id := range args.CheckIDs {
		if args.PlanID != "" && !kept.Plan.Has(id) {
			return change.Kept{}, nil, posture.Invalid(fmt.Sprintf("body.checkIds[%d]", i), "the plan has nothing about this check", id)
		}
	}
	steps = remedy.Select(kept, args.CheckIDs).Steps
	if len(args.ChangeIDs) > 0 {
		steps = slices.DeleteFunc(slices.Clone(steps), func(s change.Step) bool { return !slices.Contains(args.ChangeIDs, s.Change.ID) })
	}
	return kept, steps, nil
}

// KeptPlan loads a plan that was made before.
func (r Remedy) KeptPlan(ctx context.Context, id string) (change.Kept, error) {
	row, err := r.Store.Plan(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return change.Kept{}, noPlan(id)
	}
	if err != nil {
		return change.Kept{}, fmt.Errorf("load the plan: %w", err)
	}
	return remedy.UnsealPlan(r.Key, row)
}

func noPlan(id string) error {
	return posture.Problemf(posture.CodeNotFound,
		"There is no plan %s, or it expired long ago; make a new one with POST /api/remediate/plan.", id)
}

// fresh reads all live values of the changes once more before anything is changed.
func (k Apply) fresh(ctx context.Context, b *remedySession, req remedy.Request, bundle change.Bundle) error {
	now, err := b.Plan(ctx, req)
	if err != nil {
		return err
	}
	steps := make([]change.Step, 0, len(bundle.Entries))
	for _, e := range bundle.Entries {
		steps = append(steps, e.Step)
	}
	return remedy.Fresh(steps, now)
}

// findingsOf selects the findings that the entries of a bundle fix.
func findingsOf(b change.Bundle) remedy.Chosen {
	c := remedy.Chosen{Findings: map[string]bool{}}
	for _, e := range b.Entries {
		c.Findings[e.Change.FindingID] = true
	}
	return c
}

// inForce returns the steps of a bundle that took effect.
func inForce(b change.Bundle) []change.Step {
	var out []change.Step
	for _, e := range b.Entries {
		if e.Status == change.Applied || e.Status == change.Unchanged {
			out = append(out, e.Step)
		}
	}
	return out
}

// left returns results for the requested findings that have no change.
func left(kept change.Kept, args ApplyArguments) []change.Result {
	out := []change.Result{}
	add := func(checkID string, resource posture.Resource, status change.Status, reason string) {
		if len(args.CheckIDs) == 0 || slices.Contains(args.CheckIDs, checkID) {
			out = append(out, change.Result{CheckID: checkID, Resource: resource, Status: status, Reason: reason})
		}
	}
	for _, s := range kept.Plan.Skipped {
		status := change.Skip
		if s.Compliant {
			status = change.Unchanged
		}
		add(s.CheckID, s.Resource, status, s.Reason)
	}
	for _, m := range kept.Plan.Manual {
		add(m.CheckID, m.Resource, change.Skip, "A person has to do this: "+m.Fix)
	}
	return out
}
