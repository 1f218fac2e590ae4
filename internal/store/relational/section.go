package relational

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/snapshot"
)

// sectionsAtOnce bounds the rows of one statement.
const sectionsAtOnce = 200

// PutSections implements store.Sections.
func (s *Store) PutSections(ctx context.Context, jobID string, sections []snapshot.Section) error {
	if len(sections) == 0 {
		return nil
	}
	rows := make([]sectionRow, 0, len(sections))
	var pack packer
	for _, sec := range sections {
		value, err := pack.pack(sec.Value)
		if err != nil {
			return err
		}
		rows = append(rows, sectionRow{JobID: clean(jobID), Source: clean(sec.Source), Scope: clean(sec.Scope),
			Status: string(sec.Status), Permission: clean(sec.Permission), Code: sec.Code, Reason: clean(sec.Reason), Value: value, ReadAt: micros(sec.ReadAt)})
	}
	_, err := s.sections.do(ctx, "keep sections of a job", rows, s.insertSections)
	return err
}

// insertSections adds sections of some jobs. Jobs that run beside each other read at the same
// time, so what they have read while one statement ran goes into the next.
func (s *Store) insertSections(ctx context.Context, of [][]sectionRow) error {
	rows := slices.Concat(of...)
	// One order for all keeps two writers of the same sections from waiting for
	// each other; a stable one keeps the first of two equal keys the first.
	slices.SortStableFunc(rows, func(a, b sectionRow) int {
		return cmp.Or(cmp.Compare(a.JobID, b.JobID), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
	})
	insert := func(db bun.IDB, rows []sectionRow) error {
		return addAll(ctx, s.engine, db, rows, "CONFLICT (job_id, source, scope) DO NOTHING")
	}
	const attempted = "keep sections of a job"
	if len(rows) <= sectionsAtOnce { // a transaction of its own would be two more statements
		return s.write(ctx, attempted, func(db bun.IDB) error { return insert(db, rows) })
	}
	return s.inTx(ctx, attempted, func(tx bun.Tx) error {
		for chunk := range slices.Chunk(rows, sectionsAtOnce) {
			if err := insert(tx, chunk); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sections implements store.Sections.
func (s *Store) Sections(ctx context.Context, jobID string) (out []snapshot.Section, err error) {
	err = s.read(ctx, "read the sections of a job", func(db bun.IDB) (err error) {
		out, err = sections(ctx, db, jobID, nil)
		return err
	})
	return out, err
}

// sectionsRead bounds the sections that are read at once; some hold a few hundred kilobytes.
const sectionsRead = 100

// EachSection implements store.Sections. Sections go only after their job is out of sight, so
// what was read is whole when one can be seen afterwards.
func (s *Store) EachSection(ctx context.Context, jobID string) iter.Seq2[snapshot.Section, error] {
	return func(yield func(snapshot.Section, error) bool) {
		var last *snapshot.Section
		for {
			var some []snapshot.Section
			err := s.read(ctx, "read the sections of a job", func(db bun.IDB) (err error) {
				some, err = sections(ctx, db, jobID, func(q *bun.SelectQuery) *bun.SelectQuery {
					if last != nil {
						q = q.Where("(source, scope) > (?, ?)", last.Source, last.Scope)
					}
					return q.Limit(sectionsRead)
				})
				if err == nil && last != nil && len(some) == 0 {
					var one int
					return orNotFound(db.NewRaw("SELECT 1 FROM section WHERE job_id = ? AND "+sectionsInSight+" LIMIT 1", clean(jobID)).Scan(ctx, &one))
				}
				return err
			})
			if err != nil {
				yield(snapshot.Section{}, err)
				return
			}
			for _, sec := range some {
				if !yield(sec, nil) {
					return
				}
			}
			if len(some) == 0 {
				return
			}
			last = &some[len(some)-1]
		}
	}
}

// sectionsInSight is the condition under which sections are there: they are not being forgotten.
const sectionsInSight = "job_id NOT IN (SELECT job_id FROM section_forgetting)"

// sections reads those of a job, some of them or all.
func sections(ctx context.Context, db bun.IDB, jobID string, narrow func(*bun.SelectQuery) *bun.SelectQuery) ([]snapshot.Section, error) {
	out := []snapshot.Section{}
	q := db.NewSelect().Model((*sectionRow)(nil)).Column("source", "scope", "status", "permission", "code", "reason", "value", "read_at").
		Where("job_id = ?", clean(jobID)).Where(sectionsInSight).Order("source", "scope")
	if narrow != nil {
		q = narrow(q)
	}
	rows, err := q.Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // it was only read
	for rows.Next() {
		var sec snapshot.Section
		var packed []byte
		var at int64
		if err := rows.Scan(&sec.Source, &sec.Scope, &sec.Status, &sec.Permission, &sec.Code, &sec.Reason, &packed, &at); err != nil {
			return nil, err
		}
		if sec.Value, err = unpack(packed); err != nil {
			return nil, err
		}
		if len(out) > 0 && out[len(out)-1].Source == sec.Source {
			sec.Source = out[len(out)-1].Source // thousands share one
		}
		sec.ReadAt = instant(at)
		out = append(out, sec)
	}
	return out, rows.Err()
}

// DropSections implements store.Sections.
func (s *Store) DropSections(ctx context.Context, jobID string) error {
	return s.write(ctx, "drop the sections of a job", func(db bun.IDB) error {
		_, err := db.NewRaw("DELETE FROM section WHERE job_id = ?", clean(jobID)).Exec(ctx)
		return err
	})
}
