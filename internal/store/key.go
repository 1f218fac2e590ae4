package store

import "context"

// SealingKeys remembers which encryption key everything sealed is sealed with.
type SealingKeys interface {
	// KeptKey gives the fingerprint of the key, "" when none is kept.
	KeptKey(ctx context.Context) (fingerprint string, err error)
	// KeepKey keeps the fingerprint of the key, unless one is kept.
	KeepKey(ctx context.Context, fingerprint string) error
}

// SettingsNumbers remembers how often the settings were saved.
type SettingsNumbers interface {
	// SettingsNumber gives the highest number noted, 0 when there is none.
	SettingsNumber(ctx context.Context) (int64, error)
	// NoteSettingsNumber notes a number, unless a higher one is.
	NoteSettingsNumber(ctx context.Context, n int64) error
}
