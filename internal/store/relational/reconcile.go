package relational

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// handBack requeues a job whose worker is gone, to be claimed at once.
const handBack = "UPDATE job SET state = 'queued', lost = lost + 1, owner = '', lease_until = 0 WHERE "

// Recover implements store.Jobs. A job with a requested cancel whose worker is gone is cancelled here,
// because nothing else would end it.
func (s *Store) Recover(ctx context.Context, now time.Time) error {
	_, err := selected[int](ctx, s, "look for jobs whose lease has ended",
		"SELECT 1 FROM job WHERE state = 'running' AND lease_until < ? LIMIT 1", micros(now))
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.inTx(ctx, "hand back jobs whose lease has ended", func(tx bun.Tx) error {
		if err := s.cancel(ctx, tx, now, "state = 'running'"); err != nil {
			return err
		}
		return ran(tx.NewRaw(handBack+"id IN (SELECT id FROM job WHERE state = 'running' AND lease_until < ?"+s.engine.Skip+")",
			micros(now)).Exec(ctx))
	})
}

// Orphans implements store.Jobs. The death of the only worker counts as a lost lease: otherwise a job
// that crashes the process at each start would never end. Jobs that are cancelled because of it are not
// counted.
func (s *Store) Orphans(ctx context.Context, now time.Time) (int, error) {
	back := 0
	err := s.inTx(ctx, "hand back the jobs of a worker that is gone", func(tx bun.Tx) error {
		// Ending every lease first lets the usual rules decide.
		if _, err := tx.NewRaw("UPDATE job SET lease_until = ? WHERE state = 'running'", micros(now)-1).Exec(ctx); err != nil {
			return err
		}
		if err := s.cancel(ctx, tx, now, "state = 'running'"); err != nil {
			return err
		}
		var err error
		back, err = affected(tx.NewRaw(handBack + "state = 'running'").Exec(ctx))
		return err
	})
	return back, err
}

// Job implements store.Jobs.
func (s *Store) Job(ctx context.Context, jobID string) (store.JobRow, error) {
	return decodedRow(ctx, s, "read a job", jobRow.job, "id = ?", clean(jobID))
}

// Jobs implements store.Jobs. A limit of 0 means no limit.
func (s *Store) Jobs(ctx context.Context, f store.JobFilter, p store.Page) ([]store.JobRow, string, error) {
	after, paged, err := decodeCursor(listJobs, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	of := func(r *jobRow) []string { return []string{r.Account} }
	at := func(r jobRow) sortKey { return sortKey{at: r.CreatedAt, id: r.ID} }
	rows, err := within(s, f.Accounts, after, paged, ask(p.Limit), of, at,
		func(accounts []string, after sortKey, paged bool, limit int64) ([]jobRow, error) {
			f.Accounts = accounts
			return s.jobPage(ctx, f, after, paged, limit)
		})
	if err != nil {
		return nil, "", err
	}
	rows, next := cut(listJobs, rows, p.Limit, at)
	out, err := decoded(rows, jobRow.job)
	return out, next, err
}

// jobPage reads up to limit rows after a sort key.
func (s *Store) jobPage(ctx context.Context, f store.JobFilter, after sortKey, paged bool, limit int64) ([]jobRow, error) {
	return readRows[jobRow](ctx, s, "list jobs", func(q *bun.SelectQuery) *bun.SelectQuery {
		if f.Account != "" {
			q = q.Where("account = ?", clean(f.Account))
		}
		q = among(among(among(q, "account", f.Accounts), "kind", f.Kinds), "state", f.States)
		return newest(q, "created_at", after, paged, limit)
	})
}

// CountKinds implements store.Jobs. Kinds and states without a job are absent from the map.
func (s *Store) CountKinds(ctx context.Context) (map[posture.JobKind]map[posture.JobState]int, error) {
	type count struct {
		Kind, State string
		N           int
	}
	rows, err := selected[[]count](ctx, s, "count the jobs", "SELECT kind, state, COUNT(*) AS n FROM job GROUP BY kind, state")
	if err != nil {
		return nil, err
	}
	out := map[posture.JobKind]map[posture.JobState]int{}
	for _, r := range rows {
		kind := posture.JobKind(r.Kind)
		if out[kind] == nil {
			out[kind] = map[posture.JobState]int{}
		}
		out[kind][posture.JobState(r.State)] = r.N
	}
	return out, nil
}

// Waiting implements store.Jobs.
func (s *Store) Waiting(ctx context.Context, now time.Time) (map[string]store.Waiting, error) {
	type count struct {
		Queue string
		N     int
		Since int64
	}
	rows, err := selected[[]count](ctx, s, "count the jobs that are due",
		"SELECT queue, COUNT(*) AS n, MIN(due_at) AS since FROM job WHERE state = 'queued' AND due_at <= ? GROUP BY queue", micros(now))
	if err != nil {
		return nil, err
	}
	out := map[string]store.Waiting{}
	for _, r := range rows {
		out[r.Queue] = store.Waiting{Jobs: r.N, Since: instant(r.Since)}
	}
	return out, nil
}
