package queue

import (
	"context"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/store"
)

func reason(t *testing.T, err error) string {
	t.Helper()
	var down *store.UnavailableError
	require.ErrorAs(t, err, &down)
	return down.Reason
}

func TestWritable(t *testing.T) {
	server := redistest.Run(t)
	rdb, err := Connect(t.Context(), server.URL)
	require.NoError(t, err)
	defer func() { require.NoError(t, rdb.Close()) }()
	writable := Writable(rdb)
	require.NoError(t, writable(t.Context()))
	ttl, err := rdb.TTL(t.Context(), "edgeposture:writable").Result()
	require.NoError(t, err)
	require.Positive(t, ttl)
	require.NoError(t, rdb.ConfigSet(t.Context(), "maxmemory", "1").Err())
	require.NoError(t, rdb.Ping(t.Context()).Err(), "it answers")
	require.Contains(t, reason(t, writable(t.Context())), "maxmemory")
	require.NoError(t, rdb.ConfigSet(t.Context(), "maxmemory", "0").Err())
	require.NoError(t, rdb.Do(t.Context(), "REPLICAOF", "127.0.0.1", "1").Err())
	require.Contains(t, reason(t, writable(t.Context())), "only reads")
	require.NoError(t, rdb.Do(t.Context(), "REPLICAOF", "NO", "ONE").Err())
	require.NoError(t, writable(t.Context()))
	server.Down()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.Contains(t, reason(t, writable(ctx)), "cannot be reached")
}

func TestWritableWhileLoading(t *testing.T) {
	m := miniredis.RunT(t)
	rdb, err := Connect(t.Context(), "redis://"+m.Addr())
	require.NoError(t, err)
	defer func() { require.NoError(t, rdb.Close()) }()
	require.NoError(t, Writable(rdb)(t.Context()))
	require.Equal(t, 10*time.Second, m.TTL("edgeposture:writable"))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Writable(rdb)(over), context.Canceled)
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	require.ErrorIs(t, Writable(rdb)(late), context.DeadlineExceeded)
	m.SetError("LOADING Redis is loading the dataset in memory")
	require.Contains(t, reason(t, Writable(rdb)(t.Context())), "loading")
}
