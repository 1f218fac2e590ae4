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
	Email string // in lower case; "" when nobody told
	// Issuer and Subject name the person at an OpenID Connect provider; both are "" for who signs in with a password.
	Issuer, Subject string
	// PasswordHash is argon2id with its parameters; "" when the person has none.
	PasswordHash string
	Grants       []access.Grant
	Disabled     bool
	CreatedAt    time.Time
	SeenAt       time.Time // zero: never
}

// Users keeps people.
type Users interface {
	// AddUser inserts a person. ErrNameTaken when another has the email address, or the issuer and subject.
	AddUser(ctx context.Context, u UserRow) error
	// ChangeUser replaces all of a person but when they were made. ErrNotFound, ErrNameTaken.
	ChangeUser(ctx context.Context, u UserRow) error
	// User gives one. ErrNotFound.
	User(ctx context.Context, id string) (UserRow, error)
	// UserBySubject gives who a provider names. ErrNotFound.
	UserBySubject(ctx context.Context, issuer, subject string) (UserRow, error)
	// UserByEmail gives who signs in with a password. ErrNotFound.
	UserByEmail(ctx context.Context, email string) (UserRow, error)
	// Users lists all, by name.
	Users(ctx context.Context) ([]UserRow, error)
	// CountUsers counts all, and those who may sign in with a password.
	CountUsers(ctx context.Context) (all, withPassword int, err error)
	// DeleteUser forgets a person with their passkeys and ends their sessions; teams lose them. ErrNotFound.
	DeleteUser(ctx context.Context, id string) error
}

// ServiceTokenRow is a token for a program. The token itself is kept nowhere.
type ServiceTokenRow struct {
	ID        string
	Name      string
	Hash      []byte
	Grant     access.Grant
	CreatedBy string // as the audit log names who made it
	CreatedAt time.Time
	ExpiresAt time.Time // zero: it has no end
	UsedAt    time.Time // zero: never
}

// ServiceTokens keeps the tokens of programs.
type ServiceTokens interface {
	// AddServiceToken inserts one. ErrNameTaken.
	AddServiceToken(ctx context.Context, t ServiceTokenRow) error
	// ServiceToken gives the one of an id. ErrNotFound.
	ServiceToken(ctx context.Context, id string) (ServiceTokenRow, error)
	// ServiceTokenByHash gives the one whose hash is this, which may have ended. ErrNotFound.
	ServiceTokenByHash(ctx context.Context, hash []byte) (ServiceTokenRow, error)
	// UseServiceToken notes when one was used, unless it is noted for later.
	UseServiceToken(ctx context.Context, id string, at time.Time) error
	// ServiceTokens lists all, by name.
	ServiceTokens(ctx context.Context) ([]ServiceTokenRow, error)
	// DeleteServiceToken revokes one. ErrNotFound.
	DeleteServiceToken(ctx context.Context, id string) error
}

// TeamRow is people who own issues together.
type TeamRow struct {
	ID        string
	Name      string
	Members   []string // ids of people
	CreatedAt time.Time
}

// Teams keeps teams.
type Teams interface {
	// PutTeam inserts or replaces one by its id. ErrNameTaken.
	PutTeam(ctx context.Context, t TeamRow) error
	// Team gives one. ErrNotFound.
	Team(ctx context.Context, id string) (TeamRow, error)
	// Teams lists all, by name.
	Teams(ctx context.Context) ([]TeamRow, error)
	// DeleteTeam forgets one. ErrNotFound.
	DeleteTeam(ctx context.Context, id string) error
}
