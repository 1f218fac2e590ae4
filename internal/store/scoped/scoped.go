// Package scoped is a store that shows each caller the accounts they may see, and nothing of others: what is foreign is as if it were
// not there. Who may see what travels in the context (With); without it, as in workers, all is there.
//
// Who embeds the store here is looked through, so every method of store.Store is either written here or listed in the test with the
// reason why it tells nothing of an account.
package scoped

import (
	"context"
	"slices"
	"sync"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Store shows a part of another store.
type Store struct{ store.Store }

// New wraps a store.
func New(s store.Store) *Store { return &Store{s} }

type contextKey struct{}

// sight is what one call may see. Which accounts that are is looked up once.
type sight struct {
	scope access.Scope
	actor string

	mu     sync.Mutex
	loaded bool
	ids    []string // of registered accounts and at the provider; sorted
	given  []string // at the provider only
	runs   map[string]error
}

// With narrows what is done with a context to the accounts of a scope. The actor is who calls, as the audit log names them.
func With(ctx context.Context, scope access.Scope, actor string) context.Context {
	if scope.All {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, &sight{scope: scope, actor: actor, runs: map[string]error{}})
}

// Narrowed reports whether a context sees some accounts only.
func Narrowed(ctx context.Context) bool { return of(ctx) != nil }

func of(ctx context.Context) *sight {
	seen, _ := ctx.Value(contextKey{}).(*sight)
	return seen
}

// accounts gives the ids of what may be seen, never nil.
func (s *Store) accounts(ctx context.Context, seen *sight) ([]string, error) {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if seen.loaded {
		return seen.ids, nil
	}
	all, err := s.Store.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	seen.ids, seen.given = []string{}, []string{}
	for _, a := range all {
		if seen.scope.Holds(a.ID, a.Labels) {
			seen.ids = append(seen.ids, a.ID)
			if a.ProviderID != "" {
				seen.given = append(seen.given, a.ProviderID)
			}
		}
	}
	seen.ids = append(seen.ids, seen.given...)
	slices.Sort(seen.ids)
	seen.loaded = true
	return seen.ids, nil
}

// may reports whether an account, by either id, may be seen: nil, store.ErrNotFound or why that is not known.
func (s *Store) may(ctx context.Context, account string) error {
	seen := of(ctx)
	if seen == nil {
		return nil
	}
	ids, err := s.accounts(ctx, seen)
	if err != nil {
		return err
	}
	if _, in := slices.BinarySearch(ids, account); !in {
		return store.ErrNotFound
	}
	return nil
}

// narrow gives those of the accounts asked for that may be seen; none asked for is all. none tells that nothing is left.
func (s *Store) narrow(ctx context.Context, asked ...string) (left []string, none bool, err error) {
	return s.narrowed(ctx, asked, func(seen *sight) []string { return seen.ids })
}

// narrowGiven is narrow for what is known by the provider's ids alone.
func (s *Store) narrowGiven(ctx context.Context, asked ...string) (left []string, none bool, err error) {
	return s.narrowed(ctx, asked, func(seen *sight) []string { return seen.given })
}

func (s *Store) narrowed(ctx context.Context, asked []string, all func(*sight) []string) (left []string, none bool, err error) {
	asked = slices.DeleteFunc(slices.Clone(asked), func(id string) bool { return id == "" })
	seen := of(ctx)
	if seen == nil {
		return asked, false, nil
	}
	ids, err := s.accounts(ctx, seen)
	if err != nil {
		return nil, true, err
	}
	if len(asked) == 0 {
		left = all(seen)
		return left, len(left) == 0, nil
	}
	for _, id := range asked {
		if _, in := slices.BinarySearch(ids, id); in {
			left = append(left, id)
		}
	}
	return left, len(left) == 0, nil
}

// run is may for an assessment. What is known of one holds for the call.
func (s *Store) run(ctx context.Context, assessmentID string) error {
	seen := of(ctx)
	if seen == nil {
		return nil
	}
	seen.mu.Lock()
	known, is := seen.runs[assessmentID]
	seen.mu.Unlock()
	if is {
		return known
	}
	ref, err := s.Store.Pick(ctx, assessmentID, "")
	if err == nil && assessmentID == "" {
		err = store.ErrNotFound
	}
	if err == nil {
		err = s.may(ctx, ref.Account)
	}
	seen.mu.Lock()
	seen.runs[assessmentID] = err
	seen.mu.Unlock()
	return err
}

// checked gives what was loaded if its account may be seen.
func checked[T any](ctx context.Context, s *Store, v T, err error, account func(T) string) (T, error) {
	if err == nil {
		err = s.may(ctx, account(v))
	}
	if err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// newest gives the provider's id of the account with the newest assessment of those that may be seen; "" leaves it to the store.
func (s *Store) newest(ctx context.Context, account string) (string, error) {
	if of(ctx) == nil {
		return account, nil
	}
	if account != "" {
		return account, s.may(ctx, account)
	}
	rows, _, err := s.Assessments(ctx, store.AssessmentFilter{}, store.Page{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", store.ErrNotFound
	}
	return rows[0].Account.ID, nil
}

// key binds what a caller's idempotency key made to the caller, so that nobody gets what another one's key made.
func key(ctx context.Context, i *store.Idempotency) *store.Idempotency {
	seen := of(ctx)
	if seen == nil || i == nil {
		return i
	}
	own := *i
	own.Route += " by " + seen.actor
	return &own
}

func accountOf(a posture.Account) string { return a.ID }
