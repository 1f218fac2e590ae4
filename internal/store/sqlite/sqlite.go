// Package sqlite opens the store in one SQLite file. It is the only package
// that knows the SQLite driver.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/relational"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed migrations/go/00013_finding_state.sql
var findingState string

// busyTimeout is how long a statement waits for another process.
const busyTimeout = 10 * time.Second

// readers bounds the connections that read at the same time.
const readers = 8

// Open opens or creates the database file at path, migrates it to the newest schema and returns the
// store on it. The directory must exist. A new file is readable by its owner only. Several processes
// may open one file, also at the same time. The caller closes the store. Every error is one sentence
// that says what is wrong with the file.
func Open(ctx context.Context, path string) (store.Store, error) {
	return open(ctx, path, busyTimeout)
}

func open(ctx context.Context, path string, busy time.Duration) (store.Store, error) {
	abs, err := create(path)
	if err != nil {
		return nil, err
	}
	writer, err := openPool(abs, busy, 1, "")
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, writer, busy); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database file %s: %w", abs, explain(err)), writer.Close())
	}
	// A second pool, so that pages can be read while an assessment is being saved.
	reader, err := openPool(abs, busy, readers, "query_only(1)")
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	return newStore(writer, reader), nil
}

func newStore(writer, reader *sql.DB) store.Store {
	// An older version may read tables to which a newer one has added columns.
	onBun := func(db *sql.DB) *bun.DB { return bun.NewDB(db, sqlitedialect.New(), bun.WithDiscardUnknownColumns()) }
	engine := relational.Engine{Name: "sqlite", Find: "instr", Match: match, Again: again, Explain: explain}
	return relational.New(engine, onBun(writer), onBun(reader))
}

// match uses the trigram index, which has no entries for parts of fewer than three characters.
func match(part string) (condition, argument string) {
	if utf8.RuneCountInString(part) < 3 {
		return "instr(search, ?) > 0", part
	}
	return "finding_text MATCH ?", `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
}

// create makes the file, so that the mode is ours and not the driver's; SQLite gives its journal files
// the mode of the database.
func create(path string) (string, error) {
	if path == "" {
		return "", errors.New("open the database: the path of the file is empty")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("open the database file %s: %w", path, err)
	}
	f, err := os.OpenFile(abs, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the operator names the file
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("open the database file %s: its directory does not exist; create it first: %w", abs, err)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("open the database file %s: this user may not read and write it: %w", abs, err)
	case err != nil:
		return "", fmt.Errorf("open the database file %s: %w", abs, err)
	}
	return abs, f.Close()
}

func openPool(path string, busy time.Duration, size int, pragma string) (*sql.DB, error) {
	q := url.Values{}
	// immediate: a transaction that will write takes the write lock at its start and waits there;
	// taking it halfway would fail instead of waiting.
	q.Set("_txlock", "immediate")
	q.Add("_pragma", "busy_timeout("+strconv.FormatInt(busy.Milliseconds(), 10)+")")
	q.Add("_pragma", "foreign_keys(1)")
	// full: acknowledged writes survive a loss of power, not only a crash.
	q.Add("_pragma", "synchronous(full)")
	if pragma != "" {
		q.Add("_pragma", pragma)
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the database file %s: %w", path, err)
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// prepare switches to the write-ahead log and migrates.
func prepare(ctx context.Context, db *sql.DB, busy time.Duration) error {
	var mode string
	err := untilFree(ctx, busy, func() error {
		return db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
	})
	if err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("its file system does not support the write-ahead log (journal mode is %q); use a local disk", mode)
	}
	p, err := provider(db)
	if err != nil {
		return err
	}
	return migrate(ctx, p)
}

func provider(db *sql.DB) (*goose.Provider, error) {
	dir, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	onBun := bun.NewDB(db, sqlitedialect.New())
	fill := goose.NewGoMigration(13, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		return relational.FillStates(ctx, onBun, tx, findingState)
	}}, nil)
	p, err := goose.NewProvider(goose.DialectSQLite3, db, dir, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(fill))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return p, nil
}

// migrate migrates the schema to the newest version. When two processes migrate at the same time, the
// slower one fails on what exists already; its transaction is rolled back, so it only has to try again.
// It gives up when a try failed and the schema version has not changed meanwhile.
func migrate(ctx context.Context, p *goose.Provider) error {
	seen := int64(-1)
	for {
		_, err := p.Up(ctx)
		if err == nil {
			return tooNew(ctx, p)
		}
		version, versionErr := p.GetDBVersion(ctx)
		if ctx.Err() != nil || versionErr != nil || version <= seen {
			return fmt.Errorf("bring the schema to the newest version: %w", err)
		}
		seen = version
	}
}

// tooNew refuses a file that a newer version has migrated: writing to it by the old rules could break
// what the newer version relies on.
func tooNew(ctx context.Context, p *goose.Provider) error {
	has, knows, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the schema: %w", err)
	}
	if has > knows {
		return fmt.Errorf("its schema has version %d and this program knows only %d; start a newer version of the program", has, knows)
	}
	return nil
}

// untilFree repeats what SQLite refuses without waiting while another process opens the file: switching
// the journal mode ignores the busy timeout.
func untilFree(ctx context.Context, busy time.Duration, fn func() error) error {
	deadline := time.NewTimer(busy)
	defer deadline.Stop()
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for {
		err := fn()
		if !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline.C:
			return err
		case <-pause.C:
		}
	}
}
