package httpapi

import (
	"context"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
)

// getSoFar judges what a run has read up to now, so that people need not wait for its end.
func getSoFar(s *Server, ctx context.Context, in *idInput) (*answer[assess.SoFar], error) {
	j, err := s.job(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if j.Kind != posture.JobAssess {
		return nil, posture.Problemf(posture.CodeConflict, "Job %s is of kind %s; only assess jobs find issues.", j.ID, j.Kind)
	}
	if j.State.Terminal() {
		return nil, posture.Problemf(posture.CodeConflict, "Job %s has %s; GET /api/jobs/%s names the assessment it made, if any.", j.ID, j.State,
			j.ID)
	}
	request, account, err := s.requested(ctx, j)
	if err != nil {
		return nil, err
	}
	run := assess.Run{Job: j, Request: request, Account: posture.AccountRef{ID: account.ProviderID, Name: account.Name},
		Policy: account.Policy, Demo: account.Demo}
	if id := request.AccountID; id != "" {
		run.Account = posture.AccountRef{ID: id, Name: id}
	}
	out, err := s.o.Remedy.Runner.SoFar(ctx, run)
	return &answer[assess.SoFar]{out}, err
}
