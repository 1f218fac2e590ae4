package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/config"
	"github.com/edgeposture/edgeposture/internal/platform/oidc"
	"github.com/edgeposture/edgeposture/internal/store"
)

// flowCookie holds a sealed sign-in through a provider until the browser comes back.
const flowCookie = "__Host-edgeposture-sign-in"

// SignInWay is an OpenID Connect provider to choose from.
type SignInWay struct {
	Name string `json:"name"`
	URL  string `json:"url" doc:"Where to send the browser; ?return=/path says where it comes back to."`
}

type signInWaysOutput struct {
	Body struct {
		Required  bool        `json:"required" doc:"Whether anybody must sign in; false where no key is asked for."`
		Providers []SignInWay `json:"providers"`
		Password  bool        `json:"password" doc:"Whether anybody has a password."`
		Passkeys  bool        `json:"passkeys" doc:"Whether passkeys work: the service has a name over https (SERVICE_PUBLIC_URL)."`
		Key       bool        `json:"key" doc:"Whether the API key opens a session."`
	}
}

// getSignIn returns the ways to sign in.
func getSignIn(s *Server, ctx context.Context, _ *struct{}) (*signInWaysOutput, error) {
	out := &signInWaysOutput{}
	out.Body.Required, out.Body.Key, out.Body.Providers = s.secured(), len(s.o.APIKeys) > 0, []SignInWay{}
	for _, p := range s.o.Providers {
		out.Body.Providers = append(out.Body.Providers, SignInWay{p.Name(), "/auth/login?provider=" + url.QueryEscape(p.Name())})
	}
	_, withPassword, err := s.o.Store.CountUsers(ctx)
	out.Body.Password, out.Body.Passkeys = withPassword > 0, out.Body.Required && s.passkeys != nil
	return out, err
}

// secured reports whether callers must authenticate.
func (s *Server) secured() bool { return len(s.o.APIKeys)+len(s.o.Providers) > 0 }

type loginInput struct {
	Provider string `query:"provider" maxLength:"100" doc:"The name of an OpenID Connect provider; may be absent when there is one."`
	Return   string `query:"return" maxLength:"2000" doc:"The path of the dashboard to come back to."`
	Host     string `header:"Host" hidden:"true"`
}

type redirectOutput struct {
	Status       int
	Location     string `header:"Location"`
	CacheControl string `header:"Cache-Control"`
}

func redirect(n *called, to string, cookies ...string) *redirectOutput {
	n.cookies = cookies
	return &redirectOutput{Status: http.StatusSeeOther, Location: to, CacheControl: "no-store"}
}

// begun is the state that the browser keeps while a person is at the provider.
type begun struct {
	Flow   []byte `json:"flow"`
	Return string `json:"return"`
}

// getLogin redirects the browser to a provider.
func getLogin(s *Server, ctx context.Context, in *loginInput) (*redirectOutput, error) {
	p := s.provider(in.Provider)
	if p == nil {
		return nil, posture.Problemf(posture.CodeNotFound, "There is no sign-in provider %q; GET /api/sign-in lists them.", clip(in.Provider))
	}
	to, flow, err := p.Begin(ctx, s.callback(in.Host))
	if failure, is := errors.AsType[*oidc.Failure](err); is {
		return s.notSignedIn(ctx, in.Return, failure), nil
	}
	if err != nil {
		return nil, fmt.Errorf("begin to sign in: %w", err)
	}
	raw, err := flow.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("keep the sign-in: %w", err)
	}
	sealed, err := s.sealed(flowCookie, begun{raw, localPath(in.Return)})
	if err != nil {
		return nil, err
	}
	return redirect(callOf(ctx), to, cookie(flowCookie, sealed, oidc.FlowAge)), nil
}

// sealed encrypts v so that only this service can read it, and only for the same purpose.
func (s *Server) sealed(what string, v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("write %s: %w", what, err)
	}
	out, err := s.o.Key.Seal(secret.New(string(raw)), what, s.o.Random)
	if err != nil {
		return "", fmt.Errorf("seal %s: %w", what, err)
	}
	return base64.RawURLEncoding.EncodeToString(out), nil
}

// opened decrypts what sealed wrote. It returns false for anything that this service did not seal
// for the same purpose.
func (s *Server) opened(what, text string, v any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	plain, err := s.o.Key.Open(raw, what)
	return err == nil && json.Unmarshal([]byte(plain.Reveal()), v) == nil
}

// provider returns the provider with a name, the only provider for "", or nil.
func (s *Server) provider(name string) *oidc.Provider {
	for _, p := range s.o.Providers {
		if p.Name() == name || name == "" && len(s.o.Providers) == 1 {
			return p
		}
	}
	return nil
}

// callback returns the address that providers redirect browsers back to.
func (s *Server) callback(host string) string {
	base := s.o.PublicURL
	if base == "" {
		base = "https://" + host
		if u, err := url.Parse(base); err == nil && config.Loopback(u.Hostname()) {
			base = "http://" + host
		}
	}
	return strings.TrimSuffix(base, "/") + "/auth/callback"
}

// localPath returns path if it is a path of this service, and otherwise the dashboard's first page.
func localPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") ||
		strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}

type callbackInput struct {
	Flow      string `cookie:"__Host-edgeposture-sign-in" hidden:"true"`
	UserAgent string `header:"User-Agent" hidden:"true"`
	query     url.Values
}

// Resolve keeps the whole query, because providers may add parameters of their own.
func (in *callbackInput) Resolve(ctx huma.Context) []error {
	u := ctx.URL()
	in.query = u.Query()
	return nil
}

// getCallback completes a sign-in through a provider. It deletes the cookie of the flow, which is
// valid for one answer only. What comes back to another tab, or from another page, is none.
func getCallback(s *Server, ctx context.Context, in *callbackInput) (*redirectOutput, error) {
	n := callOf(ctx)
	used := []string{cookie(flowCookie, "", -time.Second)}
	kept, p, flow := s.begun(in.Flow)
	if p == nil {
		return failed(n, "/", "This sign-in was not begun in this browser, or took too long; sign in again.", used...), nil
	}
	if !flow.Asked(in.query) {
		used = nil
	}
	id, err := p.Complete(ctx, flow, in.query)
	if id.Subject != "" {
		email, err := s.addressOf(ctx, id)
		if err != nil {
			return nil, err
		}
		n.entry.Actor = clip(userActor(store.UserRow{Email: email, Issuer: id.Issuer, Subject: id.Subject}))
	}
	if errors.Is(err, oidc.ErrNoGrant) {
		if err := s.shutOut(ctx, id); err != nil {
			return nil, err
		}
	}
	if failure, is := errors.AsType[*oidc.Failure](err); is {
		return s.notSignedIn(ctx, kept.Return, failure, used...), nil
	}
	if err != nil {
		return nil, fmt.Errorf("end the sign-in: %w", err)
	}
	var session string
	if err = s.welcome(ctx, n, id); err == nil {
		session, err = s.signIn(ctx, n, in.UserAgent)
	}
	if problem, is := errors.AsType[*posture.Problem](err); is {
		return failed(n, kept.Return, problem.Detail, used...), nil
	}
	if err != nil {
		return nil, err
	}
	return redirect(n, kept.Return, append(used, session)...), nil
}

// begun opens the state that a browser kept. The provider is nil when the state is not from this service.
func (s *Server) begun(cookie string) (kept begun, p *oidc.Provider, flow oidc.Flow) {
	if !s.opened(flowCookie, cookie, &kept) || flow.UnmarshalBinary(kept.Flow) != nil {
		return kept, nil, flow
	}
	return kept, s.provider(flow.Provider), flow
}

// notSignedIn is failed for a failure of the provider; the cause is in the log.
func (s *Server) notSignedIn(ctx context.Context, back string, failure *oidc.Failure, cookies ...string) *redirectOutput {
	n := callOf(ctx)
	s.o.Log.WarnContext(ctx, "a sign-in failed", "requestId", n.entry.RequestID, "kind", failure.Kind, "cause", failure.Cause)
	return failed(n, back, failure.Error(), cookies...)
}

// failed redirects to the requested page, which shows the sentence that explains why the sign-in failed.
func failed(n *called, back, sentence string, cookies ...string) *redirectOutput {
	n.entry.Code = string(posture.CodeUnauthorized)
	u, err := url.Parse(localPath(back))
	if err != nil {
		u = &url.URL{Path: "/"}
	}
	query := u.Query()
	query.Set("signInProblem", sentence)
	u.RawQuery = query.Encode()
	return redirect(n, u.String(), cookies...)
}

// addressOf returns the verified address of a person of a provider, unless somebody else has it here: of two
// people with one address, whom two providers vouch for, the first keeps it.
func (s *Server) addressOf(ctx context.Context, id oidc.Identity) (string, error) {
	if !id.EmailVerified {
		return "", nil
	}
	all, err := s.o.Store.Users(ctx)
	if err != nil {
		return "", fmt.Errorf("look who has the address: %w", err)
	}
	email := strings.ToLower(id.Email)
	if slices.ContainsFunc(all, func(u store.UserRow) bool {
		return u.Email == email && (u.Issuer != id.Issuer || u.Subject != id.Subject)
	}) {
		return "", nil
	}
	return email, nil
}

// welcome makes a person from a provider the caller. Their name, address and grants are replaced
// with what the provider reports now.
func (s *Server) welcome(ctx context.Context, n *called, id oidc.Identity) error {
	grants, err := s.resolved(ctx, id.Grants)
	if err != nil {
		return err
	}
	if len(grants) == 0 {
		if err := s.shutOut(ctx, id); err != nil {
			return err
		}
		return posture.Problemf(posture.CodeForbidden, "You were not signed in, because your roles are for accounts that are not registered "+
			"here; ask who runs this service.")
	}
	u, err := s.o.Store.UserBySubject(ctx, id.Issuer, id.Subject)
	known := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("look for the person: %w", err)
	}
	if known && u.Disabled {
		return posture.Problemf(posture.CodeForbidden, "You were not signed in, because an administrator has disabled you here; ask them.")
	}
	was := u
	email, err := s.addressOf(ctx, id)
	if err != nil {
		return err
	}
	u.Name, u.Email, u.Issuer, u.Subject, u.Grants = id.Name, email, id.Issuer, id.Subject, grants
	if !known {
		u.ID, u.CreatedAt = s.o.NewID(), s.now()
		err := s.o.Store.AddUser(ctx, u)
		if was = u; errors.Is(err, store.ErrNameTaken) { // a concurrent sign-in added the person first, or one with their address
			if was, err = s.o.Store.UserBySubject(ctx, id.Issuer, id.Subject); errors.Is(err, store.ErrNotFound) {
				return changedMeanwhile()
			}
			u.ID, u.CreatedAt, u.Disabled = was.ID, was.CreatedAt, was.Disabled
		}
		if err != nil {
			return fmt.Errorf("keep the person: %w", err)
		}
	}
	granted(ctx, userActor(u), grants...)
	n.enter(was, u)
	return nil
}

// shutOut ends the sessions of a person to whom the provider no longer gives a role here.
func (s *Server) shutOut(ctx context.Context, id oidc.Identity) error {
	u, err := s.o.Store.UserBySubject(ctx, id.Issuer, id.Subject)
	if err == nil {
		err = s.o.Store.EndSessionsOf(ctx, u.ID)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("end the sessions of a person without a role: %w", err)
	}
	return nil
}

// resolved replaces the account names in grants with ids. Unregistered accounts are dropped, and a
// grant for some accounts is dropped rather than widened to all when none is left.
func (s *Server) resolved(ctx context.Context, grants []access.Grant) (out []access.Grant, err error) {
	for _, g := range grants {
		everywhere := g.Everywhere()
		var ids []string
		for _, ref := range g.Accounts {
			a, err := s.o.Store.Account(ctx, ref)
			switch {
			case errors.Is(err, store.ErrNotFound):
			case err != nil:
				return nil, fmt.Errorf("look up the account: %w", err)
			default:
				ids = append(ids, a.ID)
			}
		}
		if g.Accounts = ids; g.Everywhere() == everywhere {
			out = append(out, g)
		}
	}
	return out, nil
}
