package gate

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/outbound"
)

type fetcherFunc func(context.Context) ([]byte, error)

func (f fetcherFunc) Fetch(ctx context.Context) ([]byte, error) { return f(ctx) }

// publisher is a set that is published, changed and broken by hand.
type publisher struct {
	mu    sync.Mutex
	body  []byte
	err   error
	count int
}

func (p *publisher) Fetch(context.Context) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	return p.body, p.err
}

func (p *publisher) say(body []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.body, p.err = body, err
}

func (p *publisher) asked() int { p.mu.Lock(); defer p.mu.Unlock(); return p.count }

func published256(t testing.TB, ids ...string) []byte {
	var keys []jwkset.JWKMarshal
	for _, id := range ids {
		keys = append(keys, jwk(t, signersOnce().p256.Public(), id, nil))
	}
	return setOf(t, keys...)
}

// ages is a lifetime no test reaches.
const ages = 100 * 365 * 24 * time.Hour

func token256(t testing.TB, id string) secret.Text {
	long := `{"exp":4102444800,"permission":"edit"}`
	return secret.New(sign(t, "ES256", head("ES256", kid(id)), long, signersOnce().p256))
}

func TestFetchedSetIsKeptAndEnds(t *testing.T) {
	c, p := &clock{at: noon()}, &publisher{}
	g := mustGate(t, Options{Lifetime: ages, Keys: p, Now: c.now})
	admit := func(id string, fetches int, want Reason) {
		t.Helper()
		_, err := g.Admit(t.Context(), token256(t, id))
		require.Equal(t, fetches, p.asked())
		if want == "" {
			require.NoError(t, err)
			return
		}
		var r *Refusal
		require.ErrorAs(t, err, &r)
		require.Equal(t, want, r.Reason)
	}
	p.say(published256(t, "a"), nil)
	require.Zero(t, p.asked(), "nothing is fetched before it is needed")
	admit("a", 1, "")
	admit("a", 1, "")
	c.move(askAgain)
	admit("b", 2, ReasonKeyUnknown)
	admit("b", 2, ReasonKeyUnknown)
	c.move(askAgain - 1)
	admit("c", 2, ReasonKeyUnknown)
	p.say(published256(t, "b"), nil)
	c.move(1)
	admit("b", 3, "")
	admit("a", 3, ReasonKeyUnknown) // it was taken back

	p.say(nil, errors.New("the issuer is down"))
	c.move(setAge - 1)
	admit("a", 4, ReasonKeyUnknown)
	admit("b", 4, "") // the last good set is young enough
	c.move(1)
	admit("b", 4, ReasonKeysUnreadable) // and now is not; the failed fetch was just now
	c.move(tryAgain)
	admit("b", 5, ReasonKeysUnreadable)
	for _, junk := range []string{"", "<html>", `{"keys":[]}`, `{"keys":{}}`, `{"keys":null}`, `{"keys":[],"keys":[]}`,
		strings.Repeat(" ", MaxSet+1) + string(published256(t, "b"))} {
		p.say([]byte(junk), nil)
		c.move(tryAgain)
		admit("b", p.asked()+1, ReasonKeysUnreadable)
	}
	p.say(published256(t, "b"), nil)
	c.move(tryAgain)
	admit("b", p.asked()+1, "")
	c.move(-2 * setAge)
	p.say(nil, errors.New("the issuer is down"))
	admit("b", p.asked()+1, ReasonKeysUnreadable) // the clock was set back: its age is not known
}

func TestWhyKeysAreMissingIsForTheLog(t *testing.T) {
	down := errors.New("the issuer is down")
	g := mustGate(t, Options{Lifetime: ages, Keys: &publisher{err: down}})
	_, err := g.Admit(t.Context(), token256(t, "a"))
	var r *Refusal
	require.ErrorAs(t, err, &r)
	require.ErrorIs(t, r.Cause, down)
	require.NotErrorIs(t, err, down)
	require.NotContains(t, err.Error(), "down")

	g = mustGate(t, Options{Lifetime: ages, Keys: fetcherFunc(func(context.Context) ([]byte, error) { panic("told") })})
	_, err = g.Admit(t.Context(), token256(t, "a"))
	require.ErrorAs(t, err, &r)
	require.Equal(t, ReasonKeysUnreadable, r.Reason)
	require.NotContains(t, r.Cause.Error(), "told")
}

// Many at once cause one fetch, also when the one who caused it goes away.
func TestOneFetchForMany(t *testing.T) {
	release, started := make(chan struct{}), make(chan struct{}, 100)
	var count atomic.Int64
	body := published256(t, "a")
	g := mustGate(t, Options{Lifetime: ages, Keys: fetcherFunc(func(ctx context.Context) ([]byte, error) {
		count.Add(1)
		started <- struct{}{}
		select {
		case <-release:
			return body, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})})
	first, leave := context.WithCancel(t.Context())
	token, left := token256(t, "a"), make(chan error, 1)
	go func() { _, err := g.Admit(first, token); left <- err }()
	<-started
	leave()
	var r *Refusal
	require.ErrorAs(t, <-left, &r)
	require.Equal(t, ReasonInterrupted, r.Reason)

	ring, ok := g.ring.(*jwksCache)
	require.True(t, ok)
	_, due := ring.look(header{kid: "a", named: true})
	require.True(t, due, "who comes while a fetch is under way joins it and is not turned away")
	errs := make(chan error, 32)
	for range cap(errs) {
		go func() { _, err := g.Admit(t.Context(), token); errs <- err }()
	}
	close(release)
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	require.EqualValues(t, 1, count.Load())
}

func TestSetWithoutNames(t *testing.T) {
	s := signersOnce()
	g := mustGate(t, Options{JWKS: setOf(t, jwk(t, s.attacker.Public(), "", nil), jwk(t, s.rsa.Public(), "", nil),
		jwk(t, s.p384.Public(), "", nil))})
	for _, h := range []string{head("RS256", ""), head("RS256", kid("anything"))} {
		_, err := g.Admit(t.Context(), secret.New(sign(t, "RS256", h, edit(), s.rsa)))
		require.NoError(t, err, "each key of the right type is tried")
	}
	require.Equal(t, ReasonSignature, refused(t, g, sign(t, "RS256", head("RS256", ""), edit(), s.sealed)))
	require.Equal(t, ReasonKeyUnknown, refused(t, g, sign(t, "ES256", head("ES256", ""), edit(), s.p256)), "no key of that curve")

	mixed := mustGate(t, Options{JWKS: setOf(t, jwk(t, s.rsa.Public(), "r", nil), jwk(t, s.attacker.Public(), "", nil))})
	for _, key := range []any{s.attacker, s.rsa} {
		_, err := mixed.Admit(t.Context(), secret.New(sign(t, "RS256", head("RS256", ""), edit(), key)))
		require.NoError(t, err, "a token without a name may mean any key")
	}
	refused(t, mixed, sign(t, "RS256", head("RS256", kid("other")), edit(), s.attacker)) // a name means the key of that name
}

func TestSetsAreReadStrictly(t *testing.T) {
	s := signersOnce()
	for name, keys := range map[string][]jwkset.JWKMarshal{
		"weak": {jwk(t, s.weak.Public(), "k", nil)}, "private": {jwk(t, s.rsa, "k", nil)}, "shared": {jwk(t, []byte(hmacKey), "k", nil)},
		"for encryption": {jwk(t, s.rsa.Public(), "k", func(m *jwkset.JWKMarshal) { m.USE = jwkset.UseEnc })},
		"cannot verify":  {jwk(t, s.rsa.Public(), "k", func(m *jwkset.JWKMarshal) { m.KEYOPS = []jwkset.KEYOPS{jwkset.KeyOpsSign} })},
		"exponent 1":     {jwk(t, s.rsa.Public(), "k", func(m *jwkset.JWKMarshal) { m.E = "AQ" })},
		"exponent 2":     {jwk(t, s.rsa.Public(), "k", func(m *jwkset.JWKMarshal) { m.E = "Ag" })},
		"wrong kind":     {jwk(t, s.rsa.Public(), "k", func(m *jwkset.JWKMarshal) { m.ALG = jwkset.AlgES256 })},
		"other use":      {jwk(t, s.rsa.Public(), "k", func(m *jwkset.JWKMarshal) { m.ALG = jwkset.AlgRSAOAEP })},
		"other curve":    {jwk(t, s.p256.Public(), "k", func(m *jwkset.JWKMarshal) { m.CRV = jwkset.CrvP384 })},
		"off the curve":  {jwk(t, s.p256.Public(), "k", func(m *jwkset.JWKMarshal) { m.Y = m.X })},
		"unknown type":   {jwk(t, s.p256.Public(), "k", func(m *jwkset.JWKMarshal) { m.KTY = "AKP" })},
		"short Ed25519":  {jwk(t, s.ed.Public(), "k", func(m *jwkset.JWKMarshal) { m.X = m.X[:40] })},
		"none":           {},
	} {
		_, err := parseSet(setOf(t, keys...))
		require.ErrorIs(t, err, errNoKey, name)
		set, err := parseSet(setOf(t, append(keys, jwk(t, s.p256.Public(), "good", func(m *jwkset.JWKMarshal) {
			m.X5U, m.USE, m.KEYOPS = "http://127.0.0.1:1/never", jwkset.UseSig, []jwkset.KEYOPS{jwkset.KeyOpsVerify}
		}))...))
		require.NoError(t, err, name)
		require.Len(t, set.keys, 1, "%s: what cannot be used is left out, the rest is kept", name)
	}
	many := make([]jwkset.JWKMarshal, maxKeys+1)
	for i := range many {
		many[i] = jwk(t, s.p256.Public(), "", nil)
	}
	_, err := parseSet(setOf(t, many...))
	require.ErrorContains(t, err, "more than 64")
	_, err = parseSet(setOf(t, many[1:]...))
	require.NoError(t, err)
}

func TestSetFromAnAddress(t *testing.T) {
	answer := atomic.Pointer[http.HandlerFunc]{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*answer.Load())(w, r) }))
	defer server.Close()
	client := outbound.New(outbound.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: 5 * time.Second})
	defer client.Close()
	fetcher, err := FromAddress(client, server.URL+"/keys?canary=1")
	require.NoError(t, err)
	body := published256(t, "a")
	for _, c := range []struct {
		name, fails string
		handler     http.HandlerFunc
	}{
		{"set", "", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }},
		{"status", "status 500", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write(body)
		}},
		{"redirect", "status 302", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/canary", http.StatusFound) }},
		{"long", "longer than", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(strings.Repeat(" ", MaxSet+1))) }},
		{"broken", "read the JWK set", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		answer.Store(&c.handler)
		g := mustGate(t, Options{Lifetime: ages, Keys: fetcher})
		_, err := g.Admit(t.Context(), token256(t, "a"))
		if c.fails == "" {
			require.NoError(t, err)
			continue
		}
		var r *Refusal
		require.ErrorAs(t, err, &r, c.name)
		require.ErrorContains(t, r.Cause, c.fails)
		require.NotContains(t, r.Cause.Error(), "canary")
	}
	for _, bad := range []string{"", "keys.json", "http://issuer.example/keys", "ftp://issuer.example/", "https://",
		"https://u:p@issuer.example/", "file:///etc/keys", "https://issuer.example/#k", "http://127.0.0.1.example/"} {
		_, err := FromAddress(client, bad)
		require.ErrorContains(t, err, "SERVICE_EDIT_SCOPE_JWKS", bad)
	}
	guarded := outbound.New(outbound.Options{})
	defer guarded.Close()
	fetcher, err = FromAddress(guarded, server.URL)
	require.NoError(t, err)
	_, err = fetcher.Fetch(t.Context())
	var denied *outbound.DeniedError
	require.ErrorAs(t, err, &denied, "the guard of outgoing requests holds for key sets")
}
