package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// Migration checks that every older schema is migrated to the newest one, even with concurrent attempts
// and interruptions. With -short it starts from every ninth version and is interrupted less often.
func Migration(t *testing.T, m Migrator) {
	head := headOf(t, m)
	t.Run("from nothing to the newest, and again", func(t *testing.T) {
		place := m.Place(t)
		for range 3 {
			worksAtHead(t, m, place, head)
		}
	})
	step := int64(1)
	if testing.Short() {
		step = 9
	}
	for from := head - 1; from > 0; from -= step {
		t.Run(fmt.Sprintf("from version %d to the newest", from), func(t *testing.T) {
			place := m.Place(t)
			require.NoError(t, m.MigrateTo(t.Context(), place, from))
			if got, err := m.Version(t.Context(), place); err != nil || got != from {
				require.NoError(t, err)
				return // no migration has this number
			}
			worksAtHead(t, m, place, head)
		})
	}
	t.Run("eight processes at once", func(t *testing.T) { migrateTogether(t, m, head) })
	t.Run("killed in the middle and started again", func(t *testing.T) { migrateKilled(t, m, head) })
	t.Run("stopped by its context and started again", func(t *testing.T) { migrateStopped(t, m, head) })
}

func headOf(t *testing.T, m Migrator) int64 {
	t.Helper()
	place := m.Place(t)
	session(t, m, place, func(store.Store) {})
	head, err := m.Version(t.Context(), place)
	require.NoError(t, err)
	require.Positive(t, head)
	return head
}

func wantVersion(t testing.TB, m Migrator, place string, want int64) {
	t.Helper()
	got, err := m.Version(t.Context(), place)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// worksAtHead opens a database and runs a job from start to end.
func worksAtHead(t testing.TB, m Migrator, place string, head int64) {
	t.Helper()
	session(t, m, place, func(s store.Store) {
		report := saved(t, s, 5, nil)
		require.Len(t, findings(t, s, report.ID, store.FindingFilter{}), 5)
	})
	wantVersion(t, m, place, head)
	m.Check(t, place)
}

func migrateTogether(t *testing.T, m Migrator, head int64) {
	for range 3 {
		place := m.Place(t)
		stores, errs := together(8, func(int) (store.Store, error) { return m.Open(t.Context(), place) })
		require.Equal(t, 8, tally(t, errs, nil))
		for _, s := range stores {
			running(t, s)
		}
		for _, s := range stores {
			require.NoError(t, s.Close())
		}
		worksAtHead(t, m, place, head)
	}
}

func migrateKilled(t *testing.T, m Migrator, head int64) {
	c := startChild(t, m, "migrate", m.Place(t))
	require.Equal(t, "begin", c.line(t))
	begun := time.Now()
	require.Equal(t, "done", c.line(t))
	whole := time.Since(begun)
	c.kill(t)
	halfway := 0
	for i := range kills() {
		place := m.Place(t)
		c := startChild(t, m, "migrate", place)
		require.Equal(t, "begin", c.line(t))
		<-time.After(moment(t, i, kills(), whole))
		if len(c.kill(t)) == 0 {
			halfway++
		}
		worksAtHead(t, m, place, head)
	}
	t.Logf("of %d killed migrations %d were not at their end", kills(), halfway)
}

func migrateStopped(t *testing.T, m Migrator, head int64) {
	stops := []int{1, 3, 6, 10, 15, 25, 40}
	if testing.Short() {
		stops = []int{1, 10, 40}
	}
	for _, after := range stops {
		place := m.Place(t)
		ctx, cancel := context.WithCancel(t.Context())
		s, err := m.Open(newTrigger(ctx, cancel, after), place)
		cancel()
		if err == nil {
			require.NoError(t, s.Close())
		}
		worksAtHead(t, m, place, head)
	}
}
