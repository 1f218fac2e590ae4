package relational

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

// sectionsForgotten is how many sections one call deletes; they may be large.
const sectionsForgotten = 200

// ended are the terminal states of a job.
const ended = "('succeeded', 'failed', 'cancelled')"

// TakeTurn implements store.Retentions. A turn in the future was taken by a clock that has been set
// back since, and is ignored.
func (s *Store) TakeTurn(ctx context.Context, name string, now time.Time, every time.Duration) (taken bool, err error) {
	err = s.inTx(ctx, "take a turn", func(tx bun.Tx) error {
		n, err := affected(tx.NewRaw(`INSERT INTO turn (name, begun_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET begun_at =
			EXCLUDED.begun_at
			WHERE turn.begun_at <= ? OR turn.begun_at > ?`, clean(name), micros(now), micros(now.Add(-every)), micros(now.Add(every))).Exec(ctx))
		taken = n > 0
		return err
	})
	return taken, err
}

// Forget implements store.Retentions.
func (s *Store) Forget(ctx context.Context, what store.Forgettable, before, now time.Time) (n int, err error) {
	if what == store.Assessed {
		return s.forgetAssessments(ctx, micros(before), micros(now))
	}
	step := map[store.Forgettable]func(context.Context, bun.Tx, int64) (int, error){
		store.Keys: simple("DELETE FROM idempotency WHERE (idempotency_key, route) IN (SELECT idempotency_key, route FROM idempotency " +
			"WHERE created_at < ? ORDER BY created_at LIMIT ?)"),
		store.Plans:    simple(`DELETE FROM "plan" WHERE id IN (SELECT id FROM "plan" WHERE expires_at < ? ORDER BY expires_at LIMIT ?)`),
		store.SignedIn: simple("DELETE FROM session WHERE id IN (SELECT id FROM session WHERE ends_at < ? ORDER BY ends_at LIMIT ?)"),
		store.Delivered: simple("DELETE FROM delivery WHERE id IN (SELECT id FROM delivery WHERE updated_at < ? AND state IN ('delivered', " +
			"'failed') ORDER BY created_at, id LIMIT ?)"),
		store.BundlesMade: simple("DELETE FROM bundle WHERE id IN (SELECT id FROM bundle WHERE created_at < ? AND (state = 'rolled_back' OR " +
			"state <> 'open' AND applied <= verified) ORDER BY created_at, id LIMIT ?)"),
		store.Finished: simple("DELETE FROM job WHERE id IN (SELECT id FROM job WHERE finished_at > 0 AND finished_at < ? AND state IN " +
			ended + `
			AND NOT EXISTS (SELECT 1 FROM section WHERE job_id = job.id) AND NOT EXISTS (SELECT 1 FROM section_pack WHERE job_id = job.id) AND NOT
			EXISTS (SELECT 1 FROM section_forgetting WHERE job_id = job.id)
			AND NOT EXISTS (SELECT 1 FROM delivery WHERE job_id = job.id) AND NOT EXISTS (SELECT 1 FROM bundle WHERE job_id = job.id)
			AND NOT EXISTS (SELECT 1 FROM idempotency WHERE job_id = job.id) ORDER BY created_at, id LIMIT ?)`),
		store.Read: forgetSections,
	}[what]
	if step == nil {
		return 0, fmt.Errorf("forget %q: nobody knows what that is", what)
	}
	err = s.inTx(ctx, "forget "+string(what), func(tx bun.Tx) (err error) {
		n, err = step(ctx, tx, micros(before))
		return err
	})
	if what == store.Read && err == nil && n == 0 {
		return s.sweep(ctx)
	}
	return n, err
}

// simple deletes with one statement that takes an age and a limit.
func simple(statement string) func(context.Context, bun.Tx, int64) (int, error) {
	return func(ctx context.Context, tx bun.Tx, before int64) (int, error) {
		return affected(tx.NewRaw(statement, before, store.ForgetRows).Exec(ctx))
	}
}

// forgetSections deletes some sections of jobs that are being forgotten, or marks more jobs when there
// are none. Inserting a row that refers to a job waits for the lock on that job, so that nothing packs
// what is being forgotten.
func forgetSections(ctx context.Context, tx bun.Tx, before int64) (int, error) {
	n, err := affected(tx.NewRaw(`DELETE FROM section WHERE (job_id, source, scope) IN (SELECT s.job_id, s.source, s.scope FROM
		section_forgetting AS f
		JOIN section AS s ON s.job_id = f.job_id LIMIT ?)`, sectionsForgotten).Exec(ctx))
	if err != nil || n > 0 {
		return n, err
	}
	if err := dropPacks(ctx, tx, "job_id IN (SELECT job_id FROM section_forgetting)"); err != nil {
		return 0, err
	}
	if _, err := tx.NewRaw("DELETE FROM section_forgetting").Exec(ctx); err != nil {
		return 0, err
	}
	var jobs []struct {
		ID           string
		AssessmentID string
	}
	err = tx.NewRaw("SELECT id, assessment_id FROM job WHERE finished_at > 0 AND finished_at < ? AND state IN "+ended+`
		AND (EXISTS (SELECT 1 FROM section WHERE job_id = job.id) OR EXISTS (SELECT 1 FROM section_pack WHERE job_id = job.id)) ORDER BY
		created_at, id`, before).Scan(ctx, &jobs)
	if err != nil || len(jobs) == 0 {
		return 0, err
	}
	named, err := namedByJobs(ctx, tx)
	if err != nil {
		return 0, err
	}
	for _, j := range jobs {
		if n == atOnce {
			break
		}
		if named(j.AssessmentID) {
			continue
		}
		if _, err := tx.NewRaw("INSERT INTO section_forgetting (job_id) VALUES (?)", j.ID).Exec(ctx); err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// Forgotten implements store.Retentions.
func (s *Store) Forgotten(ctx context.Context, assessmentID string) (time.Time, error) {
	at, err := selected[int64](ctx, s, "look for a forgotten assessment", "SELECT forgotten_at FROM assessment_forgotten WHERE id = ?",
		clean(assessmentID))
	return instant(at), err
}
