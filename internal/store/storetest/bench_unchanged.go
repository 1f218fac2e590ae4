package storetest

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/store"
)

// BenchUnchanged saves the same report of n findings repeatedly, an hour apart, and reports the disk
// space one more run needs. size returns the bytes of each table including its indexes.
func BenchUnchanged(b *testing.B, o Opener, n int, size func(place string) map[string]int64) {
	const runs = 10
	place := o.Place(b)
	save := func(s store.Store, runs, from int) {
		report := assessment(b, "", n)
		for i := range runs {
			at := kept(noon().Add(time.Duration(from+i) * time.Hour))
			row := running(b, s)
			report.ID, report.JobID, report.StartedAt, report.CompletedAt = newID(b), row.ID, at, at.Add(time.Minute)
			for k := range report.Findings {
				report.Findings[k].LastSeen = at
			}
			in := saveOf(row, report)
			in.Evidence = record()
			require.NoError(b, s.Save(b.Context(), in))
		}
	}
	for b.Loop() {
		session(b, o, place, func(s store.Store) { save(s, 1, 0) })
		before := size(place)
		var took time.Duration
		session(b, o, place, func(s store.Store) {
			begun := time.Now()
			save(s, runs, 1)
			took = time.Since(begun)
		})
		var all int64
		for name, bytes := range size(place) {
			if grown := bytes - before[name]; grown > 0 {
				all += grown
				b.Logf("%-24s %8.2f bytes/finding/run", name, float64(grown)/float64(n*runs))
			}
		}
		b.ReportMetric(float64(all)/float64(n*runs), "bytes/finding/run")
		b.ReportMetric(float64(took.Milliseconds())/runs, "ms/save")
		b.ReportMetric(0, "ns/op")
	}
}

// Sizes runs a query that returns names and sizes in bytes.
func Sizes(b *testing.B, db *sql.DB, query string) map[string]int64 {
	b.Helper()
	rows, err := db.QueryContext(b.Context(), query)
	require.NoError(b, err)
	defer func() { require.NoError(b, rows.Close()) }()
	out := map[string]int64{}
	for rows.Next() {
		var name string
		var bytes int64
		require.NoError(b, rows.Scan(&name, &bytes))
		out[name] = bytes
	}
	require.NoError(b, rows.Err())
	return out
}
