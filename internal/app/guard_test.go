package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKeyIsAskedForInEverySpelling: routes match in any letter case and with a
// slash behind, and none of these spellings is a way past the key.
func TestKeyIsAskedForInEverySpelling(t *testing.T) {
	t.Parallel()
	o := small()
	o.Limit.Disabled = true
	s := embedded(t, o, "SERVICE_API_KEY=the-key-of-this-test")
	for _, path := range []string{"/api/accounts", "/API/accounts", "/Api/Accounts", "/api/accounts/", "/report", "/report/", "/REPORT",
		"/mcp", "/MCP", "/mcp/", "/api/%61ccounts", "//api/accounts", "/./api/accounts"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			req, err := http.NewRequestWithContext(t.Context(), method, s.url, strings.NewReader(""))
			require.NoError(t, err)
			req.URL.Opaque = path
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			if resp.StatusCode == http.StatusOK && method == http.MethodGet { // no route: the page of the dashboard, which tells nothing
				require.Contains(t, resp.Header.Get("Content-Type"), "text/html", path)
				require.Contains(t, path, "/.")
				continue
			}
			require.Contains(t, []int{401, 403, 404, 405, 429}, resp.StatusCode, "%s %s", method, path)
		}
	}
}
