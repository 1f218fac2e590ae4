package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/platform/schedule"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

// shownRuns is how many upcoming due times a schedule shows.
const shownRuns = 5

// ScheduleInfo is a schedule in API responses.
type ScheduleInfo struct {
	posture.Schedule
	NextRuns []time.Time `json:"nextRuns" doc:"The next five due times; none while it is paused. A run starts up to jitterSeconds later."`
	// LastRun is nil until the first due time.
	LastRun *posture.Fire `json:"lastRun,omitempty" doc:"What became of the latest due time."`
}

func scheduleInfo(row store.ScheduleRow) (ScheduleInfo, error) {
	info := ScheduleInfo{Schedule: row.Schedule, NextRuns: []time.Time{}, LastRun: row.Last}
	if row.Paused || row.Due.IsZero() {
		return info, nil
	}
	p, err := schedule.Parse(row.Cron, row.TimeZone)
	if err != nil {
		return info, fmt.Errorf("read the stored schedule %s: %w", row.ID, err)
	}
	info.NextRuns = append([]time.Time{row.Due}, p.NextN(row.Due, shownRuns-1)...)
	return info, nil
}

// ScheduleRequest selects what the runs of a schedule read and judge.
type ScheduleRequest struct {
	Zones        []string `json:"zones,omitempty" maxItems:"1000" doc:"Zone names, ids or patterns with * and ?; the account's when absent."`
	ExcludeZones []string `json:"excludeZones,omitempty" maxItems:"1000"`
	Categories   []string `json:"categories,omitempty" maxItems:"100"`
	Checks       []string `json:"checks,omitempty" maxItems:"500"`
	Profile      string   `json:"profile,omitempty" enum:"full,core"`
	Sensitivity  string   `json:"sensitivity,omitempty" enum:"low,medium,high,critical"`
	Note         string   `json:"note,omitempty" maxLength:"1000"`
	Incremental  bool     `json:"incremental,omitempty" doc:"Read again only what may have changed since the runs of the last 24 hours."`
}

func (r ScheduleRequest) request() posture.AssessRequest {
	return posture.AssessRequest{Zones: r.Zones, ExcludeZones: r.ExcludeZones, Categories: r.Categories, Checks: r.Checks,
		Profile: posture.Profile(r.Profile), Sensitivity: posture.Sensitivity(r.Sensitivity), Note: r.Note, Incremental: r.Incremental}
}

// ScheduleFields are the fields that POST and PATCH share; an absent field keeps its value.
type ScheduleFields struct {
	TimeZone *string `json:"timeZone,omitempty" maxLength:"100" doc:"A name of the IANA database, as Europe/Berlin. Default UTC."`

	JitterSeconds *int `json:"jitterSeconds,omitempty" minimum:"0" maximum:"3600" doc:"Spreads runs: a fixed delay of up to this. Default 0."`

	Overlap string `json:"overlap,omitempty" enum:"skip,queue" doc:"What happens while the account has an unfinished run. Default skip."`
	Missed  string `json:"missed,omitempty" enum:"skip,once" doc:"What happens after due times that the service missed. Default skip."`

	Paused   *bool             `json:"paused,omitempty"`
	Request  *ScheduleRequest  `json:"request,omitempty" doc:"What each run reads and judges."`
	AfterRun *posture.AfterRun `json:"afterRun,omitempty" doc:"Sent after each run instead of the account's; {} goes back to the account's."`
}

func (f ScheduleFields) into(s *posture.Schedule) {
	if f.TimeZone != nil {
		s.TimeZone = *f.TimeZone
	}
	if f.JitterSeconds != nil {
		s.JitterSeconds = *f.JitterSeconds
	}
	if f.Overlap != "" {
		s.Overlap = posture.Overlap(f.Overlap)
	}
	if f.Missed != "" {
		s.Missed = posture.Missed(f.Missed)
	}
	if f.Paused != nil {
		s.Paused = *f.Paused
	}
	if f.Request != nil {
		s.Request = f.Request.request()
	}
	if f.AfterRun != nil {
		s.AfterRun = f.AfterRun
		if f.AfterRun.Ship == "" && len(f.AfterRun.Notify) == 0 {
			s.AfterRun = nil
		}
	}
}

// arm validates a schedule and sets its next due time after now.
func (s *Server) arm(row *store.ScheduleRow, now time.Time) error {
	if row.TimeZone == "" {
		row.TimeZone = "UTC"
	}
	p, err := schedule.Parse(row.Cron, row.TimeZone)
	if errors.Is(err, schedule.ErrZone) {
		return posture.Invalid("body.timeZone", sentence(err), clip(row.TimeZone))
	}
	if err != nil {
		return posture.Invalid("body.cron", sentence(err), clip(row.Cron))
	}
	if err := errors.Join(assess.Validate(row.Request, s.o.Checks), showable("body.note", row.Request.Note)); err != nil {
		return inRequest(err)
	}
	row.Due, row.Wake = jobs.Timing(row.Schedule, p, now)
	return nil
}

// sentence capitalizes the text of an error and adds a period.
func sentence(err error) string {
	text := err.Error()
	return string(text[0]-'a'+'A') + text[1:] + "."
}

// inRequest moves the locations of a problem below body.request.
func inRequest(err error) error {
	if p, ok := errors.AsType[*posture.Problem](err); ok {
		for i, e := range p.Errors {
			p.Errors[i].Location = "body.request." + e.Location[len("body."):]
		}
	}
	return err
}

type postScheduleInput struct {
	OnceHeader
	Body struct {
		Account string `json:"account,omitempty" maxLength:"200" doc:"A registered account's id or name; the default account when absent."`
		Cron    string `json:"cron" minLength:"1" maxLength:"500" doc:"Minute, hour, day (1-31), month, day of the week; or @daily and the like."`
		ScheduleFields
	}
}

func postSchedule(s *Server, ctx context.Context, in *postScheduleInput) (*object[ScheduleInfo], error) {
	call, err := onceOf(ctx, in.OnceHeader, in.Body)
	if err != nil {
		return nil, err
	}
	if made, err := s.scheduleMade(ctx, call); made != nil || err != nil {
		return made, err
	}
	account, err := s.registered(ctx, in.Body.Account)
	if err != nil {
		return nil, err
	}
	now := s.now()
	row := store.ScheduleRow{Schedule: posture.Schedule{Account: account.ID, Cron: in.Body.Cron, Overlap: posture.OverlapSkip,
		Missed: posture.MissedSkip, CreatedAt: now, UpdatedAt: now}}
	in.Body.into(&row.Schedule)
	if err := s.arm(&row, now); err != nil {
		return nil, err
	}
	if row.ID, err = s.newID(ctx, call); err != nil {
		return nil, err
	}
	err = s.o.Store.PutSchedule(ctx, row)
	if errors.Is(err, store.ErrNotFound) {
		return nil, posture.Problemf(posture.CodeNotFound, "The account is no longer registered; GET /api/accounts lists all.")
	}
	if err != nil {
		if made, _ := s.scheduleMade(ctx, call); made != nil { // a concurrent call with the same key created it first
			return made, nil
		}
		return nil, fmt.Errorf("keep the schedule: %w", err)
	}
	return createdSchedule(row)
}

func createdSchedule(row store.ScheduleRow) (*object[ScheduleInfo], error) {
	info, err := scheduleInfo(row)
	return &object[ScheduleInfo]{Status: http.StatusCreated, Location: "/api/schedules/" + row.ID, Body: info}, err
}

// scheduleMade returns the schedule that an earlier call with the same idempotency key created, or nil.
func (s *Server) scheduleMade(ctx context.Context, call once) (*object[ScheduleInfo], error) {
	row, err := madeBefore(ctx, s, call, s.o.Store.Schedule)
	if row == nil || err != nil {
		return nil, err
	}
	return createdSchedule(*row)
}

type listSchedulesInput struct {
	Account string `query:"account" doc:"A registered account's id or name."`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Cursor  string `query:"cursor"`
}

type listSchedulesOutput page[ScheduleInfo]

func listSchedules(s *Server, ctx context.Context, in *listSchedulesInput) (*listSchedulesOutput, error) {
	f := store.ScheduleFilter{}
	if in.Account != "" {
		account, err := s.filterAccount(ctx, in.Account)
		if err != nil {
			return nil, err
		}
		f.Account = account.ID
	}
	rows, next, err := s.o.Store.Schedules(ctx, f, store.Page{Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return nil, fmt.Errorf("list the schedules: %w", err)
	}
	out := &listSchedulesOutput{}
	out.Body.Items, out.Body.NextCursor = make([]ScheduleInfo, 0, len(rows)), next
	for _, r := range rows {
		info, err := scheduleInfo(r)
		if err != nil {
			return nil, err
		}
		out.Body.Items = append(out.Body.Items, info)
	}
	return out, nil
}

func (s *Server) schedule(ctx context.Context, raw string) (store.ScheduleRow, error) {
	return byID(ctx, raw, "schedule", "/api/schedules", s.o.Store.Schedule)
}

func getSchedule(s *Server, ctx context.Context, in *idInput) (*answer[ScheduleInfo], error) {
	row, err := s.schedule(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	info, err := scheduleInfo(row)
	return &answer[ScheduleInfo]{info}, err
}
