package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/store"
)

// sessionCookie has the __Host- prefix, with which browsers enforce its rules: this host alone, any
// path, and only over https or from the same machine (RFC 6265bis, section 4.1.3.2).
const sessionCookie = "__Host-edgeposture"

const (
	sessionIdle  = 12 * time.Hour     // a session ends after this long without a call
	sessionLife  = 7 * 24 * time.Hour // and after this long in any case
	sessionNoted = time.Minute        // how often its use is written
	maxSessions  = 100                // of one person or API key; the least recently used one is removed
	secretBytes  = 32
	maxUserAgent = 200 // characters
)

func sessionEnd(created, used time.Time) time.Time {
	idle, end := used.Add(sessionIdle), created.Add(sessionLife)
	if idle.Before(end) {
		return idle
	}
	return end
}

// cookieOf returns the cookie for a session secret. Its value ends with a MAC, so that forged
// cookies are dropped without a store lookup.
func (s *Server) cookieOf(secret []byte) string {
	value := base64.RawURLEncoding.EncodeToString(append(secret, s.o.Key.Mac("session", secret)...))
	return cookie(sessionCookie, value, sessionLife)
}

// cookie returns a Set-Cookie value with the given lifetime; a negative age deletes the cookie.
func cookie(name, value string, age time.Duration) string {
	c := http.Cookie{Name: name, Value: value, Path: "/", MaxAge: int(age / time.Second), HttpOnly: true, Secure: true,
		SameSite: http.SameSiteLaxMode}
	return c.String()
}

// secretHash returns the hash by which the store finds the secret of a cookie, or nil for a cookie
// that this service did not issue.
func (s *Server) secretHash(cookie string) []byte {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cookie)
	if err != nil || len(raw) < secretBytes || !s.o.Key.Verify(raw[secretBytes:], "session", raw[:secretBytes]) {
		return nil
	}
	return hashOf(raw[:secretBytes])
}

func hashOf(secret []byte) []byte {
	sum := sha256.Sum256(secret)
	return sum[:]
}

// Identity is the caller and what they may do.
type Identity struct {
	Actor string      `json:"actor" doc:"As in the audit log: user:EMAIL, token:NAME, key:FINGERPRINT (8 digits), or local (no key)."`
	Kind  access.Kind `json:"kind" enum:"root,user,service" doc:"root: has the API key, or sits at the machine when no key is asked for."`
	Name  string      `json:"name,omitempty" doc:"Of the person or of the service token."`
	Role  access.Role `json:"role,omitempty" doc:"The highest that the caller has on any account; absent without any."`

	Grants []access.Grant `json:"grants" doc:"What the caller may do, and where; empty for root, who may do everything."`

	AuthRequired bool         `json:"authRequired" doc:"Whether the service asks for an API key."`
	Remediation  string       `json:"remediation" enum:"enabled,disabled"`
	Session      *SessionInfo `json:"session,omitempty" doc:"The session that was made or came along; none with the key alone."`
}

// SessionInfo is a session in API responses.
type SessionInfo struct {
	ID         string    `json:"id"`
	Actor      string    `json:"actor"`
	CreatedAt  time.Time `json:"createdAt" doc:"When its owner signed in; a command line has it from the session that let it in."`
	LastUsedAt time.Time `json:"lastUsedAt" doc:"To the minute."`
	ExpiresAt  time.Time `json:"expiresAt" doc:"12 hours after it was last used, 7 days after the sign-in at the latest."`
	Address    string    `json:"address" doc:"The IP address it was made from."`
	UserAgent  string    `json:"userAgent" doc:"What it was made with, as the browser says."`
	Current    bool      `json:"current" doc:"Whether it is the caller's own."`
}

// identity describes the caller.
func (s *Server) identity(n *called) Identity {
	out := Identity{Actor: n.entry.Actor, Kind: n.principal.Kind, Name: n.principal.Name, Role: n.principal.Role(),
		Grants: notNil(n.principal.Grants), AuthRequired: s.secured(), Remediation: s.remediation()}
	if n.session != nil {
		info := n.sessionInfo(*n.session)
		out.Session = &info
	}
	return out
}

// commandLinePrefix starts the secrets of command-line sessions.
const commandLinePrefix = "epc_"

type admitInput struct {
	OnceHeader
	Body struct {
		SecretHash string `json:"secretHash" pattern:"^[A-Za-z0-9_-]{43}$" doc:"SHA-256 of the secret (epc_…) that the client keeps, base64url."`
		Name       string `json:"name,omitempty" maxLength:"200" doc:"Where the command line runs, as it says."`
	}
}

type admitOutput struct {
	Status int
	Body   SessionInfo
}

// postSessions lets a command line act as the caller, with a session of its own. The command line
// created the secret and sends only its hash here, so whoever sees this call cannot use the
// session.
func postSessions(s *Server, ctx context.Context, in *admitInput) (*admitOutput, error) {
	n := callOf(ctx)
	if n.principal.Kind == access.Service || !s.secured() {
		return nil, posture.Problemf(posture.CodeForbidden, "Only who has signed in can let a command line act as them; a service token can be "+
			"given to it instead.")
	}
	hash, err := base64.RawURLEncoding.Strict().DecodeString(in.Body.SecretHash)
	if err != nil {
		return nil, posture.Invalid("body.secretHash", "is not the hash that the command line shows; open its link again", nil)
	}
	now := s.now()
	row := store.SessionRow{ID: s.o.NewID(), SecretHash: hash, Actor: n.entry.Actor, Credential: n.credential, CreatedAt: now, UsedAt: now,
		Address: n.entry.Address, UserAgent: printable("command line " + in.Body.Name)}
	if n.session != nil { // it ends when the sign-in would have ended, so that nobody stays signed in by sessions of sessions
		row.Credential, row.CreatedAt = n.session.Credential, n.session.CreatedAt
	}
	row.EndsAt = sessionEnd(row.CreatedAt, now)
	if n.principal.Kind == access.User {
		row.UserID = n.principal.ID
	}
	if n.session == nil {
		err = s.o.Store.AddSession(ctx, row, nil, maxSessions)
	} else if err = s.o.Store.AddSessionBeside(ctx, row, n.session.ID, maxSessions); errors.Is(err, store.ErrNotFound) {
		return nil, sessionEnded()
	}
	if err != nil {
		return nil, fmt.Errorf("keep the session: %w", err)
	}
	about(ctx, "sessions", row.ID)
	return &admitOutput{Status: http.StatusCreated, Body: n.sessionInfo(row)}, nil
}

// mayEnd reports whether the session is the caller's own or the caller may end the sessions of others.
func (n *called) mayEnd(row store.SessionRow) bool {
	return n.principal.Scope(access.Administrator).All || n.principal.Kind == access.User && row.UserID == n.principal.ID
}

func (n *called) sessionInfo(row store.SessionRow) SessionInfo {
	return SessionInfo{ID: row.ID, Actor: row.Actor, CreatedAt: row.CreatedAt, LastUsedAt: row.UsedAt, ExpiresAt: row.EndsAt,
		Address: row.Address, UserAgent: row.UserAgent, Current: n.session != nil && n.session.ID == row.ID}
}

func getSession(s *Server, ctx context.Context, _ *struct{}) (*answer[Identity], error) {
	return &answer[Identity]{s.identity(callOf(ctx))}, nil
}

type signInInput struct {
	UserAgent string `header:"User-Agent" hidden:"true"`
	Kept      string `cookie:"__Host-edgeposture-passkey" hidden:"true"`
	Known     string `cookie:"__Host-edgeposture-known" hidden:"true"`
	Body      struct {
		Email    string          `json:"email,omitempty" maxLength:"320" doc:"Of a person; not asked for with the API key."`
		Password secret.Text     `json:"password,omitempty"`
		Passkey  json.RawMessage `json:"passkey,omitempty" doc:"Instead of both: toJSON() of a credential for GET /api/session/challenge."`
	}
}

type signInOutput struct {
	SetCookie string `header:"Set-Cookie"`
	Body      Identity
}

// postSession signs in with the API key of the call, with a password or with a passkey. Where
// authentication is off there is nothing to sign in to, and the response says so.
func postSession(s *Server, ctx context.Context, in *signInInput) (*signInOutput, error) {
	n := callOf(ctx)
	if n.session != nil { // one that ends with its sign-in would be made to last
		return nil, posture.Problemf(posture.CodeConflict, "The session of a command line opens no other; sign in with a password, a passkey or "+
			"the API key.")
	}
	named := in.Body.Email != "" || !in.Body.Password.IsZero() || len(in.Body.Passkey) > 0
	if n.credential != "" && named { // the session would be the key's, whoever is named
		return nil, posture.Problemf(posture.CodeMalformed, "The call has the API key and names a person; send the one or the other.")
	}
	if n.principal.Kind == access.Nobody {
		by := func() error { return s.byPassword(ctx, n, in.Known, in.Body.Email, in.Body.Password) }
		if len(in.Body.Passkey) > 0 {
			by = func() error { return s.byPasskey(ctx, n, in.Kept, in.Body.Passkey) }
		}
		if err := by(); err != nil {
			return nil, err
		}
	}
	if n.principal.Kind == access.Service {
		return nil, posture.Problemf(posture.CodeForbidden, "A service token is for programs, which send it with each call; sign in as a person.")
	}
	if n.credential == "" && n.principal.Kind == access.Root {
		return &signInOutput{Body: s.identity(n)}, nil
	}
	session, err := s.signIn(ctx, n, in.UserAgent)
	if err != nil {
		return nil, err
	}
	return &signInOutput{SetCookie: session, Body: s.identity(n)}, nil
}

// knownCookie marks a browser in which a person has signed in, for knownFor.
const (
	knownCookie = "__Host-edgeposture-known"
	knownFor    = 90 * 24 * time.Hour
)

// knownBrowser is the sealed content of knownCookie. It opens nothing: whoever has it may only guess the
// person's password as often as anybody may.
type knownBrowser struct {
	Email   string    `json:"email"`
	Browser string    `json:"browser"`
	Expires time.Time `json:"expires"`
}

// guesser returns what wrong passwords of a person count against: the address of the caller and the
// email address, or instead of both a browser in which that person has signed in before, so that
// wrong ones from elsewhere keep nobody out of their own browser (OWASP, device cookies).
func (s *Server) guesser(n *called, cookie, email string) []string {
	var of knownBrowser
	if s.opened(knownCookie, cookie, &of) && of.Email == email && s.now().Before(of.Expires) {
		return []string{"browser " + of.Browser}
	}
	return []string{neighbors(n.entry.Address), "person " + email}
}

// byPassword signs a person in by email address and password.
func (s *Server) byPassword(ctx context.Context, n *called, cookie, email string, text secret.Text) error {
	if email == "" {
		return posture.Problemf(posture.CodeUnauthorized, "This needs an email address and a password, or the API key in the X-API-Key header.")
	}
	email = strings.ToLower(strings.TrimSpace(email))
	return s.guessed(ctx, s.guesser(n, cookie, email), "passwords", func() error {
		u, err := s.o.Store.UserByEmail(ctx, email)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return s.notLookedUp(ctx, n, "person", err)
		}
		matches, err := s.passwords.Matches(u.PasswordHash, text)
		if err != nil {
			return &posture.Problem{Code: posture.CodeRateLimited, RetryAfterSeconds: 2,
				Detail: "Too many people sign in at this moment; try again in some seconds."}
		}
		if !matches || u.Disabled {
			return posture.Problemf(posture.CodeUnauthorized, "The email address or the password is wrong, or you may not sign in; try again, or "+
				"ask an administrator.")
		}
		n.enter(u, u)
		return nil
	})
}

// guessed runs look unless too many failures are counted for one of the keys. A failure counts
// against every key.
func (s *Server) guessed(ctx context.Context, keys []string, what string, look func() error) error {
	var err error
	tooMany := s.wrongPasswords.guess(ctx, keys, s.o.Now, "Too many wrong "+what+" were sent; wait a minute and send the right one.",
		func() bool {
			err = look()
			p, is := errors.AsType[*posture.Problem](err)
			return is && p.Code == posture.CodeUnauthorized
		})
	return cmp.Or(tooMany, err)
}

// enter makes a person the caller. signIn stores what changed about them since they were read.
func (n *called) enter(was, u store.UserRow) {
	n.principal = principalOf(u)
	n.entry.Actor, n.entering = userActor(u), &entering{was, u}
}

// entering is a person who is signing in, as they were read and as they are to be stored.
type entering struct{ was, now store.UserRow }

// entered records the sign-in of a person. It fails when they were changed while they signed in:
// what the credential was checked against no longer counts.
func (s *Server) entered(ctx context.Context, e entering, at time.Time) error {
	e.now.SeenAt = at
	err := s.o.Store.ChangeUser(ctx, e.was, e.now, nil) // a provider may take the role of the last administrator
	if errors.Is(err, store.ErrChanged) || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrNameTaken) {
		return changedMeanwhile()
	}
	return err
}

func changedMeanwhile() error {
	return posture.Problemf(posture.CodeConflict, "You were not signed in, because who you are here was changed at the same moment; sign in "+
		"again.")
}

// How the audit log names those who call.
const (
	userActorPrefix    = "user:"
	serviceActorPrefix = "token:"
)

// userActor names a person by the address that nobody else has here, or else by what only their provider
// calls them: subjects of two providers may be the same, or somebody's address.
func userActor(u store.UserRow) string {
	switch {
	case u.Email != "":
		return userActorPrefix + u.Email
	case u.Subject != "":
		return userActorPrefix + u.Subject + " at " + u.Issuer
	default:
		return userActorPrefix + u.ID
	}
}

// signIn creates a session for the caller, in place of the one that the call came with, and returns
// its cookie.
func (s *Server) signIn(ctx context.Context, n *called, userAgent string) (string, error) {
	raw := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.o.Random, raw); err != nil {
		return "", fmt.Errorf("read randomness for a session: %w", err)
	}
	now := s.now()
	row := store.SessionRow{ID: s.o.NewID(), SecretHash: hashOf(raw), Actor: n.entry.Actor, Credential: n.credential, CreatedAt: now,
		UsedAt: now, EndsAt: sessionEnd(now, now), Address: n.entry.Address, UserAgent: printable(userAgent)}
	if n.principal.Kind == access.User {
		row.UserID = n.principal.ID
	}
	if err := s.o.Store.AddSession(ctx, row, n.secretHash, maxSessions); err != nil {
		return "", fmt.Errorf("keep the session: %w", err)
	}
	// Only now: whoever changes the person later finds the session and ends it.
	if n.entering != nil {
		if err := s.entered(ctx, *n.entering, now); err != nil {
			_ = s.o.Store.EndSession(ctx, row.ID) // its secret was given to nobody
			return "", err
		}
		if u := n.entering.now; u.PasswordHash != "" {
			sealed, err := s.sealed(knownCookie, knownBrowser{u.Email, s.o.NewID(), now.Add(knownFor)})
			if err != nil {
				return "", err
			}
			n.cookies = append(n.cookies, cookie(knownCookie, sealed, knownFor))
		}
	}
	n.session = &row
	if n.entry.Target.Type == "" { // otherwise the target is the passkey that they signed in with
		about(ctx, "sessions", row.ID)
	}
	return s.cookieOf(raw), nil
}

// printable replaces unprintable characters in a browser's description of itself, which may be
// anything, and bounds its length.
func printable(s string) string {
	out := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return '?'
	}, s)
	if runes := []rune(out); len(runes) > maxUserAgent {
		out = string(runes[:maxUserAgent])
	}
	return out
}

type signOutOutput struct {
	Status    int
	SetCookie string `header:"Set-Cookie"`
}

// deleteSession ends the session of the cookie, even if the call came with the API key.
func deleteSession(s *Server, ctx context.Context, _ *struct{}) (*signOutOutput, error) {
	row, err := s.o.Store.SessionBySecret(ctx, callOf(ctx).secretHash)
	if err == nil {
		about(ctx, "sessions", row.ID)
		err = s.o.Store.EndSession(ctx, row.ID)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("end the session: %w", err)
	}
	return &signOutOutput{Status: http.StatusNoContent, SetCookie: cookie(sessionCookie, "", -time.Second)}, nil
}

type listSessionsOutput page[SessionInfo]

func listSessions(s *Server, ctx context.Context, in *partInput) (*listSessionsOutput, error) {
	rows, err := s.o.Store.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(row store.SessionRow) bool { return !s.lasts(row) || !callOf(ctx).mayEnd(row) })
	out, err := partOf(rows, in, callOf(ctx).sessionInfo)
	return (*listSessionsOutput)(out), err
}

func revokeSession(s *Server, ctx context.Context, in *idInput) (*emptyOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	rows, err := s.o.Store.Sessions(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	if err = store.ErrNotFound; slices.ContainsFunc(rows, func(r store.SessionRow) bool { return r.ID == id && callOf(ctx).mayEnd(r) }) {
		err = s.o.Store.EndSession(ctx, id)
	}
	if err != nil {
		return nil, orMissing(err, "session", id, "/api/sessions")
	}
	return &emptyOutput{Status: http.StatusNoContent}, nil
}
