package postgres

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
	"github.com/edgeposture/edgeposture/internal/store/storetest"
)

// engine opens databases of a private server.
type engine struct{}

func (engine) Place(t testing.TB) string { return pgtest.Start(t) }

// Migrated is Place for a store that has its schema.
func (engine) Migrated(t testing.TB) string {
	return pgtest.Prepared(t, func(place string) error {
		s, err := Open(t.Context(), place)
		if err != nil {
			return err
		}
		return s.Close()
	})
}

func (engine) Open(ctx context.Context, place string) (store.Store, error) { return Open(ctx, place) }

// Check has nothing to do: the server was not harmed, only its client.
func (engine) Check(testing.TB, string) {}

func (engine) MigrateTo(ctx context.Context, place string, version int64) error {
	return withProvider(place, func(p *goose.Provider) error {
		_, err := p.UpTo(ctx, version)
		return err
	})
}

func (engine) Version(ctx context.Context, place string) (version int64, err error) {
	err = withProvider(place, func(p *goose.Provider) error {
		version, err = p.GetDBVersion(ctx)
		return err
	})
	return version, err
}

func withProvider(place string, fn func(*goose.Provider) error) error {
	cfg, err := config(place)
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*cfg)
	defer func() { _ = db.Close() }()
	p, err := provider(db)
	if err != nil {
		return err
	}
	return fn(p)
}

// Raw connects with nothing of the store in between.
func (engine) Raw(t testing.TB, place string) *sql.DB {
	t.Helper()
	cfg, err := config(place)
	if err != nil {
		t.Fatal(err)
	}
	cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // several statements at once
	cfg.RuntimeParams["client_encoding"] = "UTF8"              // the driver asks for it there
	cfg.RuntimeParams["synchronous_commit"] = "off"
	db := stdlib.OpenDB(*cfg)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (engine) Literal(b []byte, text bool) string {
	if text {
		return "convert_from('\\x" + hex.EncodeToString(b) + "', 'UTF8')"
	}
	return "'\\x" + hex.EncodeToString(b) + "'::bytea"
}

func TestMain(m *testing.M) {
	if storetest.Child(engine{}) {
		return
	}
	pgtest.Main(m)
}

func TestSweepBasic(t *testing.T)       { storetest.Basic(t, storetest.Fresh(engine{})) }
func TestSweepTransaction(t *testing.T) { storetest.Transaction(t, storetest.Fresh(engine{})) }
func TestConcurrency(t *testing.T)      { storetest.Concurrency(t, storetest.Fresh(engine{})) }
func TestSweepCrash(t *testing.T)       { storetest.Crash(t, engine{}) }
func TestSweepMigration(t *testing.T)   { storetest.Migration(t, engine{}) }
func TestSweepAudit(t *testing.T)       { storetest.Audit(t, engine{}, 200) }

func TestSweepTampering(t *testing.T) { storetest.Tampering(t, engine{}, 200) }

func TestSweepRetention(t *testing.T) {
	storetest.Retention(t, storetest.Fresh(engine{}), 1095, 3)
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
func TestPiecesGuard(t *testing.T) { storetest.PiecesGuard(t, engine{}) }
func TestPackGuard(t *testing.T)   { storetest.PackGuard(t, engine{}) }
func TestSweepPieces(t *testing.T) { storetest.Pieces(t, engine{}) }

func BenchmarkLarge(b *testing.B)     { open, settle := kept(); storetest.BenchLarge(b, open, settle) }
func BenchmarkLargeTeam(b *testing.B) { open, settle := kept(); storetest.BenchTeam(b, open, settle) }

// kept opens the database that EDGEPOSTURE_BENCH_PLACE names, else a fresh one.
func kept() (open func(t testing.TB) store.Store, settle func(context.Context) error) {
	var place string
	open = func(t testing.TB) store.Store {
		if place = os.Getenv("EDGEPOSTURE_BENCH_PLACE"); place == "" {
			place = pgtest.Start(t)
		}
		s, err := Open(t.Context(), place)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	// A server does by itself, within a minute, what is done here at once.
	return open, func(ctx context.Context) error {
		cfg, err := config(place)
		if err != nil {
			return err
		}
		cfg.RuntimeParams["statement_timeout"] = "0"
		db := stdlib.OpenDB(*cfg)
		defer func() { _ = db.Close() }()
		_, err = db.ExecContext(ctx, "VACUUM ANALYZE")
		return err
	}
}

// TestALockedJobHoldsNobodyUp holds a job row as the transaction does that saves its
// assessment: the lease is kept and other jobs are recovered meanwhile.
func TestALockedJobHoldsNobodyUp(t *testing.T) {
	place := pgtest.Start(t)
	s, err := Open(t.Context(), place)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	var rows []store.JobRow
	for i := range 2 {
		n := store.NewJob{ID: fmt.Sprint(i), Kind: posture.JobAssess, Queue: "interactive", CreatedAt: noon}
		_, err := s.Enqueue(t.Context(), n)
		require.NoError(t, err)
		row, err := s.Claim(t.Context(), n.ID, "w", noon, time.Second)
		require.NoError(t, err)
		rows = append(rows, row)
	}
	holder, err := pgx.Connect(t.Context(), place)
	require.NoError(t, err)
	defer func() { require.NoError(t, holder.Close(t.Context())) }()
	tx, err := holder.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE job SET finished_at = 1 WHERE id = '0'")
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = s.Renew(ctx, "0", rows[0].Attempt, noon, time.Second)
	require.NoError(t, err)
	require.NoError(t, s.Recover(ctx, noon.Add(time.Minute)))
	ids, err := s.Due(ctx, "interactive", noon.Add(time.Minute), 10)
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, ids)
	require.NoError(t, tx.Rollback(t.Context()))
	require.NoError(t, s.Recover(ctx, noon.Add(time.Minute)))
	_, err = s.Renew(ctx, "0", rows[0].Attempt, noon, time.Second)
	require.ErrorIs(t, err, store.ErrFenced)
}

// TestTheClockIsTheServers: all processes share it.
func TestTheClockIsTheServers(t *testing.T) {
	s, err := Open(t.Context(), pgtest.Start(t))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	before := time.Now()
	got, err := s.Now(t.Context())
	require.NoError(t, err)
	require.WithinRange(t, got, before.Add(-time.Second), time.Now().Add(time.Second), "the test's server is on this machine")
}

func BenchmarkUnchanged(b *testing.B) {
	storetest.BenchUnchanged(b, engine{}, 10_000, func(place string) map[string]int64 {
		db := engine{}.Raw(b, place)
		_, err := db.ExecContext(b.Context(), "VACUUM FULL")
		require.NoError(b, err)
		return storetest.Sizes(b, db, "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = "+
			"'public'::regnamespace")
	})
}
