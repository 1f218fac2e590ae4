package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

type soFarOutput struct{ Body assess.SoFar }

// getSoFar judges what a run has read by now, so that people need not wait for its end.
func getSoFar(s *Server, ctx context.Context, in *jobInput) (*soFarOutput, error) {
	j, err := s.job(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if j.Kind != posture.JobAssess {
		return nil, posture.Problemf(posture.CodeConflict, "Job %s is of kind %s; only assess jobs find issues.", j.ID, j.Kind)
	}
	if j.State.Terminal() {
		return nil, posture.Problemf(posture.CodeConflict, "Job %s has %s; GET /api/jobs/%s names the assessment it made, if any.", j.ID, j.State, j.ID)
	}
	var args jobs.AssessArguments
	if err := json.Unmarshal(j.Arguments, &args); err != nil {
		return nil, fmt.Errorf("read the arguments of the job: %w", err)
	}
	run := assess.Run{Job: j, Request: args.Request}
	account, err := s.o.Store.Account(ctx, j.Account)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("load the account of the job: %w", err)
	}
	run.Account, run.Policy, run.Demo = posture.AccountRef{ID: account.ProviderID, Name: account.Name}, account.Policy, account.Demo
	if id := args.Request.AccountID; id != "" {
		run.Account = posture.AccountRef{ID: id, Name: id}
	}
	out, err := s.o.Remedy.Runner.SoFar(ctx, run)
	return &soFarOutput{out}, err
}
