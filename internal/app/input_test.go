package app_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

func small() simcloud.Options {
	return simcloud.Options{Seed: 21, Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 5, Plant: 0.5}},
		Limit: simcloud.Limit{Disabled: true}}
}

// problem reads an error answer and holds its form.
func problem(t *testing.T, a answer) httpapi.ProblemDetails {
	t.Helper()
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"), string(a.body))
	var p httpapi.ProblemDetails
	a.into(t, &p)
	require.Equal(t, a.status, p.Status)
	require.NotEmpty(t, p.Detail)
	require.NotEmpty(t, p.Title)
	require.Equal(t, a.header.Get("X-Request-Id"), p.RequestID)
	return p
}

// TestBadInput sends what is wrong in every way and expects a clear problem,
// and afterwards a service that works as before.
func TestBadInput(t *testing.T) {
	s := embedded(t, small())
	pasted := "use ghp_" + strings.Repeat("aB3d", 9) // in the shape of a token that GitHub makes
	for _, tc := range []struct {
		name, method, path string
		body               any
		headers            []string
		status             int
		code               posture.Code
		says               string
	}{
		{"not JSON", "POST", "/api/assess", "{nope", nil, 400, "malformed", "byte 2"},
		{"a name twice", "POST", "/api/assess", `{"zones":["a"],"zones":["b"]}`, nil, 400, "malformed", "/zones"},
		{"token with a line break", "POST", "/api/accounts", `{"name":"pasted","token":"abcdefgh\n"}`, nil, 422,
			"invalid_request", "line break"},
		{"cut off", "POST", "/api/assess", `{"zones":["a"`, nil, 400, "malformed", "not valid JSON"},
		{"form", "POST", "/api/assess", "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}, 400, "malformed", "Content-Type"},
		{"plain text", "POST", "/api/assess", "{}", []string{"Content-Type", "text/plain"}, 400, "malformed", "Content-Type"},
		{"unknown field", "POST", "/api/assess", `{"zone":"a"}`, nil, 422, "invalid_request", "zone"},
		{"field in another case", "POST", "/api/assess", `{"Zones":["a"]}`, nil, 422, "invalid_request", "Zones"},
		{"wrong type", "POST", "/api/assess", `{"zones":"a"}`, nil, 422, "invalid_request", "zones"},
		{"array body", "POST", "/api/assess", `[]`, nil, 422, "invalid_request", "object"},
		{"bad profile", "POST", "/api/assess", `{"profile":"most"}`, nil, 422, "invalid_request", "profile"},
		{"unknown category", "POST", "/api/assess", `{"categories":["dns","dsn"]}`, nil, 422, "invalid_request", `"dsn"`},
		{"unknown check", "POST", "/api/assess", `{"checks":["CFL-DNS-999"]}`, nil, 422, "invalid_request", "CFL-DNS-999"},
		{"misspelt check", "GET", "/api/findings?check=CFL-SSL-002,SSL2", nil, nil, 422, "invalid_request", `"SSL2" is no id of a check`},
		{"unknown zone", "POST", "/api/assess", `{"zones":["no-such-zone.example"]}`, nil, 422, "invalid_request", "no-such-zone.example"},
		{"bad zone pattern", "POST", "/api/assess", `{"zones":["[a"]}`, nil, 422, "invalid_request", "[a"},
		{"long zone pattern", "POST", "/api/assess", object{"zones": []string{strings.Repeat("z", 301)}}, nil, 422, "invalid_request", "zzz…"},
		{"long zone pattern of an account", "PATCH", "/api/accounts/default", object{"zones": []string{strings.Repeat("z", 301)}}, nil, 422,
			"invalid_request", "zzz…"},
		{"secret in a note", "POST", "/api/assess", object{"note": pasted}, nil, 422, "invalid_request", "body.note"},
		{"secret in the note of a schedule", "POST", "/api/schedules", object{"cron": "@daily", "request": object{"note": pasted}}, nil, 422,
			"invalid_request", "body.request.note"},
		{"secret in a reason", "POST", "/api/exceptions", object{"reason": pasted, "owner": "o", "match": object{"zones": []string{"a"}}}, nil,
			422, "invalid_request", "body.reason"},
		{"secret in a reason of many", "POST", "/api/exceptions/bulk", object{"reason": pasted, "owner": "o", "filter": object{}}, nil, 422,
			"invalid_request", "body.reason"},
		{"secret in the name of a token", "POST", "/api/service-tokens", object{"name": pasted, "role": "viewer"}, nil, 422, "invalid_request",
			"body.name"},
		{"unknown account", "POST", "/api/assess", `{"account":"nobody"}`, nil, 404, "not_found", "nobody"},
		{"wrong token", "POST", "/api/assess", `{"token":"this-is-not-a-token-0123456789"}`, nil, 502, "provider_error", "token"},
		{"account and token", "POST", "/api/assess", `{"token":"x","account":"default"}`, nil, 422, "invalid_request", "exclude"},
		{"bad account id", "POST", "/api/assess", `{"token":"x","accountId":"../../x"}`, nil, 422, "invalid_request", "accountId"},
		{"bad UUID", "GET", "/api/assessments/12345", nil, nil, 422, "invalid_request", "UUID"},
		{"unknown assessment", "GET", "/api/assessments/01a1fe8f-3b4e-7922-9dea-000000000000", nil, nil, 404, "not_found",
			"GET /api/assessments"},
		{"bad UUID of findings", "GET", "/api/assessments/x/findings", nil, nil, 422, "invalid_request", "UUID"},
		{"findings of an unknown one", "GET", "/api/assessments/01a1fe8f-3b4e-7922-9dea-000000000000/findings", nil, nil, 404, "not_found",
			"no assessment"},
		{"bad UUID of a job", "GET", "/api/jobs/x", nil, nil, 422, "invalid_request", "UUID"},
		{"jobs of no kind", "GET", "/api/jobs?kind=assess,nap", nil, nil, 422, "invalid_request", "nap"},
		{"bad UUID in a filter", "GET", "/api/deliveries?jobId=x", nil, nil, 422, "invalid_request", "query.jobId"},
		{"deliveries to nothing", "GET", "/api/deliveries?target=fax", nil, nil, 422, "invalid_request", "fax"},
		{"paths of no kind", "GET", "/api/assessments/01a1fe8f-3b4e-7922-9dea-000000000000/paths?kind=exposed-origin,x", nil, nil, 422,
			"invalid_request", "query.kind"},
		{"a body that nothing takes", "POST", "/api/jobs/01a1fe8f-3b4e-7922-9dea-000000000000/cancel", `{"force":true}`, nil, 422,
			"invalid_request", "takes nothing"},
		{"a role for a list of no accounts", "POST", "/api/service-tokens", `{"name":"a","role":"viewer","accounts":[]}`, nil, 422,
			"invalid_request", "names no account"},
		{"unknown job", "GET", "/api/jobs/01a1fe8f-3b4e-7922-9dea-000000000000", nil, nil, 404, "not_found", "no job"},
		{"events of an unknown job", "GET", "/api/jobs/01a1fe8f-3b4e-7922-9dea-000000000000/events", nil, nil, 404, "not_found", "no job"},
		{"cancel of an unknown job", "POST", "/api/jobs/01a1fe8f-3b4e-7922-9dea-000000000000/cancel", nil, nil, 404, "not_found", "no job"},
		{"retry of an unknown job", "POST", "/api/jobs/01a1fe8f-3b4e-7922-9dea-000000000000/retry", nil, nil, 404, "not_found", "no job"},
		{"bad state", "GET", "/api/jobs?state=sleeping", nil, nil, 422, "invalid_request", "sleeping"},
		{"a list that is read whole has a cursor, too", "GET", "/api/checks?limit=5&cursor=x", nil, nil, 422, "invalid_request", "cursor"},
		{"bad limit of a list that is read whole", "GET", "/api/teams?limit=0", nil, nil, 422, "invalid_request", "limit"},
		{"bad limit", "GET", "/api/jobs?limit=0", nil, nil, 422, "invalid_request", "limit"},
		{"no number", "GET", "/api/jobs?limit=all", nil, nil, 422, "invalid_request",
			"query.limit: expected a whole number"},
		{"no time in a body", "POST", "/api/exceptions",
			map[string]any{"reason": "r", "owner": "o", "match": map[string]any{}, "expiresAt": "soon"}, nil, 422, "invalid_request",
			"expected a time such as 2027-"},
		{"no truth", "GET", "/api/inbox?unread=perhaps", nil, nil, 422, "invalid_request", "expected true or false"},
		{"a number with an exponent", "POST", "/api/schedules", `{"cron":"@daily","jitterSeconds":1e2}`, nil, 422, "invalid_request",
			"body.jitterSeconds: expected a whole number of at most 18 digits"},
		{"a number of 31 digits", "PUT", "/api/ownership", `{"revision":1e30,"rules":[],"sla":{"critical":7,"high":30,"medium":90,"low":180}}`,
			nil, 422, "invalid_request", `"location":"body.revision"`},
		{"a threshold that is a text", "PATCH", "/api/accounts/default", `{"policy":{"sessionHours":"x"}}`, nil, 422, "invalid_request",
			"sessionHours: expected a whole number"},
		{"no plan of Terraform", "POST", "/api/what-if", `{"changes":[{"terraformPlan":{"format_version":"1.0","resource_changes":5}}]}`, nil,
			422, "invalid_request", "resource_changes: expected a list"},
		{"none of those", "GET", "/api/findings?sort=odd", nil, nil, 422, "invalid_request", "expected one of severity, check,"},
		{"limit too large", "GET", "/api/assessments?limit=1001", nil, nil, 422, "invalid_request", "limit"},
		{"bad cursor", "GET", "/api/jobs?cursor=zzz", nil, nil, 422, "invalid_request", "cursor"},
		{"bad instant", "GET", "/api/assessments?since=yesterday", nil, nil, 422, "invalid_request",
			"query.since: expected a time such as 2027-"},
		{"bad result", "GET", "/api/assessment?result=GOOD", nil, nil, 404, "no_assessment", "POST /api/assess"},
		{"unknown check id", "GET", "/api/checks/CFL-X-001", nil, nil, 404, "not_found", "GET /api/checks"},
		{"unknown path", "GET", "/api/nothing", nil, nil, 404, "not_found", "/api-docs"},
		{"a kind of content in capitals", "POST", "/api/assess", `{"zone":"a"}`, []string{"Content-Type", "Application/JSON; charset=UTF-8"}, 422,
			"invalid_request", "zone"},
		{"a method nobody knows", "PROPFIND", "/api/assess", nil, nil, 405, "method_not_allowed", "/api-docs"},
		{"jobs of no account", "GET", "/api/jobs?account=nobody", nil, nil, 422, "invalid_request", "no such account"},
		{"a filter with a typing error", "GET", "/api/findings?severty=high", nil, nil, 422, "invalid_request",
			"query.severty: unknown; the parameters are"},
		{"a filter twice", "GET", "/api/findings?severity=high&severity=low", nil, nil, 422, "invalid_request", "given more than once"},
		{"findings of no account", "GET", "/api/findings?account=default,nobody", nil, nil, 422, "invalid_request", "no such account"},
		{"files of no account", "GET", "/api/download/csv?account=nobody", nil, nil, 422, "invalid_request", "no such account"},
		{"a deleted account", "GET", "/api/assessment?account=01a1fe8f-3b4e-7922-9dea-000000000000", nil, nil, 404, "no_assessment", ""},
		{"nothing to send to", "POST", "/api/notify", `{}`, nil, 404, "no_assessment", ""},
		{"wrong method", "DELETE", "/api/assess", nil, nil, 405, "method_not_allowed", "/api-docs"},
		{"foreign host", "GET", "/api/health", nil, []string{"Host", "evil.example"}, 403, "origin_denied", "loopback"},
		{"foreign origin", "POST", "/api/assess", "{}", []string{"Origin", "https://evil.example"}, 403, "origin_denied", "another web page"},
		{"our host in another scheme", "POST", "/api/assess", "{}", []string{"Origin", "ftp://" + strings.TrimPrefix(s.url, "http://")}, 403,
			"origin_denied", "another web page"},
		{"cross site", "POST", "/api/assess", "{}", []string{"Sec-Fetch-Site", "cross-site"}, 403, "origin_denied", "another web site"},
		{"long idempotency key", "POST", "/api/assess", "{}", []string{"Idempotency-Key", strings.Repeat("k", 256)}, 422, "invalid_request",
			"Idempotency-Key"},
		{"huge body", "POST", "/api/assess", `{"note":"` + strings.Repeat("x", 2<<20) + `"}`, []string{"Expect", "100-continue"}, 413,
			"too_large", "1 MiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.t = t
			got := s.call(tc.method, tc.path, tc.body, tc.headers...)
			require.Equal(t, tc.status, got.status, string(got.body))
			p := problem(t, got)
			require.Equal(t, tc.code, p.Code)
			require.Contains(t, p.Detail+string(got.body), tc.says)
			require.NotContains(t, string(got.body), "this-is-not-a-token")
			require.NotContains(t, string(got.body), pasted)
			require.NotRegexp(t, `cannot unmarshal|Go (struct|value)`, string(got.body), "it names what is only in the source")
		})
	}
	s.t = t
	require.NotEmpty(t, s.assessAll(nil).Findings, "the service no longer works")
	var list struct{ Items []posture.Job }
	for _, ref := range []string{"default", s.account("default").ID, s.account("default").ProviderID} {
		s.get("/api/jobs?account="+ref, &list)
		require.NotEmpty(t, list.Items, ref)
		require.Equal(t, list.Items[0].Progress.Total, list.Items[0].Progress.Done, "a job that succeeded has done all of it")
	}
	none := s.call("POST", "/api/notify", nil)
	require.Equal(t, 422, none.status)
	require.Contains(t, string(none.body), "No channel has an address")
}

// TestRefusalsAreInOrder: the same bad request gets the same refusal.
func TestRefusalsAreInOrder(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	body := map[string]any{"zone": 1, "apple": 2, "mango": 3, "banana": 4, "reason": 5, "owner": 6}
	first := problem(t, s.call("POST", "/api/exceptions", body))
	require.Greater(t, len(first.Errors), 5)
	for range 20 {
		p := problem(t, s.call("POST", "/api/exceptions", body))
		require.Equal(t, first.Errors, p.Errors)
		require.Equal(t, first.Detail, p.Detail)
	}
}

func TestEmptyBodyCountsAsAnObject(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	require.Equal(t, 200, s.call("POST", "/api/assess", nil).status)
	require.Equal(t, 200, s.call("POST", "/api/assess", "").status)
}

func TestNoAssessmentYet(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	p := problem(t, s.call("GET", "/api/assessment", nil))
	require.Equal(t, posture.CodeNoAssessment, p.Code)
}

// TestUnreachableProvider has nobody listen where the provider should be.
func TestUnreachableProvider(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	s := embedded(t, small(), "CLOUDFLARE_BASE_URL=http://"+address+"/client/v4")
	got := s.call("POST", "/api/assess", map[string]any{"token": "a-one-off-token-0123456789", "accountId": "0123"}, "Prefer", "wait=60")
	require.Equal(t, 502, got.status, string(got.body))
	p := problem(t, got)
	require.Equal(t, posture.CodeProvider, p.Code)
	require.Contains(t, p.Detail, "CLOUDFLARE_BASE_URL")
	require.NotContains(t, string(got.body), "one-off-token")
	var jobs struct{ Items []posture.Job }
	s.get("/api/jobs", &jobs)
	require.Len(t, jobs.Items, 1)
	require.Equal(t, posture.JobFailed, jobs.Items[0].State, "the run is kept")
}

// TestListsComeInParts: a list that is answered whole without a limit gives the same in parts.
func TestListsComeInParts(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	for _, name := range []string{"one", "two", "three"} {
		require.Equal(t, 201, s.call("POST", "/api/views", map[string]any{"name": name, "page": "issues", "query": "q=" + name}).status)
	}
	for path, limit := range map[string]int{"/api/checks": 100, "/api/views": 2, "/api/accounts": 1} {
		var whole, parts, one struct {
			Items      []any
			NextCursor string
		}
		s.get(path, &whole)
		require.Empty(t, whole.NextCursor)
		for next := ""; next != "" || len(parts.Items) == 0; next = one.NextCursor {
			one.Items = nil
			s.get(fmt.Sprintf("%s?limit=%d&cursor=%s", path, limit, next), &one)
			require.LessOrEqual(t, len(one.Items), limit)
			parts.Items = append(parts.Items, one.Items...)
		}
		require.Equal(t, whole.Items, parts.Items, path)
	}
}

// TestOccupiedPort expects one line and nothing changed, as for a host that is none.
func TestOccupiedPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	occupied := "PORT=" + number(l.Addr().(*net.TCPAddr).Port)
	for variable, says := range map[string]string{occupied: "cannot listen on", "HOST=[::1]": "HOST is [::1]"} {
		p := spawn(t, "serve", "DATA_DIR="+t.TempDir(), variable)
		require.Error(t, <-p.done)
		p.done <- nil
		require.Equal(t, 1, p.cmd.ProcessState.ExitCode())
		require.Contains(t, p.String(), says)
		require.Equal(t, 1, strings.Count(strings.TrimSpace(p.String()), "\n")+1, p.String())
	}
}

func TestDataDirectoryInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := spawn(t, "serve", "DATA_DIR="+dir)
	first.says(t, "listening on ")
	second := spawn(t, "serve", "DATA_DIR="+dir)
	require.Error(t, <-second.done)
	second.done <- nil
	require.Contains(t, second.String(), "another edgeposture process uses DATA_DIR")
}

// TestFullDisk fills the disk under a running service: it says so, loses
// nothing, and goes on when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "disk")
	require.NoError(t, os.Mkdir(dir, 0o700))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); errors.Is(err, syscall.EPERM) {
		t.Skip("a small file system can only be made by root")
	} else {
		require.NoError(t, err)
	}
	s := embedded(t, small(), "DATA_DIR="+dir)
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	before := s.assessAll(nil)

	block := make([]byte, 4096)
	f, err := os.Create(filepath.Join(dir, "filler"))
	require.NoError(t, err)
	for err == nil {
		_, err = f.Write(block)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, f.Close())

	// Pages that are free already have room for a run or two.
	var got answer
	eventually(t, 60*time.Second, "the disk is felt", func() bool {
		got = s.call("POST", "/api/assess", map[string]any{"note": strings.Repeat("n", 1000)}, "Prefer", "wait=3")
		return got.status != 200
	})
	if got.status != 202 { // the job row itself may still have found room
		require.Equal(t, 503, got.status, string(got.body))
		require.Contains(t, problem(t, got).Detail, "full")
	}
	var h httpapi.Health
	eventually(t, 60*time.Second, "health tells of it", func() bool {
		_ = s.call("POST", "/api/assess", map[string]any{"note": strings.Repeat("n", 1000)}, "Prefer", "respond-async")
		s.get("/api/health", &h)
		return h.Store.Status == "failing"
	})
	require.Equal(t, "degraded", h.Status)
	require.Contains(t, h.Store.Reason, "full")
	require.Equal(t, 503, s.call("GET", "/readyz", nil).status)
	var again posture.Assessment
	s.get("/api/assessments/"+before.ID+"?result=all", &again)
	require.Equal(t, before, again, "what was saved is changed")

	// On a slow machine many runs wait by now: all of them need room.
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=512m"))
	eventually(t, 60*time.Second, "the service works again", func() bool {
		return s.call("POST", "/api/assess", nil, "Prefer", "wait=20").status == 200
	})
	eventually(t, 10*time.Second, "and is ready", func() bool { return s.call("GET", "/readyz", nil).status == 200 })
}

// TestTrustedProxies: wrong keys of one caller shut out that caller alone, whatever it writes before its own address; where no proxy is
// named, nobody is believed.
func TestTrustedProxies(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		proxies        string
		mine, theirs   string
		shutOut, other int
	}{
		{"127.0.0.1, 10.0.0.0/8", "203.0.113.7", "203.0.113.8, 10.1.2.3", 429, 200},
		{"127.0.0.0/8", "198.51.100.1, 203.0.113.7", "203.0.113.8:4711", 429, 200},
		{"", "203.0.113.7", "203.0.113.8", 429, 429},
	} {
		s := embedded(t, small(), "SERVICE_API_KEY="+apiKey, "SERVICE_TRUSTED_PROXIES="+tc.proxies)
		from := func(key, hops string) int {
			return s.call("GET", "/api/health", nil, "X-API-Key", key, "X-Forwarded-For", hops).status
		}
		for i := range 40 {
			from("wrong", number(i)+".0.0.1, 203.0.113.7")
		}
		require.Equal(t, tc.shutOut, from(apiKey, tc.mine), tc.proxies)
		require.Equal(t, tc.other, from(apiKey, tc.theirs), tc.proxies)
	}
}

// TestWrongKeysOfANetwork: who has an address of IPv6 has all that share its first half, so wrong keys of one count
// for all.
func TestWrongKeysOfANetwork(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey, "SERVICE_TRUSTED_PROXIES=127.0.0.0/8")
	from := func(key, hop string) int {
		return s.call("GET", "/api/health", nil, "X-API-Key", key, "X-Forwarded-For", hop).status
	}
	for i := range 30 {
		from("wrong", "2001:db8:1:2::"+number(i))
	}
	require.Equal(t, 429, from(apiKey, "2001:db8:1:2:ffff::1"))
	require.Equal(t, 200, from(apiKey, "2001:db8:1:3::1"))
}

func TestAPIKey(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY=correct-horse-battery, second-key-for-rotation")
	for _, path := range []string{"/api/health", "/api/checks", "/api/assessment", "/api/jobs", "/report"} {
		got := s.call("GET", path, nil)
		require.Equal(t, 401, got.status, path)
		require.Equal(t, posture.CodeUnauthorized, problem(t, got).Code)
		require.Equal(t, "Bearer", got.header.Get("WWW-Authenticate"), path)
		require.Equal(t, 401, s.call("GET", path+"?api_key=correct-horse-battery", nil).status)
	}
	for _, path := range []string{"/healthz", "/readyz", "/api-docs", "/api-docs/openapi.json", "/"} {
		require.Equal(t, 200, s.call("GET", path, nil).status, path)
	}
	s.key = "second-key-for-rotation"
	require.Equal(t, 200, s.call("GET", "/api/health", nil).status)
	s.key = "wrong"
	for range 25 {
		s.call("GET", "/api/health", nil)
	}
	got := s.call("GET", "/api/health", nil)
	require.Equal(t, 429, got.status)
	require.NotEmpty(t, got.header.Get("Retry-After"))
	s.key = "correct-horse-battery"
	require.Equal(t, 429, s.call("GET", "/api/health", nil).status, "and the right key is not compared")
	require.Equal(t, 200, s.call("GET", "/healthz", nil).status)
	s.from = elsewhere(t)
	require.Equal(t, 200, s.call("GET", "/api/health", nil).status, "others are not concerned")
}

func TestHeadersOfEveryRoute(t *testing.T) {
	t.Parallel()
	s := embedded(t, small())
	for _, r := range httpapi.Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		got := s.call("GET", strings.ReplaceAll(r.Path, "{id}", "01a1fe8f-3b4e-7922-9dea-000000000000"), nil)
		require.Contains(t, got.header.Get("Content-Security-Policy"), "default-src 'none'", r.Path)
		require.NotContains(t, got.header.Get("Content-Security-Policy"), "unsafe", r.Path)
		require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"), r.Path)
		require.NotEmpty(t, got.header.Get("X-Request-Id"), r.Path)
		if strings.HasPrefix(r.Path, "/api/") {
			require.Contains(t, got.header.Get("Cache-Control"), "no-", r.Path)
		}
	}
}

func TestIdempotencyAndJoining(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	o := small()
	o.OnRequest = func(string, string) { <-held }
	s := embedded(t, o)
	letGo := sync.OnceFunc(func() { close(held) })
	t.Cleanup(letGo)
	first := s.call("POST", "/api/assess", map[string]any{"note": "a"}, "Idempotency-Key", "k1", "Prefer", "respond-async")
	require.Equal(t, 202, first.status)
	require.NotEmpty(t, first.header.Get("Location"))
	require.Equal(t, "respond-async", first.header.Get("Preference-Applied"))
	var job posture.Job
	first.into(t, &job)
	var joined posture.Job
	s.call("POST", "/api/assess", map[string]any{"note": "a"}, "Prefer", "respond-async").into(t, &joined)
	require.Equal(t, job.ID, joined.ID, "the same request joins the running job")
	other := s.call("POST", "/api/assess", map[string]any{"note": "b"}, "Prefer", "respond-async")
	require.Equal(t, 409, other.status)
	require.Equal(t, posture.CodeJobRunning, problem(t, other).Code)
	letGo()
	replay := s.call("POST", "/api/assess", map[string]any{"note": "a"}, "Idempotency-Key", "k1")
	require.Equal(t, 200, replay.status)
	var a posture.Assessment
	replay.into(t, &a)
	require.Equal(t, job.ID, a.JobID)
	conflict := s.call("POST", "/api/assess", map[string]any{"note": "c"}, "Idempotency-Key", "k1")
	require.Equal(t, posture.CodeIdempotencyConflict, problem(t, conflict).Code)
	seen := map[string]bool{}
	for _, path := range []string{"/api/assessments/" + a.ID, "/report?assessmentId=" + a.ID, "/report?summary=true&assessmentId=" + a.ID,
		"/api/download/asff?assessmentId=" + a.ID, "/api/download/asff?awsAccountId=123456789012&assessmentId=" + a.ID,
		"/api/download/sarif?assessmentId=" + a.ID, "/api/download/sarif"} {
		tag := s.call("GET", path, nil).header.Get("ETag")
		require.NotEmpty(t, tag, path)
		require.Equal(t, path == "/api/download/sarif", seen[tag], "%s: one tag for each form", path)
		seen[tag] = true
		same := s.call("GET", path, nil, "If-None-Match", tag)
		require.Equal(t, 304, same.status, path)
		require.Empty(t, same.body)
		require.Equal(t, tag, same.header.Get("ETag"))
		require.Equal(t, 200, s.call("GET", path, nil, "If-None-Match", `"another"`).status, path)
	}
}

// TestCancelAnswersWithinASecond cancels a slow run and takes it up again from
// what it had read.
func TestCancelAnswersWithinASecond(t *testing.T) {
	o := small()
	o.Latency = 100 * time.Millisecond
	s := embedded(t, o)
	var job posture.Job
	fastest := time.Hour
	for n := 0; n < 3 && fastest > time.Second; n++ { // a busy moment of the machine is no claim of ours
		s.cloud.ResetRequests()
		s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &job)
		eventually(t, 10*time.Second, "some reads are done", func() bool { return s.cloud.Requests().Total > 20 })
		start := time.Now()
		require.Equal(t, 200, s.call("POST", "/api/jobs/"+job.ID+"/cancel", nil).status)
		eventually(t, 10*time.Second, "the job is cancelled", func() bool {
			s.get("/api/jobs/"+job.ID, &job)
			return job.State == posture.JobCancelled
		})
		fastest = min(fastest, time.Since(start))
	}
	require.LessOrEqual(t, fastest, time.Second)
	done := s.cloud.Requests().Total
	s.cloud.ResetRequests()
	got := s.call("POST", "/api/jobs/"+job.ID+"/retry", nil, "Prefer", "wait=60")
	require.Equal(t, 200, got.status, string(got.body))
	var whole posture.Assessment
	got.into(t, &whole)
	require.Less(t, s.cloud.Requests().Total, whole.Requests+done, "the retry read everything again")
	require.NotEqual(t, job.ID, whole.JobID)
	require.NotNil(t, whole.Carried, "it rests on what another run read")
	require.Positive(t, whole.Carried.Sections)
	require.Equal(t, job.StartedAt.UTC(), whole.Carried.Oldest.UTC())
}

// TestRetryReadsAnew retries a job that was cancelled two hours ago, and one whose account has got another token since: what
// was read then, and what the other token sees, may be different.
func TestRetryReadsAnew(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]func(*system, *atomic.Int64){
		"two hours later": func(_ *system, ahead *atomic.Int64) { ahead.Store(int64(2 * time.Hour)) },
		"with another token": func(s *system, _ *atomic.Int64) {
			got := s.call("PATCH", "/api/accounts/default", object{"token": s.cloud.Tokens()[0].Secret})
			require.Equal(t, 200, got.status, string(got.body))
		},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); retryReadsAnew(t, since) })
	}
}

func retryReadsAnew(t *testing.T, since func(*system, *atomic.Int64)) {
	t.Helper()
	o := small()
	o.Latency = 50 * time.Millisecond
	cloud, url := simulate(t, o)
	var ahead atomic.Int64
	s := &system{t: t, cloud: cloud}
	s.openAt([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		"SERVICE_DNS_RESOLVER=off"}, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	var job posture.Job
	s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &job)
	eventually(t, 10*time.Second, "some reads are done", func() bool { return cloud.Requests().Total > 20 })
	require.Equal(t, 200, s.call("POST", "/api/jobs/"+job.ID+"/cancel", nil).status)
	eventually(t, 10*time.Second, "the job is cancelled", func() bool {
		s.get("/api/jobs/"+job.ID, &job)
		return job.State == posture.JobCancelled
	})
	since(s, &ahead)
	cloud.ResetRequests()
	got := s.call("POST", "/api/jobs/"+job.ID+"/retry", nil, "Prefer", "wait=60")
	require.Equal(t, 200, got.status, string(got.body))
	var whole posture.Assessment
	got.into(t, &whole)
	require.Nil(t, whole.Carried)
	retried := cloud.Requests().Total
	cloud.ResetRequests()
	require.Equal(t, 200, s.call("POST", "/api/assess", nil, "Prefer", "wait=60").status)
	require.Equal(t, cloud.Requests().Total, retried, "it asked for everything")
}

// TestEvents reads the stream of a job until it ends.
func TestEvents(t *testing.T) {
	t.Parallel()
	o := small()
	o.Latency = 50 * time.Millisecond
	s := embedded(t, o)
	var job posture.Job
	s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &job)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/jobs/"+job.ID+"/events", nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	var states []posture.JobState
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			require.NoError(t, json.Unmarshal([]byte(data), &job))
			states = append(states, job.State)
		}
	}
	require.Equal(t, posture.JobSucceeded, states[len(states)-1])
	require.Contains(t, states[:len(states)-1], posture.JobRunning)
}

// TestEventsEndWithTheirCaller: who may no longer read a job reads no more of it, nor the result they wait for.
func TestEventsEndWithTheirCaller(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	release := s.cloud.Hold()
	defer release()
	var streaming, waiting httpapi.ServiceToken
	s.post(201, "/api/service-tokens", object{"name": "streaming", "role": "viewer"}).into(t, &streaming)
	s.post(201, "/api/service-tokens", object{"name": "waiting", "role": "operator"}).into(t, &waiting)
	var job posture.Job
	s.call("POST", "/api/assess", nil, "Prefer", "respond-async").into(t, &job)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/api/jobs/"+job.ID+"/events", nil)
	require.NoError(t, err)
	req.Header.Set("X-API-Key", streaming.Token)
	stream, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Body.Close()) }()
	require.Equal(t, 200, stream.StatusCode)
	answered := make(chan answer, 1)
	go func() {
		answered <- s.call("POST", "/api/assess", nil, "X-API-Key", waiting.Token, "Prefer", "wait=60")
	}()
	eventually(t, 20*time.Second, "the call is let in", func() bool {
		var list struct{ Items []httpapi.ServiceToken }
		s.get("/api/service-tokens", &list)
		return list.Items[1].LastUsedAt != nil
	})
	for _, id := range []string{streaming.ID, waiting.ID} {
		require.Equal(t, 204, s.call("DELETE", "/api/service-tokens/"+id, nil).status)
	}
	read, err := io.ReadAll(stream.Body)
	require.NoError(t, err)
	require.NotContains(t, string(read), `"state":"succeeded"`)
	release()
	require.Equal(t, 401, (<-answered).status)
}

// TestOneOffToken runs with a token that is not registered and keeps nothing of it.
func TestOneOffToken(t *testing.T) {
	t.Parallel()
	o := small()
	o.Tokens = []simcloud.Token{{Secret: "registered-token-0123456789"}, {Secret: "one-off-canary-0123456789", Name: "guest"}}
	dir := t.TempDir()
	s := embedded(t, o, "DATA_DIR="+dir)
	got := s.call("POST", "/api/assess", map[string]any{"token": "one-off-canary-0123456789"})
	require.Equal(t, 200, got.status, string(got.body))
	require.NotContains(t, string(got.body), "canary")
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NotContains(t, string(raw), "one-off-canary", f)
		require.NotContains(t, string(raw), "registered-token-0123456789", f)
		for _, c := range simcloud.Canaries() {
			require.NotContains(t, string(raw), c, f)
		}
	}
}

// TestProxyOnThisMachine: a proxy in front of a service on the loopback address passes the name on by which people know it.
func TestProxyOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		environ []string
		host    string
		status  int
	}{
		{[]string{"SERVICE_API_KEY=" + apiKey, "SERVICE_PUBLIC_URL=https://edge.example"}, "Edge.example", 200},
		{[]string{"SERVICE_API_KEY=" + apiKey, "SERVICE_PUBLIC_URL=https://edge.example"}, "evil.example", 403},
		{[]string{"SERVICE_API_KEY=" + apiKey}, "edge.example", 403},
		{[]string{"SERVICE_PUBLIC_URL=https://edge.example"}, "edge.example", 403}, // or whoever reaches the proxy needs no key
	} {
		s := embedded(t, small(), tc.environ...)
		require.Equal(t, tc.status, s.call("GET", "/api/health", nil, "Host", tc.host, "X-API-Key", apiKey).status, tc)
		require.Equal(t, 200, s.call("GET", "/api/health", nil, "X-API-Key", apiKey).status, tc)

		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		require.NoError(t, err)
		_, err = fmt.Fprintf(c, "GET /api/health HTTP/1.0\r\nX-API-Key: %s\r\n\r\n", apiKey)
		require.NoError(t, err)
		answer, err := io.ReadAll(c)
		require.NoError(t, err)
		require.NotContains(t, string(answer), " 200 ", "a request without a host names no address of ours")
		require.NoError(t, c.Close())
	}
}
