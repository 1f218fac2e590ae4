package relational

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// fence is the condition of every write by a worker: it still holds the job.
const fence = " WHERE id = ? AND attempt = ? AND state = 'running'"

func encodeProblem(p *posture.Problem) (string, error) {
	if p == nil {
		return "", nil
	}
	b, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("encode a problem: %w", err)
	}
	return string(b), nil
}

// Claim implements store.Jobs. An unknown job is not claimable either.
func (s *Store) Claim(ctx context.Context, jobID, owner string, now time.Time, lease time.Duration) (store.JobRow, error) {
	var row jobRow
	// One statement decides between concurrent callers: the first changes the row so that the condition
	// no longer holds for the others.
	err := s.write(ctx, "claim a job", func(db bun.IDB) error {
		return whenNone(db.NewRaw(`UPDATE job SET state = 'running', attempt = attempt + 1,
			lost = CASE WHEN state = 'running' THEN lost + 1 ELSE lost END, owner = ?, lease_until = ?,
			started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END
			WHERE id = ? AND NOT cancel_requested
			AND (state = 'queued' AND due_at <= ? OR state = 'running' AND lease_until < ?)
			RETURNING *`, clean(owner), micros(now.Add(lease)), micros(now), clean(jobID), micros(now), micros(now)).Scan(ctx, &row),
			store.ErrNotClaimable)
	})
	if errors.Is(err, store.ErrNotClaimable) {
		// It may be unclaimable because its cancel was requested; then it ends here.
		cancelled := s.write(ctx, "cancel a job that nobody holds", func(db bun.IDB) error {
			return s.cancel(ctx, db, now, "id = ?", clean(jobID))
		})
		if cancelled != nil {
			return store.JobRow{}, cancelled
		}
	}
	if err != nil {
		return store.JobRow{}, err
	}
	return row.job()
}

// Due implements store.Jobs.
func (s *Store) Due(ctx context.Context, queue string, now time.Time, limit int) ([]string, error) {
	return selected[[]string](ctx, s, "look for jobs that are due",
		"SELECT id FROM job WHERE state = 'queued' AND queue = ? AND due_at <= ? ORDER BY due_at, created_at, id LIMIT ?",
		clean(queue), micros(now), limit)
}

// cancel ends the jobs with a requested cancel that nobody holds.
func (s *Store) cancel(ctx context.Context, db bun.IDB, now time.Time, which string, args ...any) error {
	args = append([]any{micros(now)}, append(args, micros(now))...)
	return ran(db.NewRaw(`UPDATE job SET state = 'cancelled', lost = CASE WHEN state = 'running' THEN lost + 1 ELSE lost END,
		finished_at = ?, `+unheld+`
		WHERE id IN (SELECT id FROM job WHERE `+which+` AND cancel_requested
		AND (state = 'queued' OR state = 'running' AND lease_until < ?)`+s.engine.Skip+")", args...).Exec(ctx))
}

// Renew implements store.Jobs. A locked row is one that the attempt itself is about to end: only the
// holder of a current lease locks it for long.
func (s *Store) Renew(ctx context.Context, jobID string, attempt int, now time.Time, lease time.Duration) (bool, error) {
	var cancel bool
	err := s.write(ctx, "renew the lease of a job", func(db bun.IDB) error {
		err := db.NewRaw("UPDATE job SET lease_until = ? WHERE id IN (SELECT id FROM job"+fence+s.engine.Skip+") RETURNING cancel_requested",
			micros(now.Add(lease)), clean(jobID), attempt).Scan(ctx, &cancel)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return whenNone(db.NewRaw("SELECT cancel_requested FROM job"+fence, clean(jobID), attempt).Scan(ctx, &cancel), store.ErrFenced)
	})
	return cancel, err
}

// SetProgress implements store.Jobs.
func (s *Store) SetProgress(ctx context.Context, jobID string, attempt int, p posture.Progress) error {
	b, err := encoded("the progress of a job", p)
	if err != nil {
		return err
	}
	return s.fenced(ctx, "keep the progress of a job", "progress = ?", jobID, attempt, string(b))
}

// Release implements store.Jobs.
func (s *Store) Release(ctx context.Context, jobID string, attempt int, due time.Time) error {
	return s.fenced(ctx, "hand a job back", release, jobID, attempt, micros(due))
}

// Retry implements store.Jobs.
func (s *Store) Retry(ctx context.Context, jobID string, attempt int, due time.Time) error {
	return s.fenced(ctx, "hand a job back after trouble", release+", tries = tries + 1", jobID, attempt, micros(due))
}

// unheld is what every end of a job sets: nobody holds it, and its credential is gone.
const unheld = "sealed_token = NULL, owner = '', lease_until = 0"

const release = "state = 'queued', owner = '', lease_until = 0, due_at = ?"

// Finish implements store.Jobs.
func (s *Store) Finish(ctx context.Context, jobID string, attempt int, state posture.JobState, result json.RawMessage,
	problem *posture.Problem, now time.Time, then ...store.NewJob) error {
	if !state.Terminal() || !posture.JobRunning.CanBecome(state) {
		return fmt.Errorf("finish a job as %q: a running job ends as succeeded, failed or cancelled", state)
	}
	encoded, err := encodeProblem(problem)
	if err != nil {
		return err
	}
	end := func(db bun.IDB) error {
		return fenced(ctx, db, "state = ?, result = ?, problem = ?, finished_at = ?, "+unheld, jobID, attempt,
			string(state), []byte(result), encoded, micros(now))
	}
	const attempted = "finish a job"
	if len(then) == 0 {
		return s.write(ctx, attempted, end)
	}
	return s.inTx(ctx, attempted, func(tx bun.Tx) error {
		if err := end(tx); err != nil {
			return err
		}
		return s.follow(ctx, tx, then)
	})
}

// fenced runs one update of a job that only the holder of the attempt may make.
func fenced(ctx context.Context, db bun.IDB, set, jobID string, attempt int, values ...any) error {
	return execute(ctx, db.NewRaw("UPDATE job SET "+set+fence, slices.Concat(values, []any{clean(jobID), attempt})...), store.ErrFenced)
}

func (s *Store) fenced(ctx context.Context, attempted, set, jobID string, attempt int, values ...any) error {
	return s.write(ctx, attempted, func(db bun.IDB) error { return fenced(ctx, db, set, jobID, attempt, values...) })
}

// RequestCancel implements store.Jobs. It is one statement, so that a job that is claimed at the same
// instant is either cancelled or flagged.
func (s *Store) RequestCancel(ctx context.Context, jobID string, now time.Time) (store.JobRow, error) {
	var row jobRow
	err := s.write(ctx, "request the cancel of a job", func(db bun.IDB) error {
		err := db.NewRaw(`UPDATE job SET cancel_requested = TRUE,
			finished_at = CASE WHEN state = 'queued' THEN ? ELSE finished_at END,
			sealed_token = CASE WHEN state = 'queued' THEN NULL ELSE sealed_token END,
			state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END
			WHERE id = ? AND state IN ('queued', 'running') RETURNING *`, micros(now), clean(jobID)).Scan(ctx, &row)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return orNotFound(db.NewSelect().Model(&row).Where("id = ?", clean(jobID)).Scan(ctx))
	})
	if err != nil {
		return store.JobRow{}, err
	}
	return row.job()
}
