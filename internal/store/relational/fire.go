package relational

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// fireLife is how long the outcome of a due time is remembered.
const fireLife = 90 * 24 * time.Hour

// Fire implements store.Schedules. The update of the due time is the lock: it is the first statement,
// so concurrent callers wait for it and then find another due time. The key of schedule_fire protects
// the case where a person's change, made with a clock that is behind, brought a due time back.
func (s *Store) Fire(ctx context.Context, f store.FireSchedule) (posture.FireOutcome, *store.JobRow, error) {
	var fire fireRow
	var job *jobRow
	err := s.inTx(ctx, "fire a schedule", func(tx bun.Tx) error {
		job = nil
		var row scheduleRow
		err := tx.NewRaw(`UPDATE schedule SET due_at = ?, wake_at = ? WHERE id = ? AND revision = ? AND due_at = ? AND NOT paused RETURNING *`,
			micros(f.NextDue), micros(f.NextWake), clean(f.ID), f.Revision, micros(f.Due)).Scan(ctx, &row)
		if err != nil {
			return whenNone(err, store.ErrChanged) // it is not as it was read
		}
		fire = fireRow{ScheduleID: row.ID, DueAt: micros(f.At), Outcome: string(posture.FireMissed), DecidedAt: micros(f.Now)}
		if f.Then != nil {
			fire.Outcome, fire.JobID = string(posture.FireStarted), clean(f.Then.ID)
		}
		first, err := affected(tx.NewInsert().Model(&fire).On("CONFLICT (schedule_id, due_at) DO NOTHING").Exec(ctx))
		if err != nil {
			return err
		}
		if first == 0 {
			return tx.NewSelect().Model(&fire).WherePK().Scan(ctx)
		}
		if f.Then != nil {
			if job, err = start(ctx, tx, row, *f.Then, &fire); err != nil {
				return err
			}
		}
		return ran(tx.NewRaw("DELETE FROM schedule_fire WHERE schedule_id = ? AND due_at < ? AND outcome <> 'waiting'", row.ID,
			micros(f.Now.Add(-fireLife))).Exec(ctx))
	})
	if err != nil || job == nil {
		return posture.FireOutcome(fire.Outcome), nil, err
	}
	queued, err := job.job()
	return posture.FireOutcome(fire.Outcome), &queued, err
}

// start queues the job of a fire, or records that it waits or is skipped.
func start(ctx context.Context, tx bun.Tx, schedule scheduleRow, n store.NewJob, fire *fireRow) (*jobRow, error) {
	waiting, err := tx.NewSelect().Model((*fireRow)(nil)).Where("schedule_id = ? AND outcome = 'waiting'", schedule.ID).Count(ctx)
	if err != nil {
		return nil, err
	}
	if waiting == 0 {
		row, err := queueUnlessBusy(ctx, tx, n)
		if err != nil || row != nil {
			return row, err
		}
	}
	fire.Outcome, fire.JobID = string(posture.FireSkipped), ""
	if schedule.Overlap == string(posture.OverlapQueue) && waiting < store.MaxWaiting {
		fire.Outcome = string(posture.FireWaiting)
	}
	_, err = tx.NewUpdate().Model(fire).Column("outcome", "job_id").WherePK().Exec(ctx)
	return nil, err
}

// queueUnlessBusy inserts the job, or gives nil when an unfinished one is in its way. It checks the
// account as well as the active key, because the key changes when the first run of an account finds its
// provider id.
func queueUnlessBusy(ctx context.Context, tx bun.Tx, n store.NewJob) (*jobRow, error) {
	row := newRow(n)
	busy, err := tx.NewSelect().Model((*jobRow)(nil)).Where("state IN ('queued', 'running') AND (account = ? AND kind = ? OR schedule_id = ?)",
		row.Account, row.Kind, row.ScheduleID).Exists(ctx)
	if err != nil || busy {
		return nil, err
	}
	inserted, err := insertUnlessActive(ctx, tx, &row)
	if err != nil || !inserted {
		return nil, err
	}
	return &row, nil
}

// WaitingFires implements store.Schedules.
func (s *Store) WaitingFires(ctx context.Context, limit int) ([]store.WaitingFire, error) {
	fires, err := readRows[fireRow](ctx, s, "look for runs that wait", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("outcome = 'waiting'").
			Where("NOT EXISTS (SELECT 1 FROM schedule_fire AS f WHERE f.schedule_id = fire_row.schedule_id AND f.outcome = 'waiting' AND f.due_at " +
				"< fire_row.due_at)").
			OrderExpr("due_at, schedule_id").Limit(int64(limit))
	})
	if err != nil || len(fires) == 0 {
		return nil, err
	}
	ids := make([]string, len(fires))
	for i, f := range fires {
		ids[i] = f.ScheduleID
	}
	rows, err := s.schedules(ctx, "look for runs that wait", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("id IN (?)",
			bun.List(ids))
	})
	if err != nil {
		return nil, err
	}
	byID := make(map[string]store.ScheduleRow, len(rows))
	for _, r := range rows {
		byID[r.ID] = r
	}
	out := make([]store.WaitingFire, 0, len(fires))
	for _, f := range fires {
		if row, there := byID[f.ScheduleID]; there {
			out = append(out, store.WaitingFire{Schedule: row, At: instant(f.DueAt)})
		}
	}
	return out, nil
}

// StartWaiting implements store.Schedules. The schedule row is locked first, as in Fire and
// ChangeSchedule, so that a concurrent pause either commits first and prevents the start, or comes
// after it.
func (s *Store) StartWaiting(ctx context.Context, w store.WaitingFire, n store.NewJob, now time.Time) (store.JobRow, error) {
	var job *jobRow
	err := s.inTx(ctx, "start a run that waited", func(tx bun.Tx) error {
		for _, step := range []*bun.RawQuery{
			tx.NewRaw("UPDATE schedule SET revision = revision WHERE id = ? AND revision = ? AND NOT paused", clean(w.Schedule.ID),
				w.Schedule.Revision),
			tx.NewRaw("UPDATE schedule_fire SET outcome = 'started', job_id = ?, decided_at = ? WHERE schedule_id = ? AND due_at = ? AND outcome "+
				"= 'waiting'",
				clean(n.ID), micros(now), clean(w.Schedule.ID), micros(w.At)),
		} {
			if changed, err := affected(step.Exec(ctx)); err != nil || changed == 0 {
				return orElse(err, store.ErrChanged)
			}
		}
		var err error
		if job, err = queueUnlessBusy(ctx, tx, n); err != nil || job == nil {
			return orElse(err, store.ErrChanged)
		}
		return nil
	})
	if err != nil {
		return store.JobRow{}, err
	}
	return job.job()
}
