package app_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

const sessionCookie = "__Host-edgeposture"

// signIn gives what a browser keeps of a sign-in with the key, as it sends it back, and the answer.
func (s *system) signIn(key string, headers ...string) (cookie string, id httpapi.Identity) {
	s.t.Helper()
	got := s.call("POST", "/api/session", nil, append([]string{"X-API-Key", key}, headers...)...)
	require.Equal(s.t, 200, got.status, string(got.body))
	got.into(s.t, &id)
	set, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
	require.NoError(s.t, err)
	require.Equal(s.t, sessionCookie, set.Name)
	require.NotNil(s.t, id.Session)
	return sessionCookie + "=" + set.Value, id
}

// with calls with a cookie as a page of the dashboard does.
func (s *system) with(cookie, method, path string) answer {
	s.t.Helper()
	return s.call(method, path, nil, "Cookie", cookie, "Origin", s.url)
}

func (s *system) sessions(key string) (items []httpapi.SessionInfo) {
	s.t.Helper()
	var list struct{ Items []httpapi.SessionInfo }
	got := s.call("GET", "/api/sessions", nil, "X-API-Key", key)
	require.Equal(s.t, 200, got.status, string(got.body))
	got.into(s.t, &list)
	return list.Items
}

// timed opens the service on a data directory at a time that moves on when it is told to.
func timed(t *testing.T, dir string, ahead *atomic.Int64, environ ...string) (s *system, closeNow func()) {
	t.Helper()
	cloud, url := simulate(t, small())
	s = &system{t: t, cloud: cloud}
	closeNow = s.openAt(append([]string{"DATA_DIR=" + dir, "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		"SERVICE_DNS_RESOLVER=off"}, environ...), func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	return s, closeNow
}

func openFile(t *testing.T, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "edgeposture.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// TestSessionStandsInForTheKey goes from the sign-in to the sign-out.
func TestSessionStandsInForTheKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, small(), "DATA_DIR="+dir, "SERVICE_API_KEY="+apiKey)
	begun := time.Now().Add(-time.Second)
	got := s.call("POST", "/api/session", nil, "X-API-Key", apiKey, "User-Agent", "browser/1 \t\xff<b>"+strings.Repeat("é", 300))
	require.Equal(t, 200, got.status, string(got.body))
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	set, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
	require.NoError(t, err)
	value := set.Value
	set.Value, set.Raw = "", ""
	require.Equal(t, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: 7 * 24 * 3600, HttpOnly: true, Secure: true,
		SameSite: http.SameSiteLaxMode}, set, "and no Domain")
	cookie := sessionCookie + "=" + value

	var id httpapi.Identity
	got.into(t, &id)
	require.Regexp(t, "^key:[0-9a-f]{8}$", id.Actor)
	require.True(t, id.AuthRequired)
	require.Equal(t, "disabled", id.Remediation)
	require.Equal(t, "127.0.0.1", id.Session.Address)
	require.Equal(t, "browser/1 ??<b>"+strings.Repeat("é", 185), id.Session.UserAgent)
	require.True(t, id.Session.Current)
	require.WithinRange(t, id.Session.CreatedAt, begun, time.Now())
	require.Equal(t, id.Session.CreatedAt.Add(12*time.Hour), id.Session.ExpiresAt)
	require.NotContains(t, string(got.body), value)

	raw, err := base64.RawURLEncoding.DecodeString(value)
	require.NoError(t, err)
	var kept []byte
	require.NoError(t, openFile(t, dir).QueryRowContext(t.Context(),
		"SELECT secret_hash || id || actor || credential || address || user_agent FROM session").Scan(&kept))
	require.NotContains(t, string(kept), string(raw[:32]))
	require.NotContains(t, string(kept), value)
	require.NotContains(t, string(kept), apiKey)

	for _, path := range []string{"/api/accounts", "/api/health", "/api/sessions", "/API/session/"} {
		require.Equal(t, 200, s.with(cookie, "GET", path).status, path)
		require.Equal(t, 200, s.call("GET", path, nil, "Cookie", cookie).status, "a read needs no Origin: %s", path)
	}
	a := s.with(cookie, "POST", "/api/assess")
	require.Equal(t, 200, a.status, string(a.body))
	var run posture.Assessment
	a.into(t, &run)
	for _, path := range []string{"/report", "/api/download/csv", "/api/jobs/" + run.JobID + "/events"} {
		require.Equal(t, 200, s.call("GET", path, nil, "Cookie", cookie).status, path)
	}
	require.Equal(t, 200, s.call("GET", "/report", nil, browser("cross-site", "navigate", "document", "Cookie", cookie)...).status,
		"a link from elsewhere")
	var again httpapi.Identity
	s.with(cookie, "GET", "/api/session").into(t, &again)
	require.Equal(t, id, again)
	again = httpapi.Identity{}
	s.call("GET", "/api/session", nil, "X-API-Key", apiKey).into(t, &again)
	require.Equal(t, httpapi.Identity{Actor: id.Actor, Kind: access.Root, Role: access.Administrator, Grants: []access.Grant{},
		AuthRequired: true, Remediation: "disabled"}, again)

	other, otherID := s.signIn(apiKey)
	require.NotEqual(t, cookie, other)
	list := s.sessions(apiKey)
	require.Len(t, list, 2)
	require.False(t, list[0].Current || list[1].Current, "the key is none of them")
	own, revoked := s.with(cookie, "GET", "/api/sessions"), "/api/sessions/"+otherID.Session.ID
	require.Contains(t, string(own.body), `"current":true`)
	require.Equal(t, 204, s.with(cookie, "DELETE", revoked).status)
	require.Equal(t, 404, s.with(cookie, "DELETE", revoked).status)
	require.Equal(t, 422, s.with(cookie, "DELETE", "/api/sessions/1").status)
	ended := s.with(other, "GET", "/api/accounts")
	require.Equal(t, 401, ended.status)
	require.Contains(t, problem(t, ended).Detail, "session has ended")

	out := s.with(cookie, "DELETE", "/api/session")
	require.Equal(t, 204, out.status)
	require.Equal(t, sessionCookie+"=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax", out.header.Get("Set-Cookie"))
	require.Equal(t, 401, s.with(cookie, "GET", "/api/accounts").status)
	require.Empty(t, s.sessions(apiKey))
	require.Equal(t, 204, s.call("DELETE", "/api/session", nil, "X-API-Key", apiKey).status, "nothing is left to end")

	s.key = apiKey
	type told struct {
		action  audit.Action
		outcome audit.Ending
		id      string
	}
	var entries []told
	for _, e := range s.audit("action=session.create,session.delete,sessions.delete").Items {
		if e.Outcome == audit.Succeeded {
			require.Equal(t, id.Actor, e.Actor)
			entries = append(entries, told{e.Action, e.Outcome, e.Target.ID})
		}
	}
	require.Equal(t, []told{{"session.delete", audit.Succeeded, ""}, {"session.delete", audit.Succeeded, id.Session.ID},
		{"sessions.delete", audit.Succeeded, otherID.Session.ID},
		{"session.create", audit.Succeeded, otherID.Session.ID}, {"session.create", audit.Succeeded, id.Session.ID}}, entries)
	ran := s.entriesOf(a)
	require.Len(t, ran, 1)
	require.Equal(t, id.Actor, ran[0].Actor, "what is done with a session is done by who signed in")
}

const toolList = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// TestSessionIsNoKey holds what only the key opens, and what is no session.
func TestSessionIsNoKey(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	cookie, _ := s.signIn(apiKey)
	for path, body := range map[string]string{"/api/session": "{}", "/API/Session/": "", "/mcp": toolList, "/MCP/": toolList} {
		got := s.call("POST", path, body, "Cookie", cookie, "Origin", s.url, "Accept",
			"application/json, text/event-stream")
		require.Equal(t, 401, got.status, path)
	}
	require.Equal(t, 401, s.call("GET", "/api/accounts", nil, "Cookie", cookie, "X-API-Key", "not-the-key-0123456789").status,
		"a key that is sent counts")
	value := strings.TrimPrefix(cookie, sessionCookie+"=")
	wrong := []string{"", "x", value[:len(value)-1], value + "A", value[:43], strings.Repeat("A", len(value)), "edgeposture=" + value,
		value + "="}
	for i := range value {
		changed := []byte(value)
		if changed[i]++; changed[i] == '[' || changed[i] == '{' || changed[i] == ':' || changed[i] == '.' || changed[i] == '`' {
			changed[i] = 'A'
		}
		wrong = append(wrong, string(changed))
	}
	for _, w := range wrong {
		require.Equal(t, 401, s.with(sessionCookie+"="+w, "GET", "/api/accounts").status, w)
	}
	require.Equal(t, 200, s.call("GET", "/api/accounts", nil, "X-API-Key", apiKey).status, "what is no session is no wrong key either")
	for range 25 {
		s.call("POST", "/api/session", nil, "X-API-Key", "not-the-key-0123456789")
	}
	limited := s.call("POST", "/api/session", nil, "X-API-Key", apiKey)
	require.Equal(t, 429, limited.status, "a sign-in is held to the limit on wrong keys")
	require.Empty(t, limited.header.Get("Set-Cookie"))
	require.Equal(t, 200, s.with(cookie, "GET", "/api/accounts").status, "who has signed in is not locked out by guesses of others")
}

// TestChangesBySessionNameTheirPage: a browser adds the cookie to whatever a page asks for.
func TestChangesBySessionNameTheirPage(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	cookie, _ := s.signIn(apiKey)
	for _, r := range httpapi.Routes() {
		if !strings.HasPrefix(r.Path, "/api/") || r.Method == http.MethodGet || r.Caller == httpapi.SigningIn || r.Caller == httpapi.Anyone {
			continue
		}
		path := strings.NewReplacer("{id}", "01a1fe8f-3b4e-7922-9dea-000000000000").Replace(r.Path)
		for name, headers := range map[string][]string{"nothing": nil, "another page": {"Origin", "https://evil.example"},
			"an opaque one": {"Origin", "null"},
			"another site":  {"Sec-Fetch-Site", "cross-site"}, "another port": {"Sec-Fetch-Site", "same-site"},
			"both": {"Origin", s.url, "Sec-Fetch-Site", "same-site"}} {
			got := s.call(r.Method, path, nil, append([]string{"Cookie", cookie}, headers...)...)
			require.Equal(t, 403, got.status, "%s %s from %s", r.Method, path, name)
			require.Equal(t, posture.CodeOriginDenied, problem(t, got).Code)
		}
	}
	for _, headers := range [][]string{{"Origin", s.url}, {"Sec-Fetch-Site", "same-origin"}} {
		require.Equal(t, 200, s.call("POST", "/api/exceptions/preview", `{"match":{"pattern":"x"}}`, append([]string{"Cookie", cookie},
			headers...)...).status, headers)
	}
	require.Equal(t, 200, s.call("POST", "/api/exceptions/preview", `{"match":{"pattern":"x"}}`, "Cookie", cookie, "X-API-Key",
		apiKey).status, "the key is sent by nobody's accident")
	require.Equal(t, 200, s.with(cookie, "GET", "/api/session").status, "nothing of it signed out")
}

// TestSessionsEnd: 12 hours after the last use, 7 days after the sign-in; the use is written
// once a minute, and retention removes what has ended.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	dir, ahead := t.TempDir(), new(atomic.Int64)
	s, closeNow := timed(t, dir, ahead, "SERVICE_API_KEY="+apiKey)
	db := openFile(t, dir)
	pass := func(d time.Duration) { ahead.Add(int64(d)) }
	cookie, first := s.signIn(apiKey)
	works := func() bool { return s.with(cookie, "GET", "/api/session").status == 200 }
	used := func() (us int64) {
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT used_at FROM session WHERE id = ?", first.Session.ID).Scan(&us))
		return us
	}
	idle, _ := s.signIn(apiKey)

	at := used()
	require.True(t, works())
	require.Equal(t, at, used(), "within a minute nothing is written")
	pass(time.Minute)
	require.True(t, works())
	require.Greater(t, used(), at)
	at = used()
	require.True(t, works())
	require.Equal(t, at, used())

	pass(12*time.Hour - 10*time.Minute)
	require.True(t, works())
	require.Len(t, s.sessions(apiKey), 2)
	pass(10 * time.Minute)
	require.Equal(t, 401, s.with(idle, "GET", "/api/session").status, "nobody used it for 12 hours")
	list := s.sessions(apiKey)
	require.Len(t, list, 1)
	require.WithinDuration(t, list[0].LastUsedAt.Add(12*time.Hour), list[0].ExpiresAt, 0)

	require.True(t, works())
	for range 13 {
		pass(12*time.Hour - time.Minute)
		require.True(t, works())
	}
	secrets := [][]string{{"Cookie", cookie, "Origin", s.url}}
	for _, secret := range []string{"epc_one", "epc_two"} { // a command line, and one that the first lets in
		sum := sha256.Sum256([]byte(secret))
		s.post(201, "/api/sessions", object{"secretHash": base64.RawURLEncoding.EncodeToString(sum[:])},
			append([]string{"X-API-Key", ""}, secrets[len(secrets)-1]...)...)
		secrets = append(secrets, []string{"X-API-Key", secret})
	}
	list = s.sessions(apiKey)
	require.Len(t, list, 3)
	for _, one := range list {
		require.Equal(t, first.Session.CreatedAt.Add(7*24*time.Hour), one.ExpiresAt, "however much it is used, and whatever it lets in")
	}
	pass(time.Until(list[0].ExpiresAt.Add(-time.Duration(ahead.Load()))))
	require.False(t, works())
	require.Empty(t, s.sessions(apiKey))

	rows := func() (n int) {
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM session").Scan(&n))
		return n
	}
	require.Positive(t, rows())
	closeNow()
	pass(25 * time.Hour)
	timed(t, dir, ahead, "SERVICE_API_KEY="+apiKey)
	eventually(t, 20*time.Second, "what has ended is swept", func() bool { return rows() == 0 })
}

// TestSessionOpensNoOther: a session that ends with the sign-in that it comes from is not made a sign-in of its own, which whoever
// took it over could repeat for ever, also when the provider gives its owner no role any more.
func TestSessionOpensNoOther(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	const password = "a sentence nobody guesses"
	s.post(201, "/api/users", object{"name": "Ann", "email": "ann@example.com", "password": password,
		"grants": []any{object{"role": "viewer"}}})
	s.key = ""
	got := s.call("POST", "/api/session", object{"email": "ann@example.com", "password": password})
	require.Equal(t, 200, got.status, string(got.body))
	sum := sha256.Sum256([]byte("epc_one"))
	s.post(201, "/api/sessions", object{"secretHash": base64.RawURLEncoding.EncodeToString(sum[:])}, "Cookie",
		sessionCookie+"="+cookies(t, got)[sessionCookie].Value, "Origin", s.url)
	for _, body := range []object{{}, {"email": "ann@example.com", "password": password}} {
		got = s.call("POST", "/api/session", body, "X-API-Key", "epc_one")
		require.Equal(t, 409, got.status, string(got.body))
		require.Empty(t, cookies(t, got))
	}
	require.Equal(t, 200, s.call("GET", "/api/session", nil, "X-API-Key", "epc_one").status, "it goes on as it was")
}

// TestKeyOrPerson: a call with the API key that names a person signs neither in, because the session would be the key's.
func TestKeyOrPerson(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	for _, body := range []object{{"email": "ann@example.com"}, {"password": "wrong"}, {"passkey": object{"id": "AA"}}} {
		got := s.call("POST", "/api/session", body)
		require.Equal(t, 400, got.status, string(got.body))
		require.Empty(t, cookies(t, got))
	}
	require.Equal(t, 200, s.call("POST", "/api/session", object{"email": ""}).status)
}

// TestSignInRotates: it makes a new session and ends the one that came along, and a loop of
// sign-ins fills nothing.
func TestSignInRotates(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	other, _ := s.signIn(apiKey)
	first, firstID := s.signIn(apiKey)
	second, secondID := s.signIn(apiKey, "Cookie", first)
	require.NotEqual(t, first, second)
	require.NotEqual(t, firstID.Session.ID, secondID.Session.ID)
	require.Equal(t, 401, s.with(first, "GET", "/api/session").status)
	for _, cookie := range []string{second, other} {
		require.Equal(t, 200, s.with(cookie, "GET", "/api/session").status)
	}
	var last string
	for range 100 {
		last, _ = s.signIn(apiKey)
	}
	require.Len(t, s.sessions(apiKey), 100)
	require.Equal(t, 401, s.with(second, "GET", "/api/session").status, "the one used longest ago goes")
	require.Equal(t, 200, s.with(last, "GET", "/api/session").status)
}

// TestSessionGoesWithItsKey opens the service again without the key a session was made with.
func TestSessionGoesWithItsKey(t *testing.T) {
	t.Parallel()
	dir, ahead := t.TempDir(), new(atomic.Int64)
	s, closeNow := timed(t, dir, ahead, "SERVICE_API_KEY="+greedyKey+","+modestKey)
	gone, _ := s.signIn(greedyKey)
	stays, _ := s.signIn(modestKey)
	closeNow()
	s, closeNow = timed(t, dir, ahead, "SERVICE_API_KEY="+modestKey)
	require.Equal(t, 401, s.with(gone, "GET", "/api/accounts").status)
	require.Equal(t, 200, s.with(stays, "GET", "/api/accounts").status, "a restart ends no session")
	require.Len(t, s.sessions(modestKey), 1)
	closeNow()
	s, _ = timed(t, dir, ahead)
	for _, cookie := range []string{gone, ""} {
		got := s.with(cookie, "POST", "/api/session")
		require.Equal(t, 200, got.status)
		require.Empty(t, got.header.Get("Set-Cookie"), "there is nothing to sign in to")
		var id httpapi.Identity
		got.into(t, &id)
		require.Equal(t, httpapi.Identity{Actor: "local", Kind: access.Root, Role: access.Administrator, Grants: []access.Grant{},
			Remediation: "disabled"}, id)
		require.Equal(t, 200, s.with(cookie, "GET", "/api/session").status)
		require.Equal(t, 204, s.with(cookie, "DELETE", "/api/session").status)
	}
	require.Empty(t, s.sessions(""))
}

// TestSignInGetsThrough: a caller who has as many requests in work as it may still signs in and out.
func TestSignInGetsThrough(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey, "SERVICE_LIMIT_REQUESTS=1/2")
	release := s.cloud.Hold()
	defer release()
	c := newCrowd(s, apiKey)
	defer c.calls.Wait()
	defer c.hung()
	c.call("POST", "/api/assess", "{}", "Prefer", "wait=300")
	s.from = elsewhere(t) // another caller
	eventually(t, 20*time.Second, "the call has its job", func() bool {
		return strings.Contains(string(s.call("GET", "/api/jobs", nil, "X-API-Key", apiKey).body), `"kind":"assess"`)
	})
	s.from = nil
	require.Equal(t, 429, s.call("GET", "/api/accounts", nil, "X-API-Key", apiKey).status, "it holds all it may")
	cookie, _ := s.signIn(apiKey)
	require.Equal(t, 429, s.with(cookie, "GET", "/api/accounts").status, "the session is the same caller")
	require.Equal(t, 204, s.with(cookie, "DELETE", "/api/session").status)
}

// TestSessionsWithoutTheStore: nobody is let through because it cannot be asked.
func TestSessionsWithoutTheStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := embedded(t, small(), "DATA_DIR="+dir, "SERVICE_API_KEY="+apiKey)
	cookie, _ := s.signIn(apiKey)
	_, err := openFile(t, dir).ExecContext(t.Context(), "ALTER TABLE session RENAME TO elsewhere")
	require.NoError(t, err)
	got := s.with(cookie, "GET", "/api/accounts")
	require.Equal(t, 503, got.status, string(got.body))
	require.Contains(t, problem(t, got).Detail, "session could not be looked up")
	require.Equal(t, 401, s.with(cookie[:len(cookie)-2]+"AA", "GET", "/api/accounts").status, "for what was not made here it is not asked")
	require.Equal(t, 500, s.call("POST", "/api/session", nil, "X-API-Key", apiKey).status)
	require.Equal(t, 200, s.call("GET", "/api/accounts", nil, "X-API-Key", apiKey).status)
}
