package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// Migrate brings the database of cfg to the newest schema and returns the name of its engine.
// Repeating it, or running it in several processes at once, is harmless: PostgreSQL lets one
// through at a time, and the directory of SQLite is locked (InUseError while a service uses it,
// whose start migrated it). Redis is not used. The error is one sentence for the person who started
// it, and leaves every migration either applied or undone.
func Migrate(ctx context.Context, cfg config.Config) (engine string, err error) {
	// openStore registers its closers on an App, which is closed here as in a service.
	a := &App{cfg: cfg, o: Options{Log: slog.New(slog.DiscardHandler), Now: time.Now, Random: rand.Reader}}
	defer func() {
		if closing := a.Close(context.WithoutCancel(ctx)); err == nil && closing != nil {
			err = fmt.Errorf("close the database: %w", closing)
		}
	}()
	if err := a.openStore(ctx); err != nil {
		return "", err
	}
	return a.backend.store.Engine(), nil
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
