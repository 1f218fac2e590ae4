package store

import (
	"context"
	"time"
)

// SessionRow is a sign-in session.
type SessionRow struct {
	// ID identifies the session to people; it is unrelated to the secret.
	ID string
	// SecretHash is the hash of the secret that the caller keeps and sends.
	SecretHash []byte
	// Actor is who signed in, as the audit log names them.
	Actor string
	// Credential is the fingerprint of the API key used to sign in, UserID the person who signed in
	// without one. One of them is "".
	Credential, UserID        string
	CreatedAt, UsedAt, EndsAt time.Time
	// Address and UserAgent are those of the sign-in.
	Address, UserAgent string
}

// Sessions keeps the sign-in sessions. A row may be of an expired session: the caller compares EndsAt
// with its clock, and Forget removes the row later.
type Sessions interface {
	// AddSession inserts a session and ends the one whose secret has the hash replaced, if there is
	// one. Of the other sessions of the same person or API key it keeps those used last, so that there
	// are up to most in all; sessions added concurrently are counted the next time.
	AddSession(ctx context.Context, row SessionRow, replaced []byte, most int) error
	// AddSessionBeside is AddSession for a second session of who is in the session with the id beside.
	// ErrNotFound when that one has ended: whoever ends the sessions of a person ends this one too.
	AddSessionBeside(ctx context.Context, row SessionRow, beside string, most int) error
	// SessionBySecret returns the session whose secret has the hash. ErrNotFound.
	SessionBySecret(ctx context.Context, hash []byte) (SessionRow, error)
	// UseSession records when a session was used and its new end. It changes nothing when the session
	// was used or ended since the row was read.
	UseSession(ctx context.Context, row SessionRow, usedAt, endsAt time.Time) error
	// Sessions lists all sessions, the one used last first.
	Sessions(ctx context.Context) ([]SessionRow, error)
	// EndSession removes a session. ErrNotFound.
	EndSession(ctx context.Context, id string) error
	// EndSessionsOf removes the sessions of a person; having none is no error.
	EndSessionsOf(ctx context.Context, userID string) error
}
