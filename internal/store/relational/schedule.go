package relational

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type scheduleRow struct {
	bun.BaseModel `bun:"table:schedule"`

	ID        string `bun:"id,pk"`
	AccountID string `bun:"account_id"`
	Overlap   string `bun:"overlap"`
	Paused    bool   `bun:"paused"`
	DueAt     int64  `bun:"due_at"`
	WakeAt    int64  `bun:"wake_at"`
	Revision  int    `bun:"revision"`
	CreatedAt int64  `bun:"created_at"`
	UpdatedAt int64  `bun:"updated_at"`
	Body      []byte `bun:"body"` // posture.Schedule as JSON

	// The latest fire; empty when nothing was decided yet.
	LastDue     int64  `bun:"last_due,scanonly"`
	LastOutcome string `bun:"last_outcome,scanonly"`
	LastJob     string `bun:"last_job,scanonly"`
}

func newScheduleRow(s store.ScheduleRow) (scheduleRow, error) {
	body, err := encoded("a schedule", s.Schedule)
	return scheduleRow{ID: clean(s.ID), AccountID: clean(s.Account), Overlap: string(s.Overlap), Paused: s.Paused, DueAt: micros(s.Due),
		WakeAt: micros(s.Wake), Revision: s.Revision, CreatedAt: micros(s.CreatedAt), UpdatedAt: micros(s.UpdatedAt), Body: body}, err
}

// schedule decodes the row for callers; where body and columns hold the same field, the columns win.
func (r scheduleRow) schedule() (store.ScheduleRow, error) {
	out := store.ScheduleRow{Due: instant(r.DueAt), Wake: instant(r.WakeAt), Revision: r.Revision}
	if err := json.Unmarshal(r.Body, &out.Schedule); err != nil {
		return out, fmt.Errorf("decode the schedule %s: %w", r.ID, err)
	}
	out.ID, out.Account, out.Overlap, out.Paused = r.ID, r.AccountID, posture.Overlap(r.Overlap), r.Paused
	out.CreatedAt, out.UpdatedAt = instant(r.CreatedAt), instant(r.UpdatedAt)
	if r.LastDue > 0 {
		last := fireRow{DueAt: r.LastDue, Outcome: r.LastOutcome, JobID: r.LastJob}.fire()
		out.Last = &last
	}
	return out, nil
}

type fireRow struct {
	bun.BaseModel `bun:"table:schedule_fire"`

	ScheduleID string `bun:"schedule_id,pk"`
	DueAt      int64  `bun:"due_at,pk"`
	Outcome    string `bun:"outcome"`
	JobID      string `bun:"job_id"`
	DecidedAt  int64  `bun:"decided_at"`
}

func (r fireRow) fire() posture.Fire {
	return posture.Fire{At: instant(r.DueAt), JobID: r.JobID, Outcome: posture.FireOutcome(r.Outcome)}
}

// PutSchedule implements store.Schedules.
func (s *Store) PutSchedule(ctx context.Context, in store.ScheduleRow) error {
	in.Revision = 1
	row, err := newScheduleRow(in)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "keep a schedule", func(tx bun.Tx) error {
		there, err := tx.NewSelect().Model((*accountRow)(nil)).Where("id = ?", row.AccountID).Exists(ctx)
		if err == nil && !there {
			err = store.ErrNotFound
		}
		if err != nil {
			return err
		}
		return ran(tx.NewInsert().Model(&row).Exec(ctx))
	})
}

// ChangeSchedule implements store.Schedules.
func (s *Store) ChangeSchedule(ctx context.Context, in store.ScheduleRow) error {
	row, err := newScheduleRow(in)
	if err != nil {
		return err
	}
	return s.inTx(ctx, "change a schedule", func(tx bun.Tx) error {
		n, err := affected(tx.NewRaw(`UPDATE schedule SET overlap = ?, paused = ?, due_at = ?, wake_at = ?, updated_at = ?, body = ?, revision =
			revision + 1
			WHERE id = ? AND revision = ?`, row.Overlap, row.Paused, row.DueAt, row.WakeAt, row.UpdatedAt, row.Body, row.ID, row.Revision).Exec(ctx))
		if err != nil {
			return err
		}
		if n == 0 {
			return changedOrGone(ctx, tx, (*scheduleRow)(nil), row.ID)
		}
		if row.Paused {
			_, err = tx.NewRaw("UPDATE schedule_fire SET outcome = 'skipped' WHERE schedule_id = ? AND outcome = 'waiting'", row.ID).Exec(ctx)
		}
		return err
	})
}

// DeleteSchedule implements store.Schedules.
func (s *Store) DeleteSchedule(ctx context.Context, id string) error {
	return s.execute(ctx, "delete a schedule", store.ErrNotFound, "DELETE FROM schedule WHERE id = ?", clean(id))
}

// Schedule implements store.Schedules.
func (s *Store) Schedule(ctx context.Context, id string) (store.ScheduleRow, error) {
	rows, err := s.schedules(ctx, "read a schedule", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("id = ?", clean(id)) })
	if err == nil && len(rows) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.ScheduleRow{}, err
	}
	return rows[0], nil
}

// Schedules implements store.Schedules. A limit of 0 means no limit.
func (s *Store) Schedules(ctx context.Context, f store.ScheduleFilter, p store.Page) ([]store.ScheduleRow, string, error) {
	after, paged, err := decodeCursor(listSchedules, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	rows, err := s.schedules(ctx, "list the schedules", func(q *bun.SelectQuery) *bun.SelectQuery {
		if f.Account != "" {
			q = q.Where("account_id = ?", clean(f.Account))
		}
		return newest(among(q, "account_id", f.Accounts), "created_at", after, paged, ask(p.Limit))
	})
	if err != nil {
		return nil, "", err
	}
	rows, next := cut(listSchedules, rows, p.Limit, func(r store.ScheduleRow) sortKey { return sortKey{at: micros(r.CreatedAt), id: r.ID} })
	return rows, next, nil
}

// DueSchedules implements store.Schedules.
func (s *Store) DueSchedules(ctx context.Context, now time.Time, limit int) ([]store.ScheduleRow, error) {
	return s.schedules(ctx, "look for schedules that are due", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("NOT paused AND due_at > 0 AND wake_at <= ?", micros(now)).OrderExpr("wake_at, id").Limit(int64(limit))
	})
}

// schedules reads schedules and the latest fire of each. The fire is read from the end of the
// schedule's key range, so the cost does not depend on how many there are.
func (s *Store) schedules(ctx context.Context, attempted string, choose choice) ([]store.ScheduleRow, error) {
	return decodedRows(ctx, s, attempted, scheduleRow.schedule, func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.ColumnExpr("schedule_row.*")
		for _, c := range []struct{ column, as string }{{"due_at", "last_due"}, {"outcome", "last_outcome"}, {"job_id", "last_job"}} {
			q = q.ColumnExpr("(SELECT ? FROM schedule_fire AS f WHERE f.schedule_id = schedule_row.id ORDER BY f.due_at DESC LIMIT 1) AS ?",
				bun.Ident("f."+c.column), bun.Ident(c.as))
		}
		return choose(q)
	})
}

// Fires implements store.Schedules.
func (s *Store) Fires(ctx context.Context, scheduleID string, limit int) ([]posture.Fire, error) {
	rows, err := readRows[fireRow](ctx, s, "list the due times of a schedule", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("schedule_id = ?", clean(scheduleID)).OrderExpr("due_at DESC").Limit(int64(limit))
	})
	if err != nil {
		return nil, err
	}
	return mapped(rows, fireRow.fire), nil
}
