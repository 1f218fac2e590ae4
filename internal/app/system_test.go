package app_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/resolve"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.Cleanup(func(code int) {
			_ = os.RemoveAll(programs.dir)
			os.Exit(code)
		}),
		// fasthttp keeps these for the life of the process.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp/stackless.funcWorker"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		// Idle connections of the tests' own client.
		goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

// system is a running service and the simulated provider it reads.
type system struct {
	t     testing.TB
	cloud *simcloud.Cloud
	url   string
	app   *app.App
	key   string
	from  *http.Client  // nil: the default one
	log   *lockedBuffer // what was logged; nil until open

	document *document
}

func simulate(t testing.TB, o simcloud.Options) (*simcloud.Cloud, string) {
	t.Helper()
	cloud := simcloud.New(o)
	server, err := cloud.Start("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return cloud, server.URL
}

// names serves the public names of the simulation and gives the setting that
// points at them.
func names(t testing.TB, cloud *simcloud.Cloud) string {
	t.Helper()
	server, err := resolve.Serve(context.Background(), "127.0.0.1:0", cloud)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return "SERVICE_DNS_RESOLVER=" + server.Addr
}

// embedded starts the service in this process on a fresh data directory.
func embedded(t testing.TB, o simcloud.Options, environ ...string) *system {
	t.Helper()
	cloud, url := simulate(t, o)
	s := &system{t: t, cloud: cloud}
	s.open(append([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		names(t, cloud), "CLOUDFLARE_REQUESTS_PER_5M=1000000"}, environ...))
	return s
}

func (s *system) open(environ []string) { s.t.Helper(); s.openAt(environ, time.Now) }

// openAt opens the service at another time; its end is that of the test, or close.
func (s *system) openAt(environ []string, now func() time.Time) (closeNow func()) {
	s.t.Helper()
	cfg, err := config.Load(environ)
	require.NoError(s.t, err)
	level := slog.LevelError
	if os.Getenv("EDGEPOSTURE_TEST_LOG") != "" {
		level = slog.LevelDebug
	}
	s.log = &lockedBuffer{}
	a, err := app.Open(s.t.Context(), cfg, app.Role{API: true, Worker: true}, app.Options{Version: "test", Now: now, Random: rand.Reader,
		Log: slog.New(slog.NewTextHandler(io.MultiWriter(os.Stderr, s.log), &slog.HandlerOptions{Level: level}))})
	require.NoError(s.t, err)
	served := make(chan error, 1)
	go func() { served <- a.Serve() }()
	s.app, s.url = a, "http://"+a.Addr()
	closeNow = sync.OnceFunc(func() {
		require.NoError(s.t, a.Close(context.Background()))
		require.NoError(s.t, <-served)
	})
	s.t.Cleanup(closeNow)
	return closeNow
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) into(t testing.TB, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.body, v), string(a.body))
}

// get reads what is there.
func (s *system) get(path string, v any) {
	s.t.Helper()
	got := s.call("GET", path, nil)
	require.Equal(s.t, 200, got.status, string(got.body))
	got.into(s.t, v)
}

// call sends a request; body nil sends none, a string is sent as it is.
func (s *system) call(method, path string, body any, headers ...string) answer {
	s.t.Helper()
	var r io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		r = bytes.NewReader([]byte(b))
	default:
		raw, err := json.Marshal(b)
		require.NoError(s.t, err)
		r = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, r)
	require.NoError(s.t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.key != "" {
		req.Header.Set("X-API-Key", s.key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	client := cmp.Or(s.from, &http.Client{CheckRedirect: stay})
	resp, err := client.Do(req)
	for try := 0; errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET); try++ {
		// A body that is refused unread: the connection may end before the client has
		// seen the answer that says so.
		require.Less(s.t, try, 20, err)
		req.Body, err = req.GetBody()
		require.NoError(s.t, err)
		resp, err = client.Do(req)
	}
	require.NoError(s.t, err)
	raw, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.NoError(s.t, resp.Body.Close())
	got := answer{resp.StatusCode, resp.Header, raw}
	if s.document == nil {
		s.document = loadDocument(s.t)
	}
	s.document.hold(s.t, method, path, got)
	return got
}

// stay follows no redirect: answers are those of the service.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// elsewhere is a client with another address of this machine.
func elsewhere(t *testing.T) *http.Client {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	pool := &http.Transport{DialContext: dialer.DialContext}
	t.Cleanup(pool.CloseIdleConnections)
	return &http.Client{Transport: pool}
}

// try is a GET of a service that may be gone at the moment.
func (s *system) try(path string) (answer, error) {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		return answer{}, err
	}
	if s.key != "" {
		req.Header.Set("X-API-Key", s.key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, raw}, err
}

// eventually waits for a condition without sleeping blindly. However slow the machine, what is right comes within two minutes.
func eventually(t testing.TB, within time.Duration, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, max(within, 2*time.Minute), 20*time.Millisecond, what)
}

func number(n int) string { return strconv.Itoa(n) }
