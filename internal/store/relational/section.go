package relational

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// sectionsAtOnce bounds the rows of one statement.
const sectionsAtOnce = 200

// PutSections implements store.Sections.
func (s *Store) PutSections(ctx context.Context, jobID string, attempt int, sections []snapshot.Section) error {
	if len(sections) == 0 {
		return nil
	}
	rows, err := newSectionRows(jobID, sections, &packer{})
	if err == nil {
		_, err = s.sections.do(ctx, "keep sections of a job", sectionsRead{clean(jobID), attempt, rows}, s.insertSections)
	}
	return err
}

// sectionsRead is what one call of PutSections writes.
type sectionsRead struct {
	jobID   string
	attempt int
	rows    []sectionRow
}

func newSectionRows(jobID string, sections []snapshot.Section, pack *packer) ([]sectionRow, error) {
	rows := make([]sectionRow, 0, len(sections))
	for _, sec := range sections {
		value, err := pack.pack(sec.Value)
		if err != nil {
			return nil, err
		}
		rows = append(rows, sectionRow{JobID: clean(jobID), Source: clean(sec.Source), Scope: clean(sec.Scope),
			Status: string(sec.Status), Permission: clean(sec.Permission), Code: sec.Code, Reason: clean(sec.Reason), Value: value,
			ReadAt: micros(sec.ReadAt)})
	}
	return rows, nil
}

// insertSections inserts sections of several jobs. Concurrent jobs read at the same time, so what they
// read while one statement runs is batched into the next.
func (s *Store) insertSections(ctx context.Context, of []sectionsRead) error {
	var rows []sectionRow
	attempts := map[string]int{}
	for _, one := range of {
		rows = append(rows, one.rows...)
		if a, other := attempts[one.jobID]; other && a != one.attempt {
			return store.ErrFenced // one of them is over; each is then written on its own
		}
		attempts[one.jobID] = one.attempt
	}
	// Sorting keeps two writers of the same sections from deadlocking; a stable sort keeps the first of
	// two equal keys first.
	slices.SortStableFunc(rows, func(a, b sectionRow) int {
		return cmp.Or(cmp.Compare(a.JobID, b.JobID), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
	})
	return s.inTx(ctx, "keep sections of a job", func(tx bun.Tx) error {
		// Held until the commit, so that an attempt that drops what was read waits for what an earlier one still writes.
		var held []jobRow
		err := tx.NewRaw("SELECT id, attempt FROM job WHERE id IN (?) AND state = 'running' ORDER BY id"+s.engine.Keep,
			bun.List(slices.Collect(maps.Keys(attempts)))).Scan(ctx, &held)
		if err != nil {
			return err
		}
		if len(held) < len(attempts) || slices.ContainsFunc(held, func(j jobRow) bool { return attempts[j.ID] != j.Attempt }) {
			return store.ErrFenced
		}
		for chunk := range slices.Chunk(rows, sectionsAtOnce) {
			if err := addAll(ctx, s.engine, tx, chunk, "CONFLICT (job_id, source, scope) DO NOTHING"); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sections implements store.Sections. It gives none when they are forgotten meanwhile.
func (s *Store) Sections(ctx context.Context, jobID string) ([]snapshot.Section, error) {
	out, err := store.Collect(s.eachSection(ctx, jobID, 0))
	if errors.Is(err, store.ErrNotFound) {
		return []snapshot.Section{}, nil
	}
	return out, err
}

// sectionsGiven bounds the sections that are read at once; some hold a few hundred kilobytes.
const sectionsGiven = 100

// EachSection implements store.Sections. Sections are deleted only after their job is hidden, so what
// was read is complete if one is still visible afterwards.
func (s *Store) EachSection(ctx context.Context, jobID string) iter.Seq2[snapshot.Section, error] {
	return s.eachSection(ctx, jobID, sectionsGiven)
}

// eachSection gives the packed sections and then the rows, atOnce at a time; 0 means all at once.
// Packing continues meanwhile, always with the first rows: rows are read only while nothing after the
// last given section is packed, which the same statement checks.
func (s *Store) eachSection(ctx context.Context, jobID string, atOnce int64) iter.Seq2[snapshot.Section, error] {
	return func(yield func(snapshot.Section, error) bool) {
		r := sectionReader{s: s, jobID: clean(jobID), atOnce: atOnce}
		for {
			some, err := r.next(ctx)
			if err != nil {
				yield(snapshot.Section{}, err)
				return
			}
			for _, sec := range some {
				if !yield(sec, nil) {
					return
				}
			}
			if r.ended {
				return
			}
		}
	}
}

// sectionReader is the progress of reading a job's sections.
type sectionReader struct {
	s      *Store
	jobID  string
	atOnce int64
	last   *snapshot.Section // the last section given
	pack   *sectionPack      // the pack being read
	chunk  int               // the next chunk of the pack
	ended  bool
}

// next gives some sections. It may give none before the end.
func (r *sectionReader) next(ctx context.Context) (some []snapshot.Section, err error) {
	if r.pack != nil && r.chunk < len(r.pack.list.chunks) {
		some, err = r.packed(ctx)
	} else if some, err = r.rows(ctx); err == nil && len(some) == 0 {
		err = r.more(ctx)
	} else {
		r.ended = r.atOnce == 0
	}
	if len(some) > 0 {
		r.last = &some[len(some)-1]
	}
	return some, err
}

func (r *sectionReader) rows(ctx context.Context) (out []snapshot.Section, err error) {
	err = r.s.read(ctx, "read the sections of a job", func(db bun.IDB) (err error) {
		out, _, err = sectionRows(ctx, db, math.MaxInt, func(q *bun.SelectQuery) *bun.SelectQuery {
			q = q.Where("job_id = ?", r.jobID).Where(sectionsNotDeleted)
			packed := db.NewSelect().TableExpr("section_pack").ColumnExpr("1").Where("job_id = ?", r.jobID)
			if r.last != nil {
				q, packed = q.Where(sectionsAfter, r.last.Source, r.last.Scope), packed.Where(sectionsAfter, r.last.Source, r.last.Scope)
			}
			return q.Where("NOT EXISTS (?)", packed).Limit(r.atOnce)
		})
		return err
	})
	return out, err
}

// more looks for sections packed since, or ends the reading.
func (r *sectionReader) more(ctx context.Context) error {
	return r.s.read(ctx, "read the sections of a job", func(db bun.IDB) error {
		pack, err := packOf(ctx, db, r.jobID)
		if err != nil {
			return err
		}
		if pack != nil && (r.last == nil || pack.after(r.last)) {
			if r.pack = pack; r.chunk >= len(pack.list.chunks) {
				return fmt.Errorf("%w: %w", store.ErrTampered, errChunk)
			}
			return nil
		}
		if r.ended = true; r.last == nil {
			return nil
		}
		return sectionsThere(ctx, db, r.jobID)
	})
}

// packed gives the sections of the next chunks, without those already given as rows.
func (r *sectionReader) packed(ctx context.Context) (out []snapshot.Section, err error) {
	err = r.s.read(ctx, "read the packed sections of a job", func(db bun.IDB) (err error) {
		if out, err = r.pack.some(ctx, db, r.chunk); errors.Is(err, errChunk) {
			err = orElse(sectionsThere(ctx, db, r.jobID), fmt.Errorf("%w: %w", store.ErrTampered, err))
		}
		return err
	})
	r.chunk = min(r.chunk+sectionChunksRead, len(r.pack.list.chunks))
	if r.last != nil {
		given := *r.last
		out = slices.DeleteFunc(out, func(sec snapshot.Section) bool { return compareSections(&sec, &given) <= 0 })
	}
	return out, err
}

// sectionsNotDeleted is the condition that sections are visible: they are not being forgotten.
const sectionsNotDeleted = "job_id NOT IN (SELECT job_id FROM section_forgetting)"

// sectionsAfter is the condition for sections after a given one.
const sectionsAfter = "(source, scope) > (?, ?)"

func compareSections(a, b *snapshot.Section) int {
	return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
}

// sectionsThere returns ErrNotFound when no section of a job is visible.
func sectionsThere(ctx context.Context, db bun.IDB, jobID string) error {
	var one int
	return orNotFound(db.NewRaw("SELECT 1 FROM section WHERE job_id = ? AND "+sectionsNotDeleted+
		" UNION ALL SELECT 1 FROM section_pack WHERE job_id = ? AND "+sectionsNotDeleted+" LIMIT 1", jobID, jobID).Scan(ctx, &one))
}

// sectionRows reads sections that are rows, in order, until their values exceed a number of bytes; more
// is true when it stopped for that.
func sectionRows(ctx context.Context, db bun.IDB, bytes int,
	narrow func(*bun.SelectQuery) *bun.SelectQuery) (out []snapshot.Section, more bool, err error) {
	out = []snapshot.Section{}
	rows, err := narrow(db.NewSelect().Model((*sectionRow)(nil)).Column("source", "scope", "status", "permission", "code", "reason", "value",
		"read_at").
		Order("source", "scope")).Rows(ctx)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = rows.Close() }() // read only
	for bytes > 0 && rows.Next() {
		var sec snapshot.Section
		var packed []byte
		var at int64
		if err := rows.Scan(&sec.Source, &sec.Scope, &sec.Status, &sec.Permission, &sec.Code, &sec.Reason, &packed, &at); err != nil {
			return nil, false, err
		}
		if sec.Value, err = unpack(packed); err != nil {
			return nil, false, err
		}
		if len(out) > 0 && out[len(out)-1].Source == sec.Source {
			sec.Source = out[len(out)-1].Source // thousands share one source
		}
		sec.ReadAt = instant(at)
		out, bytes = append(out, sec), bytes-len(sec.Value)
	}
	return out, bytes <= 0, rows.Err()
}

// DropSections implements store.Sections.
func (s *Store) DropSections(ctx context.Context, jobID string, attempt int) error {
	return s.inTx(ctx, "drop the sections of a job", func(tx bun.Tx) error {
		var id string
		err := tx.NewRaw("SELECT id FROM job WHERE id = ? AND attempt = ?"+s.engine.Lock, clean(jobID), attempt).Scan(ctx, &id)
		if err != nil {
			return whenNone(err, store.ErrFenced)
		}
		if err := dropPacks(ctx, tx, "job_id = ?", clean(jobID)); err != nil {
			return err
		}
		return ran(tx.NewRaw("DELETE FROM section WHERE job_id = ?", clean(jobID)).Exec(ctx))
	})
}
