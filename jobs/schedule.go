package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/schedule"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Grace is how late a due time may be noticed and still count as kept. It is longer than a restart
// takes, and short compared with usual periods.
const Grace = 5 * time.Minute

// sweep bounds how many schedules one pass handles; the next pass continues.
const sweep = 1000

// Scheduler starts repeated runs. Any number of processes may run it at the same time: the store
// decides each due time once.
type Scheduler struct {
	Accounts  store.Accounts
	Schedules store.Schedules
	Now       func() time.Time
	NewID     func() string
	// Notify signals the workers that a job waits. A failure is harmless, because the reconciler adds a
	// task later.
	Notify func(ctx context.Context, j store.JobRow) error
	// Alerts has the due alert rules; a rule with unreadable times waits a day.
	Alerts store.Alerts
	// Fired is called for each job that a due time started; optional.
	Fired func(ctx context.Context, j store.JobRow)
}

// Timing returns the due time that follows an instant and when it is acted on; both are zero when there
// is none.
func Timing(s posture.Schedule, p schedule.Plan, after time.Time) (due, wake time.Time) {
	due = p.Next(after)
	if due.IsZero() {
		return due, due
	}
	return due, wakeOf(s, p, due)
}

func wakeOf(s posture.Schedule, p schedule.Plan, due time.Time) time.Time {
	return due.Add(schedule.Jitter(s.ID, due, p.Next(due), time.Duration(s.JitterSeconds)*time.Second))
}

// Sweep handles every schedule that is due, every due alert rule and every waiting run. One that cannot
// be fired does not block the others.
func (k Scheduler) Sweep(ctx context.Context) error {
	now := k.Now()
	due, err := k.Schedules.DueSchedules(ctx, now, sweep)
	if err != nil {
		return fmt.Errorf("look for schedules that are due: %w", err)
	}
	var errs []error
	for _, row := range due {
		errs = append(errs, k.fire(ctx, row, now))
	}
	errs = append(errs, k.wakeAlerts(ctx, now))
	waiting, err := k.Schedules.WaitingFires(ctx, sweep)
	if err != nil {
		return errors.Join(append(errs, fmt.Errorf("look for runs that wait: %w", err))...)
	}
	for _, w := range waiting {
		errs = append(errs, k.startWaiting(ctx, w, now))
	}
	return errors.Join(errs...)
}

// fire decides the next due time of a schedule. Due times before the latest one that should have been
// acted on were missed; the latest stands for them.
func (k Scheduler) fire(ctx context.Context, row store.ScheduleRow, now time.Time) error {
	p, err := schedule.Parse(row.Cron, row.TimeZone)
	if err != nil {
		return fmt.Errorf("schedule %s: %w", row.ID, err)
	}
	at, wake := latest(row, p, now)
	f := store.FireSchedule{ID: row.ID, Revision: row.Revision, Due: row.Due, At: at, Now: now.UTC().Truncate(time.Microsecond)}
	f.NextDue, f.NextWake = Timing(row.Schedule, p, at)
	if row.Missed == posture.MissedOnce || now.Sub(wake) <= Grace {
		n, err := k.job(ctx, row)
		if err != nil {
			return err
		}
		f.Then = &n
	}
	_, job, err := k.Schedules.Fire(ctx, f)
	if errors.Is(err, store.ErrChanged) {
		return nil // another process did, or it was paused
	}
	if err != nil {
		return fmt.Errorf("fire the schedule %s: %w", row.ID, err)
	}
	k.ring(ctx, job)
	return nil
}

// latest returns the last due time whose wake time has come, and that wake time.
func latest(row store.ScheduleRow, p schedule.Plan, now time.Time) (at, wake time.Time) {
	at = p.Last(row.Due, now)
	if at.Equal(row.Due) {
		return at, row.Wake
	}
	if wake = wakeOf(row.Schedule, p, at); !wake.After(now) {
		return at, wake
	}
	// Its jitter delay is not over; it fires at its own time.
	if at = p.Last(row.Due, at.Add(-time.Nanosecond)); at.Equal(row.Due) {
		return at, row.Wake
	}
	return at, wakeOf(row.Schedule, p, at)
}

func (k Scheduler) startWaiting(ctx context.Context, w store.WaitingFire, now time.Time) error {
	n, err := k.job(ctx, w.Schedule)
	if err != nil {
		return err
	}
	job, err := k.Schedules.StartWaiting(ctx, w, n, now.UTC().Truncate(time.Microsecond))
	if errors.Is(err, store.ErrChanged) {
		return nil // not yet, or no longer
	}
	if err != nil {
		return fmt.Errorf("start the waiting run of schedule %s: %w", w.Schedule.ID, err)
	}
	k.ring(ctx, &job)
	return nil
}

func (k Scheduler) ring(ctx context.Context, job *store.JobRow) {
	if job != nil {
		if k.Fired != nil {
			k.Fired(ctx, *job)
		}
		_ = k.Notify(ctx, *job) // see Notify
	}
}

func (k Scheduler) job(ctx context.Context, row store.ScheduleRow) (store.NewJob, error) {
	account, err := k.Accounts.Account(ctx, row.Account)
	if err != nil {
		return store.NewJob{}, fmt.Errorf("load the account of schedule %s: %w", row.ID, err)
	}
	n, err := NewAssess(k.NewID(), account, AssessArguments{Request: row.Request, AfterRun: row.AfterRun}, "scheduled", k.Now())
	n.ScheduleID = row.ID
	return n, err
}
