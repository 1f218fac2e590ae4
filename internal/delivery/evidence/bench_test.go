package evidence_test

import (
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
)

// peak watches the heap while f runs, and gives the most it held above what it held
// before, in MiB.
func peak(f func()) float64 {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var highest atomic.Uint64
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				runtime.ReadMemStats(&now)
				highest.Store(max(highest.Load(), now.HeapInuse))
			}
		}
	}()
	f()
	close(done)
	<-stopped
	return float64(max(highest.Load(), before.HeapInuse)-before.HeapInuse) / (1 << 20)
}

const large = 50_000

// BenchmarkWrite makes and writes a bundle of 50,000 findings.
func BenchmarkWrite(b *testing.B) {
	s := source(large)
	var most float64
	for b.Loop() {
		most = max(most, peak(func() {
			made, err := evidence.Make(s, signer(b))
			require.NoError(b, err)
			require.NoError(b, made.Write(io.Discard))
			b.SetBytes(made.Size())
		}))
	}
	b.ReportMetric(most, "peak-MiB")
}

// BenchmarkVerify verifies a bundle of 50,000 findings as it streams in.
func BenchmarkVerify(b *testing.B) {
	made, err := evidence.Make(source(large), signer(b))
	require.NoError(b, err)
	b.SetBytes(made.Size())
	var most float64
	for b.Loop() {
		most = max(most, peak(func() {
			r, w := io.Pipe()
			go func() { w.CloseWithError(made.Write(w)) }()
			_, err := evidence.Verify(r, evidence.Options{})
			require.NoError(b, err)
		}))
	}
	b.ReportMetric(most, "peak-MiB")
}
