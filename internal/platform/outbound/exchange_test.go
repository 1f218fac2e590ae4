package outbound

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func errorsAs[E error](err error, to *E) bool { return errors.As(err, to) }

func TestAnswer(t *testing.T) {
	url, client := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Got", r.Header.Get("Authorization"))
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Host, r.URL, body)
	}, Options{})
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.Replace(url, "http", "HTTP", 1)+"/a?b=c#d",
			strings.NewReader("text"))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Splunk 123")
		got, err := client.Do(req)
		require.NoError(t, err)
		require.Equal(t, http.StatusTeapot, got.Status)
		require.Equal(t, "Splunk 123", got.Header.Get("X-Got"))
		require.Equal(t, "POST "+strings.TrimPrefix(url, "http://")+" /a?b=c text", string(got.Body))
		require.False(t, got.Truncated)
	}
}

// TestBodyCap: the kept part never grows past the cap, a short rest keeps the
// connection, a long one gives it up, and none of it stops the next request.
func TestBodyCap(t *testing.T) {
	var connections atomic.Int64
	size := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for left := size; left > 0; left -= min(left, 32<<10) {
			if _, err := w.Write(bytes.Repeat([]byte("x"), min(left, 32<<10))); err != nil {
				return
			}
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	client := reaching(t, Options{})
	for _, tc := range []struct {
		size, kept  int
		truncated   bool
		connections int64
	}{
		{0, 0, false, 1},
		{64<<10 - 1, 64<<10 - 1, false, 1},
		{64 << 10, 64 << 10, false, 1},
		{64<<10 + 1, 64 << 10, true, 1},
		{120 << 10, 64 << 10, true, 1},
		{64 << 20, 64 << 10, true, 1},
		{10, 10, false, 2}, // the one before cost its connection
	} {
		size = tc.size
		got, err := get(t, client, s.URL)
		require.NoError(t, err)
		require.Len(t, got.Body, tc.kept, "%d", tc.size)
		require.Equal(t, tc.truncated, got.Truncated, "%d", tc.size)
		require.Equal(t, tc.connections, connections.Load(), "%d", tc.size)
	}
}

// raw serves bytes as they are, one function for each connection, and a client
// that may reach it.
func raw(t *testing.T, o Options, serve func(conn net.Conn, request string)) (string, *Client) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 4096)
			n, _ := conn.Read(buffer)
			serve(conn, string(buffer[:n]))
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { require.NoError(t, l.Close()); <-done })
	return "http://" + l.Addr().String() + "/secret-path", reaching(t, o)
}

// gone waits until the other side hangs up.
func gone(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// badServer is one way to fail, what is said of it, and whether time ran out.
type badServer struct {
	serve   func(net.Conn, string)
	says    string
	timeout bool
}

func badServers() map[string]badServer {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
	return map[string]badServer{
		"silent":              {func(c net.Conn, _ string) { gone(c) }, "too long", true},
		"hangs after headers": {func(c net.Conn, _ string) { _, _ = io.WriteString(c, ok); gone(c) }, "too long", true},
		"trickles": {func(c net.Conn, _ string) {
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
			for tick := time.NewTicker(5 * time.Millisecond); err == nil; <-tick.C {
				_, err = c.Write([]byte("x"))
			}
		}, "too long", true},
		"trickles its header": {func(c net.Conn, _ string) {
			_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
			for tick := time.NewTicker(5 * time.Millisecond); err == nil; <-tick.C {
				_, err = c.Write([]byte("x"))
			}
		}, "too long", true},
		"header bomb": {func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for range 4096 {
				if _, err := io.WriteString(c, "X-Fill: "+strings.Repeat("y", 1000)+"\r\n"); err != nil {
					return
				}
			}
		}, "64 KiB", false},
		"endless interim answers": {func(c net.Conn, _ string) {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("y", 1000)+"\r\n\r\n"); err != nil {
					return
				}
			}
		}, "", false},
		"switches protocols": {func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			gone(c)
		}, "not HTTP", false},
		"no HTTP":    {func(c net.Conn, r string) { _, _ = io.WriteString(c, r+r) }, "not HTTP", false},
		"hangs up":   {func(net.Conn, string) {}, "closed the connection", false},
		"breaks off": {func(c net.Conn, _ string) { _, _ = io.WriteString(c, ok+"half") }, "closed the connection", false},
		"wrong lengths": {func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
		}, "not HTTP", false},
		"chunk bomb": {func(c net.Conn, _ string) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx")
		}, "not HTTP", false},
	}
}

// TestBadServers: every kind of trouble is one sentence in our own words, in
// time, and holds nothing of the path, the header or what the server said.
func TestBadServers(t *testing.T) {
	for name, tc := range badServers() {
		t.Run(name, func(t *testing.T) {
			url, client := raw(t, Options{Timeout: 300 * time.Millisecond}, tc.serve)
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"?sig=canary", strings.NewReader("canary body"))
			require.NoError(t, err)
			req.Header.Set("Authorization", "Splunk canary")
			began := time.Now()
			_, err = client.Do(req)
			require.Less(t, time.Since(began), 5*time.Second)
			var failure *FailedError
			require.ErrorAs(t, err, &failure)
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, tc.timeout, failure.Timeout)
			require.NotContains(t, err.Error(), "canary")
			require.NotContains(t, err.Error(), "secret-path")
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

// TestSlowRest: what comes behind the cap delays the answer for a moment only.
func TestSlowRest(t *testing.T) {
	url, client := raw(t, Options{MaxBody: 5}, func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")
		gone(c)
	})
	began := time.Now()
	got, err := get(t, client, url)
	require.NoError(t, err)
	require.Equal(t, "hello", string(got.Body))
	require.True(t, got.Truncated)
	require.Less(t, time.Since(began), 10*time.Second)
}

// TestAfterTrouble: a failed exchange does not spoil the next one on the same host.
func TestAfterTrouble(t *testing.T) {
	var came atomic.Int64
	url, client := raw(t, Options{Timeout: 5 * time.Second}, func(c net.Conn, _ string) {
		if came.Add(1)%2 == 1 {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nwhole")
	})
	for range 20 {
		_, err := get(t, client, url)
		require.ErrorContains(t, err, "closed the connection")
		got, err := get(t, client, url)
		require.NoError(t, err)
		require.Equal(t, "whole", string(got.Body))
	}
	require.EqualValues(t, 40, came.Load())
}

// TestUnreachable: nobody listens, and a name that is not there.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	client := reaching(t, Options{Resolver: addresses()})
	_, err = get(t, client, "http://"+address+"/")
	require.ErrorContains(t, err, "refused the connection")
	_, err = get(t, client, "http://nowhere.test/")
	require.ErrorContains(t, err, "could not be resolved")
}

// hanging is a resolver that answers nothing until nobody waits.
type hanging struct{}

func (hanging) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestConnectTimeoutAndCancelling(t *testing.T) {
	client := reaching(t, Options{Resolver: hanging{}, ConnectTimeout: 50 * time.Millisecond})
	_, err := get(t, client, "http://slow.test/")
	var failure *FailedError
	require.ErrorAs(t, err, &failure)
	require.True(t, failure.Timeout)

	ctx, cancel := context.WithCancel(t.Context())
	arrived := make(chan struct{})
	url, client := raw(t, Options{}, func(c net.Conn, _ string) { close(arrived); gone(c) })
	go func() { <-arrived; cancel() }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	_, err = client.Do(req)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "given up")
	client.Close()
	_, err = get(t, client, url)
	require.ErrorContains(t, err, "given up", "a closed client dials no more")
}

// TestNoProxy: variables of the environment do not lead requests elsewhere.
func TestNoProxy(t *testing.T) {
	trap := listen(t)
	for _, v := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(v, "http://"+trap.address.String())
	}
	url, client := receiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("direct")) },
		Options{Resolver: addresses("127.0.0.1")})
	got, err := get(t, client, strings.Replace(url, "127.0.0.1", "direct.test", 1))
	require.NoError(t, err)
	require.Equal(t, "direct", string(got.Body))
	require.Zero(t, trap.came.Load())
}
