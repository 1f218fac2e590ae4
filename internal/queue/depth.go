package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Depth is how many doorbells wait in a queue and since when the first of them does;
// zero when none does.
type Depth struct {
	Queue string
	Size  int
	Since time.Time
}

// Depths gives the depth of each queue. It reads asynq's lists itself: its inspector
// also weighs every queue in memory, which costs Redis much and the in-process server
// cannot do.
func Depths(rdb redis.UniversalClient) func(context.Context) ([]Depth, error) {
	return func(ctx context.Context) ([]Depth, error) {
		var out []Depth
		for _, name := range []string{Interactive, Scheduled, Delivery} {
			d, err := depth(ctx, rdb, name)
			if err != nil {
				return nil, fmt.Errorf("ask Redis about a queue: %w", err)
			}
			out = append(out, d)
		}
		return out, nil
	}
}

func depth(ctx context.Context, rdb redis.UniversalClient, name string) (Depth, error) {
	key := "asynq:{" + name + "}:"
	n, err := rdb.LLen(ctx, key+"pending").Result()
	d := Depth{Queue: name, Size: int(n)}
	if err != nil || n == 0 {
		return d, err
	}
	first, err := rdb.LIndex(ctx, key+"pending", -1).Result()
	if err == nil {
		var since int64
		if since, err = rdb.HGet(ctx, key+"t:"+first, "pending_since").Int64(); err == nil {
			d.Since = time.Unix(0, since)
		}
	}
	if errors.Is(err, redis.Nil) {
		err = nil // it was taken meanwhile
	}
	return d, err
}
