package relational

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDigest: every column, its length and the order of the findings count, and in
// which portions they come does not.
func TestDigest(t *testing.T) {
	row := assessmentRow{ID: "a", JobID: "b", AccountID: "c", ProviderAccountID: "d", Status: "e", CompletedAt: 1, Summary: []byte("f"),
		Checks: []byte("g"), Catalogue: []byte("h")}
	graph := graphRow{Graph: []byte("i"), Paths: []byte("j"), Modifications: []byte("k")}
	findings := make([]findingRow, 2*findingsAtOnce+1)
	for i := range findings {
		findings[i] = findingRow{Seq: i, Result: "FAIL", FindingID: "id", ResourceID: "r", ResourceKey: -1, Search: "s", Body: []byte("{}")}
	}
	of := func(row assessmentRow, graph graphRow, record string, portions ...[]findingRow) string {
		d := newDigest()
		for _, p := range portions {
			d.add(p)
		}
		return string(d.sum(row, graph, []byte(record)))
	}
	want := of(row, graph, "record", findings)
	require.Equal(t, want, of(row, graph, "record", findings[:1], findings[1:1500], findings[1500:]))
	seen := map[string]bool{want: true}
	differs := func(name string, got string) {
		t.Helper()
		require.False(t, seen[got], name)
		seen[got] = true
	}
	for name, change := range map[string]func(r *assessmentRow, g *graphRow){
		"id": func(r *assessmentRow, _ *graphRow) { r.ID = "x" }, "job": func(r *assessmentRow, _ *graphRow) { r.JobID = "x" },
		"account": func(r *assessmentRow, _ *graphRow) { r.AccountID = "x" }, "provider": func(r *assessmentRow,
			_ *graphRow) {
			r.ProviderAccountID = "x"
		},
		"status": func(r *assessmentRow, _ *graphRow) { r.Status = "x" }, "completed": func(r *assessmentRow, _ *graphRow) { r.CompletedAt = 2 },
		"summary":   func(r *assessmentRow, _ *graphRow) { r.Summary = []byte("x") },
		"checks":    func(r *assessmentRow, _ *graphRow) { r.Checks = []byte("x") },
		"catalogue": func(r *assessmentRow, _ *graphRow) { r.Catalogue = nil },
		"graph":     func(_ *assessmentRow, g *graphRow) { g.Graph = []byte("x") },
		"paths":     func(_ *assessmentRow, g *graphRow) { g.Paths = []byte("x") }, "modifications": func(_ *assessmentRow,
			g *graphRow) {
			g.Modifications = []byte("x")
		},
		"moved border": func(r *assessmentRow, _ *graphRow) { r.ID, r.JobID = "ab", "" },
	} {
		r, g := row, graph
		change(&r, &g)
		differs(name, of(r, g, "record", findings))
	}
	differs("record", of(row, graph, "other", findings))
	differs("one finding less", of(row, graph, "record", findings[:len(findings)-1]))
	differs("no findings", of(row, graph, "record"))
	for name, change := range map[string]func(*findingRow){
		"seq": func(r *findingRow) { r.Seq = 7_000 }, "check": func(r *findingRow) { r.CheckNo = 1 },
		"zone":   func(r *findingRow) { r.ZoneNo = 1 },
		"result": func(r *findingRow) { r.Result = "PASS" }, "finding": func(r *findingRow) { r.FindingID = "x" },
		"resource": func(r *findingRow) { r.ResourceID = "x" },
		"key":      func(r *findingRow) { r.ResourceKey = 1 }, "search": func(r *findingRow) { r.Search = "x" },
		"body": func(r *findingRow) { r.Body = []byte("[]") },
	} {
		for _, i := range []int{0, 1234, 2000} {
			was := findings[i]
			change(&findings[i])
			differs(name, of(row, graph, "record", findings))
			findings[i] = was
		}
	}
}

// BenchmarkDigest is what the digest adds to the saving of 50,000 findings.
func BenchmarkDigest(b *testing.B) {
	findings := make([]findingRow, 50_000)
	for i := range findings {
		findings[i] = findingRow{Seq: i, Result: "FAIL", FindingID: "0123456789abcdef0123456789abcdef", ResourceID: "resource-000001",
			Search: string(make([]byte, 90)), Body: make([]byte, 450)}
	}
	for b.Loop() {
		d := newDigest()
		d.add(findings)
		d.sum(assessmentRow{}, graphRow{}, nil)
	}
}
