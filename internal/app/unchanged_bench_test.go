package app_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
	"github.com/edgeposture/edgeposture/internal/store/storetest"
	"github.com/edgeposture/edgeposture/jobs"
)

// BenchmarkUnchangedRuns assesses an account of 30 zones again and again and tells what one
// more run in which nothing changed takes on the disk, all told, once it is packed.
func BenchmarkUnchangedRuns(b *testing.B) {
	o := simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: 30, RecordsPerZone: 20, Plant: 0.2}}}
	b.Run("sqlite", func(b *testing.B) {
		s := serve(b, o)
		dir, _ := strings.CutPrefix(s.environ[0], "DATA_DIR=")
		path := filepath.Join(dir, "edgeposture.db")
		kept, err := sqlite.Open(b.Context(), path)
		require.NoError(b, err)
		s.unchanged(b, kept, "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)", "VACUUM",
			"SELECT COALESCE(m.tbl_name, d.name), SUM(d.pgsize) FROM dbstat AS d LEFT JOIN sqlite_schema AS m ON m.name = d.name GROUP BY 1")
	})
	b.Run("postgres", func(b *testing.B) {
		url := pgtest.Start(b)
		s := serve(b, o, "DATABASE_URL="+url, "REDIS_URL="+redistest.Start(b), "SERVICE_ENCRYPTION_KEY="+testKey)
		launch(b, "worker", "(worker ready)", s.environ)
		kept, err := postgres.Open(b.Context(), url)
		require.NoError(b, err)
		s.unchanged(b, kept, "pgx", url, "VACUUM FULL",
			"SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
	})
}

func (s server) unchanged(b *testing.B, kept store.Store, driver, place, vacuum, sizes string) {
	b.Helper()
	const runs = 10
	b.Cleanup(func() { require.NoError(b, kept.Close()) })
	db, err := sql.Open(driver, place)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	now := time.Now()
	size := func() map[string]int64 {
		now = now.Add(2 * time.Hour) // a turn of its own
		_, err := jobs.Retention{Store: kept, Now: func() time.Time { return now },
			Pause: func(context.Context) error { return nil }}.Sweep(b.Context())
		require.NoError(b, err)
		_, err = db.ExecContext(b.Context(), vacuum)
		require.NoError(b, err)
		return storetest.Sizes(b, db, sizes)
	}
	s.run(b)
	s.run(b) // in the first all findings are new
	for b.Loop() {
		before := size()
		for range runs {
			s.run(b)
		}
		latest, err := kept.LatestAssessment(b.Context(), "")
		require.NoError(b, err)
		counts, err := kept.CountFindings(b.Context(), latest.ID, store.FindingFilter{})
		require.NoError(b, err)
		findings := 0
		for _, n := range counts {
			findings += n
		}
		var all float64
		for name, bytes := range size() {
			if grown := float64(bytes-before[name]) / float64(runs*findings); grown > 0 {
				all += grown
				b.Logf("%-24s %8.2f bytes/finding/run", name, grown)
			}
		}
		b.ReportMetric(float64(findings), "findings")
		b.ReportMetric(all, "bytes/finding/run")
		b.ReportMetric(0, "ns/op")
	}
}
