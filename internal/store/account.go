package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Accounts keeps the registered provider accounts.
type Accounts interface {
	// PutAccount inserts or replaces an account by id. For an existing account, a nil sealedToken keeps
	// its token, and its policy, after-run settings and scope are unchanged. When a.Default is set,
	// every other account stops being the default. ErrNameTaken, ErrRegistered.
	PutAccount(ctx context.Context, a posture.Account, sealedToken []byte) error
	// ChangeAccount changes the fields that c sets, in one transaction, and returns the changed
	// account, whose UpdatedAt is later than before. ErrNotFound, ErrNameTaken, ErrRegistered, ErrChanged.
	ChangeAccount(ctx context.Context, accountID string, c AccountChange, now time.Time) (posture.Account, error)
	// Account finds an account by id or name. ErrNotFound.
	Account(ctx context.Context, idOrName string) (posture.Account, error)
	// DefaultAccount returns the default account. ErrNotFound.
	DefaultAccount(ctx context.Context) (posture.Account, error)
	// Accounts lists all accounts by name.
	Accounts(ctx context.Context) ([]posture.Account, error)
	// SealedToken returns the sealed credential of an account. ErrNotFound.
	SealedToken(ctx context.Context, accountID string) ([]byte, error)
	// DeleteAccount deletes an account, its token and its schedules. Its unfinished jobs that need the
	// provider lose their sealed credentials; queued ones are cancelled and running ones are asked to
	// stop. Assessments, and deliveries of them, are kept. ErrNotFound.
	DeleteAccount(ctx context.Context, accountID string, now time.Time) error
}

// AccountChange holds what ChangeAccount changes; nil fields are left unchanged.
type AccountChange struct {
	Name       *string
	ProviderID *string
	// ExpectProviderID, when set, must equal the stored provider id; otherwise nothing is changed and
	// ErrChanged is returned, because the caller verified another account.
	ExpectProviderID *string
	SealedToken      []byte // replaces the old bytes in the same statement that sets TokenAt
	Default          *bool
	Zones            *[]string
	ExcludeZones     *[]string
	Labels           *[]string
	Policy           *json.RawMessage // empty: the defaults
	// ExpectPolicy, when set, must equal the stored policy, which the new one was made from; otherwise
	// nothing is changed and ErrChanged is returned.
	ExpectPolicy *json.RawMessage
	AfterRun     *json.RawMessage // empty: nothing
	// ExpectUpdatedAt, when set, must be when the account was changed last; otherwise nothing is changed and
	// ErrChanged is returned, because somebody else has changed it.
	ExpectUpdatedAt *time.Time
}
