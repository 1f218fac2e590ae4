package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

type patchScheduleInput struct {
	ID   string `path:"id"`
	Body struct {
		Cron string `json:"cron,omitempty" maxLength:"500"`
		ScheduleFields
		AsRead
	}
}

// patchSchedule changes a schedule. The next due time is recomputed only when something it depends
// on has changed, so that editing the note does not move a run. A due time that has passed and is
// still waiting to be fired is kept as long as the times do not change.
func patchSchedule(s *Server, ctx context.Context, in *patchScheduleInput) (*answer[ScheduleInfo], error) {
	// Retry when a worker fires the schedule in between; that is no reason to refuse the change.
	for range 10 {
		row, err := s.schedule(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		if !in.Body.still(row.UpdatedAt) {
			break
		}
		before := row
		if in.Body.Cron != "" {
			row.Cron = in.Body.Cron
		}
		in.Body.into(&row.Schedule)
		now := s.now()
		if err := s.arm(&row, now); err != nil {
			return nil, err
		}
		if row.Cron == before.Cron && row.TimeZone == before.TimeZone && row.JitterSeconds == before.JitterSeconds && !before.Paused {
			row.Due, row.Wake = before.Due, before.Wake
		}
		row.UpdatedAt = following(before.UpdatedAt, now)
		err = s.o.Store.ChangeSchedule(ctx, row)
		if errors.Is(err, store.ErrChanged) {
			continue
		}
		if err != nil {
			return nil, orMissing(err, "schedule", row.ID, "/api/schedules")
		}
		info, err := scheduleInfo(row)
		return &answer[ScheduleInfo]{info}, err
	}
	return nil, posture.Problemf(posture.CodeConflict,
		"The schedule was changed by somebody else since it was read; read it again and repeat the change.")
}

func deleteSchedule(s *Server, ctx context.Context, in *idInput) (*emptyOutput, error) {
	row, err := s.schedule(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.o.Store.DeleteSchedule(ctx, row.ID); err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("delete the schedule: %w", err)
	}
	return &emptyOutput{Status: http.StatusNoContent}, nil
}

// runSchedule starts a run now, even while the schedule is paused; the due times do not change.
func runSchedule(s *Server, ctx context.Context, in *idSubmitInput) (*submitOutput, error) {
	row, err := s.schedule(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	account, err := s.registered(ctx, row.Account)
	if err != nil {
		return nil, err
	}
	n, err := jobs.NewAssess(s.o.NewID(), account, jobs.AssessArguments{Request: row.Request, AfterRun: row.AfterRun}, "interactive",
		s.o.Now())
	if err != nil {
		return nil, err
	}
	n.ScheduleID = row.ID
	in.Prefer = cmp.Or(in.Prefer, atOnce)
	return s.submit(ctx, n, in.SubmitHeaders)
}
