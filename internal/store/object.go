package store

import (
	"context"
	"time"
)

// Objects remembers what callers' keys made that is no job.
type Objects interface {
	// ObjectOf gives the id of what an earlier call of the last 24 h with this key and
	// route makes, or else binds id to them and gives id. An empty id only looks, and
	// is returned for an unused key. ErrIdempotencyConflict when the earlier call
	// had another hash.
	ObjectOf(ctx context.Context, i Idempotency, id string, now time.Time) (string, error)
}
