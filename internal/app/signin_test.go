package app_test

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/audit"
)

// idp is an OpenID Connect provider whose people sign in by being named.
type idp struct {
	*httptest.Server
	t      *testing.T
	name   string // among those of the service; okta when empty
	key    *ecdsa.PrivateKey
	signer jose.Signer
	mu     sync.Mutex
	claims object // of who signs in next
	codes  map[string]url.Values
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	require.NoError(t, err)
	p := &idp{t: t, key: key, signer: signer, codes: map[string]url.Values{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *idp) as(claims object) { p.mu.Lock(); defer p.mu.Unlock(); p.claims = claims }

// ServeHTTP serves discovery, keys and tokens (OpenID Connect Core 1.0, 3.1).
func (p *idp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out any
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		out = object{"issuer": p.URL, "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256"}}
	case "/keys":
		out = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: "k", Algorithm: "ES256", Use: "sig"}}}
	case "/token":
		asked, known := p.codes[r.FormValue("code")]
		delete(p.codes, r.FormValue("code"))
		if !known {
			w.WriteHeader(http.StatusBadRequest)
			out = object{"error": "invalid_grant"}
			break
		}
		claims := object{"iss": p.URL, "aud": "edgeposture", "nonce": asked.Get("nonce"), "iat": time.Now().Unix(),
			"exp": time.Now().Add(time.Hour).Unix()}
		maps.Copy(claims, p.claims)
		token, err := jwt.Signed(p.signer).Claims(claims).Serialize()
		if err != nil {
			p.t.Error(err) // another goroutine than the test's
		}
		out = object{"access_token": "a", "token_type": "Bearer", "id_token": token}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
}

// authorize is what the browser brings back from the provider.
func (p *idp) authorize(location string) string {
	u, err := url.Parse(location)
	require.NoError(p.t, err)
	require.True(p.t, strings.HasPrefix(location, p.URL+"/auth?"), location)
	p.mu.Lock()
	defer p.mu.Unlock()
	code := "code-" + u.Query().Get("nonce")
	p.codes[code] = u.Query()
	return "/auth/callback?" + url.Values{"code": {code}, "state": {u.Query().Get("state")}}.Encode()
}

func cookies(t testing.TB, a answer) map[string]*http.Cookie {
	t.Helper()
	out := map[string]*http.Cookie{}
	for _, line := range a.header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		require.NoError(t, err)
		require.True(t, c.HttpOnly && c.Secure && c.SameSite == http.SameSiteLaxMode && c.Path == "/" && c.Domain == "", line)
		out[c.Name] = c
	}
	return out
}

const flowCookie = "__Host-edgeposture-sign-in"

// begin goes to the provider and gives the way back with what the browser keeps.
func (s *system) begin(t *testing.T, p *idp, back string) (callback, kept string) {
	t.Helper()
	got := s.call("GET", "/auth/login?provider="+cmp.Or(p.name, "okta")+"&return="+url.QueryEscape(back), nil, noFollow...)
	require.Equal(t, 303, got.status, string(got.body))
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	c := cookies(t, got)[flowCookie]
	require.NotNil(t, c)
	require.Equal(t, 600, c.MaxAge)
	return p.authorize(got.header.Get("Location")), flowCookie + "=" + c.Value
}

var noFollow = []string{"X-API-Key", "", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "cross-site"}

// signInAt signs in and gives the cookie of the session, or the sentence that says why not.
func (s *system) signInAt(t *testing.T, p *idp, back string) (cookie, location, problem string) {
	t.Helper()
	callback, kept := s.begin(t, p, back)
	got := s.call("GET", callback, nil, append(noFollow, "Cookie", kept)...)
	require.Equal(t, 303, got.status, string(got.body))
	set := cookies(t, got)
	require.NotNil(t, set[flowCookie], "%v %s", got.header, back)
	require.Equal(t, -1, set[flowCookie].MaxAge, "it is for one answer")
	location = got.header.Get("Location")
	if set[sessionCookie] != nil {
		return sessionCookie + "=" + set[sessionCookie].Value, location, ""
	}
	u, err := url.Parse(location)
	require.NoError(t, err)
	require.Equal(t, strings.Split(back, "?")[0], u.Path)
	return "", location, u.Query().Get("signInProblem")
}

func withIDP(t *testing.T, p *idp, more ...string) *system {
	t.Helper()
	s := embedded(t, small(), append(more, "SERVICE_API_KEY="+apiKey, "SERVICE_OIDC_OKTA_ISSUER="+p.URL,
		"SERVICE_OIDC_OKTA_CLIENT_ID=edgeposture", "SERVICE_OIDC_OKTA_CLIENT_SECRET=a-secret-of-the-client",
		"SERVICE_OIDC_OKTA_ROLE_MAP=admins=administrator;staff=viewer:default;"+
			"ops=operator:somewhere-else")...)
	s.key = apiKey
	return s
}

// TestOneNameOfOnePerson: of two people with one address, whom two providers vouch for, the first keeps it, and
// no subject passes for somebody's address.
func TestOneNameOfOnePerson(t *testing.T) {
	t.Parallel()
	okta, other := newIDP(t), newIDP(t)
	other.name = "other"
	s := withIDP(t, okta, "SERVICE_OIDC_OTHER_ISSUER="+other.URL, "SERVICE_OIDC_OTHER_CLIENT_ID=edgeposture",
		"SERVICE_OIDC_OTHER_CLIENT_SECRET=a-secret-of-the-client", "SERVICE_OIDC_OTHER_ROLE_MAP=admins=administrator")
	actor := func(p *idp, subject, email string, groups ...string) string {
		p.as(object{"sub": subject, "name": "Ann", "email": email, "email_verified": email != "", "groups": groups})
		cookie, _, problem := s.signInAt(t, p, "/")
		if problem != "" {
			return s.audit("action=session.create").Items[0].Actor
		}
		var id httpapi.Identity
		s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", cookie).into(t, &id)
		return id.Actor
	}
	const ann = "ann@example.com"
	for range 2 {
		require.Equal(t, "user:"+ann, actor(okta, "1", ann, "admins"))
		require.Equal(t, "user:1 at "+other.URL, actor(other, "1", "Ann@example.com", "admins"))
		require.Equal(t, "user:"+ann+" at "+other.URL, actor(other, ann, "", "admins"))
	}
	require.Equal(t, "user:2 at "+other.URL, actor(other, "2", ann, "guests"), "refused")
	got := s.call("POST", "/api/users", object{"name": "Ann", "email": ann, "grants": []any{object{"role": "viewer"}}})
	require.Equal(t, 409, got.status, string(got.body))
	require.Equal(t, 201, s.call("POST", "/api/users", object{"name": "Bob", "email": "bob@example.com",
		"grants": []any{object{"role": "viewer"}}}).status)
	require.Equal(t, "user:3 at "+okta.URL, actor(okta, "3", "bob@example.com", "admins"), "somebody with a password has it")
}

// TestSignInByProvider goes to a provider and back, with what each group gives.
func TestSignInByProvider(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	s := withIDP(t, p)
	var ways struct {
		Required, Password, Key bool
		Providers               []httpapi.SignInWay
	}
	s.call("GET", "/api/sign-in", nil, "X-API-Key", "").into(t, &ways)
	require.Equal(t, []httpapi.SignInWay{{Name: "okta", URL: "/auth/login?provider=okta"}}, ways.Providers)
	require.True(t, ways.Required && ways.Key && !ways.Password)

	ann := object{"sub": "ann-1", "name": "Ann", "email": "Ann@example.com", "email_verified": true, "groups": []string{"admins"}}
	p.as(ann)
	cookie, location, problem := s.signInAt(t, p, "/a/x/r/latest?q=1")
	require.Empty(t, problem)
	require.Equal(t, "/a/x/r/latest?q=1", location)
	var id httpapi.Identity
	s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", cookie).into(t, &id)
	require.Equal(t, "user:ann@example.com", id.Actor)
	require.Equal(t, access.User, id.Kind)
	require.Equal(t, access.Administrator, id.Role)
	require.Equal(t, 200, s.call("GET", "/api/users", nil, "X-API-Key", "", "Cookie", cookie).status)
	entry := s.audit("action=session.create").Items[0]
	require.Equal(t, []any{"user:ann@example.com", audit.Succeeded}, []any{entry.Actor, entry.Outcome})

	ann["groups"] = []string{"staff"} // next time she is less
	p.as(ann)
	later, _, _ := s.signInAt(t, p, "/")
	for _, c := range []string{cookie, later} {
		s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", c).into(t, &id)
		require.Equal(t, access.Viewer, id.Role, "what the provider says last counts for every session")
		require.Equal(t, []access.Grant{{Role: access.Viewer, Accounts: []string{s.account("default").ID}}}, id.Grants)
		require.Equal(t, 403, s.call("GET", "/api/users", nil, "X-API-Key", "", "Cookie", c).status)
	}
	var people struct{ Items []httpapi.Person }
	s.get("/api/users", &people)
	require.Len(t, people.Items, 1, "it is one person")

	for name, claims := range map[string]object{
		"nothing that okta says":   {"sub": "bob", "groups": []string{"others"}},
		"accounts that are not":    {"sub": "bob", "groups": []string{"ops"}},
		"cannot be trusted":        {"sub": "bob", "groups": []string{"admins"}, "aud": "another"},
		"cannot be trusted: its I": {"sub": "", "groups": []string{"admins"}},
	} {
		p.as(claims)
		cookie, _, problem := s.signInAt(t, p, "/")
		require.Empty(t, cookie)
		require.Contains(t, problem, name)
	}
	for _, groups := range []string{"others", "ops"} { // she has left: no role, or one for accounts that are not here
		p.as(ann)
		later, _, _ = s.signInAt(t, p, "/")
		require.Equal(t, 200, s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", later).status)
		p.as(object{"sub": "ann-1", "groups": []string{groups}})
		_, _, problem = s.signInAt(t, p, "/")
		require.NotEmpty(t, problem)
		require.Equal(t, 401, s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", later).status, groups)
	}
	p.as(ann)
	later, _, _ = s.signInAt(t, p, "/")
	require.Equal(t, 200, s.call("PATCH", "/api/users/"+people.Items[0].ID, object{"disabled": true}).status)
	require.Equal(t, 401, s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", later).status)
	_, _, problem = s.signInAt(t, p, "/")
	require.Contains(t, problem, "disabled")
	require.Equal(t, 422, s.call("PATCH", "/api/users/"+people.Items[0].ID, object{"email": "x@example.com"}).status)
	require.Equal(t, 200, s.call("PATCH", "/api/users/"+people.Items[0].ID, object{"disabled": false}).status)
	cookie, _, _ = s.signInAt(t, p, "/")
	require.Equal(t, 204, s.call("DELETE", "/api/users/"+people.Items[0].ID, nil).status)
	require.Equal(t, 401, s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", cookie).status)
}

// TestSignInTakesThePlaceOfASession: whoever has the cookie of before has nothing when the browser has signed in again, by whatever way.
func TestSignInTakesThePlaceOfASession(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	s := withIDP(t, p)
	p.as(object{"sub": "ann-1", "name": "Ann", "email": "ann@example.com", "email_verified": true, "groups": []string{"admins"}})
	before, _, _ := s.signInAt(t, p, "/")
	callback, kept := s.begin(t, p, "/")
	again := s.call("GET", callback, nil, append(noFollow, "Cookie", kept+"; "+before)...)
	after := sessionCookie + "=" + cookies(t, again)[sessionCookie].Value
	status := func(cookie string) int {
		return s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", cookie).status
	}
	require.Equal(t, []int{401, 200}, []int{status(before), status(after)})

	var bob httpapi.Person
	s.call("POST", "/api/users", object{"name": "Bob", "email": "bob@example.com", "grants": []any{object{"role": "viewer"}}}).into(t, &bob)
	welcome := s.call("POST", "/api/welcome", object{"invitation": strings.TrimPrefix(bob.Invitation, "/welcome#"),
		"password": "a sentence nobody guesses"}, "X-API-Key", "", "Cookie", after)
	require.Equal(t, 200, welcome.status, string(welcome.body))
	require.Equal(t, 401, status(after))
}

// TestSignInIsNobodyElses: what does not belong to the browser, was used or is made up signs nobody in, and nobody is sent elsewhere.
func TestSignInIsNobodyElses(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	s := withIDP(t, p)
	p.as(object{"sub": "ann", "groups": []string{"admins"}})
	callback, kept := s.begin(t, p, "/")
	_, otherKept := s.begin(t, p, "/")
	q, err := url.ParseQuery(strings.TrimPrefix(callback, "/auth/callback?"))
	require.NoError(t, err)
	change := func(name, value string) string {
		out := maps.Clone(q)
		out.Set(name, value)
		return "/auth/callback?" + out.Encode()
	}
	for name, c := range map[string][2]string{
		"no cookie":                 {callback, ""},
		"a cookie that is made up":  {callback, flowCookie + "=" + strings.Repeat("A", 100)},
		"the cookie of a session":   {callback, flowCookie + "=" + strings.TrimPrefix(sessionCookie+"=x", sessionCookie+"=")},
		"another browser's":         {callback, otherKept},
		"another state":             {change("state", "x"), kept},
		"no state":                  {change("state", ""), kept},
		"no code":                   {change("code", ""), kept},
		"a code that is made up":    {change("code", "x"), kept},
		"the provider refuses":      {change("error", "access_denied"), kept},
		"the issuer is another one": {change("iss", "https://evil.example"), kept},
	} {
		got := s.call("GET", c[0], nil, append(noFollow, "Cookie", c[1])...)
		require.Equal(t, 303, got.status, name)
		require.Nil(t, cookies(t, got)[sessionCookie], name)
		require.True(t, strings.HasPrefix(got.header.Get("Location"), "/?signInProblem="), "%s: %s", name, got.header.Get("Location"))
		for _, entry := range s.audit("action=session.create").Items {
			require.NotContains(t, entry.Actor, "ann", name)
		}
	}
	got := s.call("GET", callback, nil, append(noFollow, "Cookie", kept)...)
	require.NotNil(t, cookies(t, got)[sessionCookie], "all of this left the sign-in as it was")
	got = s.call("GET", callback, nil, append(noFollow, "Cookie", kept)...)
	require.Nil(t, cookies(t, got)[sessionCookie], "the code is used")

	for _, back := range []string{"//evil.example", "https://evil.example/", `/\evil.example`, "javascript:alert(1)", "evil",
		"/\n//evil.example", ""} {
		_, location, _ := s.signInAt(t, p, back)
		require.Equal(t, "/", location, back)
	}
	require.Equal(t, 404, s.call("GET", "/auth/login?provider=none", nil, noFollow...).status)
	before, _, _ := s.signInAt(t, p, "/")
	callback, kept = s.begin(t, p, "/")
	got = s.call("GET", callback, nil, append(noFollow, "Cookie", kept+"; "+before)...)
	after := sessionCookie + "=" + cookies(t, got)[sessionCookie].Value
	require.NotEqual(t, before, after, "a session is never gone on with")
	p.Close()
	got = s.call("GET", "/auth/login?provider=okta", nil, noFollow...)
	require.Equal(t, 303, got.status, "discovery is known")
	callback, kept = s.begin(t, p, "/")
	got = s.call("GET", callback, nil, append(noFollow, "Cookie", kept)...)
	require.Contains(t, got.header.Get("Location"), "cannot+be+reached")
	require.Equal(t, 200, s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", after).status, "sessions go on")
}

// TestStrangersWriteFewEntries: whoever has not signed in does not fill the audit log, whatever they send to where people sign in.
func TestStrangersWriteFewEntries(t *testing.T) {
	t.Parallel()
	s := withIDP(t, newIDP(t))
	head := func() int64 { return s.audit("").Head.Seq }
	for name, send := range map[string]func() int{
		"callbacks": func() int { return s.call("GET", "/auth/callback?state=x&code=y", nil, noFollow...).status },
		"bodies":    func() int { return s.call("POST", "/api/session", object{"email": 5}, "X-API-Key", "").status },
		"passwords": func() int {
			return s.call("POST", "/api/session", object{"email": "a@example.com", "password": "wrong"}, "X-API-Key", "").status
		},
		"invitations": func() int { return s.call("POST", "/api/welcome", object{"invitation": "x"}, "X-API-Key", "").status },
	} {
		before := head()
		for range 100 {
			require.GreaterOrEqual(t, send(), 300)
		}
		require.LessOrEqual(t, head()-before, int64(22), name)
	}
	for _, e := range s.audit("action=session.create").Items {
		require.Empty(t, e.Target.ID, "a session that there is not has no id")
	}
}

// TestTwoTabs signs in in two tabs of a browser, of which the later one has the cookie: what comes back to the other one, or what
// another page makes the browser open, does not end the sign-in that is under way.
func TestTwoTabs(t *testing.T) {
	t.Parallel()
	p := newIDP(t)
	s := withIDP(t, p)
	p.as(object{"sub": "ann", "groups": []string{"admins"}})
	first, _ := s.begin(t, p, "/")
	second, kept := s.begin(t, p, "/")
	for _, other := range []string{first, "/auth/callback", "/auth/callback?state=x", "/auth/callback?error=access_denied"} {
		got := s.call("GET", other, nil, append(noFollow, "Cookie", kept)...)
		require.Contains(t, got.header.Get("Location"), "signInProblem")
		require.Empty(t, cookies(t, got), other)
	}
	got := s.call("GET", second, nil, append(noFollow, "Cookie", kept)...)
	require.NotNil(t, cookies(t, got)[sessionCookie])
	require.Equal(t, -1, cookies(t, got)[flowCookie].MaxAge)
}

// TestSessionGoesWithItsProvider: a session counts only while the provider that its owner signs in by is one of the service.
func TestSessionGoesWithItsProvider(t *testing.T) {
	t.Parallel()
	p, ahead, dir := newIDP(t), new(atomic.Int64), t.TempDir()
	p.as(object{"sub": "ann", "groups": []string{"admins"}})
	okta := []string{"SERVICE_API_KEY=" + apiKey, "SERVICE_OIDC_OKTA_ISSUER=" + p.URL, "SERVICE_OIDC_OKTA_CLIENT_ID=edgeposture",
		"SERVICE_OIDC_OKTA_CLIENT_SECRET=a-secret-of-the-client", "SERVICE_OIDC_OKTA_ROLE_MAP=admins=administrator"}
	s, closeNow := timed(t, dir, ahead, okta...)
	own, _, problem := s.signInAt(t, p, "/")
	require.Empty(t, problem)
	status := func() int { return s.call("GET", "/api/session", nil, "Cookie", own).status }
	require.Equal(t, 200, status())
	closeNow()
	s, closeNow = timed(t, dir, ahead, okta[:1]...)
	require.Equal(t, 401, status())
	closeNow()
	s, _ = timed(t, dir, ahead, okta...)
	require.Equal(t, 200, status(), "it is there again")
}

// TestSignInByPassword holds guessing, disabled people and what a session of a person may do.
func TestSignInByPassword(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	const password = "a sentence nobody guesses"
	made := s.call("POST", "/api/users", object{"name": "Ann", "email": "ann@example.com", "password": password,
		"grants": []any{object{"role": "viewer"}}})
	require.Equal(t, 201, made.status, string(made.body))
	require.NotContains(t, string(made.body), password)
	var ann httpapi.Person
	made.into(t, &ann)
	for _, body := range []object{{"email": "ann@example.com", "password": "wrong"}, {"email": "bob@example.com", "password": password}, {},
		{"email": "ann@example.com"}} {
		got := s.call("POST", "/api/session", body, "X-API-Key", "")
		require.Equal(t, 401, got.status, string(got.body))
		require.Empty(t, got.header.Get("Set-Cookie"))
	}
	sign := func() answer {
		return s.call("POST", "/api/session", object{"email": " ANN@example.com", "password": password}, "X-API-Key", "")
	}
	got := sign()
	require.Equal(t, 200, got.status, string(got.body))
	own := sessionCookie + "=" + cookies(t, got)[sessionCookie].Value
	root, rootID := s.signIn(apiKey)
	var list struct{ Items []httpapi.SessionInfo }
	s.call("GET", "/api/sessions", nil, "X-API-Key", "", "Cookie", own).into(t, &list)
	require.Len(t, list.Items, 1, "she sees her own")
	require.Equal(t, 404, s.call("DELETE", "/api/sessions/"+rootID.Session.ID, nil, "X-API-Key", "", "Cookie", own, "Origin", s.url).status)
	s.call("GET", "/api/sessions", nil, "X-API-Key", "", "Cookie", root).into(t, &list)
	require.Len(t, list.Items, 2)
	require.Equal(t, 403, s.call("POST", "/api/assess", object{}, "X-API-Key", "", "Cookie", own, "Origin", s.url).status)
	require.Equal(t, 403, s.call("POST", "/api/views", object{"name": "x", "page": "issues", "query": ""}, "X-API-Key", "", "Cookie", own,
		"Origin", s.url).status)

	require.Equal(t, 200, s.call("PATCH", "/api/users/"+ann.ID, object{"grants": []any{object{"role": "operator"}}}).status)
	require.Equal(t, 202, s.call("POST", "/api/assess", object{}, "X-API-Key", "", "Cookie", own, "Origin", s.url, "Prefer",
		"respond-async").status, "at once")
	require.Equal(t, 200, s.call("PATCH", "/api/users/"+ann.ID, object{"password": password + "!"}).status)
	require.Equal(t, 401, s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", own).status, "a new password ends her sessions")
	require.Equal(t, 401, sign().status)
	require.Equal(t, 200, s.call("PATCH", "/api/users/"+ann.ID, object{"password": password, "disabled": true}).status)
	require.Equal(t, 401, sign().status)
	for range 20 {
		s.call("POST", "/api/session", object{"email": "carl@example.com", "password": "wrong"}, "X-API-Key", "")
	}
	require.Equal(t, 429, s.call("POST", "/api/session", object{"email": "carl@example.com", "password": "wrong"}, "X-API-Key", "").status)
	for _, body := range []object{{"name": "x", "email": "no address", "password": password, "grants": []any{object{"role": "viewer"}}},
		{"name": "x", "email": "x@example.com", "password": "short", "grants": []any{object{"role": "viewer"}}},
		{"name": "x", "email": "x@example.com", "password": password, "grants": []any{object{"role": "owner"}}},
		{"name": "x", "email": "x@example.com", "password": password, "grants": []any{object{"role": "viewer", "accounts": []string{"none"}}}},
		{"name": "\u0007", "email": "x@example.com", "password": password, "grants": []any{object{"role": "viewer"}}}} {
		require.Equal(t, 422, s.call("POST", "/api/users", body).status, "%v", body)
	}
	require.Equal(t, 409, s.call("POST", "/api/users", object{"name": "Other", "email": "ANN@example.com", "password": password,
		"grants": []any{object{"role": "viewer"}}}).status)
}

// TestGuessesKeepNobodyOut: wrong passwords from anywhere keep a person out of new browsers, not of one they have signed in with,
// whose own guesses count, too.
func TestGuessesKeepNobodyOut(t *testing.T) {
	t.Parallel()
	s, pass := passkeyService(t)
	s.key = apiKey
	const password = "a sentence nobody guesses"
	for _, name := range []string{"ann", "bob"} {
		s.post(201, "/api/users", object{"name": name, "email": name + "@example.com", "password": password,
			"grants": []any{object{"role": "viewer"}}})
	}
	sign := func(from *http.Client, name, text string, kept ...*http.Cookie) answer {
		s.from = from
		defer func() { s.from = nil }()
		header := []string{"X-API-Key", ""}
		for _, c := range kept {
			header = append(header, "Cookie", c.Name+"="+c.Value)
		}
		return s.call("POST", "/api/session", object{"email": name + "@example.com", "password": text}, header...)
	}
	own := func(name string) *http.Cookie {
		return cookies(t, sign(nil, name, password))["__Host-edgeposture-known"]
	}
	anns, bobs := own("ann"), own("bob")
	require.Equal(t, 90*24*3600, anns.MaxAge)
	attacker := elsewhere(t)
	for range 20 {
		require.Equal(t, 401, sign(attacker, "ann", "wrong", bobs).status)
	}
	require.Equal(t, 429, sign(attacker, "ann", password, bobs).status, "the browser of somebody else")
	require.Equal(t, 429, sign(nil, "ann", password).status, "a browser that is new")
	forged := &http.Cookie{Name: anns.Name, Value: anns.Value[:len(anns.Value)-2] + "AA"}
	require.Equal(t, 429, sign(nil, "ann", password, forged).status)
	again := sign(nil, "ann", password, anns)
	require.Equal(t, 200, again.status, string(again.body))
	require.Equal(t, 200, sign(attacker, "ann", password, anns).status, "also where the attacker is")
	for range 20 {
		require.Equal(t, 401, sign(nil, "ann", "wrong", anns).status)
	}
	require.Equal(t, 429, sign(nil, "ann", password, anns).status, "who has her browser guesses no more than others")
	require.Equal(t, 200, sign(nil, "ann", password, cookies(t, again)[anns.Name]).status, "another browser of hers")
	for range 20 {
		s.call("GET", "/api/accounts", nil, "X-API-Key", "a wrong key of 40 characters and more 123")
	}
	require.Equal(t, 200, sign(nil, "ann", password, cookies(t, again)[anns.Name]).status, "nor do wrong API keys of her address")
	require.Equal(t, 429, s.call("POST", "/api/session", nil).status, "nobody's key is compared")
	pass(91 * 24 * time.Hour)
	for range 20 {
		sign(attacker, "ann", "wrong")
	}
	require.Equal(t, 429, sign(nil, "ann", password, anns).status, "not for ever")
}

// TestSignInUndoesNothing disables a person who is signing in all the time: checking a password takes long, and what the
// sign-in writes afterwards must not bring back what an administrator took meanwhile.
func TestSignInUndoesNothing(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	const password = "a sentence nobody guesses"
	var ann httpapi.Person
	s.post(201, "/api/users", object{"name": "Ann", "email": "ann@example.com", "password": password,
		"grants": []any{object{"role": "administrator"}}}).into(t, &ann)
	for round := range 5 {
		var signing sync.WaitGroup
		begun := make(chan struct{}, 100)
		for range 3 {
			signing.Go(func() {
				for range 4 {
					s.call("POST", "/api/session", object{"email": "ann@example.com", "password": password}, "X-API-Key", "")
					begun <- struct{}{}
				}
			})
		}
		<-begun // the others are in the middle of theirs
		require.Equal(t, 200, s.call("PATCH", "/api/users/"+ann.ID, object{"disabled": true, "grants": []any{object{"role": "viewer"}}}).status)
		signing.Wait()
		s.get("/api/users/"+ann.ID, &ann)
		require.True(t, ann.Disabled, "round %d", round)
		require.Equal(t, []access.Grant{{Role: access.Viewer}}, ann.Grants)
		require.Equal(t, 200, s.call("PATCH", "/api/users/"+ann.ID, object{"disabled": false,
			"grants": []any{object{"role": "administrator"}}}).status)
	}
}

// TestLabelsAreForAdministrators: roles are given by label, so whoever may label an account gives roles, their own too.
func TestLabelsAreForAdministrators(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	const password = "a sentence nobody guesses"
	s.post(201, "/api/users", object{"name": "Olga", "email": "olga@example.com", "password": password,
		"grants": []any{object{"role": "operator"}, object{"role": "remediator", "labels": []string{"staging"}}}})
	got := s.call("POST", "/api/session", object{"email": "olga@example.com", "password": password}, "X-API-Key", "")
	require.Equal(t, 200, got.status, string(got.body))
	own := []string{"X-API-Key", "", "Cookie", sessionCookie + "=" + cookies(t, got)[sessionCookie].Value, "Origin", s.url}
	assessed := s.assessed()
	plan := func() int {
		return s.call("POST", "/api/remediate/plan", object{"assessmentId": assessed.ID}, own...).status
	}
	require.Equal(t, 404, plan(), "she remediates staging only")
	path := "/api/accounts/" + s.account("default").ID
	got = s.call("PATCH", path, object{"labels": []string{"staging"}}, own...)
	require.Equal(t, 403, got.status, string(got.body))
	require.Equal(t, 404, plan())
	require.Equal(t, 200, s.call("PATCH", path, object{"name": "Shop", "labels": []string{}}, own...).status, "as they are")
	require.Equal(t, 200, s.call("PATCH", path, object{"labels": []string{"staging"}}).status)
	require.Equal(t, 200, plan())
	require.Equal(t, 200, s.call("PATCH", path, object{"labels": []string{"staging"}, "zones": []string{}}, own...).status)
}

// TestNamesOfARoleMapAreForAdministrators: the role map names accounts, so such a name gives people roles on whatever has it.
func TestNamesOfARoleMapAreForAdministrators(t *testing.T) {
	t.Parallel()
	s := withIDP(t, newIDP(t))
	var token httpapi.ServiceToken
	s.post(201, "/api/service-tokens", object{"name": "ops", "role": "operator"}).into(t, &token)
	rename := func(name, key string) int {
		return s.call("PATCH", "/api/accounts/default", object{"name": name}, "X-API-Key", key).status
	}
	require.Equal(t, 403, rename(" somewhere-else", token.Token))
	require.Equal(t, 200, rename("elsewhere", token.Token))
	require.Equal(t, 200, rename("somewhere-else", apiKey))
	require.Equal(t, 200, rename("somewhere-else", token.Token), "it has the name")
}

// TestServiceTokens are for programs: a role, an end, and gone when they are revoked.
func TestServiceTokens(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	s.key = apiKey
	soon := time.Now().Add(time.Hour)
	made := s.call("POST", "/api/service-tokens", object{"name": "pipeline", "role": "operator", "expiresAt": soon})
	require.Equal(t, 201, made.status, string(made.body))
	var token httpapi.ServiceToken
	made.into(t, &token)
	require.Regexp(t, `^eps_[A-Za-z0-9_-]{43}$`, token.Token)
	require.Equal(t, 409, s.call("POST", "/api/service-tokens", object{"name": "pipeline", "role": "viewer"}).status)
	require.Equal(t, 422, s.call("POST", "/api/service-tokens", object{"name": "late", "role": "viewer",
		"expiresAt": time.Now().Add(-time.Hour)}).status)
	for _, header := range [][]string{{"X-API-Key", token.Token}, {"X-API-Key", "", "Authorization", "Bearer " + token.Token},
		{"X-API-Key", "", "Authorization", "bearer  " + token.Token}} {
		require.Equal(t, 200, s.call("GET", "/api/accounts", nil, header...).status)
	}
	require.Equal(t, 403, s.call("POST", "/api/session", object{}, "X-API-Key", token.Token).status, "no session comes of it")
	require.Equal(t, 403, s.call("GET", "/api/service-tokens", nil, "X-API-Key", token.Token).status)
	require.Equal(t, 202, s.call("POST", "/api/assess", object{}, "X-API-Key", token.Token, "Prefer", "respond-async").status)
	require.Equal(t, "token:pipeline", s.audit("action=assess").Items[0].Actor)
	var list struct{ Items []httpapi.ServiceToken }
	s.get("/api/service-tokens", &list)
	require.Len(t, list.Items, 1)
	require.Empty(t, list.Items[0].Token)
	require.NotNil(t, list.Items[0].LastUsedAt)
	require.Equal(t, 204, s.call("DELETE", "/api/service-tokens/"+token.ID, nil).status)
	require.Equal(t, 401, s.call("GET", "/api/accounts", nil, "X-API-Key", token.Token).status)
	require.Equal(t, 404, s.call("DELETE", "/api/service-tokens/"+token.ID, nil).status)
}

// TestInvitations: the first administrator comes by a link that is good once, others by links that administrators make.
func TestInvitations(t *testing.T) {
	t.Parallel()
	s := embedded(t, small(), "SERVICE_API_KEY="+apiKey)
	const password = "a sentence nobody guesses"
	welcome := func(path string, body object) answer {
		body["invitation"] = strings.TrimPrefix(path, "/welcome#")
		return s.call("POST", "/api/welcome", body, "X-API-Key", "")
	}
	first, err := s.app.FirstInvitation(t.Context())
	require.NoError(t, err)
	require.Equal(t, 422, welcome(first, object{"password": password}).status, "who is it")
	require.Equal(t, 422, welcome(first, object{"name": "Ann", "email": "ann@example.com", "password": "short"}).status)
	statuses := map[int]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			got := welcome(first, object{"name": "Ann", "email": "ann" + number(i) + "@example.com", "password": password})
			mu.Lock()
			defer mu.Unlock()
			statuses[got.status]++
		})
	}
	all.Wait()
	require.Equal(t, 1, statuses[200], "%v", statuses)
	none, err := s.app.FirstInvitation(t.Context())
	require.NoError(t, err)
	require.Empty(t, none)
	require.Equal(t, 401, welcome(first, object{"name": "Eve", "email": "eve@example.com", "password": password}).status)

	s.key = apiKey
	var people struct{ Items []httpapi.Person }
	s.get("/api/users", &people)
	require.Len(t, people.Items, 1)
	require.Equal(t, []access.Grant{{Role: access.Administrator}}, people.Items[0].Grants)
	made := s.call("POST", "/api/users", object{"name": "Bob", "email": "bob@example.com", "grants": []any{object{"role": "viewer"}}})
	require.Equal(t, 201, made.status, string(made.body))
	var bob httpapi.Person
	made.into(t, &bob)
	require.Equal(t, 401, s.call("POST", "/api/session", object{"email": "bob@example.com", "password": ""}, "X-API-Key", "").status)
	var got answer
	passwords := map[string]bool{}
	for i := range 4 {
		all.Go(func() {
			own := password + number(i)
			answered := welcome(bob.Invitation, object{"password": own, "email": "other@example.com", "name": "Other"})
			mu.Lock()
			defer mu.Unlock()
			if passwords[own] = answered.status == 200; passwords[own] {
				got = answered
			}
		})
	}
	all.Wait()
	for own, in := range passwords {
		again := s.call("POST", "/api/session", object{"email": "bob@example.com", "password": own}, "X-API-Key", "")
		require.Equal(t, in, again.status == 200, "of several at once, one chooses the password: %v, %s", passwords, again.body)
	}
	require.Equal(t, 200, got.status, string(got.body))
	var id httpapi.Identity
	got.into(t, &id)
	require.Equal(t, "user:bob@example.com", id.Actor, "who is invited stays who they are")
	cookie := sessionCookie + "=" + cookies(t, got)[sessionCookie].Value
	require.Equal(t, 401, welcome(bob.Invitation, object{"password": password}).status, "once")
	require.Equal(t, 401, welcome(bob.Invitation[:len(bob.Invitation)-2]+"AA", object{"password": password}).status)

	again := s.call("POST", "/api/users/"+bob.ID+"/invite", object{})
	require.Equal(t, 200, again.status, string(again.body))
	require.Equal(t, 401, s.call("GET", "/api/session", nil, "X-API-Key", "", "Cookie", cookie).status)
	used := bob.Invitation
	again.into(t, &bob)
	require.Equal(t, 401, welcome(used, object{"password": password}).status, "used before")
	replaced := bob.Invitation
	s.post(200, "/api/users/"+bob.ID+"/invite", object{}).into(t, &bob)
	require.Equal(t, 401, welcome(replaced, object{"password": password}).status, "replaced")
	require.Equal(t, 200, s.call("PATCH", "/api/users/"+bob.ID, object{"email": "robert@example.com"}).status)
	require.Equal(t, 401, welcome(bob.Invitation, object{"password": password}).status, "it went to another address")
	s.post(200, "/api/users/"+bob.ID+"/invite", object{}).into(t, &bob)
	require.Equal(t, 200, s.call("PATCH", "/api/users/"+bob.ID, object{"disabled": true}).status)
	require.Equal(t, 401, welcome(bob.Invitation, object{"password": password}).status, "disabled")

	for _, u := range append(people.Items, bob) {
		require.Equal(t, 204, s.call("DELETE", "/api/users/"+u.ID, nil).status)
	}
	require.Equal(t, 409, welcome(first, object{"name": "Eve", "email": "eve@example.com", "password": password}).status, "used before")
}
