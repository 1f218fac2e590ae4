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

// Freeze stops every process of the server, as on a machine that hangs, until Thaw. No other test may
// use the server meanwhile.
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
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The format is: pid (name) state ppid
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if len(fields) > 1 && fields[1] == first {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// Exec runs a statement as the owner of the server, outside of the tests' databases.
func Exec(t testing.TB, statement string) {
	t.Helper()
	if err := shared.admin("postgres", statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// StartOnDisk is Start for a database on a file system of its own, of a size in MiB, whose mount point
// it returns. Only root can mount one: for other users mount is "", and the database is in the usual
// directory.
func StartOnDisk(t testing.TB, mib int) (database, mount string) {
	t.Helper()
	database = Start(t)
	dir, err := os.MkdirTemp(shared.dir, "disk")
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=0777", mib)); err != nil {
		return database, ""
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := unprivileged(data); err != nil {
		t.Fatal(err)
	}
	cfg, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	name := "disk_of_" + cfg.Database
	Exec(t, "CREATE TABLESPACE "+name+" LOCATION '"+data+"'")
	Exec(t, "ALTER DATABASE "+cfg.Database+" SET TABLESPACE "+name)
	t.Cleanup(func() {
		Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+cfg.Database+"'")
		Exec(t, "ALTER DATABASE "+cfg.Database+" SET TABLESPACE pg_default")
		Exec(t, "DROP TABLESPACE "+name)
		_ = syscall.Unmount(dir, syscall.MNT_DETACH)
	})
	return database, dir
}
