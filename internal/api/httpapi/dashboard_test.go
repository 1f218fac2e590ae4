package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
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
