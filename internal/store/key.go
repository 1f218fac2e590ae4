package store

import "context"

// SealingKeys remembers which encryption key everything sealed is sealed with.
type SealingKeys interface {
	// KeptKey gives the fingerprint of the key, "" when none is kept.
	KeptKey(ctx context.Context) (fingerprint string, err error)
	// KeepKey keeps the fingerprint of the key, unless one is kept.
	KeepKey(ctx context.Context, fingerprint string) error
}
