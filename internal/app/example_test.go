package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket/tickettest"
	"github.com/edgeposture/edgeposture/internal/provider/demo"
)

var update = flag.Bool("update", false, "rewrite golden files")

const examplesFile = "../api/httpapi/examples.json"

type object = map[string]any

// examples asks the service with the demo account and keeps a shortened form of what is sent and answered.
type examples struct {
	*system
	kept map[string]httpapi.Example
	ids  map[string]string
	of   map[string]string // what fills the path of a row
}

// TestExamplesAreCommitted makes the examples of the API's document from real calls and holds the committed ones against them.
func TestExamplesAreCommitted(t *testing.T) {
	const scope = "example-kV7q-Zr2xW9tM4bH8nS3jC6pD1lF5g"
	var refuse atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if refuse.Load() {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(receiver.Close)
	s := &system{t: t, key: "correct-horse-battery"}
	s.open([]string{"DATA_DIR=" + t.TempDir(), "SERVICE_API_KEY=" + s.key + "," + secondKey,
		"SERVICE_ALLOW_REMEDIATION=true", "CLOUDFLARE_REQUESTS_PER_5M=1000000",
		"SERVICE_EDIT_SCOPE=" + scope,
		"SERVICE_WEBHOOK_URL=" + receiver.URL,
		"SERVICE_WEBHOOK_SECRET=whsec_ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGU=",
		"SERVICE_OUTBOUND_ALLOW=127.0.0.0/8"})
	e := &examples{s, map[string]httpapi.Example{}, map[string]string{}, map[string]string{}}

	eventually(t, time.Minute, "the first run of the demo account ends", func() bool {
		var list struct{ Items []posture.Job }
		s.get("/api/jobs?kind=assess&state=succeeded", &list)
		return len(list.Items) > 0
	})
	first := e.call("POST", "/api/assess", object{"categories": []string{"waf"}, "note": "before the release"}, "", "Prefer", "wait=300")
	a := e.call("POST", "/api/assess", object{"note": "before the release"}, "", "Prefer", "wait=300")
	id := a["id"].(string)
	plan := e.call("POST", "/api/remediate/plan", object{"assessmentId": id, "checkIds": []string{"CFL-SSL-002"}}, "")
	e.call("POST", "/api/remediate/plans/{id}/approve", object{"note": "As discussed on Monday."}, plan["id"].(string), "X-API-Key", secondKey)
	done := e.call("POST", "/api/remediate/apply", object{"assessmentId": id, "checkIds": []string{"CFL-SSL-002"},
		"planId": plan["id"], "token": scope,
		"apiToken": demo.WriteToken}, "")
	e.call("GET", "/api/remediate/plans/{id}", nil, plan["id"].(string))
	e.call("GET", "/api/remediate/backups/{id}", nil, done["bundleId"].(string))
	e.call("GET", "/api/remediate/backups", nil, "")
	e.call("POST", "/api/remediate/rollback", object{"bundleId": done["bundleId"], "token": scope, "apiToken": demo.WriteToken}, "")

	refuse.Store(true)
	e.try("POST", "/api/notify", object{"assessmentId": id, "channels": []string{"webhook"}, "threshold": "low"})

	refuse.Store(false)
	deliveries := e.call("GET", "/api/deliveries", nil, "")
	delivery := firstOf(deliveries)
	e.call("GET", "/api/deliveries/{id}", nil, delivery)
	e.call("POST", "/api/deliveries/{id}/replay", object{}, delivery)
	e.call("POST", "/api/notify", object{"assessmentId": id, "channels": []string{"webhook"},
		"webhookUrl":    "https://hooks.example.com/edgeposture",
		"webhookSecret": "whsec_ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGU=",
		"dryRun":        true}, "")
	e.call("POST", "/api/integrations/ship", object{"assessmentId": id, "target": "file"}, "")

	e.call("POST", "/api/diff", object{"baselineId": first["id"], "currentId": id}, "")
	e.call("POST", "/api/replay", object{"assessmentId": id}, "")
	e.call("POST", "/api/what-if", object{"assessmentId": id, "changes": []any{object{"planId": plan["id"]}}}, "")
	ann := e.call("POST", "/api/users", object{"name": "Ann Example", "email": "ann@example.com", "password": "a sentence nobody guesses",
		"grants": []any{object{"role": "analyst", "labels": []string{"production"}}}}, "")
	e.of["/api/users/{id}"] = ann["id"].(string)
	e.call("PATCH", "/api/users/{id}", object{"grants": []any{object{"role": "operator"}}}, e.of["/api/users/{id}"])
	e.call("POST", "/api/users/{id}/invite", object{}, e.of["/api/users/{id}"])
	e.of["/api/service-tokens/{id}"] = e.call("POST", "/api/service-tokens", object{"name": "pipeline", "role": "viewer"}, "")["id"].(string)
	e.of["/api/teams/{id}"] = e.call("POST", "/api/teams", object{"name": "Edge", "members": []any{ann["id"]}}, "")["id"].(string)
	e.call("PATCH", "/api/teams/{id}", object{"name": "Edge platform"}, e.of["/api/teams/{id}"])
	schedule := e.call("POST", "/api/schedules", object{"cron": "0 6 * * 1-5",
		"timeZone": "Europe/Berlin", "request": object{"profile": "core"}}, "")
	e.call("PATCH", "/api/schedules/{id}", object{"cron": "30 6 * * 1-5"}, schedule["id"].(string))
	e.call("GET", "/api/schedules/{id}", nil, schedule["id"].(string))
	e.call("GET", "/api/schedules", nil, "")
	e.call("POST", "/api/schedules/{id}/run", object{}, schedule["id"].(string))
	e.ended()
	accept := object{"match": object{"checkIds": []string{"CFL-SSL-001"}},
		"reason": "The origin moves in spring.", "owner": "web-team@example.com"}
	e.call("POST", "/api/exceptions/preview", accept, "")
	e.call("POST", "/api/exceptions", accept, "")
	bulk := object{"filter": object{"severity": "low"}, "assessmentId": id,
		"reason": "Accepted until the audit.", "owner": "web-team@example.com"}
	e.call("POST", "/api/exceptions/bulk/preview", bulk, "")
	e.call("POST", "/api/exceptions/bulk", bulk, "")
	e.call("POST", "/api/views", object{"name": "Critical and open", "page": "findings", "query": "severity=critical"}, "")
	e.call("PUT", "/api/ownership", object{"rules": []any{object{"owner": "web-team@example.com", "zone": "*.example"}},
		"sla": object{"critical": 7, "high": 30, "medium": 90, "low": 180}}, "")
	issue := firstOf(e.call("GET", "/api/issues", nil, ""))
	e.call("PATCH", "/api/issues/{id}", object{"state": "acknowledged", "assignee": "ann", "revision": 0}, issue)
	e.call("POST", "/api/issues/{id}/comments", object{"text": "We wait for the new origin."}, issue)
	e.ticket(issue)
	e.alerts(receiver.URL)
	e.call("POST", "/api/inbox/read", object{"issueIds": []string{issue}}, "")
	e.call("PUT", "/api/settings", object{"notifyThreshold": "high"}, "")
	e.call("POST", "/api/session", object{}, "")
	e.call("POST", "/api/evidence/key/rotate", object{}, "")
	e.call("PATCH", "/api/accounts/{id}", object{"policy": object{"uploadedCertDays": 45}}, "default")
	e.call("POST", "/api/jobs/{id}/retry", object{}, a["jobId"].(string))
	e.call("POST", "/api/jobs/{id}/cancel", object{}, a["jobId"].(string))
	e.ended()
	e.reads(id, a["jobId"].(string))
	e.signIns(t)
	e.call("POST", "/mcp", object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": "get_assessment",
		"arguments": object{"assessmentId": id}}}, "", "Accept", "application/json, text/event-stream")
	e.try("GET", "/api/jobs/0198c5b2-1f6e-7c3a-9d2e-5a1b2c3d4e5f", nil)

	e.call("POST", "/api/accounts", object{"name": "Second", "token": "a-token-of-cloudflare", "verify": false}, "")
	e.bare()

	got, err := json.MarshalIndent(e.kept, "", "  ")
	require.NoError(t, err)
	got = append(bytes.ReplaceAll(got, []byte(receiver.URL), []byte("https://hooks.example.com")), '\n')
	if *update {
		require.NoError(t, os.WriteFile(examplesFile, got, 0o644))
	}
	want, err := os.ReadFile(examplesFile)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "what the API answers changed; run make gen")
}

// ticket makes the ticket of an issue at a simulated GitHub.
func (e *examples) ticket(issue string) {
	g := tickettest.NewGitHub(e.t, "example/security", "example-token")
	at := g.Start(e.t)
	e.settings("PUT", object{"ticketKind": "github", "githubUrl": at, "githubRepository": g.Repository, "githubToken": g.Token})
	e.call("POST", "/api/issues/{id}/tickets", object{"kind": "github"}, issue)
	e.call("GET", "/api/issues/{id}", nil, issue)
	e.settings("PUT", object{"ticketKind": "", "githubUrl": "", "githubRepository": "", "githubToken": ""})
}

// alerts makes a rule of alerts and tries it.
func (e *examples) alerts(receiver string) {
	rule := e.call("POST", "/api/alert-rules", object{"name": "Web team, by day", "channel": "webhook", "severity": "high",
		"owners": []any{"web-team@example.com"}, "quiet": object{"from": "20:00", "to": "07:00", "weekends": true}, "timeZone": "Europe/Berlin",
		"url": receiver, "secret": "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 24))}, "")["id"].(string)
	e.call("PATCH", "/api/alert-rules/{id}", object{"daily": "08:30"}, rule)
	e.call("POST", "/api/alert-rules/{id}/test", object{}, rule)
	e.of["/api/alert-rules/{id}"] = rule
}

// reads asks every other row that is read.
func (e *examples) reads(id, job string) {
	finding := firstOf(e.call("GET", "/api/findings", nil, ""))
	issue := firstOf(e.call("GET", "/api/issues", nil, ""))
	of := map[string]string{"/api/findings/{id}": finding, "/api/issues/{id}": issue, "/api/jobs/{id}": job, "/api/accounts/{id}": "default",
		"/api/accounts/{id}/permissions": "default", "/api/checks/{id}": "CFL-SSL-001", "/api/compliance/{framework}": "cis",
		"/api/assessments/{id}/findings/groups": id + "/findings/groups?by=check", "/api/explain": "?url=acme-shop.example/login"}
	open := e.call("GET", "/api/assessments/{id}/findings", nil, id+"/findings?check=CFL-SSL-005")["items"].([]any)[0].(object)
	delete(e.kept, "GET /api/assessments/{id}/findings")
	of["/api/assessments/{id}/editable"] = id + "/editable?check=CFL-SSL-005&resource=" + open["resource"].(object)["id"].(string)
	maps.Copy(of, e.of)
	for _, r := range httpapi.Routes() {
		_, json := r.Answers[200]
		_, done := e.kept["GET "+r.Path]
		ofPerson := strings.HasPrefix(r.Path, "/api/passkeys") || r.Path == "/api/session/challenge"
		if r.Method != http.MethodGet || done || ofPerson || r.Page || r.Path == "/api/jobs/{id}/issues" || json && r.Answers[200] == nil {
			continue
		}
		ref, special := of[r.Path]
		if !special {
			ref = id
		}
		e.call("GET", r.Path, nil, ref)
	}
}

// bare sends every other call that needs neither a body nor an id: such a row has its example by itself.
func (e *examples) bare() {
	for _, r := range httpapi.Routes() {
		_, done := e.kept[r.Method+" "+r.Path]
		if done || r.Method != http.MethodPost || strings.Contains(r.Path, "{") {
			continue
		}
		e.call(r.Method, r.Path, nil, "")
	}
}

// signIns are calls of a service at which people sign in.
func (e *examples) signIns(t *testing.T) {
	t.Helper()
	s := e.system
	e.system = embedded(t, small(), "SERVICE_API_KEY="+apiKey, "SERVICE_PUBLIC_URL="+publicURL)
	e.key = apiKey
	invited := e.system.call("POST", "/api/users", object{"name": "Bob", "email": "bob@example.com",
		"grants": []any{object{"role": "viewer"}}})
	var bob httpapi.Person
	invited.into(t, &bob)
	invitation := strings.TrimPrefix(bob.Invitation, "/welcome#")
	e.call("POST", "/api/welcome/challenge", object{"invitation": invitation}, "")
	e.call("POST", "/api/welcome", object{"invitation": invitation, "password": aPassword}, "")
	e.call("GET", "/api/session/challenge", nil, "")
	e.key = ""
	_, cookie := e.person("carl")
	o, kept := e.toAdd(cookie)
	e.call("POST", "/api/passkeys", object{"name": "Laptop", "passkey": newDevice().create(t, o)}, "",
		"Cookie", cookie+"; "+kept, "Origin", e.url)
	e.call("GET", "/api/passkeys", nil, "", "Cookie", cookie)
	e.call("GET", "/api/passkeys/challenge", nil, "", "Cookie", cookie)
	e.key = apiKey
	e.call("POST", "/api/sessions", object{"secretHash": strings.Repeat("A", 43), "name": "laptop"}, "")
	e.system = s
}

func firstOf(list object) string { return list["items"].([]any)[0].(object)["id"].(string) }

// call sends what an operation takes and keeps it with the answer. The id fills the path.
func (e *examples) call(method, path string, body any, id string, headers ...string) object {
	e.t.Helper()
	at := path
	if i := strings.IndexByte(path, '{'); i >= 0 {
		rest := path[i:]
		rest = rest[strings.IndexByte(rest, '}')+1:]
		if at = path[:i] + id; !strings.Contains(id, "/") {
			at += rest
		}
	} else if strings.HasPrefix(id, "?") {
		at += id
	}
	got := e.system.call(method, at, body, headers...)
	require.Less(e.t, got.status, 300, "%s %s: %s", method, at, got.body)
	var out object
	if got.status != http.StatusNoContent {
		got.into(e.t, &out)
	}
	one := httpapi.Example{Status: strconv.Itoa(got.status), Answer: e.short(out, "")}
	if body != nil {
		raw, err := json.Marshal(body)
		require.NoError(e.t, err)
		var sent any
		require.NoError(e.t, json.Unmarshal(raw, &sent))
		one.Body = e.short(sent, "")
	}
	e.kept[method+" "+path] = one
	return out
}

// try keeps what a call is refused with as the example of a problem.
func (e *examples) try(method, path string, body any) {
	e.t.Helper()
	got := e.system.call(method, path, body)
	var out object
	got.into(e.t, &out)
	if got.header.Get("Content-Type") == "application/problem+json" {
		e.kept["problem"] = httpapi.Example{Status: strconv.Itoa(got.status), Answer: e.short(out, "")}
	}
}

var (
	anID          = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	aTime         = regexp.MustCompile(`\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z)?`)
	aMAC          = regexp.MustCompile(`\b([0-9a-f]{64}|[0-9a-f]{16})\b`)
	aHint         = regexp.MustCompile(`••••.{4}$`)
	aKey          = regexp.MustCompile(`key:[0-9a-f]{8}`)
	aHandle       = regexp.MustCompile(`^[A-Za-z0-9_-]{43,48}$`) // of a credential, or of the person who has it
	aServiceToken = regexp.MustCompile(`eps_[A-Za-z0-9_-]{43}`)
	chance        = map[string]string{"nextCursor": "the-cursor-of-the-next-page", "invitation": "the-invitation",
		"challenge": strings.Repeat("A", 43), "clientDataJSON": "the-client-data", "attestationObject": "the-attestation",
		"publicKey": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAT6yXYNhl5yarKf8AB+nwYWRzQNZt0oFLybzsvw+GYhI=\n-----END PUBLIC KEY-----\n"}
	counts = []string{"durationMs", "uptimeSeconds", "requests", "bytes", "etaSeconds",
		"waitingSeconds", "attempt", "done", "total", "seq", "unchanged"}
)

// short keeps the first item of each list, and one form for what differs from run to run.
func (e *examples) short(v any, member string) any {
	switch t := v.(type) {
	case object:
		out := object{}
		for _, name := range slices.Sorted(maps.Keys(t)) {
			out[name] = e.short(t[name], name)
		}
		return out
	case []any:
		if len(t) == 0 {
			return t
		}
		return []any{e.short(t[0], member)}
	case string:
		t = anID.ReplaceAllStringFunc(t, func(id string) string {
			if e.ids[id] == "" {
				e.ids[id] = "0198c5b2-1f6e-7c3a-9d2e-" + strconv.Itoa(100000000000+len(e.ids))
			}
			return e.ids[id]
		})
		if aTime.MatchString(t) {
			t = aTime.ReplaceAllStringFunc(t, func(at string) string { return "2026-03-14T09:30:00Z"[:min(len(at), 20)] })
		}
		if fixed := chance[member]; fixed != "" && t != "" {
			return fixed
		}
		if member == "id" || member == "rawId" {
			t = aHandle.ReplaceAllStringFunc(t, func(id string) string { return strings.Repeat("A", len(id)) })
		}
		t = aHint.ReplaceAllString(t, "••••abcd")
		t = aServiceToken.ReplaceAllString(t, "eps_"+strings.Repeat("x", 43))
		t = aKey.ReplaceAllString(t, "key:26663bfe")
		return aMAC.ReplaceAllStringFunc(t, func(sum string) string { return strings.Repeat("0", len(sum)) })
	case float64:
		if slices.Contains(counts, member) {
			return float64(1)
		}
	}
	return v
}
