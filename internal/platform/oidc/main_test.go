package oidc

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/oauth2"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	clientID     = "edgeposture"
	clientSecret = "a-client-secret-of-32-characters" // so that HS256 could be signed with it
	callback     = "https://edgeposture.example/auth/callback"
	accessToken  = "the-access-token"
)

func noon() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

type object = map[string]any

// fake is an OpenID Connect provider of the tests. Its fields are set before it is asked.
type fake struct {
	server *httptest.Server

	mu    sync.Mutex
	keys  []jose.JSONWebKey // the first signs, all are published
	codes map[string]url.Values
	seen  map[string]int // requests by path

	claims    func(object)                                  // changes an ID token
	sign      func(testing.TB, object) string               // signs it otherwise
	discovery func(object)                                  // changes the discovery document
	userinfo  object                                        // nil: none is published
	answer    map[string]http.HandlerFunc                   // by path, instead of its own
	before    func(http.ResponseWriter, *http.Request) bool // true: the request is answered
	t         testing.TB
}

func newFake(t testing.TB) *fake {
	f := &fake{t: t, keys: []jose.JSONWebKey{newKey(t, "k1")}, codes: map[string]url.Values{}, seen: map[string]int{},
		answer: map[string]http.HandlerFunc{}}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

func newKey(t testing.TB, kid string) jose.JSONWebKey {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return jose.JSONWebKey{Key: k, KeyID: kid, Algorithm: "ES256", Use: "sig"}
}

func (f *fake) issuer() string { return f.server.URL }

func (f *fake) requests(path string) int { f.mu.Lock(); defer f.mu.Unlock(); return f.seen[path] }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.seen[r.URL.Path]++
	f.mu.Unlock()
	if f.before != nil && f.before(w, r) {
		return
	}
	if own := f.answer[r.URL.Path]; own != nil {
		own(w, r)
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		doc := object{"issuer": f.issuer(), "authorization_endpoint": f.issuer() + "/auth", "token_endpoint": f.issuer() + "/token",
			"jwks_uri": f.issuer() + "/keys", "id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"}}
		if f.userinfo != nil {
			doc["userinfo_endpoint"] = f.issuer() + "/userinfo"
		}
		if f.discovery != nil {
			f.discovery(doc)
		}
		reply(w, http.StatusOK, doc)
	case "/keys":
		f.mu.Lock()
		defer f.mu.Unlock()
		var set jose.JSONWebKeySet
		for _, k := range f.keys {
			set.Keys = append(set.Keys, k.Public())
		}
		reply(w, http.StatusOK, set)
	case "/token":
		f.token(w, r)
	case "/userinfo":
		if r.Header.Get("Authorization") != "Bearer "+accessToken {
			reply(w, http.StatusUnauthorized, object{"error": "invalid_token"})
			return
		}
		reply(w, http.StatusOK, f.userinfo)
	default:
		http.NotFound(w, r)
	}
}

// token is the token endpoint (RFC 6749, section 4.1.3, and RFC 7636, section 4.6).
func (f *fake) token(w http.ResponseWriter, r *http.Request) {
	id, password, _ := r.BasicAuth()
	if id != clientID || password != clientSecret {
		reply(w, http.StatusUnauthorized, object{"error": "invalid_client"})
		return
	}
	f.mu.Lock()
	asked, known := f.codes[r.FormValue("code")]
	delete(f.codes, r.FormValue("code"))
	f.mu.Unlock()
	if !known || r.FormValue("redirect_uri") != asked.Get("redirect_uri") ||
		oauth2.S256ChallengeFromVerifier(r.FormValue("code_verifier")) != asked.Get("code_challenge") {
		reply(w, http.StatusBadRequest, object{"error": "invalid_grant"})
		return
	}
	claims := object{"iss": f.issuer(), "sub": "ada", "aud": clientID, "nonce": asked.Get("nonce"), "iat": noon().Unix(),
		"exp": noon().Add(time.Hour).Unix(), "name": "Ada Lovelace", "email": "ada@example.com", "email_verified": true,
		"groups": []string{"admins"}}
	if f.claims != nil {
		f.claims(claims)
	}
	sign := f.signed
	if f.sign != nil {
		sign = f.sign
	}
	reply(w, http.StatusOK, object{"access_token": accessToken, "token_type": "Bearer", "id_token": sign(f.t, claims)})
}

func (f *fake) signed(t testing.TB, claims object) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return signWith(t, jose.SigningKey{Algorithm: jose.ES256, Key: f.keys[0]}, claims)
}

func signWith(t testing.TB, key jose.SigningKey, claims any) string {
	signer, err := jose.NewSigner(key, nil)
	require.NoError(t, err)
	b, err := json.Marshal(claims)
	require.NoError(t, err)
	if as, is := claims.(spelled); is {
		b = []byte(as)
	}
	signature, err := signer.Sign(b)
	require.NoError(t, err)
	raw, err := signature.CompactSerialize()
	require.NoError(t, err)
	return raw
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// provider is one of the fake's, at a clock that stands still.
func (f *fake) provider(change func(*Config)) *Provider { return f.providerAt(noon, change) }

func (f *fake) providerAt(now func() time.Time, change func(*Config)) *Provider {
	c := Config{Name: "okta", Issuer: f.issuer(), ClientID: clientID, ClientSecret: secret.New(clientSecret),
		Scopes: []string{"openid", "profile", "email"}, RoleClaim: "groups",
		Rules: []Rule{{"admins", access.Grant{Role: "administrator"}}, {"staff", access.Grant{Role: "viewer", Accounts: []string{"a1"}}}}}
	if change != nil {
		change(&c)
	}
	return New(c, f.server.Client(), now, rand.Reader)
}

// authorize is what a browser brings back when the person has signed in at an address of Begin.
func (f *fake) authorize(t testing.TB, address string) url.Values {
	u, err := url.Parse(address)
	require.NoError(t, err)
	q := u.Query()
	require.Equal(t, f.issuer()+"/auth", u.Scheme+"://"+u.Host+u.Path)
	require.Equal(t, "code", q.Get("response_type"))
	require.Equal(t, clientID, q.Get("client_id"))
	require.Equal(t, "S256", q.Get("code_challenge_method"))
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		require.Len(t, q.Get(name), 43, "256 bits of %s", name)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	code := fmt.Sprintf("the-code-%d", len(f.codes)+1)
	f.codes[code] = q
	return url.Values{"code": {code}, "state": {q.Get("state")}}
}

// begin begins a flow that the person then completes at the fake.
func (f *fake) begin(t testing.TB, p *Provider) (Flow, url.Values) {
	address, flow, err := p.Begin(t.Context(), callback)
	require.NoError(t, err)
	return flow, f.authorize(t, address)
}

// failure gives a Failure.
func failure(t testing.TB, err error) (f *Failure) {
	t.Helper()
	require.ErrorAs(t, err, &f)
	return f
}

// refusedAs requires a Failure of a kind that tells nothing secret.
func refusedAs(t testing.TB, kind, err error, flow Flow) {
	t.Helper()
	require.ErrorIs(t, err, kind)
	f := failure(t, err)
	require.Error(t, f.Cause)
	require.Regexp(t, `^You were not signed in, because [^\n]*; [^\n]*\.$`, f.Error())
	for _, text := range []string{f.Error(), f.Cause.Error()} {
		for _, hidden := range []string{clientSecret, accessToken, "the-code", flow.State, flow.Nonce, flow.Verifier, "eyJ"} {
			if hidden != "" {
				require.NotContains(t, text, hidden)
			}
		}
		require.Less(t, len(text), 1000)
	}
}
