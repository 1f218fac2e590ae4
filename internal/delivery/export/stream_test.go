package export_test

import (
	"encoding/json"
	"io"
	"iter"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/export"
	"github.com/edgeposture/edgeposture/internal/delivery/export/exporttest"
)

// tally is a writer that counts.
type tally struct{ written int }

func (w *tally) Write(p []byte) (int, error) {
	w.written += len(p)
	return len(p), nil
}

// hoarder is what an exporter must not be: it reads everything before it writes.
func hoarder() export.Format {
	return export.Format{Name: "hoarder", Write: func(w io.Writer, d export.Document) error {
		var held []posture.Finding
		for f, err := range d.Findings() {
			if err != nil {
				return err
			}
			held = append(held, f)
		}
		for _, f := range held {
			if err := json.NewEncoder(w).Encode(f); err != nil {
				return err
			}
		}
		return nil
	}}
}

// outgoing tells how many bytes were written while the findings of one pass came,
// at best, and how many in all. The findings are of one category: those of
// several may be held, within a budget, until theirs comes.
func outgoing(t *testing.T, f export.Format, n int) (during, total int) {
	t.Helper()
	var out tally
	atStart, atEnd := map[int]int{}, map[int]int{}
	d, _ := counted(oneCategory(exporttest.Large(n)), func(pass, n int) {
		if n == 1 {
			atStart[pass] = out.written
		}
		atEnd[pass] = out.written
	})
	require.NoError(t, f.Write(&out, d))
	for pass := range atStart {
		during = max(during, atEnd[pass]-atStart[pass])
	}
	return during, out.written
}

func oneCategory(d export.Document) export.Document {
	inner := d.Findings
	d.Findings = func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for f, err := range inner(results...) {
				f.Category = "dns"
				if !yield(f, err) {
					return
				}
			}
		}
	}
	return d
}

// TestFindingsAreAskedForOneByOne shows that output leaves while findings are
// still coming: in some pass, what is written grows with what is read. The reports
// are bounded instead: they are no longer for ten times as many findings.
func TestFindingsAreAskedForOneByOne(t *testing.T) {
	const n = 3000
	for _, f := range export.Formats() {
		if f.Report {
			_, few := outgoing(t, f, n)
			_, many := outgoing(t, f, 10*n)
			require.Less(t, many, few*11/10, f.Name)
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			during, total := outgoing(t, f, n)
			require.Greater(t, during, total/2, "most of the output must leave before the last finding came")
		})
	}
	during, _ := outgoing(t, hoarder(), n)
	require.Zero(t, during, "the test must see an exporter that hoards")
}

// growth tells by how many bytes what is alive after a collection grew at worst
// while n findings were written.
func growth(t *testing.T, f export.Format, n int) int {
	t.Helper()
	before, worst := alive(), 0
	d, _ := counted(exporttest.Large(n), func(_, at int) {
		if at%(n/5) == 0 {
			worst = max(worst, alive()-before)
		}
	})
	require.NoError(t, f.Write(io.Discard, d))
	return worst
}

// TestSweepNothingPilesUp holds that memory does not grow with the number of findings,
// or by no more than the stated budget.
func TestSweepNothingPilesUp(t *testing.T) {
	const n, little = 10_000, 2 << 20
	for _, f := range export.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			const budget = 1 << 20
			allowed := little
			switch f.Name {
			case "markdown":
				f.Write = func(w io.Writer, d export.Document) error { return export.WriteMarkdownWithin(w, d, budget) }
				allowed += 2 * budget
			case "html", "pdf":
				allowed += 6 << 20 // what the report shows at most, and its pages
			}
			require.Less(t, growth(t, f, n), allowed)
		})
	}
	require.Greater(t, growth(t, hoarder(), n), 3*little, "the test must see an exporter that hoards")
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
	return &peak{samples: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}}
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
	names := map[string]bool{}
	for _, name := range exporttest.Names(500) {
		names[name] = true
	}
	require.Equal(t, 500, len(names), "the names differ") //nolint:testifylint // Len would print them all
}
