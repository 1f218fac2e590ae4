package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// ScheduleRow is a schedule with the fields that decide when it fires.
type ScheduleRow struct {
	posture.Schedule
	// Due is the next due time, Wake when it is acted on; both are zero when none is left.
	Due, Wake time.Time
	// Revision counts the changes made by people. A writer passes the one it read.
	Revision int
	// Last is the latest due time that was decided; nil when there is none.
	Last *posture.Fire
}

// ScheduleFilter narrows Schedules; an empty field does not filter.
type ScheduleFilter struct {
	Account  string
	Accounts []string // any of these
}

// FireSchedule decides the due time of a schedule: Due must still be its next one, at the revision the
// caller read. Then is the job; nil means that the time was missed.
type FireSchedule struct {
	ID       string
	Revision int
	Due      time.Time // the next due time of the row
	// At is the due time that is recorded: Due, or a later one that stands for all the times since Due
	// at which no process was running.
	At                time.Time
	NextDue, NextWake time.Time // zero when none is left
	Then              *NewJob
	Now               time.Time
}

// WaitingFire is a due time whose job could not start because an earlier job of the account was
// unfinished.
type WaitingFire struct {
	Schedule ScheduleRow
	At       time.Time
}

// MaxWaiting bounds how many due times of one schedule may wait at once; further ones are skipped.
// Otherwise a run that takes longer than its period would fall further behind for ever.
const MaxWaiting = 100

// Schedules keeps the schedules of repeated runs and decides each due time once.
type Schedules interface {
	// PutSchedule inserts a schedule at revision 1. ErrNotFound when its account
	// is gone.
	PutSchedule(ctx context.Context, s ScheduleRow) error
	// ChangeSchedule replaces a schedule whose revision is s.Revision and increments the revision. A
	// paused schedule no longer fires, and its waiting times are skipped. ErrNotFound, ErrChanged.
	ChangeSchedule(ctx context.Context, s ScheduleRow) error
	// DeleteSchedule deletes a schedule and its decisions; its jobs are kept. ErrNotFound.
	DeleteSchedule(ctx context.Context, id string) error
	// Schedule returns a schedule. ErrNotFound.
	Schedule(ctx context.Context, id string) (ScheduleRow, error)
	// Schedules lists schedules, newest first.
	Schedules(ctx context.Context, f ScheduleFilter, p Page) (rows []ScheduleRow, next string, err error)
	// DueSchedules lists up to limit schedules that are not paused and wake at or
	// before now, longest due first.
	DueSchedules(ctx context.Context, now time.Time, limit int) ([]ScheduleRow, error)
	// Fire records the outcome of a due time, queues its job and sets the schedule's next due time, in
	// one transaction. Nothing happens, and ErrChanged is returned, unless the schedule is as the
	// caller read it: of any number of callers one succeeds. When an unfinished job has the active key
	// of the new one, or belongs to the schedule, the time is skipped or waits as the schedule says.
	// The job is not nil when one was queued.
	Fire(ctx context.Context, f FireSchedule) (posture.FireOutcome, *JobRow, error)
	// WaitingFires lists the longest waiting time of each schedule, up to limit, longest first.
	WaitingFires(ctx context.Context, limit int) ([]WaitingFire, error)
	// StartWaiting queues the job of a waiting time. ErrChanged when it no longer waits or an
	// unfinished job is in its way again.
	StartWaiting(ctx context.Context, w WaitingFire, job NewJob, now time.Time) (JobRow, error)
	// Fires lists the decided due times of a schedule, newest first, up to limit; 0 means all that are
	// kept, which is 90 days.
	Fires(ctx context.Context, scheduleID string, limit int) ([]posture.Fire, error)
}
