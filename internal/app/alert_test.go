package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// hook is a receiver that keeps what comes.
type hook struct {
	mu  sync.Mutex
	got []string
}

func (h *hook) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Header.Get("X-Service-Event") != "issues.alert" {
		raw = nil
	}
	h.got = append(h.got, string(raw))
}

// last gives the last message, once there are so many.
func (h *hook) last(t *testing.T, n int) (out struct {
	Test                             bool
	Opened, Worse, Overdue, Resolved struct {
		Count  int
		Issues []struct {
			CheckID, Title, State, Link, Owner string
			Account                            posture.AccountRef
		}
	}
}) {
	t.Helper()
	eventually(t, 20*time.Second, "a message comes", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.got) >= n
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	require.Len(t, h.got, n)
	require.NoError(t, json.Unmarshal([]byte(h.got[n-1]), &out))
	return out
}

func (s *system) alertRule(status int, method, path string, body map[string]any) (rule posture.AlertRule) {
	s.t.Helper()
	got := s.call(method, path, body)
	require.Equal(s.t, status, got.status, string(got.body))
	got.into(s.t, &rule)
	return rule
}

// TestAlerts follows an issue through the messages of a rule, over the whole service.
func TestAlerts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, put := pointing(t, onLoopback, "DATA_DIR="+dir, "SERVICE_PUBLIC_URL=https://posture.example")
	only := map[string]any{"checks": []string{"CFL-DNS-008"}}
	put(recordOutside)
	s.assessAll(only)
	h := &hook{}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)

	unset := s.call("POST", "/api/alert-rules", map[string]any{"name": "a", "channel": "webhook"})
	require.Equal(t, 422, unset.status)
	require.Contains(t, string(unset.body), "webhookUrl")
	rule := s.alertRule(201, "POST", "/api/alert-rules", map[string]any{"name": "All that is bad", "channel": "webhook", "severity": "low",
		"events": []string{"resolved", "opened"}, "url": server.URL + "/canary-path", "secret": "whsec_Y2FuYXJ5LXNlY3JldC1jYW5hcnk="})
	require.True(t, rule.OwnAddress)
	require.Equal(t, []posture.AlertEvent{posture.AlertOpened, posture.AlertResolved}, rule.Events)
	path := "/api/alert-rules/" + rule.ID

	put(recordInside)
	s.assessAll(only)
	opened := h.last(t, 1)
	require.Equal(t, 1, opened.Opened.Count)
	require.Equal(t, "CFL-DNS-008", opened.Opened.Issues[0].CheckID)
	require.Equal(t, posture.JobAlert, s.deliveries("")[0].Kind)
	require.True(t, strings.HasPrefix(opened.Opened.Issues[0].Link, "https://posture.example/a/"))
	var summary struct {
		Payloads map[string]struct {
			AssessmentID, Link string
			Account            posture.AccountRef
		}
	}
	s.call("POST", "/api/notify", map[string]any{"dryRun": true, "channels": []string{"webhook"}}).into(t, &summary)
	said := summary.Payloads["webhook"]
	require.Equal(t, said.Account, opened.Opened.Issues[0].Account, "a summary and a rule call the account the same")
	require.Equal(t, "https://posture.example/a/"+said.Account.ID+"/r/"+said.AssessmentID, said.Link)
	s.assessAll(only)
	put(recordOutside)
	s.assessAll(only)
	resolved := h.last(t, 2)
	require.Equal(t, 0, resolved.Opened.Count)
	require.Equal(t, 1, resolved.Resolved.Count)
	eventually(t, 20*time.Second, "the rule says when it sent last", func() bool {
		return s.alertRule(200, "GET", path, nil).LastSentAt != nil
	})

	put(recordInside)
	s.alertRule(200, "PATCH", path, map[string]any{"paused": true})
	s.assessAll(only)
	tried := s.call("POST", path+"/test", nil)
	require.Equal(t, 200, tried.status, string(tried.body))
	require.True(t, h.last(t, 3).Test)
	require.Equal(t, 1, h.last(t, 3).Opened.Count)
	s.alertRule(200, "PATCH", path, map[string]any{"paused": false})
	put(recordOutside)
	s.assessAll(only)
	require.Equal(t, 1, h.last(t, 4).Resolved.Count, "what came while it was paused is not told, what comes after is")

	server.Close()
	s.alertRule(200, "PATCH", path, map[string]any{"events": []string{"opened"}})
	put(recordInside)
	s.assessAll(only)
	eventually(t, 30*time.Second, "the rule says why nothing arrives", func() bool {
		return s.alertRule(200, "GET", path, nil).Problem != ""
	})
	failed := s.call("POST", path+"/test", nil)
	require.Equal(t, 502, failed.status, string(failed.body))

	for field, body := range map[string]map[string]any{"body.timeZone": {"timeZone": "Nowhere"}, "body.daily": {"daily": "25:00"},
		"body.quiet.to": {"quiet": map[string]any{"from": "08:00", "to": "08:00"}}, "body.accounts[0]": {"accounts": []string{"nobody"}},
		"body.owners[0]": {"owners": []string{"a,b"}}, "body.secret": {"url": "https://hooks.example.com"}, "body.name": {"name": "\u0000"},
		"body.chatAWebhook": {"channel": "chat_a"}, "body.url": {"url": "nonsense", "secret": "whsec_Y2FuYXJ5LXNlY3JldC1jYW5hcnk="}} {
		got := s.call("PATCH", path, body)
		require.Equal(t, 422, got.status, field)
		require.Equal(t, field, problem(t, got).Errors[0].Location)
	}
	denied := s.call("PATCH", path, map[string]any{"url": "http://169.254.169.254/latest", "secret": "whsec_Y2FuYXJ5LXNlY3JldC1jYW5hcnk="})
	require.Contains(t, []int{200, 403}, denied.status, "who refuses is the sender")
	require.Equal(t, 409, s.call("POST", "/api/alert-rules", map[string]any{"name": "All that is bad", "channel": "webhook",
		"paused": true}).status)
	quiet := s.alertRule(200, "PATCH", path, map[string]any{"daily": "08:30", "timeZone": "Europe/Berlin",
		"quiet": map[string]any{"from": "20:00", "to": "07:00", "weekends": true}})
	require.True(t, quiet.Quiet.Weekends)
	require.Nil(t, s.alertRule(200, "PATCH", path, map[string]any{"quiet": map[string]any{"from": "", "to": ""}}).Quiet)
	require.Equal(t, 204, s.call("DELETE", path, nil).status)
	require.Equal(t, 404, s.call("GET", path, nil).status)

	raw, err := os.ReadFile(filepath.Join(dir, "edgeposture.db"))
	require.NoError(t, err)
	require.NotContains(t, string(raw), "canary-path")
}

// TestInbox shows people what concerns them, and what of it they have read.
func TestInbox(t *testing.T) {
	t.Parallel()
	s := embedded(t, fixable())
	s.assessed()
	inbox := func(query string) (body httpapi.InboxBody) {
		s.get("/api/inbox?"+query, &body)
		return body
	}
	require.Empty(t, inbox("").Items)
	all := s.issues("").Items
	require.Greater(t, len(all), 2)
	s.decided(all[0].ID, map[string]any{"assignee": "Local"})
	s.decided(all[1].ID, map[string]any{"owner": "local"})
	s.decided(all[2].ID, map[string]any{"state": "acknowledged"})
	got := inbox("")
	why := map[string]string{}
	for _, i := range got.Items {
		require.Equal(t, "opened", i.What, "what the caller did is no news")
		why[i.ID] = i.Why
	}
	require.Equal(t, map[string]string{all[0].ID: "assignee", all[1].ID: "owner", all[2].ID: "activity"}, why)
	require.Equal(t, 3, got.Unread)
	read := func(body map[string]any) { require.Equal(t, 204, s.call("POST", "/api/inbox/read", body).status) }
	read(map[string]any{"issueIds": []string{all[0].ID}})
	require.Equal(t, 2, inbox("").Unread)
	require.Len(t, inbox("unread=true").Items, 2)
	read(map[string]any{"until": "2020-01-01T00:00:00Z"})
	require.Equal(t, 2, inbox("").Unread, "what happened later stays unread")
	first := inbox("limit=1")
	require.Len(t, first.Items, 1)
	require.Equal(t, 3, first.Total)
	require.Equal(t, got.Items[1].ID, inbox("limit=1&cursor=" + first.NextCursor).Items[0].ID)
	read(map[string]any{})
	require.Zero(t, inbox("").Unread)
	s.decided(all[0].ID, map[string]any{"due": "2026-01-02"})
	overdue := inbox("").Items
	require.Len(t, overdue, 3)
	require.Zero(t, inbox("").Unread, "a day that passed long ago is no news")
	require.Equal(t, 422, s.call("POST", "/api/inbox/read", map[string]any{"issueIds": []string{"x"}}).status)
	require.Equal(t, 422, s.call("GET", "/api/inbox?cursor=x", nil).status)
}
