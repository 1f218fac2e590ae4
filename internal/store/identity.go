package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/access"
)

// UserRow is a person who may sign in.
type UserRow struct {
	ID    string
	Name  string
	Email string // in lower case; "" when unknown
	// Issuer and Subject identify the person at an OpenID Connect provider; both are "" for password
	// users.
	Issuer, Subject string
	// PasswordHash is argon2id with its parameters; "" when the person has none.
	PasswordHash string
	Grants       []access.Grant
	Disabled     bool
	CreatedAt    time.Time
	SeenAt       time.Time // zero: never
	// InvitedUntil is when the person's open invitation ends, which tells it from those it replaced;
	// zero: none is open.
	InvitedUntil time.Time
}

// Users keeps the people who may sign in.
type Users interface {
	// AddUser inserts a person. ErrNameTaken when another has the email address, or the issuer and subject.
	AddUser(ctx context.Context, u UserRow) error
	// ChangeUser replaces everything about a person except CreatedAt, if they still are as they were
	// read, whenever they signed in since. ErrNotFound, ErrNameTaken, ErrChanged, ErrLast.
	ChangeUser(ctx context.Context, was, u UserRow, one One) error
	// User returns a person. ErrNotFound.
	User(ctx context.Context, id string) (UserRow, error)
	// UserBySubject returns the person that an OpenID Connect provider identifies. ErrNotFound.
	UserBySubject(ctx context.Context, issuer, subject string) (UserRow, error)
	// UserByEmail returns a person who signs in with a password. ErrNotFound.
	UserByEmail(ctx context.Context, email string) (UserRow, error)
	// Users lists all people by name.
	Users(ctx context.Context) ([]UserRow, error)
	// CountUsers counts all people, and those who may sign in with a password.
	CountUsers(ctx context.Context) (all, withPassword int, err error)
	// DeleteUser deletes a person and their passkeys, ends their sessions and removes them from teams.
	// ErrNotFound, ErrLast.
	DeleteUser(ctx context.Context, id string, one One) error
}

// One tells the people of whom one must be left: a change that would take the last who can sign in is ErrLast,
// also when it and another are made at once. nil lets everybody go.
type One func(u UserRow) bool

// ServiceTokenRow is a token for a program. The token itself is not stored.
type ServiceTokenRow struct {
	ID        string
	Name      string
	Hash      []byte
	Grant     access.Grant
	CreatedBy string // the creator, as the audit log names it
	CreatedAt time.Time
	ExpiresAt time.Time // zero: it does not expire
	UsedAt    time.Time // zero: never
}

// Expired reports whether the token is no longer valid.
func (t ServiceTokenRow) Expired(now time.Time) bool {
	return !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt)
}

// ServiceTokens keeps the tokens of programs.
type ServiceTokens interface {
	// AddServiceToken inserts a token. ErrNameTaken.
	AddServiceToken(ctx context.Context, t ServiceTokenRow) error
	// ServiceToken returns a token by id. ErrNotFound.
	ServiceToken(ctx context.Context, id string) (ServiceTokenRow, error)
	// ServiceTokenByHash returns the token with a hash, even if it has expired. ErrNotFound.
	ServiceTokenByHash(ctx context.Context, hash []byte) (ServiceTokenRow, error)
	// UseServiceToken records when a token was used, unless a later use is recorded.
	UseServiceToken(ctx context.Context, id string, at time.Time) error
	// ServiceTokens lists all tokens by name.
	ServiceTokens(ctx context.Context) ([]ServiceTokenRow, error)
	// DeleteServiceToken revokes a token. ErrNotFound.
	DeleteServiceToken(ctx context.Context, id string) error
}

// TeamRow is a group of people who own issues together.
type TeamRow struct {
	ID        string
	Name      string
	Members   []string // ids of people
	CreatedAt time.Time
}

// Teams keeps teams.
type Teams interface {
	// AddTeam adds a team. ErrNameTaken.
	AddTeam(ctx context.Context, t TeamRow) error
	// ChangeTeam replaces a team by id if it is still as it was read. ErrNotFound, ErrNameTaken,
	// ErrChanged.
	ChangeTeam(ctx context.Context, was, t TeamRow) error
	// Team returns a team. ErrNotFound.
	Team(ctx context.Context, id string) (TeamRow, error)
	// Teams lists all teams by name.
	Teams(ctx context.Context) ([]TeamRow, error)
	// DeleteTeam deletes a team. ErrNotFound.
	DeleteTeam(ctx context.Context, id string) error
}
