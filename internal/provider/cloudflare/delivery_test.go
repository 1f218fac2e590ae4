package cloudflare

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// serving is a client of a provider that gives one answer to everything.
func serving(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	pool := NewPool()
	t.Cleanup(pool.CloseIdleConnections)
	client, err := New(Options{BaseURL: server.URL, Token: secret.New("token"), Gate: open{}, Transport: pool, Tries: 2,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	require.NoError(t, err)
	return client
}

func TestSnippetCodeIsScannedAndForgotten(t *testing.T) {
	key := "AKIA" + "Q7LEAKCANARYX2ZP"
	form := "--b1\r\nContent-Disposition: form-data; name=\"main.js\"\r\n\r\nlet a = 1;\nlet id = \"" + key + "\";\r\n--b1--\r\n"
	for _, tc := range []struct {
		name, kind, body string
		want             []snapshot.SnippetHit
	}{
		{"a form", "multipart/form-data; boundary=b1", form, []snapshot.SnippetHit{{Kind: "aws-access-key", Line: 2}}},
		{"plain code", "application/javascript", "\n\nconst x = '" + key + "'", []snapshot.SnippetHit{{Kind: "aws-access-key", Line: 3}}},
		{"a form that breaks off", "multipart/form-data; boundary=b1", strings.TrimSuffix(form, "--b1--\r\n"),
			[]snapshot.SnippetHit{{Kind: "aws-access-key", Line: 5}}},
		{"a boundary that is wrong", "multipart/form-data; boundary=b2", form, []snapshot.SnippetHit{{Kind: "aws-access-key", Line: 5}}},
		{"nothing", "application/javascript", "export default {};\n", []snapshot.SnippetHit{}},
		{"code that looks like an envelope", "application/javascript", `({"success":false,"errors":[{"code":1}]})`, []snapshot.SnippetHit{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client := serving(t, func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "Bearer token", r.Header.Get("Authorization"))
				w.Header().Set("Content-Type", tc.kind)
				_, _ = w.Write([]byte(tc.body))
			})
			sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.SnippetContent),
				snapshot.SourceScope{Zone: snapshot.Zone{ID: "z", Plan: "pro"}, Item: "s"}, snapshot.NewKnown(nothingKnown), nil)
			require.NoError(t, err)
			require.Equal(t, snapshot.OK, sec.Status, sec.Reason)
			require.Equal(t, "z/s", sec.Scope)
			var got snapshot.SnippetScan
			require.NoError(t, json.Unmarshal(sec.Value, &got))
			require.Equal(t, tc.want, got.Hits)
			require.NotContains(t, string(sec.Value), key)
		})
	}
}

// TestWhatIsNoSnippetCode: a page of something in between, a refusal with a status of 200 and half a form hold no code without
// credentials.
func TestWhatIsNoSnippetCode(t *testing.T) {
	for _, tc := range []struct{ kind, body string }{
		{"text/html; charset=utf-8", "<html>Please log in</html>"},
		{"application/json", `{"success":false,"errors":[{"code":1,"message":"no"}]}`},
		{"", ""},
		{"multipart/form-data; boundary=b1", "--b1\r\nContent-Disposition: form-data; name=\"main.js\"\r\n\r\nlet a = 1;\r\n"},
		{"multipart/form-data", "let a = 1;"},
	} {
		client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{tc.kind}
			_, _ = w.Write([]byte(tc.body))
		})
		sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.SnippetContent),
			snapshot.SourceScope{Zone: snapshot.Zone{ID: "z", Plan: "pro"}, Item: "s"}, snapshot.NewKnown(nothingKnown), nil)
		require.NoError(t, err)
		require.Equal(t, snapshot.Failed, sec.Status, "%s: %s", tc.kind, sec.Value)
	}
}

func nothingKnown(string, string) (snapshot.Section, bool) { return snapshot.Section{}, false }

func TestSnippetCodeRefusedIsDenied(t *testing.T) {
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}`))
	})
	sec, err := client.Read(t.Context(), snapshot.SourceOf(snapshot.SnippetContent),
		snapshot.SourceScope{Zone: snapshot.Zone{ID: "z", Plan: "pro"}, Item: "s"}, snapshot.NewKnown(nothingKnown), nil)
	require.NoError(t, err)
	require.Equal(t, snapshot.Denied, sec.Status)
	require.Equal(t, snapshot.SourceOf(snapshot.SnippetContent).Permission, sec.Permission)
}
