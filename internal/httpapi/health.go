package httpapi

import (
	"context"
	"errors"
	"time"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Part is the state of one thing the service hangs on.
type Part struct {
	Name   string `json:"name"`
	Status string `json:"status" enum:"ok,failing"`
}

// Health is what works and what does not.
type Health struct {
	Status           string     `json:"status" enum:"ok,degraded"`
	Version          string     `json:"version"`
	UptimeSeconds    int        `json:"uptimeSeconds"`
	Store            Part       `json:"store"`
	Queue            Part       `json:"queue"`
	Workers          int        `json:"workers"`
	Remediation      string     `json:"remediation" enum:"enabled,disabled"`
	AuthRequired     bool       `json:"authRequired"`
	LastAssessmentAt *time.Time `json:"lastAssessmentAt"`
	Demo             bool       `json:"demo"`
}

type healthOutput struct{ Body Health }

func getHealth(s *Server, ctx context.Context, _ *struct{}) (*healthOutput, error) {
	h := Health{Status: "ok", Version: s.o.Version, UptimeSeconds: int(s.o.Now().Sub(s.started).Seconds()), Remediation: s.remediation(),
		AuthRequired: len(s.o.APIKeys) > 0, Store: Part{s.o.Store.Engine(), "ok"}, Queue: Part{s.o.QueueName, "ok"}}
	latest, err := s.o.Store.LatestAssessment(ctx, "")
	switch {
	case err == nil:
		h.LastAssessmentAt = &latest.CompletedAt
	case !errors.Is(err, store.ErrNotFound):
		h.Store.Status, h.Status = "failing", "degraded"
	}
	if a, err := s.o.Store.DefaultAccount(ctx); err == nil {
		h.Demo = a.Demo
	}
	if h.Workers, err = s.o.Workers(ctx); err != nil {
		h.Queue.Status, h.Status = "failing", "degraded"
	} else if h.Workers == 0 {
		h.Status = "degraded"
	}
	return &healthOutput{Body: h}, nil
}

func (s *Server) remediation() string {
	if s.o.Remediation {
		return "enabled"
	}
	return "disabled"
}

type aliveOutput struct {
	Body struct {
		Status string `json:"status"`
	}
}

func getAlive(_ *Server, _ context.Context, _ *struct{}) (*aliveOutput, error) {
	out := &aliveOutput{}
	out.Body.Status = "ok"
	return out, nil
}

func getReady(s *Server, ctx context.Context, _ *struct{}) (*aliveOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if s.closing.Err() != nil || s.o.Store.Ping(ctx) != nil {
		return nil, posture.Problemf(posture.CodeUnavailable, "The service is not ready.")
	}
	if _, err := s.o.Workers(ctx); err != nil {
		return nil, posture.Problemf(posture.CodeUnavailable, "The service is not ready.")
	}
	out := &aliveOutput{}
	out.Body.Status = "ok"
	return out, nil
}
