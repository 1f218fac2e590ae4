package store

import (
	"context"
	"time"
)

// Objects remembers the objects other than jobs that were made with idempotency keys.
type Objects interface {
	// ObjectOf returns the id that an earlier call with this key and route bound in the last 24 h;
	// otherwise it binds id and returns it. An empty id only looks, and is returned for an unused key.
	// ErrIdempotencyConflict when the earlier call had another body hash.
	ObjectOf(ctx context.Context, i Idempotency, id string, now time.Time) (string, error)
}
