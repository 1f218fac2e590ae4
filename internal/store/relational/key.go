package relational

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"
)

// KeptKey implements store.SealingKeys.
func (s *Store) KeptKey(ctx context.Context) (fingerprint string, err error) {
	err = s.read(ctx, "look for the fingerprint of the encryption key", func(db bun.IDB) error {
		err := db.NewRaw("SELECT fingerprint FROM encryption_key").Scan(ctx, &fingerprint)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return fingerprint, err
}

// KeepKey implements store.SealingKeys.
func (s *Store) KeepKey(ctx context.Context, fingerprint string) error {
	return s.write(ctx, "keep the fingerprint of the encryption key", func(db bun.IDB) error {
		_, err := db.NewRaw("INSERT INTO encryption_key (only_row, fingerprint) VALUES (1, ?) ON CONFLICT DO NOTHING", fingerprint).Exec(ctx)
		return err
	})
}
