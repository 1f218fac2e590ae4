package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// PlanArguments are the arguments of a plan job.
type PlanArguments struct {
	AssessmentID string        `json:"assessmentId"`
	CheckIDs     []string      `json:"checkIds,omitempty"`
	Zones        []string      `json:"zones,omitempty"`
	PathIDs      []string      `json:"pathIds,omitempty"`
	FindingIDs   []string      `json:"findingIds,omitempty"`
	AI           bool          `json:"ai,omitempty"`
	Inputs       change.Inputs `json:"inputs,omitempty"`
	RequestedBy  *access.Party `json:"requestedBy,omitempty"`
}

// Plan determines what would be changed; it changes nothing.
type Plan struct{ Remedy }

// Kind returns the kind of job.
func (Plan) Kind() posture.JobKind { return posture.JobPlan }

// Work reads live values and stores the plan.
func (k Plan) Work(ctx context.Context, a work.Attempt) (work.Result, error) {
	args, err := arguments[PlanArguments](a)
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
	kept, err := k.plan(ctx, b, assessed, paths, args)
	if err != nil {
		return work.Result{}, err
	}
	return outcome(kept.Plan)
}

// plan makes a plan and stores it.
func (r Remedy) plan(ctx context.Context, b *remedySession, assessed posture.Assessment, paths []posture.AttackPath,
	args PlanArguments) (change.Kept, error) {
	chosen := remedy.Chosen{CheckIDs: args.CheckIDs, Zones: args.Zones}
	if len(args.FindingIDs) > 0 {
		chosen.Findings = map[string]bool{}
	}
	for _, id := range args.FindingIDs {
		chosen.Findings[id] = true
	}
	for _, id := range args.PathIDs {
		i := slices.IndexFunc(paths, func(p posture.AttackPath) bool { return p.ID == id })
		if i < 0 {
			return change.Kept{}, posture.Invalid("body.pathIds", "the assessment has no attack path "+id, id)
		}
		chosen.Paths = append(chosen.Paths, paths[i])
	}
	req, err := r.request(ctx, b, assessed, chosen, paths, args.Inputs)
	if err != nil {
		return change.Kept{}, err
	}
	for _, id := range args.FindingIDs {
		if !slices.ContainsFunc(req.Findings, func(f posture.Finding) bool { return f.ID == id }) {
			return change.Kept{}, posture.Invalid("body.findingIds", "the assessment has no open finding "+id+
				" that fits the other filters", id)
		}
	}
	accepted, err := r.accepted(ctx, b, req)
	if err != nil {
		return change.Kept{}, err
	}
	var left []change.Skipped
	req.Findings = slices.DeleteFunc(req.Findings, func(f posture.Finding) bool {
		leave := accepted[f.ID] != "" && len(args.FindingIDs) == 0
		if leave {
			left = append(left, change.Skipped{FindingID: f.ID, CheckID: f.CheckID, Resource: f.Resource,
				Reason: "The risk is accepted: " + accepted[f.ID] + ". Name the finding to change it all the same."})
		}
		return leave
	})
	kept, err := b.Plan(ctx, req)
	if err != nil {
		return change.Kept{}, err
	}
	kept.Plan.Skipped = append(kept.Plan.Skipped, left...)
	for i, s := range kept.Steps {
		kept.Steps[i].Change.Exception = accepted[s.Change.FindingID]
		kept.Plan.Changes[i].Exception = accepted[s.Change.FindingID]
	}
	if args.AI {
		if err := r.advise(ctx, &kept); err != nil {
			return change.Kept{}, err
		}
	}
	kept.Plan.ID, kept.Plan.AssessmentID = r.NewID(), assessed.ID
	kept.Plan.RequestedBy = args.RequestedBy
	kept.Plan.CreatedAt = req.Now.Truncate(time.Microsecond)
	kept.Plan.ExpiresAt = kept.Plan.CreatedAt.Add(remedy.PlanAge)
	row, err := remedy.SealPlan(r.Key, kept, r.Random)
	if err != nil {
		return change.Kept{}, err
	}
	if err := r.Store.KeepPlan(ctx, row); err != nil {
		return change.Kept{}, fmt.Errorf("keep the plan: %w", err)
	}
	return kept, nil
}

// accepted returns why the risk of findings is accepted now, by finding id.
func (r Remedy) accepted(ctx context.Context, b *remedySession, req remedy.Request) (map[string]string, error) {
	now := r.Now().UTC()
	active, err := r.Store.ActiveExceptions(ctx, now)
	if err != nil {
		return nil, fmt.Errorf("load the exceptions: %w", err)
	}
	set, out := exception.For(active, now, b.account.ID, b.registered), map[string]string{}
	for _, f := range req.Findings {
		if e := set.Of(&f); e != nil {
			out[f.ID] = exception.Note(*e)
		}
	}
	return out, nil
}

func (r Remedy) advise(ctx context.Context, kept *change.Kept) error {
	if r.Advise == nil {
		kept.Plan.AI.Note = "No AI planner is configured; the order is that of the rules."
		return nil
	}
	return r.Advise(ctx, kept)
}
