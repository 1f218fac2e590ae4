package app_test

import (
	"bytes"
	"crypto/rand"
	"database/sql"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // opens the file behind the service's back

	"github.com/edgeposture/edgeposture/internal/api/client"
	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/app"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// auditLog is what GET /api/audit gives.
type auditLog struct {
	Items    []audit.Entry
	Head     audit.Head
	Verified *bool
	Broken   string
}

func (s *system) audit(query string) auditLog {
	s.t.Helper()
	got := s.call("GET", "/api/audit?limit=1000&"+query, nil)
	require.Equal(s.t, 200, got.status, string(got.body))
	var log auditLog
	got.into(s.t, &log)
	return log
}

// entriesOf gives the entries of one request, oldest first.
func (s *system) entriesOf(a answer) []audit.Entry {
	s.t.Helper()
	var out []audit.Entry
	for _, e := range slices.Backward(s.audit("").Items) {
		if e.RequestID == a.header.Get("X-Request-Id") {
			out = append(out, e)
		}
	}
	return out
}

// TestAuditSaysWhatWasGranted: roles and the labels they are given by, to people, programs and accounts; what was refused granted nothing.
func TestAuditSaysWhatWasGranted(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	var account, ann struct{ ID string }
	s.call("GET", "/api/accounts/default", nil).into(t, &account)
	detail := func(status int, method, path string, body object) string {
		t.Helper()
		got := s.call(method, path, body)
		require.Equal(t, status, got.status, string(got.body))
		if got.status == 201 && path == "/api/users" {
			got.into(t, &ann)
		}
		entries := s.entriesOf(got)
		return entries[len(entries)-1].Detail
	}
	viewer, some := object{"role": "viewer"}, object{"role": "analyst", "accounts": []string{"default"}, "labels": []string{"shop"}}
	require.Equal(t, "user:ann@example.com: viewer for all accounts", detail(201, "POST", "/api/users",
		object{"name": "Ann", "email": "Ann@example.com", "grants": []any{viewer}}))
	require.Equal(t, "user:ann@example.com: viewer for all accounts; analyst for accounts "+account.ID+" and accounts labelled shop",
		detail(200, "PATCH", "/api/users/"+ann.ID, object{"grants": []any{viewer, some}}))
	require.Equal(t, "user:ann@example.com: no role", detail(200, "PATCH", "/api/users/"+ann.ID, object{"grants": []any{}}))
	require.Empty(t, detail(200, "PATCH", "/api/users/"+ann.ID, object{"name": "Ann B"}))
	require.Empty(t, detail(422, "PATCH", "/api/users/"+ann.ID, object{"grants": []any{object{"role": "king"}}}))
	require.Equal(t, "token:ci: operator for accounts labelled shop", detail(201, "POST", "/api/service-tokens",
		object{"name": "ci", "role": "operator", "labels": []string{"shop"}}))
	require.Equal(t, "default: shop, staging", detail(200, "PATCH", "/api/accounts/default", object{"labels": []string{"shop", "staging"}}))
	require.Equal(t, "default: no label", detail(200, "PATCH", "/api/accounts/default", object{"labels": []string{}}))
	require.True(t, *s.audit("verify=true").Verified)
}

// TestAuditHasEveryPrivilegedRoute calls every row of the route table that changes
// something or hands out a document, admitted and refused. A row without an entry
// is a defect of the row or of the recorder.
func TestAuditHasEveryPrivilegedRoute(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey, "SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE="+editSecret)
	s.key = apiKey
	a := s.assessed()
	got := s.call("POST", "/api/integrations/ship", map[string]any{"target": "file"})
	require.Equal(t, 200, got.status, string(got.body))
	var shipped struct{ Files []struct{ URL string } }
	got.into(t, &shipped)
	file := shipped.Files[0].URL[strings.LastIndexByte(shipped.Files[0].URL, '/')+1:]
	fill := strings.NewReplacer("{id}", a.ID, "{format}", "csv", "{name}", file, "{framework}", "cis")
	known, covered := httpapi.Actions(), map[audit.Action]bool{}
	for _, r := range httpapi.Routes() {
		path := fill.Replace(r.Path)
		var body any
		if r.Method != http.MethodGet {
			body = map[string]any{}
		} else if _, documented := r.Answers[200]; !documented || r.Answers[200] != nil || r.Stream != nil || len(r.Media) == 0 {
			continue // reads in JSON
		}
		answer := s.call(r.Method, path, body, "Prefer", "respond-async")
		entries := s.entriesOf(answer)
		require.Len(t, entries, 1, "%s %s answered %d and is not in the audit log once", r.Method, r.Path, answer.status)
		e := entries[0]
		require.Equal(t, r.Method, e.Method)
		require.Equal(t, answer.status, e.Status)
		require.Contains(t, known, e.Action)
		if r.Caller == httpapi.Anyone {
			require.Equal(t, "anonymous", e.Actor, "nobody was asked for the key")
		} else {
			require.Regexp(t, "^key:[0-9a-f]{8}$", e.Actor)
		}
		require.Equal(t, "127.0.0.1", e.Address)
		require.Equal(t, answer.status < 400, e.Outcome == audit.Succeeded || e.Outcome == audit.Admitted, "%s %s: %+v", r.Method, r.Path, e)
		if answer.status >= 400 {
			require.Equal(t, string(problem(t, answer).Code), e.Code)
		}
		if r.Method == http.MethodGet {
			require.Equal(t, 200, answer.status)
			require.NotEmpty(t, e.Target.ID)
		}
		covered[e.Action] = true
	}
	require.Greater(t, len(covered), 20)
	log := s.audit("verify=true")
	require.True(t, *log.Verified, log.Broken)
	require.Equal(t, audit.Start, log.Items[len(log.Items)-1].Action)
}

// TestAuditOfRefusals: what is refused is there, and a flood of it does not fill the disk.
func TestAuditOfRefusals(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.from = elsewhere(t)
	for _, r := range httpapi.Routes() {
		if strings.HasPrefix(r.Path, "/api/") && r.Caller != httpapi.Anyone {
			status := s.call(r.Method, r.Path, nil, "X-API-Key", "a wrong key of 40 characters and more 123").status
			require.Contains(t, []int{401, 429}, status, r.Path)
		}
	}
	s.key, s.from = apiKey, nil
	log := s.audit("outcome=refused")
	require.Len(t, log.Items, 2, "the first call of the address that was no read, by each reason")
	for _, e := range log.Items {
		require.Equal(t, "anonymous", e.Actor)
		require.NotEqual(t, audit.Read, e.Action)
		require.Empty(t, e.Target)
	}
	require.Len(t, s.audit("action="+string(log.Items[0].Action)).Items, 1)
	require.Empty(t, s.audit("actor=local").Items)
	require.Equal(t, 422, s.call("GET", "/api/audit?outcome=lost", nil).status)
	require.Equal(t, 422, s.call("GET", "/api/audit?noted=1", nil).status)
	before := s.audit("").Head.Seq
	s.from = elsewhere(t)
	require.Equal(t, 429, s.call("GET", "/api/accounts", nil, "X-API-Key", "").status)
	s.from = nil
	require.Equal(t, before, s.audit("").Head.Seq, "a read that is refused waits for its minute")
}

// TestAuditOfRemediation: who was admitted is there before the first write, each write
// is there, and what the log cannot take does not happen.
func TestAuditOfRemediation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := opened(t, "DATA_DIR="+dir)
	a := s.assessed()
	body := func(token string) map[string]any {
		return map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "token": token}
	}
	refused := s.entriesOf(s.refused("apply", body("not the secret"), 403, posture.CodeEditScopeDenied))
	require.Len(t, refused, 1)
	require.Equal(t, audit.Refused, refused[0].Outcome)
	require.Equal(t, "edit_scope_denied", refused[0].Code)
	require.Equal(t, audit.Target{Type: "assessments", ID: a.ID}, refused[0].Target)

	got := s.call("POST", "/api/remediate/apply", body(editSecret))
	require.Equal(t, 200, got.status, string(got.body))
	own := s.entriesOf(got)
	require.Len(t, own, 2)
	require.Equal(t, audit.Admitted, own[0].Outcome, "before the job is made")
	require.Equal(t, audit.Succeeded, own[1].Outcome)
	require.NotEmpty(t, own[1].JobID)
	var order []string
	for _, e := range slices.Backward(s.audit("").Items) {
		if e.JobID == own[1].JobID && e.RequestID == "" {
			require.Contains(t, e.Actor, ":")
			order = append(order, string(e.Action)+" "+string(e.Outcome))
			if e.Action == audit.Write {
				require.Equal(t, "PATCH", e.Method)
				require.Equal(t, "settings", e.Target.Type)
				require.Contains(t, e.Target.ID, "/settings/min_tls_version")
			}
		}
	}
	write := []string{"provider.write admitted", "provider.write succeeded"}
	require.Equal(t, slices.Concat([]string{"gate.apply admitted"}, write, write, write), order)
	var done struct{ BundleID string }
	got.into(t, &done)

	db, err := sql.Open("sqlite", filepath.Join(dir, "edgeposture.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.ExecContext(t.Context(), "ALTER TABLE audit RENAME TO elsewhere")
	require.NoError(t, err)
	writes := len(s.cloud.Writes())
	for path, body := range map[string]map[string]any{"apply": body(editSecret), "rollback": {"bundleId": done.BundleID,
		"token": editSecret}} {
		require.Contains(t, problem(t, s.refused(path, body, 500, posture.CodeInternal)).Detail, "audit log cannot be written")
	}
	require.Len(t, s.cloud.Writes(), writes)
	require.Equal(t, 200, s.call("POST", "/api/remediate/plan", map[string]any{}).status, "other calls go on")
	_, err = db.ExecContext(t.Context(), "ALTER TABLE elsewhere RENAME TO audit")
	require.NoError(t, err)
	s.changes("rollback", map[string]any{"bundleId": done.BundleID, "token": editSecret})
	require.Len(t, s.audit("action=gate.rollback").Items, 1)
	require.True(t, *s.audit("verify=true").Verified)

	// Somebody who changes a row is found, by the service and by who asks it.
	_, err = db.ExecContext(t.Context(), "UPDATE audit SET outcome = 'succeeded' WHERE seq = ?", refused[0].Seq)
	require.NoError(t, err)
	log := s.audit("verify=true")
	require.False(t, *log.Verified)
	require.Contains(t, log.Broken, "entry "+number(int(refused[0].Seq))+" was changed")
	c, err := client.New(client.Options{URL: s.url, Own: true, HTTP: client.NewDoer(nil)})
	require.NoError(t, err)
	_, _, err = c.VerifyAudit(t.Context(), audit.Head{})
	require.ErrorContains(t, err, "was changed")
}

// TestAuditOfTools: a tool call is there with the calls it makes.
func TestAuditOfTools(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	for _, c := range []struct{ body, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_assessments","arguments":{}}}`, "list_assessments"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Secret-0123456789","arguments":{}}}`, "unknown"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, ""},
	} {
		entries := s.entriesOf(s.call("POST", "/mcp", c.body, "Accept", "application/json, text/event-stream"))
		if c.want == "" {
			require.Empty(t, entries)
			continue
		}
		require.Len(t, entries, 1)
		require.Equal(t, audit.Entry{Action: audit.Tool, Method: "POST", Target: audit.Target{Type: "tool", ID: c.want}, Outcome: audit.Admitted,
			Actor: "local"}, audit.Entry{Action: entries[0].Action, Method: entries[0].Method, Target: entries[0].Target,
			Outcome: entries[0].Outcome, Actor: entries[0].Actor})
	}
}

// TestAuditHoldsNoSecret puts a secret wherever a caller or an operator can put one.
func TestAuditHoldsNoSecret(t *testing.T) {
	t.Parallel()
	secrets := append(simcloud.Canaries(), apiKey, editSecret, "canary-in-a-path-0123456789", "canary-in-a-query", "canary-in-a-header",
		"canary-in-a-body", "canary-webhook-secret-16", "canary-hec-token-000000")
	require.GreaterOrEqual(t, len(secrets), 40)
	dir := t.TempDir()
	o := fixable()
	cloud, url := simulate(t, o)
	s := &system{t: t, cloud: cloud, key: apiKey}
	secrets = append(secrets, cloud.Tokens()[0].Secret)
	environ := []string{"DATA_DIR=" + dir, "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret, names(t, cloud),
		"CLOUDFLARE_REQUESTS_PER_5M=1000000", "SERVICE_API_KEY=" + apiKey, "SERVICE_ALLOW_REMEDIATION=true", "SERVICE_EDIT_SCOPE=" + editSecret,
		"SERVICE_WEBHOOK_SECRET=canary-webhook-secret-16"}
	s.open(environ)
	a := s.assessed()
	s.changes("apply", map[string]any{"assessmentId": a.ID, "checkIds": []string{"CFL-SSL-002"}, "token": editSecret,
		"apiToken": cloud.Tokens()[0].Secret})
	require.Equal(t, 200, s.call("PUT", "/api/settings", map[string]any{"hecToken": "canary-hec-token-000000",
		"notifyThreshold": "high"}).status)
	for _, r := range httpapi.Routes() {
		path := strings.NewReplacer("{id}", "canary-in-a-path-0123456789", "{format}", "canary-in-a-path-0123456789", "{name}",
			"canary-in-a-path-0123456789", "{framework}", "canary-in-a-path-0123456789").Replace(r.Path)
		s.call(r.Method, path+"?token=canary-in-a-query", `{"token":"canary-in-a-body","note":"canary-in-a-body","name":"canary-in-a-body"}`,
			"Authorization", "Bearer canary-in-a-header", "Prefer", "respond-async")
	}
	log := s.audit("verify=true")
	require.True(t, *log.Verified)
	require.Equal(t, "notifyThreshold,hecToken", log.Items[slices.IndexFunc(log.Items,
		func(e audit.Entry) bool { return e.Action == "settings.change" && e.Status == 200 })].Target.ID)
	db, err := sql.Open("sqlite", filepath.Join(dir, "edgeposture.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	rows, err := db.QueryContext(t.Context(), "SELECT actor || address || action || method || target_type || target_id || code || "+
		"request_id || job_id FROM audit")
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	n := 0
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		for _, secret := range secrets {
			require.NotContains(t, text, secret)
		}
		n++
	}
	require.NoError(t, rows.Err())
	require.Greater(t, n, 30)
}

// TestAuditOfProcesses: a start and a stop are there, whoever looks later.
func TestAuditOfProcesses(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, small())
	cfg, err := config.Load([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" +
		cloud.Tokens()[0].Secret, "SERVICE_DNS_RESOLVER=off"})
	require.NoError(t, err)
	for range 2 {
		a, err := app.Open(t.Context(), cfg, app.Role{API: true, Worker: true}, app.Options{Version: "v9", Now: time.Now, Random: rand.Reader,
			Log: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		require.NoError(t, a.Close(t.Context()))
	}
	db, err := sql.Open("sqlite", filepath.Join(cfg.DataDir, "edgeposture.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var actions, actor, version string
	require.NoError(t, db.QueryRowContext(t.Context(),
		"SELECT group_concat(action), MIN(actor), MIN(target_id) FROM (SELECT * FROM audit ORDER BY seq)").Scan(&actions, &actor, &version))
	require.Equal(t, "process.start,process.stop,process.start,process.stop", actions)
	require.Equal(t, "v9", version)
	host, err := os.Hostname()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(actor, "api:"+host+":"), actor)
	require.False(t, bytes.Contains([]byte(actor), []byte(" ")))
}
