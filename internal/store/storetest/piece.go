package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// Pieces shows that what a run has in common with others of its account is stored once, and
// goes with the last of them.
func Pieces(t *testing.T, o Raw) {
	t.Run("a run in which nothing changed adds none", func(t *testing.T) {
		place := o.Place(t)
		session(t, o, place, func(s store.Store) {
			h := &history{t: t, s: s, held: map[string]string{}}
			h.run(providerAccount, noon(), 600)
			before := pieces(t, o, place)
			require.Greater(t, before, 10)
			h.run(providerAccount, noon().Add(time.Hour), 600)
			require.Equal(t, before, pieces(t, o, place))
			h.run("another-account", noon(), 600)
			require.Equal(t, 2*before, pieces(t, o, place))
		})
	})
	t.Run("the last run that has one takes it along", func(t *testing.T) {
		place := o.Place(t)
		session(t, o, place, func(s store.Store) {
			h := &history{t: t, s: s, now: noon().Add(3 * 365 * day), held: map[string]string{}}
			for i := range store.KeptPerAccount + 1 {
				h.run(providerAccount, noon().Add(time.Duration(i+1)*time.Hour), 300)
			}
			kept := pieces(t, o, place)
			h.run(providerAccount, noon(), 2_500) // holds findings none of the others has
			require.Greater(t, pieces(t, o, place), kept+50)
			// They are open where they were last seen, and keep that.
			_, err := o.Raw(t, place).ExecContext(t.Context(), "UPDATE finding_state SET class = 2")
			require.NoError(t, err)
			require.Positive(t, h.sweep())
			h.whole("at the end")
			require.Equal(t, kept, pieces(t, o, place))
		})
	})
}

func pieces(t *testing.T, o Raw, place string) (n int) {
	t.Helper()
	require.NoError(t, o.Raw(t, place).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM piece").Scan(&n))
	return n
}

// PiecesGuard is for engines with several writers, in the SQL of PostgreSQL: a run that has
// found parts of another and is not yet saved keeps them from being swept with the other.
func PiecesGuard(t *testing.T, o Raw) {
	place := o.Place(t)
	session(t, o, place, func(s store.Store) {
		db := o.Raw(t, place)
		h := &history{t: t, s: s, now: noon().Add(3 * 365 * day), held: map[string]string{}}
		for i := range store.KeptPerAccount {
			h.run(providerAccount, noon().Add(time.Duration(i+1)*time.Hour), 1)
		}
		h.run(providerAccount, noon(), 200)
		_, err := db.ExecContext(t.Context(), "UPDATE finding_state SET class = 2")
		require.NoError(t, err)
		forget := func() error {
			_, err := s.Forget(t.Context(), store.Assessed, h.before(store.Assessed), h.now)
			return err
		}
		require.NoError(t, forget(), "out of sight")
		require.NoError(t, forget(), "its rows")

		// The save stops behind the parts, at the graph.
		hold, err := db.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		defer func() { _ = hold.Rollback() }()
		_, err = hold.ExecContext(t.Context(), "LOCK TABLE assessment_graph IN EXCLUSIVE MODE")
		require.NoError(t, err)
		row := running(t, s)
		in := saveOf(row, assessment(t, row.ID, 200))
		in.Evidence, in.Assessment.CompletedAt = record(), h.now
		ended := make(chan error, 2)
		waiting := func(want int) func() bool {
			return func() (done bool) {
				var n int
				require.NoError(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n))
				return n+len(ended) >= want
			}
		}
		go func() { ended <- s.Save(t.Context(), in) }()
		require.Eventually(t, waiting(1), 10*time.Second, time.Millisecond)
		go func() { ended <- forget() }()
		require.Eventually(t, waiting(2), 10*time.Second, time.Millisecond)
		require.NoError(t, hold.Commit())
		require.NoError(t, <-ended)
		require.NoError(t, <-ended)
		_, err = s.Evidence(t.Context(), in.Assessment.ID)
		require.NoError(t, err)
	})
}
