// Package redistest starts a private, real Redis server for tests.
package redistest

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/edgeposture/edgeposture/internal/platform/porttest"
)

// Start runs redis-server on a free loopback port until the test ends and returns its URL. Without
// redis-server installed the test is skipped, or fails if CI is set.
func Start(t testing.TB) (url string) {
	t.Helper()
	return Run(t).URL
}

// Server is a running Redis that a test may kill and start again.
type Server struct {
	URL  string
	t    testing.TB
	path string
	dir  string
	port int
	cmd  *exec.Cmd
	// admin holds a connection from the start, for when the server accepts no more.
	admin *redis.Client
}

// Run is Start for tests that take the server down.
func Run(t testing.TB) *Server {
	t.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		const how = "redis-server is not installed; run make deps"
		if os.Getenv("CI") != "" {
			t.Fatal(how)
		}
		t.Skip(how)
	}
	s := &Server{t: t, path: binary, dir: t.TempDir(), port: porttest.Free(t)}
	s.URL = "redis://127.0.0.1:" + strconv.Itoa(s.port)
	s.Up()
	t.Cleanup(s.Down)
	return s
}

// Freeze stops the server, as on a machine that hangs, until Thaw.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw ends Freeze.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("signal redis-server: %v", err)
	}
}

// Configure changes a setting of the running server.
func (s *Server) Configure(name, value string) {
	s.t.Helper()
	if err := s.admin.ConfigSet(s.t.Context(), name, value).Err(); err != nil {
		s.t.Fatalf("set %s of redis-server: %v", name, err)
	}
}

// Flush deletes everything in the server.
func (s *Server) Flush() {
	s.t.Helper()
	if err := s.admin.FlushAll(s.t.Context()).Err(); err != nil {
		s.t.Fatalf("empty redis-server: %v", err)
	}
}

// Down kills the server (SIGKILL): everything in it is lost except what Configure("appendonly", "yes")
// had written to its log.
func (s *Server) Down() {
	_ = s.admin.Close()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// Up starts the server, empty, and waits until it answers.
func (s *Server) Up() {
	s.t.Helper()
	s.up("no")
}

// UpFromLog starts the server with the content of its log.
func (s *Server) UpFromLog() {
	s.t.Helper()
	s.up("yes")
}

func (s *Server) up(appendonly string) {
	s.t.Helper()
	s.cmd = exec.Command(s.path, "--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", appendonly, "--dir",
		s.dir)
	if err := s.cmd.Start(); err != nil {
		s.t.Fatalf("start redis-server: %v", err)
	}
	s.admin = redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + strconv.Itoa(s.port), MinIdleConns: 1, PoolSize: 1})
	deadline := time.Now().Add(10 * time.Second)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := s.admin.Ping(ctx).Err()
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("redis-server does not answer: %v", err)
		}
	}
}
