package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/jobs"
)

// errOtherKey refuses a process that has another key.
var errOtherKey = errors.New("SERVICE_ENCRYPTION_KEY is not the key this database is sealed with, so its tokens, settings and backups " +
	"could not be opened; " +
	`set the key of before again, or follow "A lost key" in docs/backup.md`)

// sameKey verifies that the database is sealed with key. The first process to use the database
// stores the key's fingerprint. If the database is from a version that stored none, key must open
// one of the sealed tokens, if there are any.
func sameKey(ctx context.Context, db store.Store, key secret.Key) error {
	mine := hex.EncodeToString(key.Mac("encryption key")[:16])
	kept, err := db.KeptKey(ctx)
	if err == nil && kept == "" {
		if err = opensAny(ctx, db, key); err == nil {
			err = db.KeepKey(ctx, mine)
		}
		if err == nil {
			kept, err = db.KeptKey(ctx) // another process may have stored its own first
		}
	}
	if err == nil && kept != mine {
		err = errOtherKey
	}
	return err
}

// opensAny fails when there are tokens of accounts and key opens none of them. Some may fail to
// open: a key could be changed before this check existed, and the tokens were then entered again
// one by one.
func opensAny(ctx context.Context, db store.Store, key secret.Key) error {
	accounts, err := db.Accounts(ctx)
	if err != nil {
		return fmt.Errorf("look for sealed tokens: %w", err)
	}
	var refused error
	for _, a := range accounts {
		sealed, err := db.SealedToken(ctx, a.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look for sealed tokens: %w", err)
		}
		if _, err := key.Open(sealed, jobs.AccountSeal(a.ID)); err == nil {
			return nil
		}
		refused = errOtherKey
	}
	return refused
}
