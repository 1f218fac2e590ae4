package simcloud

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixedNow is the clock of tests that do not move it.
func fixedNow() time.Time { return time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC) }

// reply is one decoded answer.
type reply struct {
	Status  int
	Header  http.Header
	Raw     []byte
	Success bool
	Result  json.RawMessage
	Errors  []apiError
	Info    struct {
		Page, Count int
		PerPage     int    `json:"per_page"`
		TotalCount  *int   `json:"total_count"`
		TotalPages  *int   `json:"total_pages"`
		Cursor      string `json:"cursor"`
		Cursors     struct{ After string }
	} `json:"result_info"`
}

// ask sends one request straight to the handler.
func ask(t testing.TB, cl *Cloud, secret, method, path, body string, headers ...string) reply {
	t.Helper()
	r := httptest.NewRequest(method, BasePath+path, strings.NewReader(body))
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	cl.ServeHTTP(w, r)
	got := reply{Status: w.Code, Header: w.Header()}
	raw, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	got.Raw = raw
	if w.Header().Get("Content-Type") == "application/json" { // the rest are files
		require.NoError(t, json.Unmarshal(raw, &got), "%s %s: %s", method, path, raw)
	}
	return got
}

// fetch reads a path with the first token and decodes its result.
func fetch[T any](t testing.TB, cl *Cloud, path string, headers ...string) T {
	t.Helper()
	got := ask(t, cl, cl.tokens[0].Secret, http.MethodGet, path, "", headers...)
	require.Equal(t, http.StatusOK, got.Status, "%s: %s", path, got.Raw)
	var out T
	require.NoError(t, json.Unmarshal(got.Result, &out), path)
	return out
}

// unlimited is a clean cloud without a request limit.
func unlimited(specs ...AccountSpec) *Cloud {
	return New(Options{Seed: 7, Accounts: specs, Now: fixedNow, Limit: Limit{Disabled: true}})
}
