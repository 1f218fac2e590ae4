package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/store"
)

// BenchSave saves reports of n findings with the state of each.
func BenchSave(b *testing.B, open func(t testing.TB) store.Store, n int) {
	s := open(b)
	report := assessment(b, "", n)
	for b.Loop() {
		b.StopTimer()
		row := running(b, s)
		report.ID, report.JobID = newID(b), row.ID
		in := saveOf(row, report)
		b.StartTimer()
		require.NoError(b, s.Save(b.Context(), in))
	}
}

// BenchFindingsPage reads pages of 100 from a report of 50,000 findings, one
// sub-benchmark per filter.
func BenchFindingsPage(b *testing.B, open func(t testing.TB) store.Store) {
	s := open(b)
	report := saved(b, s, 50_000, nil)
	middle := store.Page{Limit: 100}
	for range 50 {
		_, next, err := s.Findings(b.Context(), report.ID, store.FindingFilter{}, middle)
		require.NoError(b, err)
		middle.Cursor = next
	}
	for _, c := range []struct {
		name   string
		filter store.FindingFilter
		page   store.Page
	}{
		{"first", store.FindingFilter{}, store.Page{Limit: 100}},
		{"middle", store.FindingFilter{}, middle},
		{"fail", store.FindingFilter{Results: []posture.Result{posture.Fail}}, store.Page{Limit: 100}},
		{"critical", store.FindingFilter{Severities: []posture.Severity{posture.Critical}}, store.Page{Limit: 100}},
		{"zone", store.FindingFilter{Zones: []string{"zone-07"}}, store.Page{Limit: 100}},
		{"resource", store.FindingFilter{Resources: []string{"resource-049000"}}, store.Page{Limit: 100}},
		{"text rare", store.FindingFilter{Text: "host-49999."}, store.Page{Limit: 100}},
		{"all", store.FindingFilter{}, store.Page{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				_, _, err := s.Findings(b.Context(), report.ID, c.filter, c.page)
				require.NoError(b, err)
			}
		})
	}
	b.Run("count fail", func(b *testing.B) {
		for b.Loop() {
			_, err := s.CountFindings(b.Context(), report.ID, store.FindingFilter{Results: []posture.Result{posture.Fail}})
			require.NoError(b, err)
		}
	})
}

// BenchClaim claims a queued job.
func BenchClaim(b *testing.B, open func(t testing.TB) store.Store) {
	s := open(b)
	for b.Loop() {
		b.StopTimer()
		id := enqueue(b, s, newJob(b)).ID
		b.StartTimer()
		claim(b, s, id, noon())
	}
}

// BenchSections writes a section as large as a zone's records.
func BenchSections(b *testing.B, open func(t testing.TB) store.Store) {
	s := open(b)
	row := running(b, s)
	value := append([]byte{'['}, make([]byte, 0, 20_000)...)
	for len(value) < 20_000 {
		value = append(value, `{"id":"0123456789abcdef","type":"A","name":"host.example.com","content":"203.0.113.7","proxied":true},`...)
	}
	b.SetBytes(int64(len(value)))
	for b.Loop() {
		sec := snapshot.Section{Source: "zone.dns", Scope: newID(b), Status: snapshot.OK, Value: value}
		require.NoError(b, s.PutSections(b.Context(), row.ID, row.Attempt, []snapshot.Section{sec}))
	}
}
