package relational

import (
	"context"

	"github.com/uptrace/bun"
)

// KeptKey implements store.SealingKeys.
func (s *Store) KeptKey(ctx context.Context) (fingerprint string, err error) {
	err = s.read(ctx, "look for the fingerprint of the encryption key", func(db bun.IDB) error {
		return whenNone(db.NewRaw("SELECT fingerprint FROM encryption_key").Scan(ctx, &fingerprint), nil)
	})
	return fingerprint, err
}

// KeepKey implements store.SealingKeys.
func (s *Store) KeepKey(ctx context.Context, fingerprint string) error {
	return s.execute(ctx, "keep the fingerprint of the encryption key", nil,
		"INSERT INTO encryption_key (only_row, fingerprint) VALUES (1, ?) ON CONFLICT DO NOTHING", fingerprint)
}

// SettingsNumber implements store.SettingsNumbers.
func (s *Store) SettingsNumber(ctx context.Context) (int64, error) {
	return selected[int64](ctx, s, "look how often the settings were saved", "SELECT COALESCE(MAX(number), 0) FROM settings_saved")
}

// NoteSettingsNumber implements store.SettingsNumbers.
func (s *Store) NoteSettingsNumber(ctx context.Context, n int64) error {
	return s.execute(ctx, "note how often the settings were saved", nil,
		`INSERT INTO settings_saved (only_row, number) VALUES (1, ?)
			ON CONFLICT (only_row) DO UPDATE SET number = EXCLUDED.number WHERE settings_saved.number < EXCLUDED.number`, n)
}
