package queue

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/edgeposture/edgeposture/internal/store"
)

// Writable returns a function that reports whether Redis accepts writes now, by setting a key that
// expires. An error is a *store.UnavailableError with the reason, unless ctx ended.
func Writable(rdb Client) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		err := rdb.Set(ctx, "edgeposture:writable", "1", 10*time.Second).Err()
		if err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			return err
		}
		return &store.UnavailableError{Reason: reasonOf(err), Err: withoutAddress(err)}
	}
}

func reasonOf(err error) string {
	for prefix, reason := range map[string]string{
		"OOM":       "Redis has reached its maxmemory and takes no writes; give it more, or remove what else fills it",
		"LOADING":   "Redis is loading its data; wait for it",
		"READONLY":  "Redis only reads now; point REDIS_URL at the primary",
		"MISCONF":   "Redis cannot save its data and takes no writes; look at its log and its disk",
		"NOAUTH":    "Redis wants a password; put it into REDIS_URL",
		"WRONGPASS": "Redis refused the user or the password of REDIS_URL",
		"NOPERM":    "the user of REDIS_URL may not write; give it the right",
	} {
		if redis.HasErrorPrefix(err, prefix) {
			return reason
		}
	}
	return "Redis at REDIS_URL cannot be reached; check the address and that the server runs"
}
