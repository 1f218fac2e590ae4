package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Pieces checks that the parts a run shares with other runs of its account are stored once, and are
// deleted with the last of them.
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
			h.run(providerAccount, noon(), 2_500) // has findings no other run has
			require.Greater(t, pieces(t, o, place), kept+50)
			// Open findings keep the run they were last seen in; class 2 takes them out of the way.
			_, err := o.Raw(t, place).ExecContext(t.Context(), "UPDATE finding_state SET class = 2")
			require.NoError(t, err)
			require.Positive(t, h.sweep())
			h.whole("at the end")
			require.Equal(t, kept, pieces(t, o, place))
		})
	})
	t.Run("what an unchanged run has read adds none, one change adds one", func(t *testing.T) { packedOnce(t, o) })
	t.Run("what runs have read goes with the last of them", func(t *testing.T) { packedSwept(t, o) })
	t.Run("the graph of an unchanged run is that of the first", func(t *testing.T) { valuesShared(t, o) })
}

// packedOnce counts the pieces that packed runs of an account add.
func packedOnce(t *testing.T, o Raw) {
	place := o.Place(t)
	session(t, o, place, func(s store.Store) {
		more := func(account string, all []snapshot.Section) int {
			before := pieces(t, o, place)
			id := ranAt(t, s, account, noon(), all).JobID
			packed(t, s)
			require.Equal(t, all, sections(t, s, id))
			require.Zero(t, number(t, o, place, "SELECT COUNT(*) FROM section"))
			return pieces(t, o, place) - before
		}
		all := manySections(2_500)
		whole := more(providerAccount, all)
		require.Greater(t, whole, 2_500/128)
		require.Zero(t, more(providerAccount, all))
		for i := range all {
			all[i].ReadAt = kept(noon().Add(time.Duration(i) * time.Second))
		}
		require.Zero(t, more(providerAccount, all), "when it was read is with the run")
		for _, i := range []int{0, 999, 1_000, 2_499} {
			require.Equal(t, 1, more(providerAccount, manySections(2_500, i)))
		}
		require.LessOrEqual(t, more(providerAccount, slices.Delete(manySections(2_500), 1_200, 1_201)), 2, "one is gone")
		require.Equal(t, whole, more("another-account", manySections(2_500)))
		require.Less(t, number(t, o, place, "SELECT MAX(length(pieces)) FROM section_pack"), 4*whole+8)
	})
}

// packedSwept forgets the sections of two of three runs, then of all, while the assessments stay.
func packedSwept(t *testing.T, o Raw) {
	place := o.Place(t)
	session(t, o, place, func(s store.Store) {
		forget := func(before time.Time) {
			for n := 1; n > 0; {
				var err error
				n, err = s.Forget(t.Context(), store.Read, before, before)
				require.NoError(t, err)
			}
		}
		all := manySections(1_500)
		first := ranAt(t, s, providerAccount, noon(), all)
		none := pieces(t, o, place)
		packed(t, s)
		common := pieces(t, o, place)
		ranAt(t, s, providerAccount, noon().Add(time.Hour), manySections(1_500, 3, 700))
		packed(t, s)
		last := ranAt(t, s, providerAccount, noon().Add(2*time.Hour), all)
		packed(t, s)
		require.Equal(t, common+2, pieces(t, o, place))
		forget(noon().Add(90 * time.Minute))
		require.Equal(t, common, pieces(t, o, place), "those of the second alone are gone")
		require.Equal(t, all, sections(t, s, last.JobID))
		require.Empty(t, sections(t, s, first.JobID))
		dropped := ranAt(t, s, providerAccount, noon().Add(2*time.Hour), manySections(1_500, 5))
		packed(t, s)
		require.NoError(t, s.DropSections(t.Context(), dropped.JobID, 1))
		forget(noon().Add(90 * time.Minute))
		require.Equal(t, common, pieces(t, o, place), "that of what was dropped is gone")
		n, err := s.Forget(t.Context(), store.Finished, noon().Add(3*time.Hour), noon().Add(3*time.Hour))
		require.NoError(t, err)
		require.Equal(t, 3, n, "a job stays while what it has read does")
		require.Equal(t, all, sections(t, s, last.JobID))
		forget(noon().Add(3 * time.Hour))
		require.Equal(t, none, pieces(t, o, place))
		require.Zero(t, number(t, o, place, "SELECT COUNT(*) FROM section_pack"))
		for _, a := range []string{first.ID, last.ID} {
			_, err := s.Evidence(t.Context(), a)
			require.NoError(t, err)
		}
	})
}

// valuesShared checks that a run in which nothing changed stores its graph and other large values as
// references to those of the first run, and that missing pieces are detected.
func valuesShared(t *testing.T, o Raw) {
	place := o.Place(t)
	session(t, o, place, func(s store.Store) {
		g, paths, log := drawn(300)
		save := func() string {
			return saved(t, s, 100, func(in *store.SaveAssessment) {
				in.Graph, in.Paths, in.Modifications, in.Evidence = g, paths, log, record()
			}).ID
		}
		first := save()
		before := pieces(t, o, place)
		again := save()
		require.Equal(t, before, pieces(t, o, place))
		for _, of := range []string{"MAX(length(graph)) FROM assessment_graph", "MAX(length(paths)) FROM assessment_graph",
			"MAX(length(catalogue)) FROM assessment", "MAX(length(counts)) FROM assessment"} {
			require.Less(t, number(t, o, place, "SELECT "+of), 12, of)
		}
		read := func(id string) (graph.Graph, error) {
			source, err := s.Graph(t.Context(), id)
			require.NoError(t, err)
			return graph.Collect(source)
		}
		for _, id := range []string{first, again} {
			_, err := s.Evidence(t.Context(), id)
			require.NoError(t, err)
			got, err := read(id)
			require.NoError(t, err)
			require.Equal(t, g, got)
		}
		id := ran(t, s, manySections(300))
		packed(t, s)
		_, err := o.Raw(t, place).ExecContext(t.Context(), "DELETE FROM piece WHERE length(facts) = 0")
		require.NoError(t, err)
		_, err = s.Sections(t.Context(), id)
		require.ErrorIs(t, err, store.ErrTampered)
		_, err = s.Evidence(t.Context(), first)
		require.ErrorIs(t, err, store.ErrTampered)
		_, err = read(first)
		require.ErrorContains(t, err, "damaged")
	})
}

func number(t *testing.T, o Raw, place, query string) (n int) {
	t.Helper()
	require.NoError(t, o.Raw(t, place).QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

func pieces(t *testing.T, o Raw, place string) int {
	t.Helper()
	return number(t, o, place, "SELECT COUNT(*) FROM piece")
}

// PiecesGuard is for engines with several concurrent writers and uses PostgreSQL's SQL: a run being
// saved that reuses pieces of another keeps them from being swept with that other run.
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

		// The save has written its pieces and blocks at the graph.
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
				require.NoError(t, db.QueryRowContext(t.Context(),
					`SELECT COUNT(*) FROM pg_stat_activity
						WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n))
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

// PackGuard is PiecesGuard for sections: pieces a running pack reuses are not swept, and a job is
// either packed or forgotten.
func PackGuard(t *testing.T, o Raw) {
	place := o.Place(t)
	session(t, o, place, func(s store.Store) {
		pack := func(id string) func() error {
			return func() error { _, err := s.Pack(t.Context(), id); return err }
		}
		forget := func(what store.Forgettable) func() error {
			return func() error {
				_, err := s.Forget(t.Context(), what, noon().Add(30*time.Minute), noon())
				return err
			}
		}
		// behind runs two calls: the first waits for a table lock, the second for the first.
		behind := func(table string, first, second func() error) {
			hold, err := o.Raw(t, place).BeginTx(t.Context(), nil)
			require.NoError(t, err)
			defer func() { _ = hold.Rollback() }()
			_, err = hold.ExecContext(t.Context(), "LOCK TABLE "+table+" IN EXCLUSIVE MODE")
			require.NoError(t, err)
			ended := make(chan error, 2)
			for i, call := range []func() error{first, second} {
				go func() { ended <- call() }()
				require.Eventually(t, func() bool {
					return number(t, o, place, `SELECT COUNT(*) FROM pg_stat_activity
						WHERE datname = current_database() AND wait_event_type = 'Lock'`) == i+1
				}, 10*time.Second, time.Millisecond, "call %d does not wait", i+1)
			}
			require.NoError(t, hold.Commit())
			require.NoError(t, <-ended)
			require.NoError(t, <-ended)
		}
		all := manySections(300)
		first := ran(t, s, all)
		packed(t, s)
		require.NoError(t, s.DropSections(t.Context(), first, 1))
		later := ranAt(t, s, providerAccount, noon().Add(time.Hour), all).JobID
		behind("section_pack", pack(later), forget(store.Assessed))
		require.Equal(t, all, sections(t, s, later), "what is found stays")

		old := ran(t, s, manySections(300, 7))
		behind("piece", pack(old), forget(store.Read))
		require.Empty(t, sections(t, s, old), "out of sight")
		require.NoError(t, forget(store.Read)())
		require.Equal(t, 1, number(t, o, place, "SELECT COUNT(*) FROM section_pack"))

		old = ran(t, s, all)
		require.NoError(t, forget(store.Read)(), "out of sight")
		require.NoError(t, pack(old)())
		require.Equal(t, 1, number(t, o, place, "SELECT COUNT(*) FROM section_pack"), "it is too late to pack it")
		require.Equal(t, all, sections(t, s, later))
	})
}
