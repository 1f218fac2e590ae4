// Package scoped is a store that shows each caller only the accounts they may see; everything else is
// as if it did not exist. The caller's scope travels in the context (With); without one, as in workers,
// everything is visible.
//
// Methods of the embedded store are not filtered, so every method of store.Store is either overridden
// here or listed in the test with the reason why it reveals nothing about an account.
package scoped

import (
	"context"
	"slices"
	"sync"

	"github.com/edgeposture/edgeposture/internal/core/access"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Store wraps another store and filters by the scope of the context.
type Store struct{ store.Store }

// New wraps a store.
func New(s store.Store) *Store { return &Store{s} }

type (
	contextKey struct{}
	actorKey   struct{}
)

// sight is what one call may see. The visible accounts are looked up once.
type sight struct {
	scope access.Scope

	mu     sync.Mutex
	loaded bool
	ids    []string // our ids and the provider's ids of the visible accounts; sorted
	given  []string // the provider's ids only
	runs   map[string]error
}

// With narrows a context to the accounts of a scope. The actor is the caller, as the audit log names
// them; callers with "" are one.
func With(ctx context.Context, scope access.Scope, actor string) context.Context {
	ctx = context.WithValue(ctx, actorKey{}, actor)
	if scope.All {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, &sight{scope: scope, runs: map[string]error{}})
}

func actorOf(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}

// Narrowed reports whether a context sees some accounts only.
func Narrowed(ctx context.Context) bool { return of(ctx) != nil }

func of(ctx context.Context) *sight {
	seen, _ := ctx.Value(contextKey{}).(*sight)
	return seen
}

// accounts returns the ids of the visible accounts, never nil.
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

// may returns nil if an account, given by either id, is visible, store.ErrNotFound if not, or the error
// of the look-up.
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

// narrow reduces the accounts that a filter names, also among them, to the visible ones; a filter that names none gets
// all visible accounts. none is true when nothing is left.
func (s *Store) narrow(ctx context.Context, asked *[]string, also ...string) (none bool, err error) {
	return s.narrowed(ctx, asked, also, func(seen *sight) []string { return seen.ids })
}

// narrowGiven is narrow for rows that hold the provider's account ids only.
func (s *Store) narrowGiven(ctx context.Context, asked *[]string) (none bool, err error) {
	return s.narrowed(ctx, asked, nil, func(seen *sight) []string { return seen.given })
}

func (s *Store) narrowed(ctx context.Context, asked *[]string, also []string, all func(*sight) []string) (none bool, err error) {
	left := slices.DeleteFunc(slices.Concat(*asked, also), func(id string) bool { return id == "" })
	seen := of(ctx)
	if seen == nil {
		*asked = left
		return false, nil
	}
	ids, err := s.accounts(ctx, seen)
	if err != nil {
		return true, err
	}
	if len(left) == 0 {
		left = all(seen)
	} else {
		left = slices.DeleteFunc(left, func(id string) bool {
			_, in := slices.BinarySearch(ids, id)
			return !in
		})
	}
	*asked = left
	return len(left) == 0, nil
}

// run is may for an assessment. The result is cached for the call.
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

// checked returns v if its account is visible.
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

// newest returns account if it is visible or, for "", the provider's id of the visible account with the
// newest assessment. Without a scope, "" is left to the store.
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

// key binds a caller's idempotency key to the caller, so that two callers with the same key do not get
// each other's results.
func key(ctx context.Context, i *store.Idempotency) *store.Idempotency {
	if i == nil {
		return nil
	}
	own := *i
	own.Key = ownKey(ctx, i.Key)
	return &own
}

func accountOf(a posture.Account) string { return a.ID }
