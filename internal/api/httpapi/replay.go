package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

type replayInput struct {
	Body struct {
		AssessmentID string `json:"assessmentId,omitempty" doc:"UUID of the assessment that is judged again; the latest when absent."`
		Result       string `json:"result,omitempty" doc:"Results to list, parted by commas; all lists every one. Default FAIL,WARNING,UNKNOWN."`
	}
}

// ReplayAnswer is a saved run judged again by the current catalogue and thresholds, with its
// differences from the saved result. It is not stored.
type ReplayAnswer struct {
	Assessment posture.Assessment `json:"assessment"`
	Drift      drift.Drift        `json:"drift"`
	Same       bool               `json:"same" doc:"Whether nothing differs."`
}

// postReplay contacts neither the provider nor the DNS.
func postReplay(s *Server, ctx context.Context, in *replayInput) (*answer[ReplayAnswer], error) {
	want, err := parseResults(in.Body.Result)
	if err != nil {
		return nil, err
	}
	a, err := s.named(ctx, in.Body.AssessmentID)
	if err != nil {
		return nil, err
	}
	past, err := s.past(ctx, a)
	if err != nil {
		return nil, err
	}
	made, err := s.o.Remedy.Runner.Replay(ctx, past)
	if err != nil {
		return nil, err
	}
	out := ReplayAnswer{Assessment: made.Assessment}
	if out.Drift, err = jobs.Against(ctx, s.o.Store, a, made); err != nil {
		return nil, err
	}
	d := out.Drift
	out.Same = len(d.New)+len(d.Resolved)+len(d.Regressed)+len(d.Improved)+len(d.Changed)+len(d.Unknown)+len(d.Paths.Appeared)+
		len(d.Paths.Disappeared) == 0
	out.Assessment.Findings = slices.DeleteFunc(slices.Clone(made.Assessment.Findings), func(f posture.Finding) bool {
		return len(want) > 0 &&
			!slices.Contains(want, f.Result)
	})
	return &answer[ReplayAnswer]{out}, nil
}

// past collects what the replay of a saved run needs.
func (s *Server) past(ctx context.Context, a posture.Assessment) (assess.Past, error) {
	p := assess.Past{Assessment: a, Findings: func() ([]posture.Finding, error) {
		rows, _, err := s.o.Store.Findings(ctx, a.ID, store.FindingFilter{}, store.Page{})
		return rows, err
	}}
	job, err := s.o.Store.Job(ctx, a.JobID)
	if errors.Is(err, store.ErrNotFound) {
		return p, posture.Problemf(posture.CodeConflict, "What assessment %s read is no longer kept, so it cannot be judged again.", a.ID)
	}
	if err != nil {
		return p, fmt.Errorf("load the job of the assessment: %w", err)
	}
	request, account, err := s.requested(ctx, job)
	p.Request, p.Policy = request, account.Policy
	return p, err
}

// requested returns the request of an assess job and its account, which is empty when it is no
// longer registered.
func (s *Server) requested(ctx context.Context, job store.JobRow) (posture.AssessRequest, posture.Account, error) {
	var args jobs.AssessArguments
	if err := json.Unmarshal(job.Arguments, &args); err != nil {
		return args.Request, posture.Account{}, fmt.Errorf("read the arguments of the job: %w", err)
	}
	account, err := s.o.Store.Account(ctx, job.Account)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return args.Request, account, fmt.Errorf("load the account of the job: %w", err)
	}
	return args.Request, account, nil
}
