package relational

import (
	"cmp"
	"context"
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
	// One order for all keeps two writers of the same sections from waiting for
	// each other; a stable one keeps the first of two equal keys the first.
	slices.SortStableFunc(rows, func(a, b sectionRow) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Scope, b.Scope))
	})
	return s.inTx(ctx, "keep sections of a job", func(tx bun.Tx) error {
		for chunk := range slices.Chunk(rows, sectionsAtOnce) {
			if _, err := tx.NewInsert().Model(&chunk).On("CONFLICT (job_id, source, scope) DO NOTHING").Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sections implements store.Sections.
func (s *Store) Sections(ctx context.Context, jobID string) ([]snapshot.Section, error) {
	var rows []sectionRow
	err := s.read(ctx, "read the sections of a job", func(db bun.IDB) error {
		rows = nil
		return db.NewSelect().Model(&rows).Where("job_id = ?", clean(jobID)).Where("job_id NOT IN (SELECT job_id FROM section_forgetting)").Order("source", "scope").Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	out := make([]snapshot.Section, 0, len(rows))
	for _, r := range rows {
		value, err := unpack(r.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, snapshot.Section{Source: r.Source, Scope: r.Scope, Status: snapshot.Status(r.Status),
			Permission: r.Permission, Code: r.Code, Reason: r.Reason, Value: value, ReadAt: instant(r.ReadAt)})
	}
	return out, nil
}

// DropSections implements store.Sections.
func (s *Store) DropSections(ctx context.Context, jobID string) error {
	return s.write(ctx, "drop the sections of a job", func(db bun.IDB) error {
		_, err := db.NewRaw("DELETE FROM section WHERE job_id = ?", clean(jobID)).Exec(ctx)
		return err
	})
}
