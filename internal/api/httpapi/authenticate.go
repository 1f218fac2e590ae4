package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/oidc"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/scoped"
)

// Credential returns the API key or service token of a caller without a session, from X-API-Key or
// from a bearer token (RFC 6750, section 2.1).
func Credential(h http.Header) secret.Text {
	return secret.New(credentialOf(h.Get("X-API-Key"), h.Get("Authorization")))
}

func credentialOf(key, authorization string) string {
	if scheme, token, _ := strings.Cut(authorization, " "); key == "" && strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return key
}

// authenticate identifies the caller of every guarded path and checks whether they may call it.
func (s *Server) authenticate(c *fiber.Ctx) error {
	n := callIn(c)
	if !s.secured() {
		n.principal, n.entry.Actor = access.Principal{Kind: access.Root}, local
		return c.Next()
	}
	n.secretHash = s.secretHash(c.Cookies(sessionCookie)) // kept for every route, because a sign-in replaces the session
	if !s.guarded(c.Path()) || n.row != nil && n.row.Caller == Anyone {
		return c.Next()
	}
	key := credentialOf(c.Get("X-API-Key"), c.Get("Authorization"))
	if session := n.row == nil || n.row.Caller == SignedIn; session && key == "" && n.secretHash != nil {
		return s.bySession(c, n, true)
	}
	if strings.HasPrefix(key, commandLinePrefix) {
		n.secretHash = hashOf([]byte(key))
		return s.bySession(c, n, false)
	}
	if key == "" && n.row != nil && n.row.Caller == SigningIn {
		return c.Next()
	}
	if p := s.wrong.refuses(neighbors(n.entry.Address), s.o.Now(), "Too many wrong API keys came from this address; wait and send the "+
		"right one in X-API-Key."); p != nil {
		return s.fence(c, p) // the key is not even compared
	}
	if s.known(key) {
		n.credential = s.o.Key.Fingerprint(secret.New(key))
		return s.as(c, n, access.Principal{Kind: access.Root}, "key:"+n.credential[:8])
	}
	if strings.HasPrefix(key, serviceTokenPrefix) {
		if problem := s.byServiceToken(c, n, key); problem != nil {
			return s.fence(c, problem)
		}
		if n.principal.Kind == access.Service {
			return s.as(c, n, n.principal, serviceActorPrefix+n.principal.Name)
		}
	}
	if key != "" {
		s.wrong.add(neighbors(n.entry.Address), s.o.Now())
	}
	return s.fence(c, posture.Problemf(posture.CodeUnauthorized,
		"This needs an API key or a token that is in force; send it in the X-API-Key header."))
}

// as continues for a caller whose role includes the one that the row needs, limited to the accounts
// that the caller may see.
func (s *Server) as(c *fiber.Ctx, n *called, p access.Principal, actor string) error {
	n.principal, n.entry.Actor = p, actor
	scope := p.Scope(n.row.needs())
	switch {
	case n.row == nil || n.row.Role == "": // the row exposes nothing about accounts
	case scope.Empty():
		return s.fence(c, posture.Problemf(posture.CodeForbidden, "This needs the role %s, and yours is %s; ask an administrator for it.",
			n.row.Role, cmp.Or(string(p.Role()), "none")))
	case n.row.Whole && !scope.All:
		return s.fence(c, posture.Problemf(posture.CodeForbidden, "This needs the role %s for all accounts, and yours is for some; ask an "+
			"administrator.", n.row.Role))
	}
	if p.Kind == access.Root {
		actor = "" // all who have an API key are one
	}
	c.SetUserContext(scoped.With(c.UserContext(), scope, actor))
	return c.Next()
}

// needs returns the role that a call of the row needs at least; a nil row is read by every role.
func (r *Route) needs() access.Role {
	if r == nil || r.Role == "" {
		return access.Viewer
	}
	return r.Role
}

// still returns the context for a long call to go on with, limited to what its caller may see by
// now: nil when their session, token or role has ended since the call began.
func (s *Server) still(ctx context.Context, n *called) (context.Context, error) {
	p, err := n.principal, error(nil)
	switch {
	case n.session != nil:
		_, p, err = s.inSession(ctx, n.session.SecretHash)
	case p.Kind == access.Service:
		var row store.ServiceTokenRow
		if row, err = s.o.Store.ServiceToken(ctx, p.ID); err == nil && row.Expired(s.now()) {
			err = store.ErrNotFound
		}
	}
	if scope := p.Scope(n.row.needs()); err == nil && !scope.Empty() {
		return scoped.With(ctx, scope, n.entry.Actor), nil
	}
	if err == nil || errors.Is(err, store.ErrNotFound) {
		return nil, posture.Problemf(posture.CodeUnauthorized, "The session, the token or the role of this call has ended; sign in again.")
	}
	return nil, fmt.Errorf("look for the caller: %w", err)
}

// known compares the key with every key in force, so that the time taken does not reveal which one matched.
func (s *Server) known(key string) bool {
	found := false
	for _, k := range s.o.APIKeys {
		found = k.Equal(key) || found
	}
	return found
}

// byServiceToken looks a token up. The principal stays unset when the token is unknown or has expired.
func (s *Server) byServiceToken(c *fiber.Ctx, n *called, token string) *posture.Problem {
	ctx, cancel := context.WithTimeout(c.UserContext(), probeWithin)
	defer cancel()
	row, err := s.o.Store.ServiceTokenByHash(ctx, hashOf([]byte(token)))
	switch now := s.now(); {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return s.notLookedUp(ctx, n, "token", err)
	case row.Expired(now):
		return nil
	default:
		n.principal = access.Principal{Kind: access.Service, ID: row.ID, Name: row.Name, Grants: []access.Grant{row.Grant}}
		if now.Sub(row.UsedAt) >= sessionNoted {
			if err := s.o.Store.UseServiceToken(ctx, row.ID, now); err != nil {
				s.o.Log.WarnContext(ctx, "the use of a token could not be noted", "token", row.ID, "error", err)
			}
		}
		return nil
	}
}

func (s *Server) notLookedUp(ctx context.Context, n *called, what string, err error) *posture.Problem {
	s.o.Log.ErrorContext(ctx, "a "+what+" could not be looked up", "requestId", n.entry.RequestID, "error", err)
	return posture.Problemf(posture.CodeUnavailable, "The %s could not be looked up in the store: %s. Try again after that.", what,
		reasonOf(s.o.Store.Engine(), err))
}

// bySession authenticates a caller by session. A browser adds the session cookie to any request
// that a page makes it send. SameSite=Lax keeps the cookie out of most cross-site requests, and
// origin refuses requests that the browser marks as cross-site. A browser too old for either must
// not pass by sending no marks at all, so every request other than a read must carry Origin or Sec-
// Fetch-Site, as all current browsers do. A command line sends its secret in a header, which no
// browser adds on its own, so this does not apply to it.
func (s *Server) bySession(c *fiber.Ctx, n *called, browser bool) error {
	if m := c.Method(); browser && m != fiber.MethodGet && m != fiber.MethodHead && c.Get("Origin") == "" && c.Get("Sec-Fetch-Site") == "" {
		return s.fence(c, posture.Problemf(posture.CodeOriginDenied,
			"With a session, a request that may change something must say by Origin or Sec-Fetch-Site which page it comes from; use a newer "+
				"browser, or send the API key in X-API-Key."))
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), probeWithin)
	defer cancel()
	row, principal, err := s.inSession(ctx, n.secretHash)
	if errors.Is(err, store.ErrNotFound) {
		return s.fence(c, sessionEnded())
	}
	if err != nil {
		return s.fence(c, s.notLookedUp(ctx, n, "session", err))
	}
	n.session = s.used(ctx, row)
	return s.as(c, n, principal, row.Actor)
}

func sessionEnded() *posture.Problem {
	return posture.Problemf(posture.CodeUnauthorized, "The session has ended; sign in again.")
}

// inSession returns a session and its owner, and store.ErrNotFound when it has ended or they may no
// longer sign in.
func (s *Server) inSession(ctx context.Context, secretHash []byte) (row store.SessionRow, p access.Principal, err error) {
	p = access.Principal{Kind: access.Root}
	row, err = s.o.Store.SessionBySecret(ctx, secretHash)
	if err == nil && !s.lasts(row) {
		err = store.ErrNotFound
	}
	if err == nil && row.UserID != "" {
		p, err = s.person(ctx, row.UserID)
	}
	return row, p, err
}

// person returns the person whom a session belongs to, and store.ErrNotFound when they may no
// longer sign in: they are disabled, or their provider is none of the service any more.
func (s *Server) person(ctx context.Context, id string) (access.Principal, error) {
	u, err := s.o.Store.User(ctx, id)
	if err == nil && !s.maySignIn(u) {
		err = store.ErrNotFound
	}
	return principalOf(u), err
}

func (s *Server) maySignIn(u store.UserRow) bool {
	return !u.Disabled && (u.Issuer == "" || slices.ContainsFunc(s.o.Providers, func(p *oidc.Provider) bool {
		return p.Issuer() == u.Issuer
	}))
}

func principalOf(u store.UserRow) access.Principal {
	return access.Principal{Kind: access.User, ID: u.ID, Name: u.Name, Grants: u.Grants}
}

// lasts reports whether a session has not ended and the credential it was created with is still in force.
func (s *Server) lasts(row store.SessionRow) bool {
	return s.now().Before(row.EndsAt) && (row.UserID != "" || slices.Contains(s.credentials, row.Credential))
}

// used records the use of a session, at most once per sessionNoted. If that write fails, the
// session only ends earlier.
func (s *Server) used(ctx context.Context, row store.SessionRow) *store.SessionRow {
	now := s.now()
	if now.Sub(row.UsedAt) < sessionNoted {
		return &row
	}
	ends := sessionEnd(row.CreatedAt, now)
	if err := s.o.Store.UseSession(ctx, row, now, ends); err != nil {
		s.o.Log.WarnContext(ctx, "the use of a session could not be noted", "session", row.ID, "error", err)
		return &row
	}
	row.UsedAt, row.EndsAt = now, ends
	return &row
}
