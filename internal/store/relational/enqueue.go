package relational

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// idempotencyLife is how long an idempotency key is remembered.
const idempotencyLife = 24 * time.Hour

// Enqueue implements store.Jobs. Two unique keys decide between concurrent callers, never a read before
// the write: the active key of unfinished jobs and (idempotency key, route). Every transaction takes
// them in that order.
func (s *Store) Enqueue(ctx context.Context, n store.NewJob) (store.Enqueued, error) {
	var out store.Enqueued
	n = s.traced(ctx, n)
	err := s.inTx(ctx, "enqueue a job", func(tx bun.Tx) error {
		row, joined, err := enqueue(ctx, tx, n)
		if err != nil {
			return err
		}
		out.Joined = joined
		out.Job, err = row.job()
		return err
	})
	if err != nil {
		return store.Enqueued{}, err
	}
	return out, nil
}

// follow queues the jobs that follow one, in the transaction that ends it.
func (s *Store) follow(ctx context.Context, tx bun.Tx, then []store.NewJob) error {
	for _, n := range then {
		if _, _, err := enqueue(ctx, tx, s.traced(ctx, n)); err != nil {
			return err
		}
	}
	return nil
}

func enqueue(ctx context.Context, tx bun.Tx, n store.NewJob) (row jobRow, joined bool, err error) {
	if n.Idempotency != nil {
		row, joined, err = earlier(ctx, tx, n)
		if err != nil || joined {
			return row, joined, err
		}
	}
	row = newRow(n)
	inserted, err := insertUnlessActive(ctx, tx, &row)
	if err != nil {
		return jobRow{}, false, err
	}
	if !inserted {
		joined = true
		if row, err = active(ctx, tx, n); err != nil {
			return jobRow{}, false, err
		}
	}
	if n.Idempotency != nil {
		if err := bindKey(ctx, tx, n, row.ID); err != nil {
			return jobRow{}, false, err
		}
	}
	if !joined && n.Once != nil {
		if err := takeOnce(ctx, tx, *n.Once, n.CreatedAt); err != nil {
			return jobRow{}, false, err
		}
	}
	if !joined && n.Approval != nil {
		if err := takeApproval(ctx, tx, n); err != nil {
			return jobRow{}, false, err
		}
	}
	if !joined && n.ResumeFrom != "" {
		err = resume(ctx, tx, n)
	}
	return row, joined, err
}

// insertUnlessActive inserts a job unless an unfinished job has the same active key.
func insertUnlessActive(ctx context.Context, tx bun.Tx, row *jobRow) (inserted bool, err error) {
	n, err := affected(tx.NewInsert().Model(row).
		On("CONFLICT (active_key) WHERE active_key <> '' AND state IN ('queued', 'running') DO NOTHING").Exec(ctx))
	return n > 0, err
}

func newRow(n store.NewJob) jobRow {
	return jobRow{ID: clean(n.ID), Kind: string(n.Kind), Queue: clean(n.Queue), State: string(posture.JobQueued),
		Account: clean(n.Account), ActiveKey: clean(n.ActiveKey), Arguments: n.Arguments, BodyHash: clean(n.BodyHash),
		SealedToken: n.SealedToken, ScheduleID: clean(n.ScheduleID), Trace: clean(n.Trace), CreatedAt: micros(n.CreatedAt),
		DueAt: micros(n.CreatedAt)}
}

// earlier finds the job that an earlier call with this idempotency key made.
func earlier(ctx context.Context, tx bun.Tx, n store.NewJob) (row jobRow, found bool, err error) {
	var key idempotencyRow
	err = tx.NewSelect().Model(&key).Where("idempotency_key = ? AND route = ? AND created_at >= ?",
		clean(n.Idempotency.Key), clean(n.Idempotency.Route), micros(n.CreatedAt.Add(-idempotencyLife))).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return jobRow{}, false, nil
	}
	if err != nil {
		return jobRow{}, false, err
	}
	if key.BodyHash != clean(n.Idempotency.BodyHash) {
		return jobRow{}, false, store.ErrIdempotencyConflict
	}
	err = tx.NewSelect().Model(&row).Where("id = ?", key.JobID).Scan(ctx)
	return row, err == nil, orNotFound(err)
}

// active finds the unfinished job that holds the active key.
func active(ctx context.Context, tx bun.Tx, n store.NewJob) (jobRow, error) {
	var row jobRow
	err := tx.NewSelect().Model(&row).Where("active_key = ? AND active_key <> '' AND state IN ('queued', 'running')",
		clean(n.ActiveKey)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return jobRow{}, errAgain // the job ended between the two statements
	}
	if err != nil {
		return jobRow{}, err
	}
	if row.BodyHash != clean(n.BodyHash) {
		return jobRow{}, &store.ActiveJobError{JobID: row.ID}
	}
	return row, nil
}

// bindKey binds the idempotency key to the job. When a concurrent call was faster, the whole
// transaction is rolled back and repeated, and then finds that call's job.
func bindKey(ctx context.Context, tx bun.Tx, n store.NewJob, jobID string) error {
	row := idempotencyRow{Key: clean(n.Idempotency.Key), Route: clean(n.Idempotency.Route),
		BodyHash: clean(n.Idempotency.BodyHash), JobID: jobID, CreatedAt: micros(n.CreatedAt)}
	if err := execute(ctx, tx.NewInsert().Model(&row).On(`CONFLICT (idempotency_key, route) DO UPDATE
		SET body_hash = EXCLUDED.body_hash, job_id = EXCLUDED.job_id, created_at = EXCLUDED.created_at
		WHERE idempotency_row.created_at < ?`, micros(n.CreatedAt.Add(-idempotencyLife))), errAgain); err != nil {
		return err
	}
	// Expired keys are deleted here; twice the lifetime leaves room for callers whose clocks differ.
	return ran(tx.NewRaw("DELETE FROM idempotency WHERE created_at < ?", micros(n.CreatedAt.Add(-2*idempotencyLife))).Exec(ctx))
}

// takeOnce records a one-time key as used. Expired keys are deleted here, a day late to leave room for
// callers whose clocks differ.
func takeOnce(ctx context.Context, tx bun.Tx, once store.Once, now time.Time) error {
	if _, err := tx.NewRaw("DELETE FROM used_once WHERE until < ?", micros(now.Add(-24*time.Hour))).Exec(ctx); err != nil {
		return err
	}
	return execute(ctx, tx.NewRaw("INSERT INTO used_once (key, until) VALUES (?, ?) ON CONFLICT DO NOTHING", clean(once.Key),
		micros(once.Until)), store.ErrUsed)
}

// resume copies the sections that another run has read, as read when that run began. Denied and failed
// ones are not copied, so the new run fetches them again.
func resume(ctx context.Context, tx bun.Tx, n store.NewJob) error {
	keep := []snapshot.Status{snapshot.OK, snapshot.Skipped, snapshot.Absent, snapshot.NotEntitled}
	var began int64
	if err := tx.NewRaw("SELECT started_at FROM job WHERE id = ?", clean(n.ResumeFrom)).Scan(ctx, &began); err != nil {
		return orNotFound(err)
	}
	if _, err := tx.NewRaw(`INSERT INTO section (job_id, source, scope, status, permission, code, reason, value, read_at)
		SELECT ?, source, scope, status, permission, code, reason, value, CASE WHEN read_at = 0 THEN CAST(? AS BIGINT) ELSE read_at END
		FROM section WHERE job_id = ? AND status IN (?)`, clean(n.ID), began, clean(n.ResumeFrom), bun.List(keep)).Exec(ctx); err != nil {
		return err
	}
	return resumePacked(ctx, tx, n, keep, began) // after the rows: a section being packed meanwhile is in one of the two
}

// resumePacked is resume for packed sections.
func resumePacked(ctx context.Context, tx bun.Tx, n store.NewJob, keep []snapshot.Status, began int64) error {
	p, err := packOf(ctx, tx, clean(n.ResumeFrom))
	if err != nil || p == nil {
		return err
	}
	var pack packer
	for from := 0; from < len(p.list.chunks); from += sectionChunksRead {
		sections, err := p.some(ctx, tx, from)
		if err != nil {
			return err
		}
		sections = slices.DeleteFunc(sections, func(sec snapshot.Section) bool { return !slices.Contains(keep, sec.Status) })
		rows, err := newSectionRows(n.ID, sections, &pack)
		if err != nil {
			return err
		}
		for i := range rows {
			rows[i].ReadAt = cmp.Or(rows[i].ReadAt, began)
		}
		if len(rows) == 0 {
			continue
		}
		if _, err := tx.NewInsert().Model(&rows).On("CONFLICT DO NOTHING").Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
