// Package oidc signs people in at OpenID Connect providers with the authorization code flow and
// PKCE, and derives their grants from a role map. It has no handlers, keeps no sessions and stores
// nothing: the caller seals a Flow into the browser and opens it again.
//
// In: the environment (Configs), the query of a callback, and answers of providers, none larger
// than MaxAnswer. Out: the address to send a browser to, and an Identity or a Failure.
package oidc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// Limits of what is read and accepted.
const (
	// MaxAnswer is the longest answer of a provider that is read, in bytes.
	MaxAnswer = 1 << 20
	// Leeway is how far the clocks of a provider and of this service may differ.
	Leeway = 30 * time.Second
	// FlowAge is how long a person may take to sign in.
	FlowAge = 10 * time.Minute
	// maxWait bounds one request to a provider if the client has no timeout.
	maxWait = 10 * time.Second
)

// Provider is one OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	config  Config
	client  *http.Client
	now     func() time.Time
	random  io.Reader
	found   atomic.Pointer[endpoints]
	looking singleflight.Group
}

// New returns a provider; it sends nothing. The client decides what may be reached, and its Timeout
// how long one answer may take (10 s when it has none); its redirect policy and cookies are not
// used. random must be safe for concurrent use, as crypto/rand.Reader is.
func New(c Config, client *http.Client, now func() time.Time, random io.Reader) *Provider {
	own := &http.Client{Transport: bounded{client.Transport}, Timeout: client.Timeout,
		// A redirect would send the code and the client's secret to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if own.Timeout == 0 {
		own.Timeout = maxWait
	}
	return &Provider{config: c, client: own, now: now, random: random}
}

// Name returns the name that people choose the provider by.
func (p *Provider) Name() string { return p.config.Name }

// Issuer returns what identifies the provider, and with a subject a person.
func (p *Provider) Issuer() string { return p.config.Issuer }

// Maps reports whether the role map names an account.
func (p *Provider) Maps(account string) bool {
	return slices.ContainsFunc(p.config.Rules, func(r Rule) bool { return slices.Contains(r.Grant.Accounts, account) })
}

// endpoints is the result of discovery (OpenID Connect Discovery 1.0, section 3).
type endpoints struct {
	provider   *gooidc.Provider
	oauth      oauth2.Config // without the redirect URI
	keys       gooidc.KeySet
	algorithms []string
	endSession string
	// namesIssuer means that each answer names its issuer (RFC 9207, section 3).
	namesIssuer bool
}

// discover returns the provider's endpoints. One goroutine reads them for all callers, once, and
// again only after a failure.
func (p *Provider) discover(ctx context.Context) (*endpoints, error) {
	if e := p.found.Load(); e != nil {
		return e, nil
	}
	reading := p.looking.DoChan("", func() (any, error) {
		if e := p.found.Load(); e != nil { // found since the check above
			return e, nil
		}
		e, err := p.read(context.WithoutCancel(ctx)) // others wait for it too
		if err == nil {
			p.found.Store(e)
		}
		return e, err
	})
	select {
	case <-ctx.Done():
		return nil, p.unreachable(ctx.Err())
	case r := <-reading:
		e, _ := r.Val.(*endpoints)
		return e, r.Err
	}
}

func (p *Provider) read(ctx context.Context) (*endpoints, error) {
	provider, err := gooidc.NewProvider(p.with(ctx), p.config.Issuer)
	if err != nil {
		if network := ofNetwork(err); network != nil {
			return nil, p.unreachable(network)
		}
		return nil, p.unreachable(fmt.Errorf("%s does not lead to a provider: %s", p.config.variable(issuerSuffix), clean(err.Error())))
	}
	var more struct {
		JWKS        string   `json:"jwks_uri"`
		EndSession  string   `json:"end_session_endpoint"`
		NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
		Algorithms  []string `json:"id_token_signing_alg_values_supported"`
		ClientAuth  []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&more); err != nil {
		return nil, p.unreachable(errors.New("the discovery document has a value of a wrong type"))
	}
	at := provider.Endpoint()
	for name, address := range map[string]string{"authorization_endpoint": at.AuthURL, "token_endpoint": at.TokenURL, "jwks_uri": more.JWKS,
		"userinfo_endpoint": provider.UserInfoEndpoint(), "end_session_endpoint": more.EndSession} {
		optional := name == "userinfo_endpoint" || name == "end_session_endpoint"
		if u, err := url.Parse(address); (err != nil || !secure(u)) && (address != "" || !optional) {
			return nil, p.unreachable(fmt.Errorf("the discovery document gives no https address as %s", name))
		}
	}
	// The default is client_secret_basic. Trying one style after the other would send a code twice.
	at.AuthStyle = oauth2.AuthStyleInHeader
	if len(more.ClientAuth) > 0 && !slices.Contains(more.ClientAuth, "client_secret_basic") {
		at.AuthStyle = oauth2.AuthStyleInParams
	}
	// A token that is signed with the client's secret, or not at all, is never accepted.
	algorithms := slices.DeleteFunc(more.Algorithms, func(a string) bool { return a == "none" || strings.HasPrefix(a, "HS") })
	return &endpoints{provider: provider, keys: gooidc.NewRemoteKeySet(p.withKeys(ctx), more.JWKS), algorithms: algorithms,
		endSession: more.EndSession, namesIssuer: more.NamesIssuer, oauth: oauth2.Config{ClientID: p.config.ClientID,
			ClientSecret: p.config.ClientSecret.Reveal(), Endpoint: at, Scopes: p.config.Scopes}}, nil
}

// with makes the libraries use our client.
func (p *Provider) with(ctx context.Context) context.Context {
	return gooidc.ClientContext(ctx, p.client)
}

// withKeys is with for reading keys.
func (p *Provider) withKeys(ctx context.Context) context.Context {
	client := *p.client
	client.Transport = signing{client.Transport}
	return gooidc.ClientContext(ctx, &client)
}

// signing leaves keys for another purpose than signatures out of a JWK set (RFC 7517, section 4.2), because
// the library does not ask what a key is for.
type signing struct{ next http.RoundTripper }

// RoundTrip reads a set.
func (s signing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.NewDecoder(resp.Body).Decode(&set) != nil {
		set.Keys = nil // the library says that there is no key
	}
	set.Keys = slices.DeleteFunc(set.Keys, func(raw json.RawMessage) bool {
		var key struct {
			Use string `json:"use"`
		}
		return json.Unmarshal(raw, &key) != nil || key.Use != "" && key.Use != "sig"
	})
	body, err := json.Marshal(set)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, err
}

// EndSessionURL returns where to send a browser to sign it out at the provider too (OpenID Connect
// RP-Initiated Logout 1.0, section 2), or "" when the provider has no such address or cannot be
// reached. postLogoutRedirect must be registered there; "" leaves it out.
func (p *Provider) EndSessionURL(ctx context.Context, postLogoutRedirect string) string {
	e, err := p.discover(ctx)
	if err != nil || e.endSession == "" {
		return ""
	}
	u, err := url.Parse(e.endSession)
	if err != nil {
		return ""
	}
	q := u.Query()
	q.Set("client_id", p.config.ClientID)
	if postLogoutRedirect != "" {
		q.Set("post_logout_redirect_uri", postLogoutRedirect)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// bounded reads responses completely, so that one that is too long, truncated or a server error
// becomes a network error for whichever library asked.
type bounded struct{ next http.RoundTripper }

// RoundTrip sends a request and reads the whole response.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	next := b.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer+1))
	_ = resp.Body.Close()
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	case len(body) > MaxAnswer:
		return nil, fmt.Errorf("the answer is longer than %d bytes", MaxAnswer)
	case resp.StatusCode >= http.StatusInternalServerError || resp.StatusCode == http.StatusTooManyRequests:
		return nil, fmt.Errorf("the answer has status %d", resp.StatusCode)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
