package app_test

import (
	"context"
	"crypto/rand"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/platform/config"
)

// TestDataDirectoryIsClosed starts on a directory that others may read and write.
func TestDataDirectoryIsClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &system{t: t}
	_, url := simulate(t, small())
	environ := []string{"DATA_DIR=" + dir, "CLOUDFLARE_BASE_URL=" + url, "SERVICE_DNS_RESOLVER=off"}
	s.openAt(environ, time.Now)()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(dir, link))
	for path, mode := range map[string]fs.FileMode{"": 0o777, "encryption.key": 0o644, "edgeposture.db": 0o666} {
		require.NoError(t, os.Chmod(filepath.Join(dir, path), mode))
	}
	s.openAt(append([]string{"DATA_DIR=" + link}, environ[1:]...), time.Now)()
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		return nil
	}))
}

// TestOwnDataDirectoryOfADeployment: processes with a database on a server close their directory, too, and say where settings that
// were saved are not in it.
func TestOwnDataDirectoryOfADeployment(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, small())
	environ := append(shared(t, cloud, url, redistest.Start(t)), onLoopback)
	dir := strings.TrimPrefix(environ[0], "DATA_DIR=")
	exports := filepath.Join(dir, "exports")
	require.NoError(t, os.Mkdir(exports, 0o755))
	require.NoError(t, os.Chmod(dir, 0o777))
	start := func(directory string) string {
		var log lockedBuffer
		cfg, err := config.Load(append([]string{"DATA_DIR=" + directory}, environ[1:]...))
		require.NoError(t, err)
		a, err := app.Open(t.Context(), cfg, app.Role{Worker: true}, app.Options{Version: "test", Now: time.Now, Random: rand.Reader,
			Log: slog.New(slog.NewJSONHandler(&log, nil))})
		require.NoError(t, err)
		require.NoError(t, a.Close(context.WithoutCancel(t.Context())))
		return log.String()
	}
	log := start(dir)
	require.Contains(t, log, "it is closed now")
	require.NotContains(t, log, "settings were saved")
	for _, path := range []string{dir, exports} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
	}
	s := &system{t: t}
	s.openAt(environ, time.Now)
	require.Equal(t, 200, s.call("PUT", "/api/settings", object{"notifyThreshold": "high"}).status)
	require.NotContains(t, start(dir), "settings were saved")
	require.Contains(t, start(filepath.Join(t.TempDir(), "own")), "settings were saved over the API and this DATA_DIR does not have them")
}

// TestMetricsAreNotForPages asks for the metrics as a web page can.
func TestMetricsAreNotForPages(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "METRICS_ADDR=127.0.0.1:0")
	for _, c := range []struct {
		host, name, value string
		status            int
	}{{"", "", "", 200}, {"localhost:9", "", "", 200}, {"evil.example", "", "", 403}, {"127.0.0.1.evil.example:80", "", "", 403},
		{"", "Sec-Fetch-Site", "cross-site", 403},
		{"", "Sec-Fetch-Site", "same-site", 403}, {"", "Origin", "https://evil.example", 403}, {"", "Sec-Fetch-Site", "none", 200}} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.app.MetricsAddr()+"/metrics", nil)
		require.NoError(t, err)
		req.Host = c.host
		if c.name != "" {
			req.Header.Set(c.name, c.value)
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, c.status, resp.StatusCode, c)
	}
}
