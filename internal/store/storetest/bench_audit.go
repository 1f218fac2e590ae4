package storetest

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// BenchAudit appends from 16 goroutines for each processor.
func BenchAudit(b *testing.B, open func(t testing.TB) store.Store) {
	s := open(b)
	var n atomic.Int64
	b.SetParallelism(16)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, err := s.AppendAudit(b.Context(), entryOf(int(n.Add(1))))
			require.NoError(b, err)
		}
	})
}
