package relational

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

// JobsByID implements store.Jobs.
func (s *Store) JobsByID(ctx context.Context, ids []string) ([]store.JobRow, error) {
	var rows []jobRow
	err := s.read(ctx, "read jobs", func(db bun.IDB) error {
		rows = nil
		return db.NewSelect().Model(&rows).Where("id IN (?)", bun.List(cleanAll(ids))).Scan(ctx)
	})
	if err != nil {
		return nil, err
	}
	return decoded(rows, jobRow.job)
}
