package oidc

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/oauth2"
)

// compact is the form of an ID token (RFC 7515, section 7.1).
var compact = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)

// maxCode is the longest authorization code that is sent on, in bytes.
const maxCode = 8 << 10

// Complete ends a flow with the query that the provider sent the browser back with. The error is a
// *Failure; with ErrNoGrant the identity is returned too, without grants, for the audit log. The
// provider must make sure that a code is used once, and the caller that a flow is.
func (p *Provider) Complete(ctx context.Context, flow Flow, query url.Values) (Identity, error) {
	if why := p.wrong(flow, query); why != "" {
		return Identity{}, p.wrongFlow(why)
	}
	e, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	if issuer := query["iss"]; len(issuer) > 1 || len(issuer) == 1 && issuer[0] != p.config.Issuer || len(issuer) == 0 && e.namesIssuer {
		return Identity{}, p.wrongFlow("the answer is of another issuer (RFC 9207)")
	}
	code := query.Get("code")
	hidden := []string{p.config.ClientSecret.Reveal(), code, flow.Verifier, flow.State, flow.Nonce}
	if query.Get("error") != "" {
		description := words(query.Get("error"), query.Get("error_description"), hidden)
		if query.Get("error") == "server_error" || query.Get("error") == "temporarily_unavailable" { // RFC 6749, section 4.1.2.1
			return Identity{}, p.unreachable(errors.New(description))
		}
		return Identity{}, p.refused(description)
	}
	if len(query["code"]) != 1 || code == "" || len(code) > maxCode {
		return Identity{}, p.wrongFlow("the answer has no code")
	}
	token, err := p.exchange(ctx, e, flow, code, hidden)
	if err != nil {
		return Identity{}, err
	}
	idToken, err := p.verify(ctx, e, flow, token)
	if err != nil {
		return Identity{}, err
	}
	claims, err := p.claims(ctx, e, idToken, token)
	if err != nil {
		return Identity{}, err
	}
	return p.identify(idToken.Subject, claims)
}

// wrong returns why a query is not the answer to a flow, or "".
func (p *Provider) wrong(flow Flow, query url.Values) string {
	switch {
	case flow.Provider != p.config.Name || flow.State == "" || flow.Nonce == "" || flow.Verifier == "":
		return "the flow is not one of this provider"
	case !flow.Asked(query):
		return "the state is not that of the flow"
	case !p.now().Before(flow.Expires):
		return "the flow has expired"
	}
	return ""
}

// words joins the error code and the description of a provider (RFC 6749, sections 4.1.2.1 and 5.2).
func words(code, description string, hidden []string) string {
	if description != "" {
		code += " (" + description + ")"
	}
	return masked(code, hidden...)
}

func (p *Provider) exchange(ctx context.Context, e *endpoints, flow Flow, code string, hidden []string) (*oauth2.Token, error) {
	conf := e.oauth
	conf.RedirectURL = flow.RedirectURI
	token, err := conf.Exchange(p.with(ctx), code, oauth2.VerifierOption(flow.Verifier))
	if err == nil {
		return token, nil
	}
	if network := ofNetwork(err); network != nil {
		return nil, p.unreachable(network)
	}
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return nil, p.untrusted("its answer holds no token", "")
	case answer.ErrorCode == "invalid_grant": // RFC 6749, section 5.2
		return nil, p.wrongFlow(words(answer.ErrorCode, answer.ErrorDescription, hidden))
	case answer.ErrorCode != "":
		return nil, p.refused(words(answer.ErrorCode, answer.ErrorDescription, hidden))
	default:
		return nil, p.untrusted(fmt.Sprintf("its token endpoint answered with status %d", answer.Response.StatusCode), "")
	}
}

// verify returns the ID token when it passes all checks of OpenID Connect Core 1.0, section 3.1.3.7.
func (p *Provider) verify(ctx context.Context, e *endpoints, flow Flow, token *oauth2.Token) (*gooidc.IDToken, error) {
	raw, _ := token.Extra("id_token").(string)
	if !compact.MatchString(raw) {
		return nil, p.untrusted("it sent no ID token", "")
	}
	keys := &watched{next: e.keys}
	t, err := gooidc.NewVerifier(p.config.Issuer, keys, &gooidc.Config{ClientID: p.config.ClientID, SupportedSigningAlgs: e.algorithms,
		Now: func() time.Time { return p.now().Add(-Leeway) }}).Verify(ctx, raw)
	if network := ofNetwork(keys.err); err != nil && network != nil {
		return nil, p.unreachable(network)
	}
	if err != nil {
		return nil, p.untrusted("its ID token does not hold", masked(err.Error(), raw, token.AccessToken))
	}
	var more struct {
		AuthorizedParty string `json:"azp"`
	}
	var payload jsontext.Value
	if err := t.Claims(&payload); err != nil || !plainly(payload) {
		return nil, p.untrusted("its ID token does not hold", "readers may understand its claims differently")
	}
	switch err := t.Claims(&more); {
	case err != nil:
		return nil, p.untrusted("its ID token does not hold", "azp is not a text")
	case subtle.ConstantTimeCompare([]byte(t.Nonce), []byte(flow.Nonce)) != 1:
		return nil, p.wrongFlow("the ID token has the nonce of another flow")
	case more.AuthorizedParty != p.config.ClientID && (more.AuthorizedParty != "" || len(t.Audience) > 1):
		return nil, p.untrusted("its ID token is for another client", "(azp)")
	case t.IssuedAt.IsZero() || t.IssuedAt.After(p.now().Add(Leeway)):
		return nil, p.untrusted("its ID token says no time of issue, or one that is to come", "")
	case t.AccessTokenHash != "" && t.VerifyAccessToken(token.AccessToken) != nil:
		return nil, p.untrusted("its access token does not belong to its ID token", "(at_hash)")
	case !plain(t.Subject):
		return nil, p.untrusted("its ID token names nobody", "")
	}
	return t, nil
}

// plainly reports whether every reader understands the claims as the library does: no name is there twice,
// and none is only in other letters one of those that the library reads, which takes both for the same.
func plainly(payload jsontext.Value) bool {
	var claims map[string]json.RawMessage
	if !payload.IsValid() || json.Unmarshal(payload, &claims) != nil {
		return false
	}
	for name := range claims {
		for _, read := range []string{"iss", "sub", "aud", "exp", "nbf", "iat", "nonce", "azp", "at_hash"} {
			if name != read && strings.EqualFold(name, read) {
				return false
			}
		}
	}
	return true
}

// watched keeps the error of a key set, because the verifier reduces it to text.
type watched struct {
	next gooidc.KeySet
	err  error
}

// VerifySignature calls the key set and records its error.
func (w *watched) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := w.next.VerifySignature(ctx, jwt)
	w.err = err
	return payload, err
}

// claims returns what the provider says about the person: the claims of the ID token, and those of
// the userinfo endpoint if the ID token lacks the role claim that the rules need, or every claim
// that could name the person.
func (p *Provider) claims(ctx context.Context, e *endpoints, t *gooidc.IDToken, token *oauth2.Token) (map[string]any, error) {
	claims := map[string]any{}
	if err := t.Claims(&claims); err != nil {
		return nil, p.untrusted("its ID token does not hold", "the claims are no object")
	}
	enough := claims["name"] != nil || claims["email"] != nil || claims["preferred_username"] != nil
	for _, r := range p.config.Rules {
		enough = enough && (r.Group == Everybody || find(claims, p.config.RoleClaim) != nil)
	}
	if enough || e.provider.UserInfoEndpoint() == "" {
		return claims, nil
	}
	info, err := e.provider.UserInfo(p.with(ctx), oauth2.StaticTokenSource(token))
	if network := ofNetwork(err); network != nil {
		return nil, p.unreachable(network)
	}
	if err != nil {
		return nil, p.untrusted("its userinfo endpoint did not answer with claims", "") // the answer may repeat the token
	}
	if info.Subject != t.Subject { // OpenID Connect Core 1.0, section 5.3.2
		return nil, p.untrusted("its userinfo endpoint told of somebody else", "")
	}
	var more map[string]any
	if err := info.Claims(&more); err != nil {
		return nil, p.untrusted("its userinfo endpoint did not answer with claims", "")
	}
	if claims["email"] != nil { // email_verified belongs to the email claim next to it
		delete(more, "email_verified")
	} else {
		delete(claims, "email_verified")
	}
	for name, value := range more {
		if claims[name] == nil {
			claims[name] = value
		}
	}
	return claims, nil
}
