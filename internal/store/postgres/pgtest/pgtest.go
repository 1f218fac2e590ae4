//go:build unix

// Package pgtest runs a private, real PostgreSQL server for the tests of one test binary. The server
// listens on a Unix socket in its own directory, is started by the first test that needs it and ends
// with the binary, however that ends.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// superuser is the role that the server is created with.
const superuser = "edgeposture"

// patience bounds every step of starting and using the server.
const patience = 60 * time.Second

// shared is the server of this test binary. It is the package's only variable: the tests of one binary
// must share a server, and a *testing.T cannot carry it from one to the next.
var shared server

type server struct {
	mu        sync.Mutex
	tried     bool
	err       error
	dir       string
	process   *exec.Cmd
	leash     *os.File // closing it ends the server
	databases int
	free      []string
	prepared  []string
}

// Start returns the URL of a new, empty database, which is emptied again when the test ends. Without
// PostgreSQL on the machine the test is skipped, or fails if CI is set in the environment.
func Start(t testing.TB) string {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.need(t)
	name, err := shared.take()
	if err != nil {
		t.Fatalf("make a database for the test: %v", err)
	}
	t.Cleanup(func() {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if err := shared.giveBack(name); err != nil {
			t.Errorf("empty the database of the test: %v", err)
		}
	})
	return shared.url(name)
}

// Prepared returns the URL of a database in the state that prepare, the same for every call of a test
// binary, makes of an empty one. Its rows are restored when the test ends, which takes a tenth of the
// time of migrations; the test must leave its tables unchanged.
func Prepared(t testing.TB, prepare func(url string) error) string {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.need(t)
	name, err := shared.takePrepared(prepare)
	if err != nil {
		t.Fatalf("prepare a database for the test: %v", err)
	}
	t.Cleanup(func() {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if err := shared.admin(name, others+putBack); err != nil {
			t.Errorf("put the rows of the database back: %v", err)
			return
		}
		shared.prepared = append(shared.prepared, name)
	})
	return shared.url(name)
}

// Main is the TestMain of a package: it runs the tests, looks for goroutines that are left, ends the
// server, if one was started, and removes its files.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if err := shared.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the server of the tests:", err)
			code = 1
		}
		os.Exit(code)
	}))
}

// need starts the server on first use, and skips or fails the test when it cannot run.
func (s *server) need(t testing.TB) {
	t.Helper()
	if !s.tried {
		s.tried = true
		s.err = s.start()
	}
	if s.err != nil {
		unavailable(t, s.err)
	}
}

func unavailable(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("the tests need a PostgreSQL server: %v", err)
	}
	t.Skipf("no PostgreSQL server to test with: %v; on Debian and Ubuntu `apt-get install postgresql` brings one", err)
}

func (s *server) url(database string) string {
	q := url.Values{"host": {s.dir}, "user": {superuser}, "sslmode": {"disable"}}
	return "postgres:///" + database + "?" + q.Encode()
}

// take returns an empty database. Creating one takes a quarter of a second and emptying one a tenth of
// that, so they are reused.
func (s *server) take() (string, error) {
	if n := len(s.free); n > 0 {
		name := s.free[n-1]
		s.free = s.free[:n-1]
		return name, nil
	}
	s.databases++
	name := fmt.Sprintf("test_%d", s.databases)
	return name, s.admin("postgres", "CREATE DATABASE "+name)
}

// others ends all other connections to a database.
const others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();"

// seed copies the rows that exist, putBack restores exactly those. Small tables are not truncated:
// creating the new files takes longer.
const (
	seed = `CREATE SCHEMA seed;
		DO $$ DECLARE r record; BEGIN
			FOR r IN SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' LOOP
				EXECUTE format('CREATE TABLE seed.%1$I AS TABLE public.%1$I', r.name);
			END LOOP;
		END $$`
	putBack = `DO $$ DECLARE r record; BEGIN
			SET LOCAL session_replication_role = replica; -- no triggers
			FOR r IN SELECT tablename AS name, pg_relation_size(format('public.%I', tablename)::regclass) AS bytes FROM pg_tables
				WHERE schemaname = 'seed' LOOP
				IF r.bytes > 1000000 THEN
					EXECUTE format('TRUNCATE public.%I CASCADE', r.name);
				ELSIF r.bytes > 0 THEN
					EXECUTE format('DELETE FROM public.%I', r.name);
				END IF;
			END LOOP;
			FOR r IN SELECT tablename AS name FROM pg_tables WHERE schemaname = 'seed' LOOP
				EXECUTE format('INSERT INTO public.%1$I OVERRIDING SYSTEM VALUE TABLE seed.%1$I', r.name);
			END LOOP;
			FOR r IN SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL LOOP
				EXECUTE format('ALTER SEQUENCE public.%I RESTART', r.name);
			END LOOP;
		END $$`
)

func (s *server) takePrepared(prepare func(url string) error) (string, error) {
	if n := len(s.prepared); n > 0 {
		name := s.prepared[n-1]
		s.prepared = s.prepared[:n-1]
		return name, nil
	}
	name, err := s.take()
	if err == nil {
		err = prepare(s.url(name))
	}
	if err == nil {
		err = s.admin(name, seed)
	}
	return name, err
}

// giveBack ends all connections to a database and empties it.
func (s *server) giveBack(name string) error {
	err := s.admin(name, others+"DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	if err == nil {
		s.free = append(s.free, name)
	}
	return err
}

func (s *server) admin(database, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.url(database))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	_ = conn.Close(ctx)
	return err
}

func (s *server) start() error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	// Not a test's directory, because the server outlives the test. The name is short, because the path
	// of a socket is limited to about 100 bytes.
	if s.dir, err = os.MkdirTemp("", "pgtest"); err != nil {
		return err
	}
	if err := s.boot(bin); err != nil {
		_ = s.stop()
		return err
	}
	return nil
}

func (s *server) boot(bin string) error {
	who, err := unprivileged(s.dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	data := filepath.Join(s.dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--pgdata="+data, "--username="+superuser,
		"--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	initdb.Dir, initdb.SysProcAttr, initdb.Env = s.dir, who, environment()
	if out, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s.run(ctx, filepath.Join(bin, "postgres"), data)
}

// run starts the server under a shell that waits for the end of its input, then stops the server and
// removes its files. This process holds the other end of the pipe, so this also happens when the test
// binary is killed or forgets to call Stop.
func (s *server) run(ctx context.Context, postgres, data string) error {
	leash, hold, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = leash.Close() }()
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	const script = `dir=$1; shift; "$@" & server=$!; read -r _; kill -INT "$server"; wait "$server"; rm -rf "$dir"`
	s.process = exec.Command("/bin/sh", "-c", script, "sh", s.dir, postgres, "-D", data, "-k", s.dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off",
		"-c", "max_connections=200", "-c", "shared_buffers=64MB", "-c", "max_wal_size=128MB",
		"-c", "min_wal_size=32MB", "-c", "wal_level=minimal", "-c", "max_wal_senders=0")
	s.process.Stdin, s.process.Stdout, s.process.Stderr = leash, log, log
	s.process.Dir, s.process.Env = s.dir, environment()
	if s.process.SysProcAttr, err = unprivileged(s.dir); err != nil {
		return err
	}
	if err := s.process.Start(); err != nil {
		s.process = nil
		_ = hold.Close()
		return err
	}
	s.leash = hold
	return s.ready(ctx)
}

// ready waits until the server answers.
func (s *server) ready(ctx context.Context) error {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
			return fmt.Errorf("the server does not answer: %w: %s", err, log)
		case <-again.C:
		}
	}
}

func (s *server) stop() error {
	var err error
	if s.leash != nil {
		err = s.leash.Close()
		s.leash = nil
	}
	if s.process != nil {
		// The exit status of a server that was stopped by a signal may be an error.
		_ = s.process.Wait()
		s.process = nil
	}
	if s.dir != "" {
		if removeErr := os.RemoveAll(s.dir); err == nil {
			err = removeErr
		}
		s.dir = ""
	}
	return err
}

// environment drops the caller's PG and LC_ variables, which would affect the server.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PG") || strings.HasPrefix(v, "LC_") })
}

// binaries finds the directory with initdb and postgres, preferring the newest version.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) + strings.Compare(b, a) })
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	for _, initdb := range found {
		dir := filepath.Dir(initdb)
		if info, err := os.Stat(filepath.Join(dir, "postgres")); err == nil && !info.IsDir() {
			return dir, nil
		}
	}
	return "", fmt.Errorf("initdb and postgres are neither under /usr/lib/postgresql nor in PATH")
}
