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

	"github.com/edgeposture/edgeposture/internal/core/credential"
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
		{"a form that breaks off", "multipart/form-data; boundary=b1", strings.TrimSuffix(form, "--b1--\r\n"), []snapshot.SnippetHit{{Kind: "aws-access-key", Line: 5}}},
		{"a boundary that is wrong", "multipart/form-data; boundary=b2", form, []snapshot.SnippetHit{{Kind: "aws-access-key", Line: 5}}},
		{"nothing", "application/javascript", "export default {};\n", []snapshot.SnippetHit{}},
		{"code that looks like an envelope", "application/json", `{"success":false,"errors":[{"code":1}]}`, []snapshot.SnippetHit{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client := serving(t, func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "Bearer token", r.Header.Get("Authorization"))
				w.Header().Set("Content-Type", tc.kind)
				_, _ = w.Write([]byte(tc.body))
			})
			sec, err := client.Read(t.Context(), snippetContent(), Target{Zone: snapshot.Zone{ID: "z", Plan: "pro"}, Item: "s"}, NewKnown(nothingKnown), nil)
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

func nothingKnown(string, string) (snapshot.Section, bool) { return snapshot.Section{}, false }

func TestSnippetCodeRefusedIsDenied(t *testing.T) {
	client := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}`))
	})
	sec, err := client.Read(t.Context(), snippetContent(), Target{Zone: snapshot.Zone{ID: "z", Plan: "pro"}, Item: "s"}, NewKnown(nothingKnown), nil)
	require.NoError(t, err)
	require.Equal(t, snapshot.Denied, sec.Status)
	require.Equal(t, permissionSnippets, sec.Permission)
}

func TestSnippetLiterals(t *testing.T) {
	s := newScanner(credential.New())
	for line, want := range map[string]int{
		`const apiToken = "abcdefghijklmnopqrstu"`: 1, `const apiToken = "abcdefghijklmnopqrst"`: 0, `{ "client_secret": 'abcdefghijklmnopqrstuvwxyz' }`: 1,
		"this.passwordHash = `abcdefghijklmnopqrstuvwxyz`": 1, `const greeting = "abcdefghijklmnopqrstuvwxyz"`: 0, `if (password === other) {}`: 0,
		`// the word password and "a long text of more than twenty"`: 0, `const t = env.API_TOKEN`: 0,
	} {
		require.Len(t, s.text(line), want, line)
	}
}

func TestCounters(t *testing.T) {
	for raw, want := range map[string]int{`3`: 3, `[{"id":1},{"id":2}]`: 2, `{"count":4}`: 4, `{"total":5}`: 5, `null`: -1, ``: -1, `"many"`: -1, `{}`: -1} {
		got := counted(json.RawMessage(raw))
		if want < 0 {
			require.Nil(t, got, raw)
			continue
		}
		require.NotNil(t, got, raw)
		require.Equal(t, want, *got, raw)
	}
}

func TestContactSchemes(t *testing.T) {
	for contact, want := range map[string]string{
		"mailto:security@acme.example": "mailto", "HTTPS://acme.example/report": "https", "tel:+49-30-1234": "tel", "http://acme.example": "other",
		"security@acme.example": "other", "mailto:nobody": "other", "https://": "other", "": "other", "%": "other",
	} {
		require.Equal(t, want, contactScheme(contact), contact)
	}
}

func TestHostnamesWithoutACertificate(t *testing.T) {
	got, err := zoneCustomHostnames().Decode(json.RawMessage(`[{"id":"h1","hostname":"a.example","status":"pending","ssl":null}]`))
	require.NoError(t, err)
	require.JSONEq(t, `[{"id":"h1","hostname":"a.example","status":"pending"}]`, string(got))
}

func TestBalancersNameEveryPool(t *testing.T) {
	got, err := zoneLoadBalancers().Decode(json.RawMessage(`[{"id":"l1","default_pools":["a"],"fallback_pool":"b","pop_pools":{"FRA":["c"]},"country_pools":{"DE":["a","d"]},
		"rules":[{"overrides":{"default_pools":["e"],"region_pools":{"OC":["f"]}}}]}]`))
	require.NoError(t, err)
	require.Contains(t, string(got), `"pools":["a","b","c","d","e","f"]`)
	require.Contains(t, string(got), `"enabled":true`)
}
