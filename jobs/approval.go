package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// approved returns nil when a job may make the changes of a plan: the approval is for exactly this plan
// and was taken by exactly this job when it was queued. A job row created in any other way changes
// nothing. It is checked on every attempt.
func (r Remedy) approved(ctx context.Context, job store.JobRow, plan change.Plan, force bool) error {
	if !r.ByTwo {
		return nil
	}
	row, err := r.Store.PlanApproval(ctx, plan.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("load the approval of the plan: %w", err)
	}
	if err == nil && row.UsedBy == job.ID && row.Digest == plan.Digest && (row.Force || !force) {
		return r.ApproverMay(ctx, row, job.Account)
	}
	return r.Unapproved(ctx, store.Approval{PlanID: plan.ID, Digest: plan.Digest, Force: force})
}

// ApproverMay returns a problem when the person who approved a plan can no longer sign in or has
// lost the role for the account with this id, which is "" for a token that is not registered.
func (r Remedy) ApproverMay(ctx context.Context, row store.ApprovalRow, account string) error {
	if row.By.Kind != access.User {
		return nil // API keys are known only where calls arrive
	}
	u, err := r.Store.User(ctx, row.By.ID)
	var a posture.Account
	if err == nil && account != "" {
		a, err = r.Store.Account(ctx, account)
	}
	may := access.Principal{Kind: access.User, Grants: u.Grants}.Scope(access.Remediator).Holds(a.ID, a.Labels)
	switch {
	case err == nil && may && !u.Disabled:
		return nil
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return fmt.Errorf("look for the approver of the plan: %w", err)
	default:
		return posture.Problemf(posture.CodeApprovalRequired, "Nothing was changed, because %s, who approved plan %s, may no longer change this "+
			"account; make a new plan and have it approved.", row.By.Actor, row.PlanID)
	}
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
