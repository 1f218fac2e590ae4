// Package redistest starts a private, real Redis server for tests.
package redistest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Start runs redis-server on a free loopback port until the test ends and gives
// its URL. Without one installed the test is skipped, but fails when CI is set.
func Start(t testing.TB) (url string) {
	t.Helper()
	return Run(t).URL
}

// Server is a running Redis that a test may kill and start again.
type Server struct {
	URL  string
	t    testing.TB
	path string
	port int
	cmd  *exec.Cmd
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
	s := &Server{t: t, path: binary, port: freePort(t)}
	s.URL = "redis://127.0.0.1:" + strconv.Itoa(s.port)
	s.Up()
	t.Cleanup(s.Down)
	return s
}

// Down is kill -9: everything in the server is lost.
func (s *Server) Down() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// Freeze stops the server from answering until Thaw.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw lets a frozen server go on.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(what os.Signal) {
	if err := s.cmd.Process.Signal(what); err != nil {
		s.t.Errorf("signal redis-server: %v", err)
	}
}

// Up starts the server, empty, and waits until it answers.
func (s *Server) Up() {
	s.t.Helper()
	s.cmd = exec.Command(s.path, "--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", s.t.TempDir())
	if err := s.cmd.Start(); err != nil {
		s.t.Fatalf("start redis-server: %v", err)
	}
	rdb := redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + strconv.Itoa(s.port)})
	defer func() { _ = rdb.Close() }()
	deadline := time.Now().Add(10 * time.Second)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := rdb.Ping(ctx).Err()
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("redis-server does not answer: %v", err)
		}
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}
