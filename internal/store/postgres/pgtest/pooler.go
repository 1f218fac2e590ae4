//go:build unix

package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pooler starts PgBouncer in front of the database at place, in transaction mode with a number of
// connections, and returns the URL that leads through it. Without PgBouncer on the machine the test is
// skipped, or fails if CI is set in the environment.
func Pooler(t testing.TB, place string, connections int) string {
	t.Helper()
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		const how = "pgbouncer is not installed; run make deps"
		if os.Getenv("CI") != "" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	dir, err := os.MkdirTemp("", "pooler") // the path of a socket is limited to about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ini := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(ini, fmt.Appendf(nil, "[databases]\n* = host=%s user=%s\n[pgbouncer]\nlisten_port = 6432\nunix_socket_dir = "+
		"%s\nauth_type = any\npool_mode = transaction\ndefault_pool_size = %d\n",
		q.Get("host"), superuser, dir, connections), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, ini)
	if cmd.SysProcAttr, err = unprivileged(dir); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	q.Set("host", dir)
	q.Set("port", "6432")
	u.RawQuery = q.Encode()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, u.String())
		if err == nil {
			_ = conn.Close(ctx)
			return u.String()
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the pooler does not answer: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
