package postgres

import (
	"context"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

func pingReason(t *testing.T, s store.Store) string {
	t.Helper()
	var down *store.UnavailableError
	require.ErrorAs(t, s.Ping(t.Context()), &down)
	return down.Reason
}

// TestPingTellsWhy makes the server read only, then full of connections.
func TestPingTellsWhy(t *testing.T) {
	place := pgtest.Start(t)
	s, err := Open(t.Context(), place)
	require.NoError(t, err)
	require.NoError(t, s.Ping(t.Context()))
	require.NoError(t, s.Close())
	db := engine{}.Raw(t, place)
	exec := func(statement string) {
		t.Helper()
		_, err := db.ExecContext(context.WithoutCancel(t.Context()), statement)
		require.NoError(t, err)
	}
	exec("CREATE ROLE guest LOGIN IN ROLE edgeposture")
	t.Cleanup(func() { exec("DROP ROLE guest") })
	u, err := url.Parse(place)
	require.NoError(t, err)
	q := u.Query()
	q.Set("user", "guest")
	u.RawQuery = q.Encode()
	s, err = Open(t.Context(), u.String())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Ping(t.Context()))
	const leave = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guest'"
	exec("ALTER ROLE guest SET default_transaction_read_only = on; " + leave)
	require.Eventually(t, func() bool {
		return pingReason(t, s) == "the database server only reads now; point the URL at the primary"
	}, 10*time.Second, time.Millisecond)
	exec("ALTER ROLE guest RESET ALL; ALTER ROLE guest CONNECTION LIMIT 0; " + leave)
	require.Eventually(t, func() bool {
		return pingReason(t, s) == "the database server has no connection left; raise max_connections or run fewer processes"
	}, 10*time.Second, time.Millisecond)
	exec("ALTER ROLE guest CONNECTION LIMIT -1")
	require.Eventually(t, func() bool { return s.Ping(t.Context()) == nil }, 10*time.Second, time.Millisecond)
}

// TestPingOfAFrozenServer: no answer is an error when the context ends, with connections
// that were there and with new ones.
func TestPingOfAFrozenServer(t *testing.T) {
	place, err := url.Parse(pgtest.Start(t))
	require.NoError(t, err)
	q := place.Query()
	way := newWay(t, filepath.Join(q.Get("host"), ".s.PGSQL.5432"))
	q.Del("host")
	place.Host, place.RawQuery = way.listener.Addr().String(), q.Encode()
	s, err := Open(t.Context(), place.String())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Ping(t.Context()))
	way.frozen.Lock()
	defer way.frozen.Unlock()
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		require.ErrorIs(t, s.Ping(ctx), context.DeadlineExceeded)
		cancel()
	}
}

// way leads to a server; while it is frozen nothing gets through.
type way struct {
	listener net.Listener
	frozen   sync.Mutex
}

func newWay(t *testing.T, socket string) *way {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &way{listener: l}
	var all sync.WaitGroup
	t.Cleanup(func() { require.NoError(t, l.Close()); all.Wait() })
	all.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", socket)
			if err != nil {
				_ = from.Close()
				continue
			}
			all.Go(func() { w.carry(from, to) })
			all.Go(func() { w.carry(to, from) })
		}
	})
	return w
}

func (w *way) carry(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		w.frozen.Lock()
		w.frozen.Unlock() //nolint:staticcheck // only to wait
		if _, writeErr := io.Writer(to).Write(b[:n]); err != nil || writeErr != nil {
			return
		}
	}
}
