package postgres

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
	"github.com/edgeposture/edgeposture/internal/store/storetest"
)

// engine opens databases of a private server.
type engine struct{}

func (engine) Place(t testing.TB) string { return pgtest.Start(t) }

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

func TestMain(m *testing.M) {
	if storetest.Child(engine{}) {
		return
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := pgtest.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the server of the tests:", err)
			code = 1
		}
		os.Exit(code)
	}))
}

func TestBasic(t *testing.T)       { storetest.Basic(t, storetest.Fresh(engine{})) }
func TestTransaction(t *testing.T) { storetest.Transaction(t, storetest.Fresh(engine{})) }
func TestConcurrency(t *testing.T) { storetest.Concurrency(t, storetest.Fresh(engine{})) }
func TestCrash(t *testing.T)       { storetest.Crash(t, engine{}) }
func TestMigration(t *testing.T)   { storetest.Migration(t, engine{}) }

func BenchmarkSave(b *testing.B)         { storetest.BenchSave(b, storetest.Fresh(engine{}), 10_000) }
func BenchmarkSaveLarge(b *testing.B)    { storetest.BenchSave(b, storetest.Fresh(engine{}), 50_000) }
func BenchmarkFindingsPage(b *testing.B) { storetest.BenchFindingsPage(b, storetest.Fresh(engine{})) }
func BenchmarkClaim(b *testing.B)        { storetest.BenchClaim(b, storetest.Fresh(engine{})) }
func BenchmarkSections(b *testing.B)     { storetest.BenchSections(b, storetest.Fresh(engine{})) }
