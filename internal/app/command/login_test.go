package command_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var loginLink = regexp.MustCompile(`(http://\S+)/command-line#(\S+)`)

// TestLogin lets the command line in as a browser does, acts as who let it in, and ends the session.
func TestLogin(t *testing.T) {
	_, environ := fixable(t)
	address, _ := running(t, environ...)
	dir := t.TempDir()
	s := newShell(t, "EDGEPOSTURE_SERVER="+address, "EDGEPOSTURE_CONFIG_DIR="+dir)
	s.want(5, "accounts", "list")
	cmd, _, _ := s.command("login")
	said, writes, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = said.Close() })
	cmd.Stderr = writes
	require.NoError(t, cmd.Start())
	require.NoError(t, writes.Close())
	var link []string
	for lines := bufio.NewScanner(said); link == nil && lines.Scan(); {
		link = loginLink.FindStringSubmatch(lines.Text())
	}
	require.NotNil(t, link)
	asked, err := url.ParseQuery(link[2])
	require.NoError(t, err)
	body, err := json.Marshal(map[string]string{"secretHash": asked.Get("hash"), "name": asked.Get("name")})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/sessions", strings.NewReader(string(body)))
	require.NoError(t, err)
	req.Header.Set("X-API-Key", serviceKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusCreated, resp.StatusCode)
	require.NoError(t, cmd.Wait())

	file := filepath.Join(dir, "credentials.json")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	s.want(0, "accounts", "list")
	s.want(0, "logout")
	s.want(5, "accounts", "list")
	s.want(2, "logout")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "epc_")
	newShell(t).want(2, "login")
}
