package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"syscall"

	"github.com/edgeposture/edgeposture/internal/engine/queue"
	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// Run is a whole process, whose first argument selects what it does: none is Main, "migrate" is
// Migrate, "health" is Health. The exit code is 0 for success, 1 for failure, 2 for unknown
// arguments and for an environment that can never do; after a failure, stderr has one line that says why.
func Run(role Role, args, environ []string, stdout, stderr io.Writer) int {
	modes := map[string]func(context.Context, Role, []string, io.Writer) error{"migrate": migrateMode, "health": Health}
	if len(args) == 0 {
		return Main(role, environ, stdout, stderr)
	}
	mode, known := modes[args[0]]
	if !known || len(args) > 1 {
		_, _ = fmt.Fprintf(stderr, "edgeposture: the arguments %q are not understood; give none to serve, or one of: migrate, health\n", args)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	queue.Gather(slog.New(slog.DiscardHandler)) // the one line says what the client of Redis would
	if err := mode(ctx, role, environ, stdout); err != nil {
		cfg, invalid := config.Load(environ)
		complain(cfg, stderr, err)
		if invalid != nil && args[0] != "health" { // a check of a container knows no 2
			return 2
		}
		return 1
	}
	return 0
}
