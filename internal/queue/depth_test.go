package queue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/queue"
	"github.com/edgeposture/edgeposture/internal/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/store"
)

// TestDepths: what is rung for and nobody takes is told, with since when.
func TestDepths(t *testing.T) {
	rdb, err := queue.Connect(t.Context(), redistest.Start(t))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	ask := queue.Depths(rdb)
	before := time.Now().Add(-time.Second)
	for i, id := range []string{"a", "b", "c"} {
		var j store.JobRow
		j.ID, j.Queue = id, []string{queue.Interactive, queue.Interactive, queue.Delivery}[i]
		require.NoError(t, queue.NewDoorbell(rdb).Ring(t.Context(), j))
	}
	got, err := ask(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 3)
	for i, want := range []int{2, 0, 1} {
		require.Equal(t, want, got[i].Size, got[i].Queue)
		require.Equal(t, want > 0, got[i].Since.After(before), got[i].Queue)
	}
}
