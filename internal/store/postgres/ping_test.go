package postgres

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

func pingReason(t *testing.T, s store.Store) string {
	t.Helper()
	var down *store.UnavailableError
	require.ErrorAs(t, s.Ping(t.Context()), &down)
	return down.Reason
}

// asGuest opens a migrated database as a user of its own, who begins with the settings, and gives what runs statements as its owner.
func asGuest(t *testing.T, place, settings string) (s store.Store, exec func(statements string)) {
	t.Helper()
	s, err := Open(t.Context(), place)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	db := engine{}.Raw(t, place)
	exec = func(statements string) {
		t.Helper()
		_, err := db.ExecContext(context.WithoutCancel(t.Context()), statements)
		require.NoError(t, err)
	}
	exec("CREATE ROLE guest LOGIN IN ROLE edgeposture;" + settings)
	t.Cleanup(func() { exec("DROP ROLE guest") })
	u, err := url.Parse(place)
	require.NoError(t, err)
	q := u.Query()
	q.Set("user", "guest")
	u.RawQuery = q.Encode()
	s, err = Open(t.Context(), u.String())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, exec
}

// TestDefaultsOfARole: what is written is read, whatever somebody has set for all who connect.
func TestDefaultsOfARole(t *testing.T) {
	s, _ := asGuest(t, pgtest.Start(t), `ALTER ROLE guest SET bytea_output = 'escape'; ALTER ROLE guest SET client_encoding = 'LATIN1';
		ALTER ROLE guest SET standard_conforming_strings = off; ALTER ROLE guest SET default_transaction_isolation = 'serializable'`)
	want := []byte("it's \\ ä 中 \U0001F600 \x01\xff")
	job := store.NewJob{ID: "1", Kind: posture.JobAssess, Queue: "interactive", Account: "ä 中 \\'", Arguments: want,
		CreatedAt: time.Unix(1e9, 0)}
	_, err := s.Enqueue(t.Context(), job)
	require.NoError(t, err)
	got, err := s.Job(t.Context(), job.ID)
	require.NoError(t, err)
	require.Equal(t, want, []byte(got.Arguments))
	require.Equal(t, job.Account, got.Account)
}

// TestALockThatIsNotGiven: somebody holds a table for longer than the role waits for locks.
func TestALockThatIsNotGiven(t *testing.T) {
	place := pgtest.Start(t)
	s, _ := asGuest(t, place, "ALTER ROLE guest SET lock_timeout = '1ms'")
	tx, err := engine{}.Raw(t, place).BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "LOCK TABLE turn")
	require.NoError(t, err)
	require.Equal(t, "the database server gave up waiting for a lock that somebody holds", pingReason(t, s))
	require.NoError(t, tx.Rollback())
	require.NoError(t, s.Ping(t.Context()))
}

// TestPingTellsWhy makes the server read only, then full of connections.
func TestPingTellsWhy(t *testing.T) {
	s, exec := asGuest(t, pgtest.Start(t), "")
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
	way, s := overWay(t, pgtest.Start(t))
	require.NoError(t, s.Ping(t.Context()))
	way.frozen.Lock()
	defer way.frozen.Unlock()
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		require.ErrorIs(t, s.Ping(ctx), context.DeadlineExceeded)
		cancel()
	}
}

// overWay opens a database whose connections lead over a way, until the test ends.
func overWay(t *testing.T, database string) (*way, store.Store) {
	t.Helper()
	place, err := url.Parse(database)
	require.NoError(t, err)
	q := place.Query()
	w := newWay(t, filepath.Join(q.Get("host"), ".s.PGSQL.5432"))
	q.Del("host")
	place.Host, place.RawQuery = w.listener.Addr().String(), q.Encode()
	s, err := Open(t.Context(), place.String())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return w, s
}

// TestALostAnswer: what the server has done when the connection breaks is not done again, and whoever asked is told that it may
// be done, unless it cannot.
func TestALostAnswer(t *testing.T) {
	database := pgtest.Start(t)
	w, s := overWay(t, database)
	pings := func() (n int) {
		require.NoError(t, engine{}.Raw(t, database).QueryRowContext(t.Context(), "SELECT begun_at FROM turn WHERE name = 'ping'").Scan(&n))
		return n
	}
	require.NoError(t, s.Ping(t.Context()))
	before := pings()
	id := "01a1fe8f-3b4e-7922-9dea-000000000001"
	enqueue := func(ctx context.Context) error {
		_, err := s.Enqueue(ctx, store.NewJob{ID: id, Kind: posture.JobAssess, Queue: "interactive", CreatedAt: time.Now()})
		return err
	}
	look := func(ctx context.Context) error { _, err := s.Job(ctx, id); return err }
	for _, tc := range []struct {
		lose   string
		of     func(context.Context) error
		unsure bool
		is     error // what look then says
	}{
		{"INSERT INTO turn", s.Ping, true, store.ErrNotFound},
		{`INSERT INTO "job"`, enqueue, false, store.ErrNotFound},
		{"commit", enqueue, true, nil},
		{"SELECT", look, false, nil},
	} {
		w.lose.Store(&tc.lose)
		var down *store.UnavailableError
		require.ErrorAs(t, tc.of(t.Context()), &down, tc.lose)
		require.Nil(t, w.lose.Load(), "it was asked: %s", tc.lose)
		require.Equal(t, tc.unsure, down.Unsure, tc.lose)
		require.Equal(t, tc.is, look(t.Context()), tc.lose)
	}
	require.Equal(t, before+1, pings(), "the write was done once")
}

// way leads to a server; while it is frozen nothing gets through.
type way struct {
	listener net.Listener
	frozen   sync.Mutex
	// lose is part of a statement whose answer is lost, together with the connection.
	lose atomic.Pointer[string]
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
			asked := &atomic.Bool{}
			all.Go(func() { w.carry(from, to, func(b []byte) bool { w.losing(b, asked); return true }) })
			all.Go(func() { w.carry(to, from, func([]byte) bool { return !asked.Load() }) })
		}
	})
	return w
}

// losing notes that the statement was asked whose answer is to be lost.
func (w *way) losing(b []byte, asked *atomic.Bool) {
	if part := w.lose.Load(); part != nil && bytes.Contains(b, []byte(*part)) && w.lose.CompareAndSwap(part, nil) {
		asked.Store(true)
	}
}

func (w *way) carry(from, to net.Conn, passes func([]byte) bool) {
	defer func() { _, _ = from.Close(), to.Close() }()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		w.frozen.Lock()
		w.frozen.Unlock() //nolint:staticcheck // only to wait
		if !passes(b[:n]) {
			return
		}
		if _, writeErr := io.Writer(to).Write(b[:n]); err != nil || writeErr != nil {
			return
		}
	}
}
