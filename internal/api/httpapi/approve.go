package httpapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// approvalLife is how long an approval may be used.
const approvalLife = time.Hour

type approveInput struct {
	OnceHeader
	ID   string `path:"id"`
	Body struct {
		Note  string `json:"note,omitempty" maxLength:"1000" doc:"For whoever asks later why."`
		Force bool   `json:"force,omitempty" doc:"Approves the changes of high risk too; without it an apply with force is refused."`
	}
}

// Approval is the approval state of a plan.
type Approval struct {
	Required  bool          `json:"required" doc:"Whether the service applies only what somebody else approved."`
	By        *access.Party `json:"by,omitempty" doc:"Who approved the plan."`
	Note      string        `json:"note,omitempty"`
	Force     bool          `json:"force,omitempty" doc:"Whether the changes of high risk are approved too."`
	At        *time.Time    `json:"at,omitempty"`
	ExpiresAt *time.Time    `json:"expiresAt,omitempty" doc:"An hour after it was given, or when the plan expires."`
	UsedByJob string        `json:"usedByJob,omitempty" doc:"The apply that took it; it goes to no other."`
}

// postApprove approves a plan for a single apply by anyone who may apply. The person who asked for
// the plan cannot approve it.
func postApprove(s *Server, ctx context.Context, in *approveInput) (*answer[Approval], error) {
	kept, err := s.keptPlan(ctx, "path.id", in.ID)
	if err != nil {
		return nil, err
	}
	id, by := kept.Plan.ID, callOf(ctx).party()
	asked, err := s.behind(ctx, kept.Plan.RequestedBy)
	if err != nil {
		return nil, err
	}
	if err := s.mayApprove(asked, by); err != nil {
		return nil, err
	}
	if err := showable("body.note", in.Body.Note); err != nil {
		return nil, err
	}
	now := s.now()
	if !now.Before(kept.Plan.ExpiresAt) {
		return nil, posture.Problemf(posture.CodePlanStale, "The plan was not approved, because it expired at %s; make a new plan.",
			kept.Plan.ExpiresAt.Format(time.RFC3339))
	}
	row := store.ApprovalRow{Approval: store.Approval{PlanID: id, Digest: kept.Plan.Digest, Force: in.Body.Force}, By: *by, Note: in.Body.Note,
		At: now, ExpiresAt: now.Add(approvalLife)}
	if kept.Plan.ExpiresAt.Before(row.ExpiresAt) {
		row.ExpiresAt = kept.Plan.ExpiresAt
	}
	err = s.o.Store.Approve(ctx, row)
	switch {
	case errors.Is(err, store.ErrUsed):
		return nil, posture.Problemf(posture.CodeConflict,
			"The plan was not approved, because it was approved before and a job took that; make a new plan.")
	case err != nil:
		return nil, fmt.Errorf("keep the approval: %w", err)
	}
	out, err := s.approval(ctx, id)
	return &answer[Approval]{out}, err
}

// party identifies the caller.
func (n *called) party() *access.Party {
	return &access.Party{Kind: n.principal.Kind, ID: n.principal.ID, Actor: n.entry.Actor}
}

// behind returns who made the service token that asked for a plan, or the one with which that token was made and
// so on, and nil when a token on the way was revoked. Others are behind what they ask for themselves.
func (s *Server) behind(ctx context.Context, asked *access.Party) (*access.Party, error) {
	if asked == nil || asked.Kind != access.Service {
		return asked, nil
	}
	all, err := s.o.Store.ServiceTokens(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for who made the token: %w", err)
	}
	is := func(t store.ServiceTokenRow) bool { return t.ID == asked.ID }
	for range all { // names may be given again, and so lead back
		i := slices.IndexFunc(all, is)
		if i < 0 {
			break
		}
		made := all[i].CreatedBy
		switch {
		case strings.HasPrefix(made, userActorPrefix):
			return &access.Party{Kind: access.User, Actor: made}, nil
		case !strings.HasPrefix(made, serviceActorPrefix):
			return &access.Party{Kind: access.Root, Actor: made}, nil
		}
		is = func(t store.ServiceTokenRow) bool { return serviceActorPrefix+t.Name == made }
	}
	return nil, nil //nolint:nilnil // nobody knows
}

// mayApprove returns a problem unless the approver is a person other than the one who asked for the plan.
func (s *Server) mayApprove(asked, by *access.Party) error {
	switch {
	case by.Kind != access.User && by.Kind != access.Root:
		return posture.Problemf(posture.CodeForbidden,
			"The plan was not approved, because a program with a service token approves nothing; have a person sign in and approve it.")
	case asked == nil:
		return posture.Problemf(posture.CodeForbidden,
			"The plan was not approved, because it is not known who asked for it; make a new plan with POST /api/remediate/plan.")
	case asked.Actor == by.Actor, asked.ID != "" && asked.ID == by.ID,
		asked.Kind == access.Root && by.Kind == access.Root && !(s.inForce(asked.Actor) && s.inForce(by.Actor)):
		return posture.Problemf(posture.CodeForbidden,
			"The plan was not approved, because you asked for it yourself, or made the token that did; have somebody else with the role "+
				"remediator approve it.")
	}
	return nil
}

// inForce reports whether an actor is an API key in force. Actors with a revoked key, or with none,
// cannot be told apart from holders of another key.
func (s *Server) inForce(actor string) bool {
	return slices.ContainsFunc(s.credentials, func(c string) bool { return actor == "key:"+c[:8] })
}

// approval returns the approval state of a plan.
func (s *Server) approval(ctx context.Context, planID string) (Approval, error) {
	out := Approval{Required: s.o.Remedy.ByTwo}
	row, err := s.o.Store.PlanApproval(ctx, planID)
	if errors.Is(err, store.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("load the approval: %w", err)
	}
	out.By, out.Note, out.Force, out.At, out.ExpiresAt, out.UsedByJob = &row.By, row.Note, row.Force, &row.At, &row.ExpiresAt, row.UsedBy
	return out, nil
}

// approvalFor returns the approval that an apply must consume, or nil when none is needed. It
// checks the plan first, so that nobody uses up the approval of a plan that they may not see or
// that belongs to another assessment.
func (s *Server) approvalFor(ctx context.Context, planID string, a posture.Assessment, force bool) (*store.Approval, error) {
	if !s.o.Remedy.ByTwo {
		return nil, nil //nolint:nilnil // none is needed
	}
	if planID == "" {
		return nil, posture.Problemf(posture.CodeApprovalRequired,
			"Nothing was changed, because somebody else must approve what is changed here; make a plan, have it approved, and send its planId.")
	}
	kept, err := s.o.Remedy.KeptPlan(ctx, planID)
	if err != nil {
		return nil, err
	}
	if kept.Plan.AssessmentID != a.ID || kept.Plan.Account.ID != a.Account.ID {
		return nil, posture.Invalid("body.planId", "the plan belongs to another assessment", planID)
	}
	if err := s.approverMay(ctx, planID, a.Account); err != nil {
		return nil, err
	}
	return &store.Approval{PlanID: planID, Digest: kept.Plan.Digest, Force: force}, nil
}

// approverMay returns a problem when whoever approved a plan may no longer change the account. The
// job asks again about people; about API keys it cannot.
func (s *Server) approverMay(ctx context.Context, planID string, account posture.AccountRef) error {
	row, err := s.o.Store.PlanApproval(ctx, planID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // the store refuses the job
	}
	if err != nil {
		return fmt.Errorf("load the approval: %w", err)
	}
	if row.By.Kind == access.Root && s.secured() && !s.inForce(row.By.Actor) {
		return posture.Problemf(posture.CodeApprovalRequired,
			"Nothing was changed, because %s, with which plan %s was approved, is no longer in force; make a new plan and have it approved.",
			row.By.Actor, planID)
	}
	registered, err := s.ofProvider(ctx, account.ID)
	if err != nil {
		return err
	}
	return s.o.Remedy.ApproverMay(ctx, row, registered)
}
