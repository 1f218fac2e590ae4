package store

import (
	"context"
	"time"
)

// SessionRow is a sign-in that lasts.
type SessionRow struct {
	// ID names the session to people; it has nothing to do with the secret.
	ID string
	// SecretHash is of what the caller keeps and sends.
	SecretHash []byte
	// Actor is who signed in, as the audit log names them.
	Actor string
	// Credential is the fingerprint of the API key they signed in with, UserID the person that signed in without it. One of them is "".
	Credential, UserID        string
	CreatedAt, UsedAt, EndsAt time.Time
	// Address and UserAgent are where it was made from.
	Address, UserAgent string
}

// Sessions keeps who has signed in. A row may be of a session that has ended: the caller
// holds EndsAt against its clock, and Forget removes the row later.
type Sessions interface {
	// AddSession inserts a session and, with it, ends the one whose secret has the hash
	// replaced, where there is one. Of the others of the same person, or of the same key, it keeps those used last, so that there
	// are at most so many; what is added elsewhere at the same moment counts next time.
	AddSession(ctx context.Context, row SessionRow, replaced []byte, most int) error
	// SessionBySecret gives the session whose secret has the hash. ErrNotFound.
	SessionBySecret(ctx context.Context, hash []byte) (SessionRow, error)
	// UseSession notes that a session was used at an instant and when it ends now. It
	// changes nothing when somebody did so since the row was read, or ended it.
	UseSession(ctx context.Context, row SessionRow, usedAt, endsAt time.Time) error
	// Sessions lists all, the one used last first.
	Sessions(ctx context.Context) ([]SessionRow, error)
	// EndSession removes one. ErrNotFound.
	EndSession(ctx context.Context, id string) error
	// EndSessionsOf removes those of a person; none is no error.
	EndSessionsOf(ctx context.Context, userID string) error
}
