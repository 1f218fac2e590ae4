package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// approved returns nil when a job may make the changes of a plan: the approval is for exactly this plan
// and was taken by exactly this job when it was queued. A job row created in any other way changes
// nothing. It is checked on every attempt.
func (r Remedy) approved(ctx context.Context, jobID string, plan change.Plan, force bool) error {
	if !r.ByTwo {
		return nil
	}
	row, err := r.Store.PlanApproval(ctx, plan.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("load the approval of the plan: %w", err)
	}
	if err == nil && row.UsedBy == jobID && row.Digest == plan.Digest && (row.Force || !force) {
		return nil
	}
	return r.Unapproved(ctx, store.Approval{PlanID: plan.ID, Digest: plan.Digest, Force: force})
}

// Unapproved returns a problem that says why a job may not use the approval of a plan, and what to do.
func (r Remedy) Unapproved(ctx context.Context, wanted store.Approval) error {
	row, err := r.Store.PlanApproval(ctx, wanted.PlanID)
	why, do := "nobody has approved plan "+wanted.PlanID, "ask somebody else with the role remediator to approve it"
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return fmt.Errorf("load the approval of the plan: %w", err)
	case row.UsedBy != "":
		why, do = "job "+row.UsedBy+" has used the approval of plan "+wanted.PlanID, "make a new plan and have it approved"
	case row.Digest != wanted.Digest:
		why = "what was approved is not what plan " + wanted.PlanID + " holds"
	case wanted.Force && !row.Force:
		why, do = "plan "+wanted.PlanID+" was approved without force", "leave force out, or have the plan approved with force"
	case !r.Now().Before(row.ExpiresAt):
		why, do = "the approval of plan "+wanted.PlanID+" ended at "+row.ExpiresAt.Format(time.RFC3339), "make a new plan and have it approved"
	}
	return posture.Problemf(posture.CodeApprovalRequired, "Nothing was changed, because %s; %s.", why, do)
}
