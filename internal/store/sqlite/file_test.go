package sqlite

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func TestFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c%20#d.db")
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.PutAccount(t.Context(), posture.Account{ID: "a", Name: "a"}, []byte("x")))
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
	}
	require.NoError(t, s.Close())
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	for name, c := range map[string]struct{ path, want string }{
		"no path":      {"", "the path of the file is empty"},
		"no directory": {filepath.Join(dir, "none", "x.db"), "its directory does not exist"},
		"a directory":  {dir, "is a directory"},
		"not a database": {write("text.db", []byte(strings.Repeat("not a database at all. ", 500))),
			"the file is not a SQLite database"},
		"damaged": {damaged(t, filepath.Join(dir, "damaged.db")), "the database file is damaged"},
		"newer":   {newer(t, filepath.Join(dir, "newer.db")), "start a newer version of the program"},
	} {
		s, err := Open(t.Context(), c.path)
		require.ErrorContains(t, err, c.want, name)
		require.Nil(t, s, name)
		require.NotContains(t, err.Error(), "\n", "one sentence")
	}
}

// raw opens the file behind the store's back.
func raw(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := openPool(path, busyTimeout, 1, "")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func damaged(t *testing.T, path string) string {
	t.Helper()
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 100; i < len(content); i++ {
		content[i] ^= 0x5a
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func newer(t *testing.T, path string) string {
	t.Helper()
	s, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	db := raw(t, path)
	_, err = db.ExecContext(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	return path
}

func TestLockedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := open(t.Context(), path, time.Millisecond)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	db := raw(t, path)
	tx, err := db.BeginTx(t.Context(), nil) // immediate: holds the write lock
	require.NoError(t, err)
	put := func() error { return s.PutAccount(t.Context(), posture.Account{ID: "a", Name: "a"}, nil) }
	require.ErrorContains(t, put(), "another process holds the database file locked")
	require.ErrorContains(t, s.Ping(t.Context()), "another process holds the database file locked")
	_, err = s.Accounts(t.Context())
	require.NoError(t, err, "reading goes on")
	require.NoError(t, tx.Rollback())
	require.NoError(t, put())
}

// TestPingWrites has a database that can only be read.
func TestPingWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	require.NoError(t, engine{}.MigrateTo(t.Context(), path, 99))
	pool, err := openPool(path, busyTimeout, 1, "query_only(1)")
	require.NoError(t, err)
	s := newStore(pool, pool)
	defer func() { require.NoError(t, s.Close()) }()
	var down *store.UnavailableError
	require.ErrorAs(t, s.Ping(t.Context()), &down)
	require.Equal(t, "the database file or its directory cannot be written by this user", down.Reason)
}

// TestFullDisk limits the pages of the file; SQLite then answers as it does
// when the disk has no more. What did not fit has left nothing behind.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	empty, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, empty.Close())
	var pages int
	require.NoError(t, raw(t, path).QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages))
	writer, err := openPool(path, busyTimeout, 1, fmt.Sprintf("max_page_count(%d)", pages+60))
	require.NoError(t, err)
	reader, err := openPool(path, busyTimeout, 1, "query_only(1)")
	require.NoError(t, err)
	s := newStore(writer, reader)
	defer func() { require.NoError(t, s.Close()) }()
	id := "01890000-0000-7000-8000-000000000001"
	_, err = s.Enqueue(t.Context(), store.NewJob{ID: id, Kind: posture.JobAssess, CreatedAt: time.Unix(1, 0)})
	require.NoError(t, err)
	row, err := s.Claim(t.Context(), id, "w", time.Unix(1, 0), time.Minute)
	require.NoError(t, err)
	in := store.SaveAssessment{JobID: id, Attempt: 1,
		Assessment: posture.Assessment{AssessmentSummary: posture.AssessmentSummary{ID: "report"},
			Findings: slices.Repeat([]posture.Finding{{CheckID: "c"}}, 30_000)}}
	for i := range in.Assessment.Findings {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		in.Assessment.Findings[i].ID = hex.EncodeToString(sum[:])
	}
	require.ErrorContains(t, s.Save(t.Context(), in), "the disk of the database file is full; free some space")
	got, err := s.Job(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, row, got)
	_, err = s.Assessment(t.Context(), "report")
	require.ErrorIs(t, err, store.ErrNotFound)
	engine{}.Check(t, path)
	in.Assessment.Findings = in.Assessment.Findings[:10]
	require.NoError(t, s.Save(t.Context(), in), "what fits is taken")
}
