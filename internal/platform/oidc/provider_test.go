package oidc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDownAndUp: a provider that is down when the service starts is asked again when somebody signs in.
func TestDownAndUp(t *testing.T) {
	f := newFake(t)
	var down atomic.Bool
	down.Store(true)
	f.before = func(w http.ResponseWriter, _ *http.Request) bool {
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
		return down.Load()
	}
	p := f.provider(nil)
	require.Zero(t, f.requests("/.well-known/openid-configuration"), "nothing is asked before somebody signs in")
	_, _, err := p.Begin(t.Context(), callback)
	refusedAs(t, ErrUnreachable, err, Flow{})
	require.Empty(t, p.EndSessionURL(t.Context(), "https://edgeposture.example/"))
	down.Store(false)
	flow, query := f.begin(t, p)
	down.Store(true)
	_, err = p.Complete(t.Context(), flow, query)
	refusedAs(t, ErrUnreachable, err, flow)
	down.Store(false)
	_, err = p.Complete(t.Context(), flow, query)
	require.NoError(t, err)
	f.server.Close()
	_, err = p.Complete(t.Context(), flow, query)
	refusedAs(t, ErrUnreachable, err, flow)
}

func TestDiscovery(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(object)
		ok     bool
	}{
		"as it should be":           {func(object) {}, true},
		"another issuer":            {put("issuer", "https://other.example"), false},
		"a token endpoint by http":  {put("token_endpoint", "http://other.example/token"), false},
		"no token endpoint":         {put("token_endpoint", ""), false},
		"keys by http":              {put("jwks_uri", "http://other.example/keys"), false},
		"no keys":                   {put("jwks_uri", nil), false},
		"a file":                    {put("authorization_endpoint", "file:///etc/passwd"), false},
		"a script":                  {put("authorization_endpoint", "javascript:alert(1)"), false},
		"userinfo by http":          {put("userinfo_endpoint", "http://other.example/"), false},
		"the end by http":           {put("end_session_endpoint", "http://other.example/"), false},
		"an address that is none":   {put("authorization_endpoint", "https://%zz"), false},
		"a value of the wrong type": {put("token_endpoint_auth_methods_supported", "x"), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.discovery = tc.change
			_, _, err := f.provider(nil).Begin(t.Context(), callback)
			if tc.ok {
				require.NoError(t, err)
				return
			}
			refusedAs(t, ErrUnreachable, err, Flow{})
		})
	}
	for name, answer := range map[string]http.HandlerFunc{"missing": http.NotFound, "huge": huge, "empty": status(200),
		"elsewhere": http.RedirectHandler("/other", http.StatusFound).ServeHTTP} {
		f := newFake(t)
		f.answer["/.well-known/openid-configuration"] = answer
		_, _, err := f.provider(nil).Begin(t.Context(), callback)
		refusedAs(t, ErrUnreachable, err, Flow{})
		require.Zero(t, f.requests("/other"))
		if name != "huge" {
			require.ErrorContains(t, failure(t, err).Cause, "SERVICE_OIDC_OKTA_ISSUER")
		}
	}
}

// TestDiscoveryIsReadOnce: many who come at once wait for one answer.
func TestDiscoveryIsReadOnce(t *testing.T) {
	f := newFake(t)
	asked, release := make(chan struct{}), make(chan struct{})
	f.before = func(http.ResponseWriter, *http.Request) bool {
		close(asked) // a second request would panic
		<-release
		return false
	}
	p := f.provider(nil)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, _, err := p.Begin(t.Context(), callback)
			require.NoError(t, err)
		})
	}
	<-asked
	close(release)
	all.Wait()
}

// TestTheCallerGoesAway: a provider that answers slowly holds nobody who has gone.
func TestTheCallerGoesAway(t *testing.T) {
	for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys", "/userinfo"} {
		t.Run(path, func(t *testing.T) {
			f := newFake(t)
			f.userinfo, f.claims = object{"sub": "ada"}, put("groups", nil)
			asked, release := make(chan struct{}), make(chan struct{})
			defer close(release)
			hold := func(_ http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == path {
					asked <- struct{}{}
					<-release
				}
				return false
			}
			p := f.provider(nil)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			result := make(chan error, 1)
			if path == "/.well-known/openid-configuration" {
				f.before = hold
				go func() { _, _, err := p.Begin(ctx, callback); result <- err }()
			} else {
				flow, query := f.begin(t, p)
				f.before = hold
				go func() { _, err := p.Complete(ctx, flow, query); result <- err }()
			}
			<-asked
			cancel()
			err := <-result
			refusedAs(t, ErrUnreachable, err, Flow{})
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

func TestSlowAnswersEnd(t *testing.T) {
	f := newFake(t)
	f.before = func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }
	client := *f.server.Client()
	client.Timeout = 20 * time.Millisecond
	_, _, err := New(f.provider(nil).config, &client, noon, nil).Begin(t.Context(), callback)
	refusedAs(t, ErrUnreachable, err, Flow{})
}

func TestEndSession(t *testing.T) {
	f := newFake(t)
	require.Empty(t, f.provider(nil).EndSessionURL(t.Context(), "https://edgeposture.example/"))
	f.discovery = put("end_session_endpoint", f.issuer()+"/end?a=b")
	p := f.provider(nil)
	require.Equal(t, "okta", p.Name())
	require.Equal(t, f.issuer()+"/end?a=b&client_id=edgeposture&post_logout_redirect_uri=https%3A%2F%2Fedgeposture.example%2F",
		p.EndSessionURL(t.Context(), "https://edgeposture.example/"))
	require.Equal(t, f.issuer()+"/end?a=b&client_id=edgeposture", p.EndSessionURL(t.Context(), ""))
}

func TestFlowIsKept(t *testing.T) {
	f := newFake(t)
	flow, _ := f.begin(t, f.provider(nil))
	b, err := flow.MarshalBinary()
	require.NoError(t, err)
	require.Less(t, len(b), 600, "a cookie holds it")
	var again Flow
	require.NoError(t, again.UnmarshalBinary(b))
	require.Equal(t, flow, again)
	require.Error(t, again.UnmarshalBinary([]byte("x")))
	require.Error(t, again.UnmarshalBinary(append(b, bytes.Repeat([]byte(" "), maxFlow)...)))

	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("begun", "flow", flow)
	printed := fmt.Sprintf("%v %+v %#v %s %q %x", flow, flow, flow, flow, flow, []Flow{flow}) + log.String()
	for _, hidden := range []string{flow.State, flow.Nonce, flow.Verifier} {
		require.NotContains(t, printed, hidden)
	}
	require.Contains(t, printed, "sign-in at okta")

	_, _, err = New(f.provider(nil).config, f.server.Client(), noon, iotest.ErrReader(errors.New("dry"))).Begin(t.Context(), callback)
	require.ErrorContains(t, err, "dry")
	require.NotContains(t, err.Error(), "You were", "it is nobody's sign-in that is wrong")
}
