package relational

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/store"
)

type objectRow struct {
	bun.BaseModel `bun:"table:made_object"`

	Key       string `bun:"idempotency_key,pk"`
	Route     string `bun:"route,pk"`
	BodyHash  string `bun:"body_hash"`
	ObjectID  string `bun:"object_id"`
	CreatedAt int64  `bun:"created_at"`
}

// ObjectOf implements store.Objects.
func (s *Store) ObjectOf(ctx context.Context, i store.Idempotency, id string, now time.Time) (string, error) {
	found := id
	err := s.inTx(ctx, "look for what an idempotency key made", func(tx bun.Tx) (err error) {
		found, err = madeOnce(ctx, tx, i, now, func() (string, error) { return id, nil })
		return err
	})
	return found, err
}

// madeOnce returns the id of what a key made, or makes it in the same transaction and binds its id; an empty id is
// not bound. When a concurrent call was faster, the transaction is rolled back and repeated, and then finds that
// call's id.
func madeOnce(ctx context.Context, tx bun.Tx, i store.Idempotency, now time.Time, make func() (id string, err error)) (string, error) {
	row := objectRow{Key: clean(i.Key), Route: clean(i.Route), BodyHash: clean(i.BodyHash), CreatedAt: micros(now)}
	oldest := micros(now.Add(-idempotencyLife))
	var before objectRow
	err := tx.NewSelect().Model(&before).Where("idempotency_key = ? AND route = ? AND created_at >= ?", row.Key, row.Route, oldest).Scan(ctx)
	switch {
	case err == nil && before.BodyHash != row.BodyHash:
		return "", store.ErrIdempotencyConflict
	case err == nil:
		return before.ObjectID, nil
	case !errors.Is(err, sql.ErrNoRows):
		return "", err
	}
	id, err := make()
	if id == "" || err != nil {
		return "", err
	}
	row.ObjectID = clean(id)
	set, err := affected(tx.NewInsert().Model(&row).On(`CONFLICT (idempotency_key, route) DO UPDATE
		SET body_hash = EXCLUDED.body_hash, object_id = EXCLUDED.object_id, created_at = EXCLUDED.created_at
		WHERE object_row.created_at < ?`, oldest).Exec(ctx))
	if err != nil {
		return "", err
	}
	if set == 0 {
		return "", errAgain
	}
	_, err = tx.NewRaw("DELETE FROM made_object WHERE created_at < ?", micros(now.Add(-2*idempotencyLife))).Exec(ctx)
	return id, err
}
