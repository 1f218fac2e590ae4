package export_test

import (
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/export"
	"github.com/edgeposture/edgeposture/internal/export/exporttest"
)

// tally is a writer that counts.
type tally struct{ written int }

func (w *tally) Write(p []byte) (int, error) {
	w.written += len(p)
	return len(p), nil
}

// TestFindingsAreAskedForOneByOne shows that output leaves while findings are
// still coming: in the last pass, what is written grows with what was read.
func TestFindingsAreAskedForOneByOne(t *testing.T) {
	const n = 3000
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			if f.Name == "markdown" { // with the real budget, few findings are held until their category comes
				f.Write = func(w io.Writer, d export.Document) error { return export.WriteMarkdownWithin(w, d, 1) }
			}
			var out tally
			atStart, atEnd := map[int]int{}, map[int]int{}
			d, _ := counted(exporttest.Large(n), func(pass, n int) {
				if n == 1 {
					atStart[pass] = out.written
				}
				atEnd[pass] = out.written
			})
			require.NoError(t, f.Write(&out, d))
			grew := 0
			for pass := range atStart {
				grew = max(grew, atEnd[pass]-atStart[pass])
			}
			require.Positive(t, grew, "nothing was written while findings were read")
			if f.Name != "markdown" { // writes a category a pass
				require.Greater(t, grew, out.written/2, "most of the output must leave before the last finding came")
			}
		})
	}
}

// TestNothingPilesUp samples what is alive after a collection: it must not grow
// with the number of findings, or by no more than the stated budget.
func TestNothingPilesUp(t *testing.T) {
	const n, every = 20_000, 4_000
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			allowed := 2 << 20
			if f.Name == "markdown" {
				allowed += 2 * 16 << 20
			}
			before := alive()
			worst := 0
			d, _ := counted(exporttest.Large(n), func(_, n int) {
				if n%every == 0 {
					worst = max(worst, alive()-before)
				}
			})
			require.NoError(t, f.Write(io.Discard, d))
			require.Less(t, worst, allowed)
		})
	}
}

func alive() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// BenchmarkExport writes 100,000 findings in each format and reports the peak of
// the heap and of all memory the runtime holds from the system, in MB.
func BenchmarkExport(b *testing.B) {
	const n = 100_000
	for _, f := range export.Formats() {
		b.Run(f.Name, func(b *testing.B) {
			runtime.GC()
			peak := sampler()
			d, _ := counted(exporttest.Large(n), func(_, n int) {
				if n%500 == 0 {
					peak.sample()
				}
			})
			b.ReportAllocs()
			var out tally
			for b.Loop() {
				out = tally{}
				if err := f.Write(&out, d); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(out.written))
			b.ReportMetric(float64(peak.heap)/1e6, "MB-heap-peak")
			b.ReportMetric(float64(peak.held)/1e6, "MB-held-peak")
		})
	}
}

type peak struct {
	samples    []metrics.Sample
	heap, held uint64
}

func sampler() *peak {
	return &peak{samples: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}}
}

func (p *peak) sample() {
	metrics.Read(p.samples)
	p.heap = max(p.heap, p.samples[0].Value.Uint64())
	p.held = max(p.held, p.samples[1].Value.Uint64()-p.samples[2].Value.Uint64())
}

func TestLargeDocumentsAreWhatTheySay(t *testing.T) {
	d := exporttest.Large(1000)
	require.Len(t, all(t, d), d.Assessment.Summary.Total)
	require.Len(t, all(t, d, "FAIL"), d.Assessment.Summary.Fail)
	require.Equal(t, fmt.Sprint(exporttest.Names(500)), fmt.Sprint(exporttest.Names(500)))
}
