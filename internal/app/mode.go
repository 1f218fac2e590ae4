package app

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// Run is a whole process: its first argument chooses what it does. None is
// Main; "migrate" is Migrate; "health" is Health. The exit code is 0 when it was
// done, 1 when it could not be, 2 for unknown arguments; stderr has one
// line that says why.
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
	if err := mode(ctx, role, environ, stdout); err != nil {
		cfg, _ := config.Load(environ) // what is wrong with it was an error before
		complain(cfg, stderr, err)
		return 1
	}
	return 0
}
