package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
)

func (s *system) settings(method string, body any) (out httpapi.Settings) {
	s.t.Helper()
	got := s.call(method, "/api/settings", body)
	require.Equal(s.t, 200, got.status, string(got.body))
	require.NotContains(s.t, string(got.body), "canary")
	got.into(s.t, &out)
	return out
}

// TestSettings walks the overlay through the API: from the environment, over
// what is saved, and back.
func TestSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	environ := []string{"DATA_DIR=" + dir, "SERVICE_NOTIFY_THRESHOLD=high", "SERVICE_SIEM_HEC_TOKEN=canary-env-token-0001",
		"SERVICE_CHAT_A_WEBHOOK=https://chat.example/canary/of/env"}
	s := embedded(t, small(), environ...)
	first := s.settings("GET", nil)
	require.Equal(t, "disabled", first.Remediation)
	require.Len(t, first.Settings, len(setting.Definitions()))
	hint := func(text string) *string { return &text }
	require.Equal(t, httpapi.SettingInfo{Configured: true, Source: "env", Hint: hint("••••"), Value: "high"},
		first.Settings["notifyThreshold"])
	require.Equal(t, httpapi.SettingInfo{Configured: true, Source: "env", Hint: hint("••••0001")}, first.Settings["hecToken"])
	require.Equal(t, httpapi.SettingInfo{Source: "none"}, first.Settings["searchUrl"])
	require.NoFileExists(t, filepath.Join(dir, "settings.json"), "GET writes nothing")

	changed := s.settings("PUT", map[string]any{"notifyThreshold": "info", "searchUrl": "https://search.example:9200",
		"searchApiKey": "canary-search-key-0002", "aiModel": "model-of-the-year"})
	require.Equal(t, changed, s.settings("GET", nil))
	require.Equal(t, httpapi.SettingInfo{Configured: true, Source: "settings", Hint: hint("••••onal"), Value: "informational"},
		changed.Settings["notifyThreshold"])
	require.Equal(t, httpapi.SettingInfo{Configured: true, Source: "settings", Hint: hint("••••0002")}, changed.Settings["searchApiKey"])
	require.Equal(t, httpapi.SettingInfo{Configured: true, Source: "settings", Hint: hint("••••9200"), Value: "https://search.example:9200"},
		changed.Settings["searchUrl"])

	cleared := s.settings("PUT", map[string]any{"notifyThreshold": "", "searchApiKey": ""})
	require.Equal(t, first.Settings["notifyThreshold"], cleared.Settings["notifyThreshold"])
	require.Equal(t, httpapi.SettingInfo{Source: "none"}, cleared.Settings["searchApiKey"])
	require.Equal(t, changed.Settings["aiModel"], cleared.Settings["aiModel"])
	require.Equal(t, cleared, s.settings("PUT", nil), "an empty body changes nothing")

	info, err := os.Stat(filepath.Join(dir, "settings.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	raw, err := os.ReadFile(filepath.Join(dir, "settings.json"))
	require.NoError(t, err)
	require.NotContains(t, string(raw), "model-of-the-year")
}

// TestSettingsRefuse sends changes that are wrong: each names its place, none is
// echoed, and nothing is saved, least of all what would open the gate.
func TestSettingsRefuse(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	before := s.settings("PUT", map[string]any{"aiProvider": "local"})
	for _, tc := range []struct {
		body, at string
		status   int
	}{
		{`{"aiModel":"x","odd":"canary"}`, "body.odd", 422}, {`{"allowRemediation":"true"}`, "body.allowRemediation", 422},
		{`{"SERVICE_ALLOW_REMEDIATION":"true"}`, "body.SERVICE_ALLOW_REMEDIATION", 422},
		{`{"remediation":"enabled"}`, "body.remediation", 422}, {`{"SERVICE_EDIT_SCOPE":"canary"}`, "body.SERVICE_EDIT_SCOPE", 422},
		{`{"editScope":"canary"}`, "body.editScope", 422},
		{`{"SERVICE_OUTBOUND_ALLOW":"127.0.0.0/8"}`, "body.SERVICE_OUTBOUND_ALLOW", 422}, {`{"webhookUrl":"https://canary:canary@x.example"}`,
			"body.webhookUrl", 422},
		{`{"webhookUrl":["canary"]}`, "body.webhookUrl", 422}, {`{"chatAWebhook":7}`, "body.chatAWebhook", 422},
		{`{"notifyThreshold":null}`, "body.notifyThreshold", 422}, {`{"aiProvider":"canary"}`, "body.aiProvider", 422},
		{`["canary"]`, "body", 422}, {`"canary"`, "body", 422}, {`null`, "body", 422}, {`{"aiModel":"` + strings.Repeat("canary", 100_000) +
			`"}`, "body.aiModel", 422},
		{`{"aiModel":`, "", 400},
	} {
		got := s.call("PUT", "/api/settings", tc.body)
		require.Equal(t, tc.status, got.status, clipped(tc.body))
		p := problem(t, got)
		require.NotContains(t, string(got.body), "canary")
		require.Less(t, len(got.body), 2000)
		if tc.at != "" {
			require.Equal(t, posture.CodeInvalid, p.Code)
			require.Equal(t, tc.at, p.Errors[0].Location)
		}
	}
	require.Equal(t, before, s.settings("GET", nil))
	require.Equal(t, 403, s.call("PUT", "/api/settings", `{}`, "Origin", "https://evil.example").status)
}

func clipped(s string) string { return s[:min(len(s), 80)] }

// TestSettingsThatDoNotOpen damages the file under a running service, or puts an older one back:
// reading and changing say so, health tells, the file stays, and everything else works.
func TestSettingsThatDoNotOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, small(), "DATA_DIR="+dir)
	s.settings("PUT", map[string]any{"hecToken": "canary-token-0001"})
	path := filepath.Join(dir, "settings.json")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	damaged := append([]byte(nil), whole...)
	damaged[len(damaged)/2] ^= 1
	s.settings("PUT", map[string]any{"aiModel": "next"})
	newest, err := os.ReadFile(path)
	require.NoError(t, err)
	var h struct {
		Status   string
		Settings struct{ Status, Reason string }
	}
	for why, bad := range map[string][]byte{"damaged": damaged, "older": whole} {
		require.NoError(t, os.WriteFile(path, bad, 0o600))
		for _, got := range []answer{s.call("GET", "/api/settings", nil), s.call("PUT", "/api/settings", `{"aiModel":"x"}`)} {
			require.Equal(t, 503, got.status)
			p := problem(t, got)
			require.Contains(t, p.Detail, "settings.json")
			require.Contains(t, p.Detail, why)
			require.NotContains(t, p.Detail, dir)
		}
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, bad, left)
		s.get("/api/health", &h)
		require.Equal(t, "degraded", h.Status)
		require.Equal(t, "failing", h.Settings.Status)
		require.Contains(t, h.Settings.Reason, why)
	}
	require.NotEmpty(t, s.assessAll(nil).ID)
	require.NoError(t, os.WriteFile(path, newest, 0o600))
	s.get("/api/health", &h)
	require.Equal(t, "ok", h.Settings.Status)
	require.True(t, s.settings("GET", nil).Settings["hecToken"].Configured, "what another process put there is seen at once")
}

// TestBadSettingsStopTheBoot with one line that names the variable and not the value.
func TestBadSettingsStopTheBoot(t *testing.T) {
	t.Parallel()
	for _, environ := range []string{"SERVICE_SEARCH_URL=canary", "SERVICE_OUTBOUND_ALLOW=0.0.0.0/0", "SERVICE_NOTIFY_THRESHOLD=canary"} {
		p := spawn(t, "serve", "DATA_DIR="+t.TempDir(), environ)
		require.Error(t, <-p.done)
		p.done <- nil
		name, _, _ := strings.Cut(environ, "=")
		require.Contains(t, p.String(), name)
		require.NotContains(t, p.String(), "canary")
		require.NotContains(t, strings.TrimSpace(p.String()), "\n")
	}
}
