//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Freeze stops every process of the server, as a machine that hangs does, until Thaw.
// No other test may use the server meanwhile.
func Freeze(t testing.TB) { signal(t, syscall.SIGSTOP) }

// Thaw ends Freeze.
func Thaw(t testing.TB) { signal(t, syscall.SIGCONT) }

func signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(shared.dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatalf("find the server: %v", err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		t.Fatalf("find the server: %v", err)
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("the processes of the server can only be found where there is /proc")
	}
	_ = syscall.Kill(postmaster, sig)
	for _, path := range stats {
		stat, err := os.ReadFile(path) //nolint:gosec // of the kernel
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if len(fields) > 1 && fields[1] == first {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// Exec runs a statement as the owner of the server, in the database at a URL of Start.
func Exec(t testing.TB, database, statement string) {
	t.Helper()
	cfg, err := pgx.ParseConfig(database)
	if err == nil {
		err = shared.admin(cfg.Database, statement)
	}
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// StartOnDisk is Start for a database that lies on a file system of so many MiB, whose
// mount point is given; only root can make one, so others skip the test.
func StartOnDisk(t testing.TB, mib int) (database, mount string) {
	t.Helper()
	database = Start(t)
	dir, err := os.MkdirTemp(shared.dir, "disk")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", mib)); err != nil {
		t.Skipf("a small file system can only be made by root: %v", err)
	}
	who, err := unprivileged(dir)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if who != nil && who.Credential != nil {
		if err := os.Chown(data, int(who.Credential.Uid), int(who.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	name := "disk_" + cfg.Database
	for _, statement := range []string{"CREATE TABLESPACE " + name + " LOCATION '" + data + "'", "ALTER DATABASE " + cfg.Database + " SET TABLESPACE " + name} {
		if err := shared.admin("postgres", statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	t.Cleanup(func() {
		for _, statement := range []string{
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + cfg.Database + "'",
			"ALTER DATABASE " + cfg.Database + " SET TABLESPACE pg_default", "DROP TABLESPACE " + name,
		} {
			if err := shared.admin("postgres", statement); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
		_ = syscall.Unmount(dir, syscall.MNT_DETACH)
	})
	return database, dir
}
