package export

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// htmlMany makes the n-th of many findings, which come worst first and are of
// every category, so that grouping them by category is real work.
func htmlMany(n, total int) posture.Finding {
	categories := posture.Categories()
	severity := posture.Severities()[n*5/total]
	f := htmlMade(fmt.Sprintf("CFL-%03d", n%210), "No record reveals the origin of a proxied host", categories[n%210%len(categories)],
		severity, posture.Fail, n)
	f.Evidence = append(f.Evidence, posture.Evidence{Source: "zone/settings", Pointer: "/ssl", Observed: "flexible", Expected: "strict"})
	return f
}

// htmlFresh gives findings that are made anew in each pass, as a store does.
func htmlFresh(total int, severe bool) func(...posture.Result) iter.Seq2[posture.Finding, error] {
	return func(results ...posture.Result) iter.Seq2[posture.Finding, error] {
		return func(yield func(posture.Finding, error) bool) {
			for n := range total {
				if len(results) > 0 && results[0] == posture.Pass {
					return
				}
				f := htmlMany(n, total)
				if severe {
					f.Severity = posture.Medium
				}
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

// htmlCounter counts what is written and how large the heap grows meanwhile.
type htmlCounter struct {
	written, nextLook int64
	peak              uint64
}

func (c *htmlCounter) Write(b []byte) (int, error) {
	c.written += int64(len(b))
	if c.written >= c.nextLook {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.peak = max(c.peak, m.HeapInuse)
		c.nextLook = c.written + 2<<20
	}
	return len(b), nil
}

// BenchmarkHTML5000 must stay within 150 ms.
func BenchmarkHTML5000(b *testing.B) {
	findings := make([]posture.Finding, 5000)
	for n := range findings {
		findings[n] = htmlMany(n, len(findings))
	}
	d := htmlDocument(findings)
	var bytes int64
	for b.Loop() {
		c := &htmlCounter{nextLook: 1 << 62}
		require.NoError(b, HTML().Write(c, d))
		bytes = c.written
	}
	b.ReportMetric(float64(bytes)/1e6, "MB")
}

// BenchmarkHTML100000 writes every finding in full, the worst case for memory,
// and must stay within 100 MB.
func BenchmarkHTML100000(b *testing.B) {
	d := htmlDocument(htmlSmallFindings())
	d.Findings = htmlFresh(100_000, true)
	c := &htmlCounter{}
	for b.Loop() {
		debug.FreeOSMemory()
		require.NoError(b, HTML().Write(c, d))
	}
	b.ReportMetric(float64(c.peak)/1e6, "peak-heap-MB")
	b.ReportMetric(float64(c.written)/1e6/float64(b.N), "MB")
}
