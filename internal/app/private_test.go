package app_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
