package oidc

import (
	"context"
	"crypto/rand"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/porttest"
)

// dex starts the real provider of tools/dex and gives its issuer.
func dex(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs("../../../bin/dex")
	require.NoError(t, err)
	if _, err := os.Stat(program); err != nil {
		t.Skip("run make peers to build dex")
	}
	address := "127.0.0.1:" + strconv.Itoa(porttest.Free(t))
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, address, callback, program+"-web")
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)
	return "http://" + address + "/dex"
}

// browser follows a sign-in to the callback of the service, which it does not call.
type browser struct{ http.Client }

func newBrowser(t *testing.T) *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	b := &browser{http.Client{Jar: jar, Transport: &http.Transport{}, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Host == "edgeposture.example" {
			return http.ErrUseLastResponse
		}
		return nil
	}}}
	t.Cleanup(b.CloseIdleConnections)
	return b
}

var form = regexp.MustCompile(`<form method="post" action="([^"]+)"`)

// signIn fills dex's form and gives the query of the callback, or the page that came instead.
func (b *browser) signIn(t *testing.T, address, name, password string) (url.Values, string) {
	page, err := b.Get(address)
	require.NoError(t, err)
	body, err := io.ReadAll(page.Body)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Equal(t, http.StatusOK, page.StatusCode, string(body))
	action := form.FindSubmatch(body)
	require.NotNil(t, action, string(body))
	at, err := page.Request.URL.Parse(html.UnescapeString(string(action[1])))
	require.NoError(t, err)
	answer, err := b.PostForm(at.String(), url.Values{"login": {name}, "password": {password}})
	require.NoError(t, err)
	body, err = io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	to, err := answer.Location()
	if err != nil {
		return nil, string(body)
	}
	require.Equal(t, callback, to.Scheme+"://"+to.Host+to.Path)
	return to.Query(), ""
}

// TestSweepSignInWithDex signs in at a real provider, through its own pages.
func TestSweepSignInWithDex(t *testing.T) {
	issuer := dex(t)
	all, err := Configs([]string{"SERVICE_OIDC_DEX_ISSUER=" + issuer, "SERVICE_OIDC_DEX_CLIENT_ID=edgeposture",
		"SERVICE_OIDC_DEX_CLIENT_SECRET=dex-client-secret", "SERVICE_OIDC_DEX_SCOPES=profile email groups",
		"SERVICE_OIDC_DEX_ROLE_MAP=admins=administrator; staff=viewer:a1,label:production"})
	require.NoError(t, err)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	open := func(change func(*Config)) *Provider {
		c := all[0]
		if change != nil {
			change(&c)
		}
		return New(c, &http.Client{Transport: transport}, time.Now, rand.Reader)
	}
	p := open(nil)
	signIn := func(t *testing.T, p *Provider, name string) (Flow, url.Values) {
		address, flow, err := p.Begin(t.Context(), callback)
		require.NoError(t, err)
		query, page := newBrowser(t).signIn(t, address, name, name+"-password")
		require.Empty(t, page)
		return flow, query
	}
	staff := access.Grant{Role: "viewer", Accounts: []string{"a1"}, Labels: []string{"production"}}
	for name, want := range map[string]Identity{
		"ada": {Name: "Ada Lovelace", Email: "ada@example.com", EmailVerified: true, Groups: []string{"admins", "staff"},
			Grants: []access.Grant{{Role: "administrator"}, staff}},
		"grace": {Name: "Grace Hopper", Email: "grace@example.com", EmailVerified: true, Groups: []string{"staff"},
			Grants: []access.Grant{staff}},
		"alan": {Name: "Alan Turing", Email: "alan@example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			flow, query := signIn(t, p, name)
			id, err := p.Complete(t.Context(), flow, query)
			if name == "alan" { // he has no groups
				refusedAs(t, ErrNoGrant, err, flow)
			} else {
				require.NoError(t, err)
			}
			require.NotEmpty(t, id.Subject)
			want.Issuer, want.Subject = issuer, id.Subject
			require.Equal(t, want, id)

			_, err = p.Complete(t.Context(), flow, query)
			// ErrRefused, since dex 2.13 says invalid_request of a code that is used, and not invalid_grant
			require.ErrorContains(t, failure(t, err).Cause, "Invalid or expired code")
		})
	}
	t.Run("wrong password", func(t *testing.T) {
		address, _, err := p.Begin(t.Context(), callback)
		require.NoError(t, err)
		query, page := newBrowser(t).signIn(t, address, "ada", "grace-password")
		require.Nil(t, query)
		require.Contains(t, page, "Invalid Username and password")
	})
	t.Run("the answer of another flow", func(t *testing.T) {
		_, query := signIn(t, p, "ada")
		_, flow, err := p.Begin(t.Context(), callback)
		require.NoError(t, err)
		_, err = p.Complete(t.Context(), flow, query)
		refusedAs(t, ErrFlow, err, flow)
		query.Set("state", flow.State) // with the nonce of the other still in the ID token
		_, err = p.Complete(t.Context(), flow, query)
		refusedAs(t, ErrFlow, err, flow)
	})
	t.Run("no groups asked for", func(t *testing.T) {
		p := open(func(c *Config) { c.Scopes = []string{"openid", "profile"} })
		flow, query := signIn(t, p, "ada")
		_, err := p.Complete(t.Context(), flow, query)
		refusedAs(t, ErrNoGrant, err, flow)
	})
	t.Run("wrong secret", func(t *testing.T) {
		p := open(func(c *Config) { c.ClientSecret = secret.New("another-secret") })
		flow, query := signIn(t, p, "ada")
		_, err := p.Complete(t.Context(), flow, query)
		refusedAs(t, ErrRefused, err, flow)
	})
	t.Run("a client that is not registered", func(t *testing.T) {
		address, _, err := open(func(c *Config) { c.ClientID = "other" }).Begin(t.Context(), callback)
		require.NoError(t, err)
		page, err := newBrowser(t).Get(address)
		require.NoError(t, err)
		require.NoError(t, page.Body.Close())
		require.Equal(t, http.StatusBadRequest, page.StatusCode)
	})
	t.Run("a day later", func(t *testing.T) {
		flow, query := signIn(t, p, "ada")
		late := New(all[0], &http.Client{Transport: transport}, func() time.Time { return time.Now().Add(25 * time.Hour) }, rand.Reader)
		flow.Expires = flow.Expires.Add(26 * time.Hour)
		_, err := late.Complete(t.Context(), flow, query)
		refusedAs(t, ErrRefused, err, flow)
		require.ErrorContains(t, failure(t, err).Cause, "expired")
	})
}
