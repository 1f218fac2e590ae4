package store

import (
	"context"
	"time"
)

// PasskeyRow is a passkey of a person: the public key and the state its authenticator last reported.
type PasskeyRow struct {
	ID, UserID, Name string
	// CredentialID is the authenticator's id of the passkey, unique among all passkeys.
	CredentialID, PublicKey []byte
	SignCount               uint32
	BackupEligible          bool // it may be synced to several devices
	BackedUp                bool // it is synced
	CreatedAt               time.Time
	UsedAt                  time.Time // zero: never
}

// Passkeys keeps the passkeys of people. Each ceremony can be used once.
type Passkeys interface {
	// AddPasskey inserts a passkey for the person who is in a session, unless they have most already.
	// ErrNotFound when the person is gone or the session has ended, ErrNameTaken when the credential is
	// registered, ErrUsed, ErrTooMany.
	AddPasskey(ctx context.Context, p PasskeyRow, session string, once Once, most int) error
	// UsePasskey stores what the authenticator reported at UsedAt. ErrUsed; ErrNotFound when the
	// passkey was removed or its counter is already as high.
	UsePasskey(ctx context.Context, p PasskeyRow, once Once) error
	// Passkeys lists the passkeys of a person, oldest first.
	Passkeys(ctx context.Context, userID string) ([]PasskeyRow, error)
	// PasskeyByCredential returns the passkey of a credential. ErrNotFound.
	PasskeyByCredential(ctx context.Context, credentialID []byte) (PasskeyRow, error)
	// DeletePasskey removes a passkey of a person. ErrNotFound; ErrLastWay when the person could not
	// sign in without it.
	DeletePasskey(ctx context.Context, userID, id string) error
	// DeletePasskeysOf removes all passkeys of a person; having none is no error.
	DeletePasskeysOf(ctx context.Context, userID string) error
}
