package oidc

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
)

func TestSignIn(t *testing.T) {
	f := newFake(t)
	p := f.provider(nil)
	flow, query := f.begin(t, p)
	require.Equal(t, noon().Add(FlowAge), flow.Expires)
	id, err := p.Complete(t.Context(), flow, query)
	require.NoError(t, err)
	require.Equal(t, Identity{Issuer: f.issuer(), Subject: "ada", Name: "Ada Lovelace", Email: "ada@example.com", EmailVerified: true,
		Groups: []string{"admins"}, Grants: []access.Grant{{Role: "administrator"}}}, id)
	require.Zero(t, f.requests("/userinfo"))

	_, err = p.Complete(t.Context(), flow, query)
	refusedAs(t, ErrFlow, err, flow)
	require.Equal(t, 2, f.requests("/token"), "the code is sent once for each callback")
	require.Equal(t, 1, f.requests("/.well-known/openid-configuration"))
	require.Equal(t, 1, f.requests("/keys"))
}

// TestWrongFlows: what the browser brings back is not what belongs to its flow.
func TestWrongFlows(t *testing.T) {
	for name, tc := range map[string]struct {
		kind   error
		change func(*Flow, url.Values)
	}{
		"another state":        {ErrFlow, func(_ *Flow, q url.Values) { q.Set("state", "x") }},
		"no state":             {ErrFlow, func(_ *Flow, q url.Values) { q.Del("state") }},
		"two states":           {ErrFlow, func(_ *Flow, q url.Values) { q.Add("state", "x") }},
		"an empty flow":        {ErrFlow, func(f *Flow, q url.Values) { *f = Flow{}; q.Set("state", "") }},
		"no nonce":             {ErrFlow, func(f *Flow, _ url.Values) { f.Nonce = "" }},
		"another nonce":        {ErrFlow, func(f *Flow, _ url.Values) { f.Nonce = "x" }},
		"no verifier":          {ErrFlow, func(f *Flow, _ url.Values) { f.Verifier = "" }},
		"another verifier":     {ErrFlow, func(f *Flow, _ url.Values) { f.Verifier = strings.Repeat("x", 43) }},
		"another provider":     {ErrFlow, func(f *Flow, _ url.Values) { f.Provider = "google" }},
		"another redirect URI": {ErrFlow, func(f *Flow, _ url.Values) { f.RedirectURI = "https://other.example/" }},
		"expired":              {ErrFlow, func(f *Flow, _ url.Values) { f.Expires = noon() }},
		"no code":              {ErrFlow, func(_ *Flow, q url.Values) { q.Del("code") }},
		"an empty code":        {ErrFlow, func(_ *Flow, q url.Values) { q.Set("code", "") }},
		"two codes":            {ErrFlow, func(_ *Flow, q url.Values) { q.Add("code", "x") }},
		"a long code":          {ErrFlow, func(_ *Flow, q url.Values) { q.Set("code", strings.Repeat("x", maxCode+1)) }},
		"an unknown code":      {ErrFlow, func(_ *Flow, q url.Values) { q.Set("code", "x") }},
		"another issuer":       {ErrFlow, func(_ *Flow, q url.Values) { q.Set("iss", "https://other.example") }},
		"two issuers":          {ErrFlow, func(_ *Flow, q url.Values) { q["iss"] = []string{"", ""} }},
		"denied":               {ErrRefused, func(_ *Flow, q url.Values) { q.Set("error", "access_denied") }},
		"in trouble":           {ErrUnreachable, func(_ *Flow, q url.Values) { q.Set("error", "temporarily_unavailable") }},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			p := f.provider(nil)
			flow, query := f.begin(t, p)
			tc.change(&flow, query)
			id, err := p.Complete(t.Context(), flow, query)
			require.Equal(t, Identity{}, id)
			refusedAs(t, tc.kind, err, flow)
		})
	}
}

func TestTheAnswerNamesItsIssuer(t *testing.T) {
	f := newFake(t)
	f.discovery = func(doc object) { doc["authorization_response_iss_parameter_supported"] = true }
	p := f.provider(nil)
	flow, query := f.begin(t, p)
	_, err := p.Complete(t.Context(), flow, query)
	refusedAs(t, ErrFlow, err, flow)
	query.Set("iss", f.issuer())
	_, err = p.Complete(t.Context(), flow, query)
	require.NoError(t, err)
}

func TestWordsOfTheProviderAreBounded(t *testing.T) {
	f := newFake(t)
	p := f.provider(nil)
	flow, query := f.begin(t, p)
	query.Set("error", "access_denied")
	query.Set("error_description", "no\x00 \x1b[31m\u202e"+flow.Verifier+query.Get("code")+clientSecret+"\xff\n"+strings.Repeat("é", 5000))
	_, err := p.Complete(t.Context(), flow, query)
	refusedAs(t, ErrRefused, err, flow)
	require.ErrorContains(t, err, "okta refused: access_denied (no [31m••••")
}

// TestIDTokens: each wrong token is refused, and what may differ is not.
func TestIDTokens(t *testing.T) {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return base64.RawURLEncoding.EncodeToString(sum[:16])
	}
	set := func(name string, value any) func(*fake) {
		return func(f *fake) { f.claims = func(c object) { c[name] = value } }
	}
	signed := func(sign func(f *fake, t testing.TB, c object) string) func(*fake) {
		return func(f *fake) { f.sign = func(t testing.TB, c object) string { return sign(f, t, c) } }
	}
	// written is a token with members that json.Marshal does not write.
	written := func(members string) func(*fake) {
		return signed(func(f *fake, t testing.TB, c object) string {
			delete(c, "sub")
			delete(c, "groups")
			if !strings.Contains(members, "groups") {
				c["groups"] = "admins"
			}
			b, err := json.Marshal(c)
			require.NoError(t, err)
			return signWith(t, es256(f.keys[0]), spelled(string(b[:len(b)-1])+","+members+"}"))
		})
	}
	signedBy := func(kid string) func(*fake) {
		return signed(func(_ *fake, t testing.TB, c object) string { return signWith(t, es256(newKey(t, kid)), c) })
	}
	answers := func(path string, status int, body any) func(*fake) {
		return func(f *fake) {
			f.answer[path] = func(w http.ResponseWriter, _ *http.Request) { reply(w, status, body) }
		}
	}
	at := func(d time.Duration) int64 { return noon().Add(d).Unix() }
	for name, tc := range map[string]struct {
		kind   error
		change func(*fake)
	}{
		"expired":                   {ErrRefused, set("exp", at(-Leeway-time.Second))},
		"expired within the leeway": {nil, set("exp", at(-Leeway))},
		"no exp":                    {ErrRefused, func(f *fake) { f.claims = func(c object) { delete(c, "exp") } }},
		"issued later":              {ErrRefused, set("iat", at(Leeway+time.Second))},
		"issued within the leeway":  {nil, set("iat", at(Leeway))},
		"no iat":                    {ErrRefused, func(f *fake) { f.claims = func(c object) { delete(c, "iat") } }},
		"not yet":                   {ErrRefused, set("nbf", at(time.Hour))},
		"another audience":          {ErrRefused, set("aud", "other")},
		"no audience":               {ErrRefused, func(f *fake) { f.claims = func(c object) { delete(c, "aud") } }},
		"two audiences without azp": {ErrRefused, set("aud", []string{clientID, "other"})},
		"two audiences with azp": {nil, func(f *fake) {
			f.claims = func(c object) { c["aud"], c["azp"] = []string{clientID, "other"}, clientID }
		}},
		"another azp":          {ErrRefused, set("azp", "other")},
		"an azp that is none":  {ErrRefused, set("azp", 5)},
		"another issuer":       {ErrRefused, set("iss", "https://other.example")},
		"another nonce":        {ErrFlow, set("nonce", "x")},
		"no nonce":             {ErrFlow, func(f *fake) { f.claims = func(c object) { delete(c, "nonce") } }},
		"no subject":           {ErrRefused, set("sub", "")},
		"a long subject":       {ErrRefused, set("sub", strings.Repeat("x", 256))},
		"a subject not shown":  {ErrRefused, set("sub", "a\nb")},
		"at_hash":              {nil, set("at_hash", hash(accessToken))},
		"another at_hash":      {ErrRefused, set("at_hash", hash("another"))},
		"a claim of no type":   {ErrRefused, set("exp", "tomorrow")},
		"another key":          {ErrRefused, signedBy("k1")},
		"a key of no set":      {ErrRefused, signedBy("k9")},
		"no kid":               {nil, func(f *fake) { f.keys[0].KeyID = "" }},
		"no kid, several keys": {nil, func(f *fake) { f.keys[0].KeyID = ""; f.keys = append(f.keys, newKey(f.t, "k2")) }},
		"alg none": {ErrRefused, signed(func(_ *fake, t testing.TB, c object) string {
			b, err := json.Marshal(c)
			require.NoError(t, err)
			return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(b) + "."
		})},
		"HS256 with the client's secret": {ErrRefused, signed(func(_ *fake, t testing.TB, c object) string {
			return signWith(t, jose.SigningKey{Algorithm: jose.HS256, Key: []byte(clientSecret)}, c)
		})},
		"HS256 with a published key": {ErrRefused, func(f *fake) {
			key := jose.JSONWebKey{Key: []byte(clientSecret), KeyID: "shared"}
			f.answer["/keys"] = func(w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key}})
			}
			f.sign = func(t testing.TB, c object) string {
				return signWith(t, jose.SigningKey{Algorithm: jose.HS256, Key: key}, c)
			}
		}},
		"a signature cut off":       {ErrRefused, signed(func(f *fake, t testing.TB, c object) string { return f.signed(t, c)[:300] })},
		"a name twice":              {ErrRefused, written(`"sub":"eve","sub":"ada"`)},
		"a name in other letters":   {ErrRefused, written(`"sub":"eve","SUB":"ada"`)},
		"no name but in capitals":   {ErrRefused, written(`"Sub":"ada"`)},
		"a name in other scripts":   {ErrRefused, written(`"sub":"ada","i\u017fs":"eve"`)},
		"a name like another":       {nil, written(`"sub":"ada","GROUPS":"x","groups":"admins"`)},
		"text that is none":         {ErrRefused, written("\"sub\":\"ada\",\"x\":\"\xff\"")},
		"a key that is for secrecy": {ErrRefused, func(f *fake) { f.keys[0].Use = "enc" }},
		"a key that says nothing":   {nil, func(f *fake) { f.keys[0].Use = "" }},
		"another form of a JWS": {ErrRefused, signed(func(f *fake, t testing.TB, c object) string {
			parts := strings.Split(f.signed(t, c), ".")
			return fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, parts[0], parts[1], parts[2])
		})},
		"blanks around it":           {ErrRefused, signed(func(f *fake, t testing.TB, c object) string { return " " + f.signed(t, c) + "\n" })},
		"no token at all":            {ErrRefused, signed(func(*fake, testing.TB, object) string { return "" })},
		"no JWT":                     {ErrRefused, signed(func(*fake, testing.TB, object) string { return "eyJ-this-is-none" })},
		"no object":                  {ErrRefused, signed(func(f *fake, t testing.TB, _ object) string { return f.signed(t, nil) })},
		"no access token":            {ErrRefused, answers("/token", 200, object{})},
		"a client that is not known": {ErrRefused, answers("/token", 401, object{"error": "invalid_client"})},
		"all told again": {ErrRefused, func(f *fake) {
			f.answer["/token"] = func(w http.ResponseWriter, r *http.Request) {
				_ = r.ParseForm()
				reply(w, 400, object{"error": "x", "error_description": r.Form.Encode() + fmt.Sprint(r.BasicAuth())})
			}
		}},
		"a page instead of a token": {ErrRefused, func(f *fake) { f.answer["/token"] = http.NotFound }},
		"a token of another kind":   {ErrRefused, answers("/token", 200, 5)},
		"sent elsewhere": {ErrRefused, func(f *fake) {
			f.answer["/token"] = http.RedirectHandler(f.issuer()+"/elsewhere", http.StatusTemporaryRedirect).ServeHTTP
			f.answer["/elsewhere"] = func(http.ResponseWriter, *http.Request) { f.t.Error("the code was taken elsewhere") }
		}},
		"keys that are none":   {ErrRefused, answers("/keys", 200, 5)},
		"keys out of order":    {ErrUnreachable, answers("/keys", 503, nil)},
		"a token out of order": {ErrUnreachable, answers("/token", 500, nil)},
		"too many requests":    {ErrUnreachable, answers("/token", 429, nil)},
		"a token without end":  {ErrUnreachable, func(f *fake) { f.answer["/token"] = huge }},
		"keys without end":     {ErrUnreachable, func(f *fake) { f.answer["/keys"] = huge }},
		"a connection cut off": {ErrUnreachable, func(f *fake) {
			f.answer["/token"] = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		}},
		"the secret in the form": {nil, func(f *fake) {
			f.discovery = func(doc object) { doc["token_endpoint_auth_methods_supported"] = []string{"client_secret_post"} }
			f.answer["/token"] = func(w http.ResponseWriter, r *http.Request) {
				_, _, basic := r.BasicAuth()
				if basic {
					f.t.Error("the secret is sent in the header")
				}
				r.SetBasicAuth(r.FormValue("client_id"), r.FormValue("client_secret"))
				f.token(w, r)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			tc.change(f)
			p := f.provider(nil)
			flow, query := f.begin(t, p)
			id, err := p.Complete(t.Context(), flow, query)
			if tc.kind == nil {
				require.NoError(t, err)
				require.Equal(t, "ada", id.Subject)
				return
			}
			require.Equal(t, Identity{}, id)
			refusedAs(t, tc.kind, err, flow)
		})
	}
}

// spelled is JSON that is signed as it is.
type spelled string

func es256(key jose.JSONWebKey) jose.SigningKey {
	return jose.SigningKey{Algorithm: jose.ES256, Key: key}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func huge(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte(`{"access_token":"` + strings.Repeat("x", MaxAnswer) + `"}`))
}

// TestKeysAreRotated: a key that was not there is asked for, and one that is gone signs no more.
func TestKeysAreRotated(t *testing.T) {
	f := newFake(t)
	p := f.provider(nil)
	try := func() error {
		flow, query := f.begin(t, p)
		_, err := p.Complete(t.Context(), flow, query)
		return err
	}
	// The library answers with new keys a moment before it keeps them.
	become := func(kind error) {
		err := try()
		for range 1000 {
			if errors.Is(err, kind) {
				return
			}
			err = try()
		}
		require.ErrorIs(t, err, kind)
	}
	require.NoError(t, try())
	old := f.keys[0]
	f.mu.Lock()
	f.keys = []jose.JSONWebKey{newKey(t, "k2")}
	f.mu.Unlock()
	become(nil)
	require.Equal(t, 2, f.requests("/keys"))
	f.sign = func(t testing.TB, c object) string { return signWith(t, es256(old), c) }
	become(ErrRefused)
}
