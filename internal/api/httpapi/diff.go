package httpapi

import (
	"context"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/jobs"
)

type diffInput struct {
	Body struct {
		BaselineID string `json:"baselineId" doc:"UUID of the assessment to compare with; it may be the newer one."`
		CurrentID  string `json:"currentId" doc:"UUID of the assessment that is compared."`
	}
}

func postDiff(s *Server, ctx context.Context, in *diffInput) (*answer[drift.Drift], error) {
	baseline, err := s.saved(ctx, "body.baselineId", in.Body.BaselineID)
	if err != nil {
		return nil, err
	}
	current, err := s.saved(ctx, "body.currentId", in.Body.CurrentID)
	if err != nil {
		return nil, err
	}
	if a, b := baseline.Account, current.Account; a.ID != b.ID {
		return nil, posture.Invalid("body.currentId", fmt.Sprintf("The baseline is of account %s (%s) and the current assessment of %s (%s); "+
			"choose two of one account.",
			clip(a.Name), a.ID, clip(b.Name), b.ID), current.ID)
	}
	d, err := jobs.Compare(ctx, s.o.Store, baseline, current)
	if err != nil {
		return nil, err
	}
	return &answer[drift.Drift]{d}, nil
}
