package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/edgeposture/edgeposture/internal/config"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
)

// Migrate brings the database of cfg to the newest schema and gives the name of
// its engine. Doing it twice, or in several processes at once, is harmless:
// PostgreSQL lets one at a time through, and the directory of SQLite has a lock
// (InUseError while a service runs on it, whose start migrated). Redis is not
// looked at. An error is one sentence for the person who started it and leaves
// every migration either whole or undone.
func Migrate(ctx context.Context, cfg config.Config) (engine string, err error) {
	// What opening collects to close is closed here as in a service.
	a := &App{cfg: cfg, o: Options{Log: slog.New(slog.DiscardHandler), Now: time.Now}}
	defer func() {
		if closing := a.Close(context.WithoutCancel(ctx)); err == nil && closing != nil {
			err = fmt.Errorf("close the database: %w", closing)
		}
	}()
	var db store.Store
	if cfg.Embedded() {
		if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
			return "", fmt.Errorf("DATA_DIR %s cannot be made (%w); choose a directory this user may write", cfg.DataDir, rootOf(err))
		}
		if err := a.lock(cfg.DataDir); err != nil {
			return "", err
		}
		if db, err = sqlite.Open(ctx, filepath.Join(cfg.DataDir, "edgeposture.db")); err != nil {
			return "", fmt.Errorf("the database in DATA_DIR cannot be used: %w", err)
		}
	} else if db, err = postgres.Open(ctx, cfg.DatabaseURL.Reveal()); err != nil {
		return "", fmt.Errorf("the database at DATABASE_URL cannot be used: %w", err)
	}
	a.closers = append(a.closers, db.Close)
	return db.Engine(), nil
}

func migrateMode(ctx context.Context, _ Role, environ []string, stdout io.Writer) error {
	cfg, err := config.Load(environ)
	if err != nil {
		return err
	}
	engine, err := Migrate(ctx, cfg)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "the schema in %s is the newest\n", engine)
	return err
}
