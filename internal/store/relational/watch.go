package relational

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

// JobsByID implements store.Jobs.
func (s *Store) JobsByID(ctx context.Context, ids []string) ([]store.JobRow, error) {
	return decodedRows(ctx, s, "read jobs", jobRow.job, func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("id IN (?)", bun.List(cleanAll(ids)))
	})
}
