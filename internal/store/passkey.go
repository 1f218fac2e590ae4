package store

import (
	"context"
	"time"
)

// PasskeyRow is a passkey of a person: the public half, and what its authenticator said last.
type PasskeyRow struct {
	ID, UserID, Name string
	// CredentialID is what the authenticator calls it; no two passkeys have the same.
	CredentialID, PublicKey []byte
	SignCount               uint32
	BackupEligible          bool // it may be on several devices
	BackedUp                bool // it is
	CreatedAt               time.Time
	UsedAt                  time.Time // zero: never
}

// Passkeys keeps what people sign in with instead of a password. Each ceremony counts once.
type Passkeys interface {
	// AddPasskey inserts one, unless the person has so many already. ErrNotFound when the person is gone, ErrNameTaken when there is one of
	// this credential, ErrUsed, ErrTooMany.
	AddPasskey(ctx context.Context, p PasskeyRow, once Once, most int) error
	// UsePasskey keeps what an authenticator said at UsedAt. ErrUsed, ErrNotFound when it was removed, or its counter went on meanwhile.
	UsePasskey(ctx context.Context, p PasskeyRow, once Once) error
	// Passkeys lists those of a person, the oldest first.
	Passkeys(ctx context.Context, userID string) ([]PasskeyRow, error)
	// PasskeyByCredential gives the one of a credential. ErrNotFound.
	PasskeyByCredential(ctx context.Context, credentialID []byte) (PasskeyRow, error)
	// DeletePasskey removes one of a person. ErrNotFound, ErrLastWay.
	DeletePasskey(ctx context.Context, userID, id string) error
	// DeletePasskeysOf removes those of a person; none is no error.
	DeletePasskeysOf(ctx context.Context, userID string) error
}
