package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// sessionCookie has a name for which browsers hold its rules: this host alone, any path,
// and only over https or from this very machine (RFC 6265bis, 4.1.3.2).
const sessionCookie = "__Host-edgeposture"

const (
	sessionIdle  = 12 * time.Hour     // without a call it ends
	sessionLife  = 7 * 24 * time.Hour // and after that in any case
	sessionNoted = time.Minute        // how often its use is written
	maxSessions  = 100                // of all callers; the one used longest ago goes
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

// cookieOf gives the cookie that brings a secret back. Its value ends with a MAC, so that
// what was not made here is dropped before the store is asked.
func (s *Server) cookieOf(secret []byte) string {
	value := base64.RawURLEncoding.EncodeToString(append(secret, s.o.Key.Mac("session", secret)...))
	return cookie(value, int(sessionLife/time.Second))
}

// cookie writes the cookie for so many seconds; less than 0 takes it away.
func cookie(value string, seconds int) string {
	c := http.Cookie{Name: sessionCookie, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: true,
		SameSite: http.SameSiteLaxMode}
	return c.String()
}

// secretHash gives what the store knows the secret of a cookie by; nil when it is none of ours.
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

// Identity is who calls and what they may do.
type Identity struct {
	Actor        string       `json:"actor" doc:"Who the audit log says did it: key: and a fingerprint of 8 digits, or local when no key is asked for."`
	AuthRequired bool         `json:"authRequired" doc:"Whether the service asks for an API key."`
	Remediation  string       `json:"remediation" enum:"enabled,disabled"`
	Session      *SessionInfo `json:"session,omitempty" doc:"The session that was made or came along; none with the key alone."`
}

// SessionInfo is a session as callers see it.
type SessionInfo struct {
	ID         string    `json:"id"`
	Actor      string    `json:"actor"`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt" doc:"To the minute."`
	ExpiresAt  time.Time `json:"expiresAt" doc:"12 hours after it was last used, 7 days after it was made at the latest."`
	Address    string    `json:"address" doc:"The IP address it was made from."`
	UserAgent  string    `json:"userAgent" doc:"What it was made with, as the browser says."`
	Current    bool      `json:"current" doc:"Whether it is the caller's own."`
}

// identity tells who makes a call.
func (s *Server) identity(n *called) Identity {
	out := Identity{Actor: n.entry.Actor, AuthRequired: len(s.o.APIKeys) > 0, Remediation: s.remediation()}
	if n.session != nil {
		info := n.sessionInfo(*n.session)
		out.Session = &info
	}
	return out
}

func (n *called) sessionInfo(row store.SessionRow) SessionInfo {
	return SessionInfo{ID: row.ID, Actor: row.Actor, CreatedAt: row.CreatedAt, LastUsedAt: row.UsedAt, ExpiresAt: row.EndsAt,
		Address: row.Address, UserAgent: row.UserAgent, Current: n.session != nil && n.session.ID == row.ID}
}

type identityOutput struct{ Body Identity }

func getSession(s *Server, ctx context.Context, _ *struct{}) (*identityOutput, error) {
	return &identityOutput{s.identity(callOf(ctx))}, nil
}

type signInInput struct {
	UserAgent string `header:"User-Agent" hidden:"true"`
}

type signInOutput struct {
	SetCookie string `header:"Set-Cookie"`
	Body      Identity
}

// postSession signs in with the key the call came with. Where none is asked for there is
// nothing to sign in to, and the answer says so.
func postSession(s *Server, ctx context.Context, in *signInInput) (*signInOutput, error) {
	n := callOf(ctx)
	if n.credential == "" {
		return &signInOutput{Body: s.identity(n)}, nil
	}
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.o.Random, secret); err != nil {
		return nil, fmt.Errorf("read randomness for a session: %w", err)
	}
	now := s.now()
	row := store.SessionRow{ID: s.o.NewID(), SecretHash: hashOf(secret), Actor: n.entry.Actor, Credential: n.credential, CreatedAt: now,
		UsedAt: now, EndsAt: sessionEnd(now, now), Address: n.entry.Address, UserAgent: printable(in.UserAgent)}
	if err := s.o.Store.AddSession(ctx, row, n.secretHash, maxSessions); err != nil {
		return nil, fmt.Errorf("keep the session: %w", err)
	}
	n.session = &row
	about(ctx, "sessions", row.ID)
	return &signInOutput{SetCookie: s.cookieOf(secret), Body: s.identity(n)}, nil
}

// printable bounds what a browser says of itself, which may be anything.
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

// deleteSession ends the session of the cookie, also when the call came with the key.
func deleteSession(s *Server, ctx context.Context, _ *struct{}) (*signOutOutput, error) {
	row, err := s.o.Store.SessionBySecret(ctx, callOf(ctx).secretHash)
	if err == nil {
		about(ctx, "sessions", row.ID)
		err = s.o.Store.EndSession(ctx, row.ID)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("end the session: %w", err)
	}
	return &signOutOutput{Status: http.StatusNoContent, SetCookie: cookie("", -1)}, nil
}

type listSessionsOutput struct {
	Body struct {
		Items      []SessionInfo `json:"items"`
		NextCursor string        `json:"nextCursor"`
	}
}

func listSessions(s *Server, ctx context.Context, _ *struct{}) (*listSessionsOutput, error) {
	rows, err := s.o.Store.Sessions(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	out := &listSessionsOutput{}
	out.Body.Items = []SessionInfo{}
	for _, row := range rows {
		if s.lasts(row) {
			out.Body.Items = append(out.Body.Items, callOf(ctx).sessionInfo(row))
		}
	}
	return out, nil
}

type sessionInput struct {
	ID string `path:"id"`
}

func revokeSession(s *Server, ctx context.Context, in *sessionInput) (*emptyOutput, error) {
	id, err := parseID("path.id", in.ID)
	if err != nil {
		return nil, err
	}
	err = s.o.Store.EndSession(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, posture.Problemf(posture.CodeNotFound, "There is no session %s; GET /api/sessions lists all.", id)
	}
	if err != nil {
		return nil, fmt.Errorf("revoke the session: %w", err)
	}
	return &emptyOutput{Status: http.StatusNoContent}, nil
}
