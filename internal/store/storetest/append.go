package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/audit"
	"github.com/edgeposture/edgeposture/internal/store"
)

// waiter is a context that calls tell when somebody begins to wait for it.
type waiter struct {
	context.Context
	once *sync.Once
	tell func()
}

func (w waiter) Done() <-chan struct{} {
	w.once.Do(w.tell)
	return w.Context.Done()
}

// behindOne makes n calls whose operation shares transactions: the first one is blocked until all
// others wait. It counts the transactions.
func behindOne[T any](t *testing.T, s store.Store, operation string, n int, call func(ctx context.Context, i int) (T,
	error)) (out []T, errs []error, transactions int) {
	t.Helper()
	var hold, waiting sync.WaitGroup
	hold.Add(1)
	waiting.Add(n)
	s.Observe(func(_ context.Context, attempted string) func(error) {
		if attempted == operation {
			transactions++ // never concurrently
			hold.Wait()
		}
		return func(error) {}
	})
	go func() { waiting.Wait(); hold.Done() }()
	out, errs = together(n, func(i int) (T, error) {
		return call(waiter{Context: t.Context(), once: &sync.Once{}, tell: waiting.Done}, i)
	})
	return out, errs, transactions
}

// appendTogether appends an entry for each actor, all queued behind the first one.
func appendTogether(t *testing.T, s store.Store, actors []string) ([]audit.Entry, []error, int) {
	t.Helper()
	return behindOne(t, s, "write to the audit log", len(actors), func(ctx context.Context, i int) (audit.Entry, error) {
		e := entryOf(i)
		e.Actor = actors[i]
		return s.AppendAudit(ctx, e)
	})
}

// auditTogether checks that 64 entries take at most two transactions, one for the first entry and one
// for those that came while it was written.
func auditTogether(t *testing.T, o Opener) {
	session(t, o, o.Place(t), func(s store.Store) {
		wrote, errs, transactions := appendTogether(t, s, make([]string, callers))
		require.Equal(t, callers, tally(t, errs, nil))
		require.LessOrEqual(t, transactions, 2)
		numbers := map[int64]bool{}
		for i, e := range wrote {
			numbers[e.Seq] = true
			require.Equal(t, entryOf(i).Target, e.Target, "each caller is given its own entry")
		}
		require.Len(t, numbers, callers)
		head, err := store.VerifyAudit(t.Context(), s, audit.Head{})
		require.NoError(t, err)
		require.EqualValues(t, callers, head.Seq)
	})
}

// auditAlone makes the database refuse a second entry of one actor.
func auditAlone(t *testing.T, o Raw) {
	place := o.Place(t)
	session(t, o, place, func(s store.Store) {
		_, err := o.Raw(t, place).ExecContext(t.Context(), "CREATE UNIQUE INDEX audit_of_actor ON audit (actor)")
		require.NoError(t, err)
		_, err = s.AppendAudit(t.Context(), audit.Entry{At: noon(), Actor: "refused"})
		require.NoError(t, err)
		_, errs, _ := appendTogether(t, s, []string{"a", "b", "refused", "c"})
		for i, err := range errs {
			require.Equal(t, i == 2, err != nil, "%d: %v", i, err)
		}
		head, err := store.VerifyAudit(t.Context(), s, audit.Head{})
		require.NoError(t, err)
		require.EqualValues(t, 4, head.Seq)
	})
}
