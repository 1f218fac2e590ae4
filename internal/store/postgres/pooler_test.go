package postgres

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
	"github.com/edgeposture/edgeposture/internal/store/storetest"
)

// pooled is engine through PgBouncer in transaction mode with three connections.
type pooled struct{ engine }

func (pooled) Place(t testing.TB) string { return pgtest.Pooler(t, pgtest.Start(t), 3) }

// TestSweepPooler has everything work where a session belongs to many.
func TestSweepPooler(t *testing.T) {
	t.Run("eight processes migrate at once", func(t *testing.T) {
		place := pooled{}.Place(t)
		var all errgroup.Group
		for range 8 {
			all.Go(func() error {
				s, err := Open(t.Context(), place)
				if err != nil {
					return err
				}
				return errors.Join(s.Ping(t.Context()), s.Close())
			})
		}
		require.NoError(t, all.Wait())
	})
	if !testing.Short() {
		storetest.Transaction(t, storetest.Fresh(pooled{}))
		storetest.Concurrency(t, storetest.Fresh(pooled{}))
		storetest.Basic(t, storetest.Fresh(pooled{}))
	}
}

func TestPoolerIsRecognised(t *testing.T) {
	cfg, err := config(pgtest.Pooler(t, pgtest.Start(t), 2))
	require.NoError(t, err)
	require.True(t, refusesLimits(migrateAll(t.Context(), cfg)))
}
