package app_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
)

// browser is what a browser says of why it asks.
func browser(site, mode, dest string, more ...string) []string {
	return append([]string{"Sec-Fetch-Site", site, "Sec-Fetch-Mode", mode, "Sec-Fetch-Dest", dest}, more...)
}

// TestAnotherSiteGetsNothing calls every row as another web page can make a browser call it.
func TestAnotherSiteGetsNothing(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	s.assessAll(nil)
	asked := s.cloud.Requests().Total
	ways := [][]string{browser("cross-site", "no-cors", "empty"), browser("cross-site", "no-cors", "image"),
		browser("cross-site", "no-cors", "script"), browser("cross-site", "cors", "empty"), browser("cross-site", "navigate", "iframe"),
		browser("cross-site", "navigate", "document", "Sec-Purpose", "prefetch;prerender"),
		browser("same-site", "no-cors", "empty"), browser("Cross-Site", "navigate", "object")}
	for _, row := range httpapi.Routes() {
		path := strings.NewReplacer("{id}", "default", "{format}", "csv", "{framework}", "cis", "{name}", "x").Replace(row.Path)
		for _, way := range ways {
			got := s.call(row.Method, path, nil, way...)
			require.Equal(t, 403, got.status, "%s %s %v", row.Method, path, way)
		}
		if got := s.call(row.Method, path, nil, browser("cross-site", "navigate", "document")...); path != "/report" &&
			strings.HasPrefix(path, "/api/") {
			require.Equal(t, 403, got.status, "%s %s", row.Method, path)
		}
	}
	require.Equal(t, asked, s.cloud.Requests().Total)
	for _, path := range []string{"/", "/findings?severity=critical", "/report", "/api-docs"} {
		require.Equal(t, 200, s.call("GET", path, nil, browser("cross-site", "navigate", "document")...).status, path)
		require.Equal(t, 403, s.call("GET", path, nil, browser("cross-site", "no-cors", "empty")...).status, path)
	}
	for _, site := range []string{"same-origin", "none"} {
		require.Equal(t, 200, s.call("GET", "/api/accounts", nil, browser(site, "cors", "empty")...).status, site)
	}
}

// TestPermissionsAreAskedForOnce reads them 50 times, all at once.
func TestPermissionsAreAskedForOnce(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	before := s.cloud.Requests().Total
	var first struct{ Requests int }
	s.get("/api/accounts/default/permissions", &first)
	require.Equal(t, before+first.Requests, s.cloud.Requests().Total)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			resp, err := http.Get(s.url + "/api/accounts/default/permissions")
			if err == nil {
				_ = resp.Body.Close()
			}
		})
	}
	all.Wait()
	require.Equal(t, before+first.Requests, s.cloud.Requests().Total)
}

// pack encodes a body as each of the codings in turn.
func pack(t *testing.T, body []byte, codings ...string) []byte {
	t.Helper()
	for _, coding := range codings {
		var out bytes.Buffer
		var w io.WriteCloser
		var err error
		switch coding {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "br":
			w = brotli.NewWriter(&out)
		case "deflate":
			w, err = flate.NewWriter(&out, flate.BestCompression)
		case "zstd":
			w, err = zstd.NewWriter(&out)
		}
		require.NoError(t, err)
		_, err = w.Write(body)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		body = out.Bytes()
	}
	return body
}

// TestEncodedBodiesAreNotRead sends what is small on the wire and large behind it.
func TestEncodedBodiesAreNotRead(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	large := bytes.Repeat([]byte(" "), 64<<20)
	for _, codings := range [][]string{{"gzip"}, {"br"}, {"deflate"}, {"zstd"}, {"gzip", "gzip"}, {"gzip", "br"}, {"gzip", "gzip", "gzip"}} {
		body := string(pack(t, large, codings...))
		require.Less(t, len(body), 1<<20)
		for _, path := range []string{"/api/assess", "/api/settings", "/mcp", "/nowhere"} {
			method := http.MethodPost
			if path == "/api/settings" {
				method = http.MethodPut
			}
			got := s.call(method, path, body, "Content-Encoding", strings.Join(codings, ", "))
			require.Equal(t, 415, got.status, "%s %v: %s", path, codings, got.body)
		}
	}
	for _, coding := range []string{"x-gzip", "GZIP", "identity, gzip", "unheard-of"} {
		require.Equal(t, 415, s.call("POST", "/api/assess", "{}", "Content-Encoding", coding).status, coding)
	}
	require.Equal(t, 200, s.call("POST", "/api/assess", "{}", "Content-Encoding", "identity").status)
}

// TestAmbiguousMessages writes to the connection what an HTTP client would not send.
func TestAmbiguousMessages(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	host := strings.TrimPrefix(s.url, "http://")
	post := "POST /api/jobs/x/cancel HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\n"
	for name, tc := range map[string]struct {
		message string
		status  int
	}{
		"two lengths of a body":    {post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400},
		"the same the other way":   {post + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400},
		"two content lengths":      {post + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400},
		"two hosts":                {"GET /api/health HTTP/1.1\r\nHost: evil.example\r\nHost: " + host + "\r\n\r\n", 400},
		"two hosts, spelled apart": {"GET /api/health HTTP/1.1\r\nHOST: " + host + "\r\nhost: " + host + "\r\n\r\n", 400},
		"space before the colon":   {post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400},
		"the same of a length":     {post + "Content-Length : 2\r\n\r\n{}", 400},
		"a folded line":            {post + "X: a\r\n Content-Length: 2\r\n\r\n{}", 400},
		"a first line folded":      {"GET /api/health HTTP/1.1\r\n X: a\r\nHost: " + host + "\r\n\r\n", 400},
		"a large header":           {"GET /api/health HTTP/1.1\r\nHost: " + host + "\r\nX: " + strings.Repeat("x", 17<<10) + "\r\n\r\n", 431},
		"a large address":          {"GET /" + strings.Repeat("x", 17<<10) + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n", 431},
		"a large body":             {post + "Content-Length: 5000000\r\n\r\n" + strings.Repeat("x", 5_000_000), 413},
		"a large header and body": {post + "X: " + strings.Repeat("x", 17<<10) + "\r\nContent-Length: 5000000\r\n\r\n" + strings.Repeat("x",
			5_000_000), 431},
		"a header that is not one":    {"GET /api/health HTTP/1.1\r\nHost: " + host + "\r\nno colon\r\n\r\n", 400},
		"a large header that fits in": {"GET /api/health HTTP/1.1\r\nHost: " + host + "\r\nX: " + strings.Repeat("x", 12<<10) + "\r\n\r\n", 200},
	} {
		conn, err := net.Dial("tcp", host)
		require.NoError(t, err)
		_, err = fmt.Fprint(conn, tc.message)
		require.NoError(t, err)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err, name)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err, name)
		require.NoError(t, resp.Body.Close())
		require.NoError(t, conn.Close())
		require.Equal(t, tc.status, resp.StatusCode, "%s: %s", name, body)
		require.NotEmpty(t, resp.Header.Get("X-Request-Id"), name)
		require.NotEmpty(t, resp.Header.Get("Content-Security-Policy"), name)
		if tc.status != 200 {
			problem(t, answer{resp.StatusCode, resp.Header, body})
			require.True(t, resp.Close || tc.status == 431, "%s: the connection stays open", name)
		}
	}
}
