package app_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
)

const otherKey = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="

// TestAnotherKeyIsRefused starts every role with another key than the first one, on a
// database that remembers it and on one of a version that did not, and then follows what
// the documentation says about a lost key.
func TestAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*testing.T) ([]string, *sql.DB){"sqlite": fileOf, "postgres": serverOf} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environ, db := place(t)
			with := func(key string) []string { return append([]string{"SERVICE_ENCRYPTION_KEY=" + key}, environ...) }
			refused := func() {
				t.Helper()
				for _, c := range []struct {
					role app.Role
					args []string
				}{{app.Role{API: true, Worker: true}, nil}, {app.Role{Worker: true}, nil}, {app.Role{API: true}, []string{"migrate"}}} {
					if name == "sqlite" && !c.role.API {
						continue // there is no worker of its own
					}
					code, _, stderr := mode(c.role, with(otherKey), c.args...)
					require.Equal(t, 1, code)
					// What the store or Redis logs before is not the answer.
					said := slices.DeleteFunc(strings.Split(strings.TrimSpace(stderr), "\n"), func(line string) bool { return line[0] == '{' })
					require.Len(t, said, 1, stderr)
					require.Contains(t, said[0], "SERVICE_ENCRYPTION_KEY is not the key this database is sealed with")
				}
			}
			migrated := func(key string, want int) {
				t.Helper()
				code, _, stderr := mode(app.Role{API: true}, with(key), "migrate")
				require.Equal(t, want, code, stderr)
			}
			exec := func(statement string) {
				t.Helper()
				_, err := db.ExecContext(t.Context(), statement)
				require.NoError(t, err)
			}
			s := &system{t: t}
			s.openAt(with(testKey), time.Now)() // leaves a token
			refused()
			exec("DELETE FROM encryption_key")
			refused()
			migrated(testKey, 0)
			refused()
			exec("UPDATE account SET sealed_token = NULL")
			exec("DELETE FROM encryption_key")
			migrated(otherKey, 0)
			migrated(testKey, 1)
		})
	}
}

func fileOf(t *testing.T) ([]string, *sql.DB) {
	t.Helper()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "edgeposture.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return []string{"DATA_DIR=" + dir, "CLOUDFLARE_API_TOKEN=t"}, db
}

func serverOf(t *testing.T) ([]string, *sql.DB) {
	t.Helper()
	url := pgtest.Start(t)
	cfg, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	db := stdlib.OpenDB(*cfg)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return []string{"DATA_DIR=" + t.TempDir(), "DATABASE_URL=" + url, "REDIS_URL=" + redistest.Start(t), "CLOUDFLARE_API_TOKEN=t"}, db
}
