package command_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// binary is the command line, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "edgeposture-command")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "edgeposture")
	if out, err := exec.Command("go", "build", "-tags", "grpcnotrace", "-o", binary, "../../../cmd/edgeposture").CombinedOutput(); err != nil {
		panic(string(out))
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// TestProgramHasOnlyWhatItCalls: whatever runs a template of text/template calls methods by their names, for which the linker keeps
// every exported method of every type: a fifth of the program.
func TestProgramHasOnlyWhatItCalls(t *testing.T) {
	symbols, err := exec.CommandContext(t.Context(), "go", "tool", "nm", binary).Output()
	require.NoError(t, err)
	require.Contains(t, string(symbols), " main.main\n")
	require.NotContains(t, string(symbols), " text/template.(*state).evalField\n")
}

// shell is where commands run: a directory, an environment, what stdin holds.
type shell struct {
	t       *testing.T
	environ []string
	stdin   string
}

// newShell has an empty data directory of its own, hence the demo account.
func newShell(t *testing.T, environ ...string) *shell {
	t.Helper()
	return &shell{t: t, environ: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "DATA_DIR=" + t.TempDir()}, environ...)}
}

// on gives the shell for a test within the test.
func (s *shell) on(t *testing.T) *shell {
	inner := *s
	inner.t = t
	return &inner
}

type outcome struct {
	code     int
	out, err string
}

func (s *shell) command(args ...string) (*exec.Cmd, *bytes.Buffer, *bytes.Buffer) {
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Dir = s.environ, s.t.TempDir()
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(s.stdin), &out, &errs
	return cmd, &out, &errs
}

// run runs a command to its end. Nothing it writes holds a canary.
func (s *shell) run(args ...string) outcome {
	s.t.Helper()
	cmd, out, errs := s.command(args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	o := outcome{code: cmd.ProcessState.ExitCode(), out: out.String(), err: errs.String()}
	require.NotContains(s.t, o.out+o.err, "canary", "%v", args)
	require.NotContains(s.t, strings.Join(args, " "), "canary-")
	return o
}

// want runs a command and holds its exit code.
func (s *shell) want(code int, args ...string) outcome {
	s.t.Helper()
	o := s.run(args...)
	require.Equal(s.t, code, o.code, "%v\n%s\n%s", args, o.out, o.err)
	if code != 0 {
		last := lines(o.err)
		require.NotEmpty(s.t, last)
		require.True(s.t, strings.HasPrefix(last[len(last)-1], "edgeposture: "), o.err)
	}
	return o
}

func lines(s string) []string { return strings.Split(strings.TrimSpace(s), "\n") }

func object(t *testing.T, raw string) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.Unmarshal([]byte(raw), &v), raw)
	return v
}

const serviceKey = "canary-key-of-the-service"

// running starts a service in this process, on a data directory of its own.
func running(t *testing.T, environ ...string) (url, dir string) {
	t.Helper()
	dir = t.TempDir()
	cfg, err := config.Load(append([]string{"DATA_DIR=" + dir, "SERVICE_API_KEY=" + serviceKey}, environ...))
	require.NoError(t, err)
	a, err := app.Open(t.Context(), cfg, app.Role{API: true, Worker: true}, app.Options{Version: "test", Now: time.Now, Random: rand.Reader,
		Log: slog.New(slog.DiscardHandler), NoFirstLook: true})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- a.Serve() }()
	t.Cleanup(func() {
		require.NoError(t, a.Close(context.Background()))
		require.NoError(t, <-served)
	})
	return "http://" + a.Addr(), dir
}

// TestRunningService: the key is needed, its file does, and the data of a
// running service is not opened a second time.
func TestRunningService(t *testing.T) {
	url, dir := running(t)
	s := newShell(t, "EDGEPOSTURE_SERVER="+url)
	require.Contains(t, s.want(5, "checks").err, "--api-key-file")
	file := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(file, []byte(serviceKey+"\n"), 0o600))
	require.Contains(t, s.want(0, "checks", "--api-key-file", file).out, "CFL-DNS-001")
	s.environ = append(s.environ, "SERVICE_API_KEY="+serviceKey+",another-key-of-16-characters")
	s.want(0, "assess", "--check", "CFL-DNS-001", "-q")
	s.environ = append(s.environ, "EDGEPOSTURE_API_KEY=canary-wrong-key-of-nobody")
	s.want(5, "checks")

	locked := newShell(t, "DATA_DIR="+dir)
	o := locked.want(1, "checks")
	require.Contains(t, o.err, "--server")
	require.Len(t, lines(o.err), 1)
	gone := newShell(t, "EDGEPOSTURE_SERVER=http://127.0.0.1:1")
	require.Contains(t, gone.want(1, "checks").err, "connection refused")
	require.Contains(t, newShell(t).want(2, "checks", "--server", "http://posture.example.com").err, "use https")
	require.Contains(t, newShell(t, "CLOUDFLARE_REQUESTS_PER_5M=many").want(2, "checks").err, "CLOUDFLARE_REQUESTS_PER_5M")
}

// TestInterrupt: the first cancels the job and says so, the second leaves at once.
func TestInterrupt(t *testing.T) {
	asked := make(chan struct{}, 1)
	cloud := simcloud.New(simcloud.Options{OnRequest: func(string, string) {
		select {
		case asked <- struct{}{}:
		default:
		}
	}, Seed: 5, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 5}}})
	provider, err := cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })
	environ := []string{"CLOUDFLARE_BASE_URL=" + provider.URL, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret, "SERVICE_DNS_RESOLVER=off"}
	for _, signals := range []int{1, 2} {
		release := cloud.Hold()
		s := newShell(t, environ...)
		cmd, _, errs := s.command("assess")
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		<-asked // the job is at work
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.Eventually(t, func() bool {
			if signals == 2 { // again until it is gone: two signals of one kind that come at once are one
				_ = cmd.Process.Signal(os.Interrupt)
			}
			return len(ended) == 1
		}, 30*time.Second, 10*time.Millisecond)
		require.Error(t, <-ended)
		require.Equal(t, 130, cmd.ProcessState.ExitCode(), errs.String())
		release()
		if signals == 1 {
			require.Contains(t, errs.String(), "was cancelled")
		}
		require.NotContains(t, errs.String(), cloud.Tokens()[0].Secret)
		s.want(0, "assess") // what was left at once is still an accepted job, and this joins it
		for len(asked) > 0 {
			<-asked
		}
	}
}

func TestProcessesOfAContainer(t *testing.T) {
	s := newShell(t)
	help := s.want(0, "help").out
	for _, command := range []string{"serve", "worker", "migrate"} {
		require.Contains(t, help, "\n  "+command+" ")
	}
	require.Contains(t, s.want(2, "serve", "now").err, "now")
	require.Contains(t, s.want(2, "worker").err, "a worker on its own needs both")
	require.Contains(t, s.want(1, "worker", "health").err, "REDIS_URL")
	require.Contains(t, s.want(1, "serve", "health").err, "PORT")
	s.want(0, "migrate")
}

// TestLogOfCommands has the form that the environment asks for, and health writes nothing besides its one line.
func TestLogOfCommands(t *testing.T) {
	s := newShell(t, "SERVICE_LOG_LEVEL=debug", "SERVICE_LOG_FORMAT=json")
	o := s.want(0, "assess", "--check", "CFL-DNS-001")
	require.Contains(t, o.err, `"level":"DEBUG"`)
	require.NotContains(t, o.err, "level=")
	s = newShell(t, "SERVICE_LOG_LEVEL=debug")
	require.Contains(t, s.want(0, "assess", "--check", "CFL-DNS-001").err, "level=DEBUG")

	s = newShell(t, "DATABASE_URL=postgres://h/x", "REDIS_URL=redis://127.0.0.1:1",
		"SERVICE_ENCRYPTION_KEY=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	o = s.want(1, "worker", "health")
	require.Len(t, lines(strings.TrimSpace(o.err)), 1, o.err)
	require.Contains(t, o.err, "REDIS_URL does not answer")
}
