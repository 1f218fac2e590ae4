package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

const password = "hunter2-PaSs"

func TestErrorsHoldNoPassword(t *testing.T) {
	for name, place := range map[string]string{
		"not a URL":          "postgres://u:" + password + "@host:port/db",
		"bad escape":         "postgres://u:" + password + "%zz@host/db",
		"key and value":      "host=127.0.0.1 port=1 user=u password=" + password + " connect_timeout=1",
		"bad key and value":  "password=" + password + " host",
		"nobody listens":     "postgres://u:" + password + "@127.0.0.1:1/db?connect_timeout=1",
		"bad option":         "postgres://u:" + password + "@127.0.0.1:1/db?sslmode=" + password,
		"password as a user": "postgres://" + password + ":" + password + "@127.0.0.1:1/" + password,
	} {
		s, err := Open(t.Context(), place)
		require.Error(t, err, name)
		require.Nil(t, s)
		require.NotContains(t, err.Error(), password, name)
		require.NotContains(t, fmt.Sprintf("%+v", err), password, name)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	place := pgtest.Start(t)
	u, err := url.Parse(place)
	require.NoError(t, err)
	u.Path = "/no_such_database"
	_, err = Open(t.Context(), u.String())
	require.ErrorContains(t, err, "the database of the URL does not exist")
	_, err = Open(t.Context(), "postgres://u@127.0.0.1:1/db?connect_timeout=1")
	require.ErrorContains(t, err, "the database server cannot be reached")
	_, err = Open(t.Context(), place+"&default_transaction_read_only=on")
	require.ErrorContains(t, err, "only reads now")
}

func TestNewerSchemaIsRefused(t *testing.T) {
	place := pgtest.Start(t)
	s, err := Open(t.Context(), place)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	cfg, err := config(place)
	require.NoError(t, err)
	db := pool(cfg)
	_, err = db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = Open(t.Context(), place)
	require.ErrorContains(t, err, "start a newer version of the program")
}

func TestCodes(t *testing.T) {
	for code, want := range map[string]struct {
		again bool
		text  string
	}{
		codeReference: {again: true}, codeUnique: {again: true}, codeSerialization: {again: true}, codeDeadlock: {again: true},
		codeDiskFull: {text: "disk of the database server is full"}, codeConnections: {text: "no connection left"},
		codeCancelled: {text: "took too long"}, codeReadOnly: {text: "only reads now"}, codePassword: {text: "refused the user or the password"},
		codeNoLogin: {text: "refused the user or the password"}, codeNoRight: {text: "may not do this"}, "42601": {},
		codeLocked: {text: "a lock that somebody holds"}, codeIdle: {text: "a transaction was idle for too long"},
	} {
		err := fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code, Message: "with " + password})
		require.Equal(t, want.again, again(err), code)
		told := explain(redact(err, password))
		require.ErrorContains(t, told, want.text, code)
		require.NotContains(t, told.Error(), password)
		var pg *pgconn.PgError
		require.ErrorAs(t, told, &pg, "the cause stays in the chain")
	}
	require.False(t, again(errors.New(strings.Repeat("x", 5))))
}

// TestACommitOfAKilledProcessIsWaitedFor: the server is still at the commit of a migration whose process is
// gone, and whose lock is free, when the next one starts.
func TestACommitOfAKilledProcessIsWaitedFor(t *testing.T) {
	const version = 8
	place, e := pgtest.Start(t), engine{}
	require.NoError(t, e.MigrateTo(t.Context(), place, version-1))
	raw := e.Raw(t, place)
	tx, err := raw.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	up, err := migrations.ReadFile("migrations/00008_remediation.sql")
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), string(up))
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)", version)
	require.NoError(t, err)
	opened := make(chan error)
	go func() {
		s, err := Open(t.Context(), place)
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	require.Eventually(t, func() bool {
		var waiting int
		err := raw.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(&waiting)
		return err == nil && waiting > 0
	}, time.Minute, 5*time.Millisecond)
	require.NoError(t, tx.Commit())
	require.NoError(t, <-opened)
}
