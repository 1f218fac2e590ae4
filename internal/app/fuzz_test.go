package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
)

// fuzzed is a service that a target calls again and again, and the rows of its table with the
// names of what is there in their paths. Rows that send to others are left out.
func fuzzed(f *testing.F, methods ...string) (s *system, rows []httpapi.Route) {
	f.Helper()
	s = embedded(f, small())
	var a posture.Assessment
	s.call("POST", "/api/assess", "{}").into(f, &a)
	for _, r := range httpapi.Routes() {
		for _, method := range methods {
			if r.Method != method || r.Tag == "delivery" || strings.HasSuffix(r.Path, "/events") || strings.HasSuffix(r.Path, "/rotate") {
				continue
			}
			of := strings.NewReplacer("{format}", "json", "{framework}", "soc2", "{id}", a.ID)
			if strings.HasPrefix(r.Path, "/api/accounts/") {
				of = strings.NewReplacer("{id}", "default")
			}
			r.Path = of.Replace(r.Path)
			rows = append(rows, r)
		}
	}
	return s, rows
}

// answers sends a request and holds that it is answered: no failure of the service, and JSON
// where that is said.
func answers(t *testing.T, s *system, method, path string, body []byte, header http.Header) {
	t.Helper()
	u, err := url.Parse(s.url + path)
	if err != nil {
		return
	}
	req := (&http.Request{Method: method, URL: u, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body))}).WithContext(t.Context())
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.True(t, resp.StatusCode < 500 || resp.StatusCode == http.StatusBadGateway, "%s %s: %d %s", method, path, resp.StatusCode, raw)
	if strings.HasSuffix(resp.Header.Get("Content-Type"), "json") && len(raw) > 0 {
		require.True(t, json.Valid(raw), "%s", raw)
	}
	if resp.StatusCode >= 400 {
		require.Less(t, len(raw), 64<<10)
	}
}

// FuzzBody sends any body to every row that takes one.
func FuzzBody(f *testing.F) {
	s, rows := fuzzed(f, http.MethodPost, http.MethodPut, http.MethodPatch)
	for i := range rows {
		for _, body := range []string{"{}", `{"checks":["CFL-SSL-001"],"note":"x","zones":["*"]}`,
			`{"name":"x","token":"y","policy":{"tokenFailDays":1}}`, `{"checkIds":["CFL-SSL-001"],"token":"x","inputs":{"CFL-SSL-001":{}}}`,
			`{"cron":"* * * * *","timeZone":"UTC","request":{}}`,
			`{"reason":"x","owner":"y","expiresAt":"2030-01-01T00:00:00Z","match":{"checkId":"CFL-SSL-001","resource":"*"}}`,
			`{"hecUrl":"https://x.example","aiProvider":"none"}`,
			`{"from":"latest","to":"latest"}`, `[`, `null`, `{"a":{"a":[[[]]]}}`, "\xff"} {
			f.Add(uint8(i), []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		defer fuzztest.Bound(t)()
		r := rows[int(which)%len(rows)]
		answers(t, s, r.Method, r.Path, body, http.Header{"Content-Type": {"application/json"}, "Prefer": {"respond-async"}})
	})
}

// FuzzQuery asks every row that is read with any query: filters, searches, pages and cursors.
func FuzzQuery(f *testing.F) {
	s, rows := fuzzed(f, http.MethodGet)
	for i := range rows {
		for _, query := range []string{"limit=1", "limit=1000&cursor=x", "q=record", "severity=critical,high&result=FAIL",
			"zone=a&check=CFL-SSL-001&category=dns&account=default&sort=age", "by=month&tz=Europe/Berlin&from=2026-01-01",
			"q=%00%ff", "limit=-1", "group=zone", "columns=true&hops=2&node=x", "verify=true", "cursor=ai4xLgo"} {
			f.Add(uint8(i), query)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, query string) {
		defer fuzztest.Bound(t)()
		answers(t, s, http.MethodGet, rows[int(which)%len(rows)].Path+"?"+query, nil, http.Header{})
	})
}

// FuzzTools sends any message to the tool server.
func FuzzTools(f *testing.F) {
	s, _ := fuzzed(f)
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x",` +
			`"version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_findings","arguments":{"limit":1}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled"}]`,
		`{"jsonrpc":"2.0","id":{},"method":7}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `[]`, `{}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_finding","arguments":{"id":"../x"}}}`,
	} {
		f.Add([]byte(message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		defer fuzztest.Bound(t)()
		answers(t, s, http.MethodPost, "/mcp", message, http.Header{"Content-Type": {"application/json"},
			"Accept": {"application/json, text/event-stream"}})
	})
}
