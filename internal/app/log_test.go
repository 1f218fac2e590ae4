package app_test

import (
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestLogHoldsNoSecret runs the service with secrets everywhere and reads all it
// logged, debug lines included.
func TestLogHoldsNoSecret(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, fixable())
	token := cloud.Tokens()[0].Secret
	secrets := append(simcloud.Canaries(), apiKey, editSecret, token, "canary-in-a-header", "canary-in-a-body", "canary-webhook-secret-16")
	require.GreaterOrEqual(t, len(secrets), 40)
	cfg, err := config.Load([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + token,
		names(t, cloud), "SERVICE_API_KEY=" + apiKey,
		"SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE=" + editSecret, "SERVICE_WEBHOOK_SECRET=canary-webhook-secret-16",
		"SERVICE_WEBHOOK_URL=https://127.0.0.1:1/x"})
	require.NoError(t, err)
	var log lockedBuffer
	handler := slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
	a, err := app.Open(t.Context(), cfg, app.Role{API: true, Worker: true}, app.Options{Version: "test", Now: time.Now, Random: rand.Reader,
		Log: slog.New(handler)})
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- a.Serve() }()
	s := &system{t: t, cloud: cloud, url: "http://" + a.Addr(), app: a, key: apiKey}
	run := s.assessed()
	cookie, _ := s.signIn(apiKey)
	secrets = append(secrets, cookie[len(sessionCookie)+1:])
	require.Equal(t, 200, s.with(cookie, "GET", "/api/session").status)
	s.changes("apply", map[string]any{"assessmentId": run.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret})
	s.call("POST", "/api/remediate/apply", map[string]any{"assessmentId": run.ID, "checkIds": []string{"CFL-SSL-002"},
		"token": "canary-in-a-body"})
	s.call("POST", "/api/notify", map[string]any{"channels": []string{"webhook"}}, "Prefer", "respond-async")
	for _, r := range httpapi.Routes() {
		s.call(r.Method, strings.NewReplacer("{id}", run.ID, "{format}", "x", "{name}", "x", "{framework}", "x").Replace(r.Path),
			`{"token":"canary-in-a-body"}`, "Authorization", "Bearer canary-in-a-header", "Prefer", "respond-async")
	}
	require.NoError(t, a.Close(t.Context()))
	require.NoError(t, <-served)
	text := log.String()
	for _, secret := range secrets {
		require.NotContains(t, text, secret)
	}
	jobs := 0
	for l := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		var fields struct{ Msg, JobID, Account, Kind string }
		require.NoError(t, json.Unmarshal([]byte(l), &fields), l)
		if fields.Msg == "job started" {
			require.NotEmpty(t, fields.JobID)
			if fields.Account != "" { // one-off tokens have none
				jobs++
			}
		}
	}
	require.Positive(t, jobs)
}
