package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"testing"
	"testing/fstest"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// TestEveryAddressOfTheDashboardReloads: a dot in a name of the address is no file, and a file that is missing is no page.
func TestEveryAddressOfTheDashboardReloads(t *testing.T) {
	s := &Server{app: fiber.New(), o: Options{Dashboard: fstest.MapFS{"index.html": {Data: []byte("the application")},
		"logo.svg": {Data: []byte("<svg/>")}, "assets/a.js": {Data: []byte("code")}}}}
	s.mountDashboard()
	for path, want := range map[string]string{
		"/": "the application", "/a/acme/findings": "the application", "/logo.svg": "<svg/>", "/assets/a.js": "code",
		"/a/acme/r/latest/paths/ap:exposed-origin:dns:z:r:origin:192.0.2.1": "the application",
		"/a/acme/r/latest/paths/ap%3Aname-takeover%3Adocs.shop.example":     "the application",
		"/favicon.ico": "", "/assets/b.js": "", "/assets/../index.js": "", "/api/nothing.json": "", "/robots.txt": "",
	} {
		res, err := s.app.Test(httptest.NewRequest(http.MethodGet, path, nil))
		require.NoError(t, err, path)
		body := make([]byte, 100)
		n, _ := res.Body.Read(body)
		require.NoError(t, res.Body.Close())
		if want == "" {
			require.Equal(t, http.StatusNotFound, res.StatusCode, path)
			continue
		}
		require.Equal(t, http.StatusOK, res.StatusCode, path)
		require.Equal(t, want, string(body[:n]), path)
	}
}

// TestAssetsInTheEncodingOfTheCaller: a caller that takes neither brotli nor gzip gets the file all the same.
func TestAssetsInTheEncodingOfTheCaller(t *testing.T) {
	s := &Server{app: fiber.New(), o: Options{Dashboard: fstest.MapFS{"assets/a.js.br": {Data: []byte("brotli")},
		"assets/a.js.gz": {Data: fasthttp.AppendGzipBytes(nil, []byte("code"))}, "assets/font.woff2": {Data: []byte("font")}}}}
	s.mountDashboard()
	for _, tc := range []struct{ path, accept, encoding, body string }{
		{"/assets/a.js", "gzip, deflate, br, zstd", "br", "brotli"},
		{"/assets/a.js", "gzip, deflate", "gzip", string(fasthttp.AppendGzipBytes(nil, []byte("code")))},
		{"/assets/a.js", "", "", "code"},
		{"/assets/a.js", "identity", "", "code"},
		{"/assets/font.woff2", "gzip, br", "", "font"},
	} {
		req := httptest.NewRequest(http.MethodGet, tc.path, nil)
		req.Header.Set("Accept-Encoding", tc.accept)
		res, err := s.app.Test(req)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, tc.body, string(body), tc)
		require.Equal(t, tc.encoding, res.Header.Get("Content-Encoding"), tc)
		require.Equal(t, "Accept-Encoding", res.Header.Get("Vary"), tc)
		require.Contains(t, res.Header.Get("Content-Type"), map[string]string{".js": "javascript", ".woff2": "font"}[path.Ext(tc.path)])
	}
}
