package queue

import (
	"context"
	"fmt"

	"github.com/hibiken/asynq"
)

// AliveOn reports whether a worker process on the named host is running: asynq keeps a record of each
// in Redis, renewed every 5 s and expired after 10 s.
func AliveOn(ctx context.Context, rdb Client, host string) (bool, error) {
	if err := rdb.Ping(ctx).Err(); err != nil {
		return false, fmt.Errorf("ask Redis: %w", withoutAddress(err))
	}
	servers, err := asynq.NewInspectorFromRedisClient(rdb).Servers()
	if err != nil {
		return false, fmt.Errorf("ask Redis for the workers: %w", withoutAddress(err))
	}
	for _, s := range servers {
		if s.Host == host && s.Status == "active" {
			return true, nil
		}
	}
	return false, nil
}
