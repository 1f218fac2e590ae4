package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// Connect opens a Redis connection from redis://, rediss://,
// redis-sentinel://host1,host2/master and redis-cluster://host1,host2 (also
// rediss-cluster) addresses, and makes sure that it answers.
func Connect(ctx context.Context, address string) (redis.UniversalClient, error) {
	rdb, err := dial(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := rdb.Ping(ctx).Err(); err != nil {
		_ = rdb.Close()
		if errors.Is(err, redis.Nil) { // PING is never answered with nothing: it is what Sentinels say of a name
			return nil, errors.New("the Sentinels at REDIS_URL know no master of the name in it; correct the name after the /")
		}
		return nil, fmt.Errorf("Redis at REDIS_URL does not answer (%w); check the address and that the server runs", withoutAddress(err))
	}
	return rdb, nil
}

func dial(address string) (redis.UniversalClient, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("REDIS_URL is not an address")
	}
	password, _ := u.User.Password()
	hosts := strings.Split(u.Host, ",")
	switch u.Scheme {
	case "redis-sentinel":
		return redis.NewFailoverClient(&redis.FailoverOptions{MasterName: strings.Trim(u.Path, "/"), SentinelAddrs: hosts,
			Username: u.User.Username(), Password: password}), nil
	case "redis-cluster", "rediss-cluster":
		first := *u
		first.Scheme, first.Host = strings.TrimSuffix(u.Scheme, "-cluster"), hosts[0]
		opt, err := redis.ParseClusterURL(first.String())
		if err != nil {
			return nil, errors.New("REDIS_URL is not a cluster address; use redis-cluster://host1:6379,host2:6379")
		}
		opt.Addrs = append(opt.Addrs, hosts[1:]...)
		return redis.NewClusterClient(opt), nil
	default:
		opt, err := redis.ParseURL(address)
		if err != nil {
			return nil, errors.New("REDIS_URL is not understood; use redis://user:password@host:6379/0")
		}
		return redis.NewClient(opt), nil
	}
}

// withoutAddress drops wrapping that could repeat the URL with its password.
func withoutAddress(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// Workers counts the worker processes that are alive.
func Workers(rdb redis.UniversalClient) func(context.Context) (int, error) {
	inspector := asynq.NewInspectorFromRedisClient(rdb)
	return func(ctx context.Context) (int, error) {
		if err := rdb.Ping(ctx).Err(); err != nil {
			return 0, fmt.Errorf("ask Redis: %w", err)
		}
		servers, err := inspector.Servers()
		if err != nil {
			return 0, fmt.Errorf("count the workers: %w", err)
		}
		n := 0
		for _, s := range servers {
			if s.Status == "active" {
				n++
			}
		}
		return n, nil
	}
}

// Client is the connection that Connect returns, for packages that only pass it on.
type Client = redis.UniversalClient
