package store

import "context"

// SealingKeys records which encryption key sealed the stored secrets.
type SealingKeys interface {
	// KeptKey returns the fingerprint of the key, "" when none is recorded.
	KeptKey(ctx context.Context) (fingerprint string, err error)
	// KeepKey records the fingerprint of the key, unless one is recorded.
	KeepKey(ctx context.Context, fingerprint string) error
}

// SettingsNumbers records how often the settings were saved.
type SettingsNumbers interface {
	// SettingsNumber returns the highest recorded number, 0 when there is none.
	SettingsNumber(ctx context.Context) (int64, error)
	// NoteSettingsNumber records a number, unless a higher one is recorded.
	NoteSettingsNumber(ctx context.Context, n int64) error
}
