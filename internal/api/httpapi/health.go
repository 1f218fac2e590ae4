package httpapi

import (
	"context"
	"errors"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Part is the state of one dependency of the service.
type Part struct {
	Name   string `json:"name"`
	Status string `json:"status" enum:"ok,failing"`
	Reason string `json:"reason,omitempty" doc:"Why it is failing, and what to do."`
}

// Health is the state of the service and its dependencies.
type Health struct {
	Status           string     `json:"status" enum:"ok,degraded"`
	Version          string     `json:"version"`
	UptimeSeconds    int        `json:"uptimeSeconds"`
	Store            Part       `json:"store"`
	Queue            Part       `json:"queue"`
	Settings         Part       `json:"settings" doc:"Whether the settings saved here can be used."`
	Workers          int        `json:"workers"`
	Remediation      string     `json:"remediation" enum:"enabled,disabled"`
	AuthRequired     bool       `json:"authRequired"`
	LastAssessmentAt *time.Time `json:"lastAssessmentAt"`
	Demo             bool       `json:"demo"`
}

func getHealth(s *Server, ctx context.Context, _ *struct{}) (*answer[Health], error) {
	h := Health{Status: "ok", Version: s.o.Version, UptimeSeconds: int(s.o.Now().Sub(s.started).Seconds()), Remediation: s.remediation(),
		AuthRequired: s.secured(), Store: Part{Name: s.o.Store.Engine(), Status: "ok"}, Queue: Part{Name: s.o.QueueName, Status: "ok"},
		Settings: Part{Name: "file", Status: "ok"}}
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	storeErr, queueErr := s.ask(ctx, func() (err error) {
		h.Workers, err = s.o.Workers(ctx)
		return err
	})
	if storeErr == nil {
		storeErr = s.lastLook(ctx, &h)
	}
	settingsErr := storeErr // the revision of the settings is in the store
	if storeErr == nil {
		_, settingsErr = s.o.Settings.Read(ctx)
	}
	for part, err := range map[*Part]error{&h.Store: storeErr, &h.Queue: queueErr, &h.Settings: settingsErr} {
		if err != nil {
			part.Status, part.Reason, h.Status = "failing", reasonOf(part.Name, err), "degraded"
		}
	}
	if storeErr != nil {
		h.Settings.Reason = "they cannot be read while the store fails"
	}
	if h.Workers == 0 {
		h.Status = "degraded"
	}
	return &answer[Health]{Body: h}, nil
}

// lastLook reads the parts of health that are about accounts.
func (s *Server) lastLook(ctx context.Context, h *Health) error {
	latest, err := s.o.Store.Pick(ctx, "", "")
	if err == nil {
		h.LastAssessmentAt = &latest.CompletedAt
	} else if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	a, err := s.o.Store.DefaultAccount(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	h.Demo = a.Demo
	return err
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
	ctx, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	storeErr, queueErr := s.ask(ctx, func() error { return nil })
	if s.closing.Err() != nil || storeErr != nil || queueErr != nil {
		return nil, posture.Problemf(posture.CodeUnavailable, "The service is not ready; /api/health tells why.")
	}
	out := &aliveOutput{}
	out.Body.Status = "ok"
	return out, nil
}
