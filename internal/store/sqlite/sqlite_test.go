package sqlite

import (
	"context"
	"database/sql"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/storetest"
)

// engine opens databases in directories that go with their test.
type engine struct{}

func (engine) Place(t testing.TB) string { return filepath.Join(t.TempDir(), "store.db") }

// migrated is the file of a store that has its schema and nothing else.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "edgeposture-store")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	place := filepath.Join(dir, "store.db")
	s, err := Open(context.Background(), place)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(place)
})

// Migrated is Place for a store that has its schema.
func (e engine) Migrated(t testing.TB) string {
	t.Helper()
	file, err := migrated()
	require.NoError(t, err)
	place := e.Place(t)
	require.NoError(t, os.WriteFile(place, file, 0o600))
	return place
}

func (engine) Open(ctx context.Context, place string) (store.Store, error) { return Open(ctx, place) }

func (engine) Check(t testing.TB, place string) {
	t.Helper()
	db, err := openPool(place, busyTimeout, 1, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var verdict string
	require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict))
	require.Equal(t, "ok", verdict)
	var broken int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pragma_foreign_key_check").Scan(&broken))
	require.Zero(t, broken)
}

func (engine) MigrateTo(ctx context.Context, place string, version int64) error {
	db, err := openPool(place, busyTimeout, 1, "")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	p, err := provider(db)
	if err != nil {
		return err
	}
	_, err = p.UpTo(ctx, version)
	return err
}

func (engine) Version(ctx context.Context, place string) (int64, error) {
	db, err := openPool(place, busyTimeout, 1, "")
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	p, err := provider(db)
	if err != nil {
		return 0, err
	}
	return p.GetDBVersion(ctx)
}

// Raw opens the file with nothing of the store in between.
func (engine) Raw(t testing.TB, place string) *sql.DB {
	t.Helper()
	db, err := openPool(place, busyTimeout, 1, "synchronous(off)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func (engine) Literal(b []byte, text bool) string {
	if text {
		return "CAST(X'" + hex.EncodeToString(b) + "' AS TEXT)"
	}
	return "X'" + hex.EncodeToString(b) + "'"
}

func TestMain(m *testing.M) {
	if !storetest.Child(engine{}) {
		goleak.VerifyTestMain(m)
	}
}

func TestSweepBasic(t *testing.T)       { storetest.Basic(t, storetest.Fresh(engine{})) }
func TestSweepTransaction(t *testing.T) { storetest.Transaction(t, storetest.Fresh(engine{})) }
func TestConcurrency(t *testing.T)      { storetest.Concurrency(t, storetest.Fresh(engine{})) }
func TestSweepCrash(t *testing.T)       { storetest.Crash(t, engine{}) }
func TestSweepMigration(t *testing.T)   { storetest.Migration(t, engine{}) }
func TestSweepAudit(t *testing.T)       { storetest.Audit(t, engine{}, 1000) }

func TestSweepTampering(t *testing.T) { storetest.Tampering(t, engine{}, 1000) }

func TestSweepRetention(t *testing.T) {
	storetest.Retention(t, storetest.Fresh(engine{}), 1095, 1)
}

func BenchmarkSave(b *testing.B)         { storetest.BenchSave(b, storetest.Fresh(engine{}), 10_000) }
func BenchmarkSaveLarge(b *testing.B)    { storetest.BenchSave(b, storetest.Fresh(engine{}), 50_000) }
func BenchmarkFindingsPage(b *testing.B) { storetest.BenchFindingsPage(b, storetest.Fresh(engine{})) }
func BenchmarkTrend(b *testing.B)        { storetest.BenchTrend(b, storetest.Fresh(engine{})) }
func BenchmarkAudit(b *testing.B)        { storetest.BenchAudit(b, storetest.Fresh(engine{})) }
func BenchmarkForget(b *testing.B)       { storetest.BenchForget(b, storetest.Fresh(engine{}), 2_000) }
func BenchmarkClaim(b *testing.B)        { storetest.BenchClaim(b, storetest.Fresh(engine{})) }
func BenchmarkSections(b *testing.B)     { storetest.BenchSections(b, storetest.Fresh(engine{})) }

func TestSweepIssues(t *testing.T) { storetest.Issues(t, engine{}) }
func TestSweepOlder(t *testing.T)  { storetest.Older(t, engine{}) }
func TestSweepPieces(t *testing.T) { storetest.Pieces(t, engine{}) }

func BenchmarkLarge(b *testing.B)     { storetest.BenchLarge(b, kept(), asItIs) }
func BenchmarkLargeTeam(b *testing.B) { storetest.BenchTeam(b, kept(), asItIs) }

func asItIs(context.Context) error { return nil }

// kept opens the database that EDGEPOSTURE_BENCH_PLACE names, else a fresh one.
func kept() (open func(t testing.TB) store.Store) {
	open = storetest.Fresh(engine{})
	if place := os.Getenv("EDGEPOSTURE_BENCH_PLACE"); place != "" {
		open = func(t testing.TB) store.Store {
			s, err := Open(t.Context(), place)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			return s
		}
	}
	return open
}

func BenchmarkUnchanged(b *testing.B) {
	storetest.BenchUnchanged(b, engine{}, 10_000, func(place string) map[string]int64 {
		db := raw(b, place)
		_, err := db.ExecContext(b.Context(), "VACUUM")
		require.NoError(b, err)
		return storetest.Sizes(b, db, "SELECT COALESCE(m.tbl_name, d.name), SUM(d.pgsize) FROM dbstat AS d LEFT JOIN sqlite_schema AS m ON "+
			"m.name = d.name GROUP BY 1")
	})
}
