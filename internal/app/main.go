package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// drainWithin bounds how long a process takes to stop after SIGTERM.
const drainWithin = 24 * time.Second

// Main runs a process of a role until SIGTERM or SIGINT and returns its exit code: 0 after a clean
// stop, 1 when it could not start or serve, 2 when its environment is not usable, with one line on stderr that says why.
func Main(role Role, environ []string, stdout, stderr io.Writer) int {
	cfg, err := config.Load(environ)
	if err == nil && !role.API && cfg.Embedded() {
		err = errors.New("REDIS_URL and DATABASE_URL are unset; a worker on its own needs both (`edgeposture serve` runs everything in one " +
			"process without them)")
	}
	if err != nil {
		complain(cfg, stderr, err)
		return 2
	}
	// In a distributed deployment the API leaves the jobs to the workers.
	role.Worker = role.Worker && (!role.API || cfg.Embedded())
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	log := NewLog(cfg, stderr)
	Gather(log)
	boundGarbage(ctx, mostGarbage(role))
	go giveBack(ctx)
	// Near the memory limit of its container, a process collects more often instead of being killed.
	if _, err := memlimit.Set(); err != nil && !errors.Is(err, memlimit.ErrNoCgroup) {
		log.Debug("the memory limit of the container is not known", "error", err)
	}
	a, err := Open(ctx, cfg, role, Options{Version: Version(), Log: log, Now: time.Now, Random: rand.Reader})
	if err != nil {
		complain(cfg, stderr, err)
		return 1
	}
	code := run(ctx, a, role, stdout, log)
	drain, cancel := context.WithTimeout(context.Background(), drainWithin)
	defer cancel()
	if err := a.Close(drain); err != nil {
		log.Warn("the process did not stop cleanly", "error", err)
	}
	return code
}

func run(ctx context.Context, a *App, role Role, stdout io.Writer, log *slog.Logger) int {
	if !role.API {
		_, _ = fmt.Fprintln(stdout, "worker ready")
		<-ctx.Done()
		return 0
	}
	failed := make(chan error, 1)
	go func() { failed <- a.Serve() }()
	_, _ = fmt.Fprintf(stdout, "listening on http://%s\n", a.Addr())
	if path, err := a.FirstInvitation(ctx); err != nil {
		log.Warn("nobody could be invited", "error", err)
	} else if path != "" {
		_, _ = fmt.Fprintf(stdout, "nobody can sign in so far; the first administrator opens %s%s within 24 hours\n",
			cmp.Or(strings.TrimSuffix(a.cfg.PublicURL, "/"), "http://"+a.Addr()), path)
	}
	if a.Demo() {
		_, _ = fmt.Fprintln(stdout, "no CLOUDFLARE_API_TOKEN is set: serving the built-in demo account (a simulated account)")
	}
	select {
	case <-ctx.Done():
		return 0
	case err := <-failed:
		log.Error("the server stopped", "error", err)
		return 1
	}
}

// release is the version that an image was built as. The linker sets it (-ldflags -X), which
// requires a variable; nothing else writes to it.
var release string

// Version returns the version that the linker set, or else the commit or the module's version.
func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return "dev"
}
