package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Choice selects the assessment of a request.
type Choice struct {
	AssessmentID string `query:"assessmentId" doc:"UUID of the assessment; the latest when absent."`
	Account      string `query:"account" doc:"With the latest: provider account id, or a registered account's id or name."`
}

// pick returns a reference to the chosen assessment, without loading it.
func (s *Server) pick(ctx context.Context, c Choice) (store.AssessmentRef, error) {
	var key string
	var err error
	if c.AssessmentID != "" {
		c.AssessmentID, err = parseID("query.assessmentId", c.AssessmentID)
	} else {
		key, err = s.accountKey(ctx, c.Account)
	}
	if err != nil {
		return store.AssessmentRef{}, err
	}
	a, err := s.o.Store.Pick(ctx, c.AssessmentID, key)
	switch {
	case errors.Is(err, store.ErrNotFound) && c.AssessmentID != "":
		return a, s.missing(ctx, c.AssessmentID)
	case errors.Is(err, store.ErrNotFound):
		return a, noAssessment()
	}
	return a, err
}

func noAssessment() error {
	return posture.Problemf(posture.CodeNoAssessment, "There is no completed assessment yet; start one with POST /api/assess.")
}

// FileChoice selects the assessment of a file.
type FileChoice struct {
	AssessmentID string `query:"assessmentId" doc:"UUID, or latest for the newest. Default: the newest not narrowed, or else the newest."`
	Account      string `query:"account" doc:"Without an id: provider account id, or a registered account's id or name."`
	IfNoneMatch  string `header:"If-None-Match"`
}

// filed returns the assessment that a file is made of.
func (s *Server) filed(ctx context.Context, c FileChoice) (posture.Assessment, error) {
	if c.AssessmentID == "latest" {
		return s.latest(ctx, c.Account)
	}
	if c.AssessmentID == "" {
		key, err := s.accountKey(ctx, c.Account)
		if err != nil {
			return posture.Assessment{}, err
		}
		c.AssessmentID, err = s.o.Store.NewestWhole(ctx, key)
		if errors.Is(err, store.ErrNotFound) {
			return s.latest(ctx, c.Account)
		}
		if err != nil {
			return posture.Assessment{}, fmt.Errorf("look for the newest whole assessment: %w", err)
		}
	}
	return s.saved(ctx, "query.assessmentId", c.AssessmentID)
}

// latest returns the newest completed assessment of an account, or of all accounts.
func (s *Server) latest(ctx context.Context, account string) (posture.Assessment, error) {
	key, err := s.accountKey(ctx, account)
	if err != nil {
		return posture.Assessment{}, err
	}
	a, err := s.o.Store.LatestAssessment(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return a, noAssessment()
	}
	return a, err
}

// saved returns the assessment with the id ref; location is where the request names it.
func (s *Server) saved(ctx context.Context, location, ref string) (posture.Assessment, error) {
	id, err := parseID(location, ref)
	if err != nil {
		return posture.Assessment{}, err
	}
	a, err := s.o.Store.Assessment(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return a, s.missing(ctx, id)
	}
	return a, err
}

// missing is the problem of an assessment that does not exist or is no longer kept.
func (s *Server) missing(ctx context.Context, id string) error {
	if at, err := s.o.Store.Forgotten(ctx, id); err == nil {
		return posture.Problemf(posture.CodeNotFound, "Assessment %s is no longer kept: it was older than SERVICE_KEEP_ASSESSMENTS on %s; GET "+
			"/api/assessments lists those that are.", id, at.Format(time.DateOnly))
	}
	return posture.Problemf(posture.CodeNotFound, "There is no assessment %s; GET /api/assessments lists all.", id)
}
