package relational

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// handBack makes a job whose worker is gone free again. The doorbell of the
// lost attempt no longer counts.
const handBack = "UPDATE job SET state = 'queued', lost = lost + 1, owner = '', lease_until = 0, rung_at = 0 WHERE state = 'running'"

// Overdue implements store.Jobs. A job with a requested cancel whose worker is
// gone is cancelled here, because nobody is left to answer the request. A limit
// of 0 or less rings nobody.
func (s *Store) Overdue(ctx context.Context, now, rungBefore time.Time, limit int) ([]store.JobRow, error) {
	var rows []jobRow
	err := s.inTx(ctx, "look for jobs that nobody works on", func(tx bun.Tx) error {
		rows = nil
		if err := settle(ctx, tx, now, "state = 'running'"); err != nil {
			return err
		}
		if _, err := tx.NewRaw(handBack+" AND lease_until < ?", micros(now)).Exec(ctx); err != nil {
			return err
		}
		if limit <= 0 {
			return nil
		}
		// The condition stands twice: the inner one chooses, the outer one is
		// checked again by PostgreSQL after it waited for another caller.
		return tx.NewRaw(`UPDATE job SET rung_at = ? WHERE state = 'queued' AND rung_at < ? AND id IN (
			SELECT id FROM job WHERE state = 'queued' AND rung_at < ? ORDER BY created_at, id LIMIT ?) RETURNING *`,
			micros(now), micros(rungBefore), micros(rungBefore), limit).Scan(ctx, &rows)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b jobRow) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return jobsOf(rows)
}

// Orphans implements store.Jobs. The death of the only worker counts as a lost
// lease: a job that takes the process down at each start would otherwise never
// end. Jobs that fail or are cancelled because of it are not in the count.
func (s *Store) Orphans(ctx context.Context, now time.Time) (int, error) {
	back := 0
	err := s.inTx(ctx, "hand back the jobs of a worker that is gone", func(tx bun.Tx) error {
		// Ending every lease first lets the usual rules decide.
		if _, err := tx.NewRaw("UPDATE job SET lease_until = ? WHERE state = 'running'", micros(now)-1).Exec(ctx); err != nil {
			return err
		}
		if err := settle(ctx, tx, now, "state = 'running'"); err != nil {
			return err
		}
		var err error
		back, err = affected(tx.NewRaw(handBack).Exec(ctx))
		return err
	})
	return back, err
}

// Job implements store.Jobs.
func (s *Store) Job(ctx context.Context, jobID string) (store.JobRow, error) {
	var row jobRow
	err := s.read(ctx, "read a job", func(db bun.IDB) error {
		return orNotFound(db.NewSelect().Model(&row).Where("id = ?", clean(jobID)).Scan(ctx))
	})
	if err != nil {
		return store.JobRow{}, err
	}
	return row.job()
}

// Jobs implements store.Jobs. A limit of 0 gives all.
func (s *Store) Jobs(ctx context.Context, f store.JobFilter, p store.Page) ([]store.JobRow, string, error) {
	after, paged, err := placeOf(listJobs, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	var rows []jobRow
	err = s.read(ctx, "list jobs", func(db bun.IDB) error {
		rows = nil
		q := db.NewSelect().Model(&rows).OrderExpr("created_at DESC, id DESC").Limit(ask(p.Limit))
		if f.Account != "" {
			q = q.Where("account = ?", clean(f.Account))
		}
		if len(f.Kinds) > 0 {
			q = q.Where("kind IN (?)", bun.List(cleanAll(f.Kinds)))
		}
		if len(f.States) > 0 {
			q = q.Where("state IN (?)", bun.List(cleanAll(f.States)))
		}
		if paged {
			q = q.Where("(created_at, id) < (?, ?)", after.at, after.id)
		}
		return q.Scan(ctx)
	})
	if err != nil {
		return nil, "", err
	}
	rows, next := cut(listJobs, rows, p.Limit, func(r jobRow) place { return place{at: r.CreatedAt, id: r.ID} })
	out, err := jobsOf(rows)
	return out, next, err
}

// CountJobs implements store.Jobs. States without a job are absent.
func (s *Store) CountJobs(ctx context.Context) (map[posture.JobState]int, error) {
	kinds, err := s.CountKinds(ctx)
	if err != nil {
		return nil, err
	}
	out := map[posture.JobState]int{}
	for _, states := range kinds {
		for state, n := range states {
			out[state] += n
		}
	}
	return out, nil
}

// CountKinds implements store.Jobs. What there is none of is absent.
func (s *Store) CountKinds(ctx context.Context) (map[posture.JobKind]map[posture.JobState]int, error) {
	var rows []struct {
		Kind, State string
		N           int
	}
	err := s.read(ctx, "count the jobs", func(db bun.IDB) error {
		rows = nil
		return db.NewRaw("SELECT kind, state, COUNT(*) AS n FROM job GROUP BY kind, state").Scan(ctx, &rows)
	})
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
