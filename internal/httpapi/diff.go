package httpapi

import (
	"context"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/drift"
	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type diffInput struct {
	Body struct {
		BaselineID string `json:"baselineId" doc:"UUID of the assessment to compare with; it may be the newer one."`
		CurrentID  string `json:"currentId" doc:"UUID of the assessment that is compared."`
	}
}

type diffOutput struct{ Body drift.Drift }

func postDiff(s *Server, ctx context.Context, in *diffInput) (*diffOutput, error) {
	baseline, err := s.saved(ctx, "body.baselineId", in.Body.BaselineID)
	if err != nil {
		return nil, err
	}
	current, err := s.saved(ctx, "body.currentId", in.Body.CurrentID)
	if err != nil {
		return nil, err
	}
	if a, b := baseline.Account, current.Account; a.ID != b.ID {
		return nil, posture.Invalid("body.currentId", fmt.Sprintf("The baseline is of account %s (%s) and the current assessment of %s (%s); choose two of one account.",
			clip(a.Name), a.ID, clip(b.Name), b.ID), current.ID)
	}
	before, err := s.driftSide(ctx, baseline)
	if err != nil {
		return nil, err
	}
	after, err := s.driftSide(ctx, current)
	if err != nil {
		return nil, err
	}
	log, err := s.o.Store.Modifications(ctx, current.ID)
	if err != nil {
		return nil, fmt.Errorf("load the changes of the account: %w", err)
	}
	d, err := drift.Compare(before, after, log)
	if err != nil {
		return nil, fmt.Errorf("compare the assessments: %w", err)
	}
	return &diffOutput{d}, nil
}

func (s *Server) driftSide(ctx context.Context, a posture.Assessment) (drift.Side, error) {
	paths, err := s.o.Store.Paths(ctx, a.ID)
	if err != nil {
		return drift.Side{}, fmt.Errorf("load the attack paths: %w", err)
	}
	return drift.Side{Assessment: a.AssessmentSummary, Checks: a.Checks, Findings: s.findings(ctx, a.ID, store.FindingFilter{}), Paths: paths}, nil
}
