package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Accounts keeps the registered provider accounts.
type Accounts interface {
	// PutAccount inserts or replaces an account by id. Where there is one already, a
	// nil sealedToken keeps its token, and its policy, what follows its runs and
	// its scope stay. When a.Default is set every other account stops being the
	// default. ErrNameTaken.
	PutAccount(ctx context.Context, a posture.Account, sealedToken []byte) error
	// SetAccountPolicy replaces the thresholds of an account; nil means the
	// defaults. ErrNotFound.
	SetAccountPolicy(ctx context.Context, accountID string, policy json.RawMessage, now time.Time) error
	// SetAccountAfterRun replaces what is sent after each run of an account; nil
	// means nothing. ErrNotFound.
	SetAccountAfterRun(ctx context.Context, accountID string, afterRun json.RawMessage, now time.Time) error
	// ChangeAccount changes what c names, in one transaction, and gives the account
	// as it is then. ErrNotFound, ErrNameTaken, ErrChanged.
	ChangeAccount(ctx context.Context, accountID string, c AccountChange, now time.Time) (posture.Account, error)
	// Account finds by id or by name. ErrNotFound.
	Account(ctx context.Context, idOrName string) (posture.Account, error)
	// DefaultAccount gives the default account. ErrNotFound.
	DefaultAccount(ctx context.Context) (posture.Account, error)
	// Accounts lists all, by name.
	Accounts(ctx context.Context) ([]posture.Account, error)
	// SealedToken gives the sealed credential of an account. ErrNotFound.
	SealedToken(ctx context.Context, accountID string) ([]byte, error)
	// DeleteAccount forgets an account, its token and its schedules. Its unfinished
	// jobs that need the provider lose their sealed credentials; queued ones are
	// cancelled and running ones asked to stop. Assessments, and deliveries of
	// them, stay. ErrNotFound.
	DeleteAccount(ctx context.Context, accountID string, now time.Time) error
}

// AccountChange names what ChangeAccount changes; nil fields stay as they are.
type AccountChange struct {
	Name       *string
	ProviderID *string
	// ExpectProviderID, when set, must be the provider id that is there, or
	// nothing is changed and ErrChanged given: what was verified was another account.
	ExpectProviderID *string
	SealedToken      []byte // replaces the old bytes in the same statement that sets TokenAt
	Default          *bool
	Zones            *[]string
	ExcludeZones     *[]string
	Labels           *[]string
	Policy           *json.RawMessage // an empty one: the defaults
	AfterRun         *json.RawMessage // an empty one: nothing
}
