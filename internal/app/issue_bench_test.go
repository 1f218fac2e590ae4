package app_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/engine/queue/redistest"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
	"github.com/edgeposture/edgeposture/internal/store/postgres"
	"github.com/edgeposture/edgeposture/internal/store/postgres/pgtest"
	"github.com/edgeposture/edgeposture/internal/store/sqlite"
	"github.com/edgeposture/edgeposture/internal/store/storetest"
)

// BenchmarkIssues reads pages of issues over HTTP: of 300 accounts with 50,000 open findings in all, and of a run of 50,000. The
// first read is that of a process which has read nothing yet.
func BenchmarkIssues(b *testing.B) {
	o := simcloud.Options{Seed: 2, Accounts: []simcloud.AccountSpec{{Zones: 1}}}
	b.Run("sqlite", func(b *testing.B) {
		s := serve(b, o)
		dir, _ := strings.CutPrefix(s.environ[0], "DATA_DIR=")
		kept, err := sqlite.Open(b.Context(), filepath.Join(dir, "edgeposture.db"))
		require.NoError(b, err)
		s.readIssues(b, kept)
	})
	b.Run("postgres", func(b *testing.B) {
		url := pgtest.Start(b)
		s := serve(b, o, "DATABASE_URL="+url, "REDIS_URL="+redistest.Start(b), "SERVICE_ENCRYPTION_KEY="+testKey)
		kept, err := postgres.Open(b.Context(), url)
		require.NoError(b, err)
		s.readIssues(b, kept)
	})
}

func (s server) readIssues(b *testing.B, kept store.Store) {
	b.Helper()
	const accounts, findings, rounds = 300, 50_000, 60
	b.Cleanup(func() { require.NoError(b, kept.Close()) })
	storetest.FillIssues(b, kept, 0, accounts, findings)
	asks := func(path string) map[string]string {
		return map[string]string{"all": path, "filtered": path + "?severity=critical,high&effort=work&facets=true&new=15",
			"text": path + "?q=host-1", "sorted": path + "?sort=title", "zone": path + "?zone=%032x"}
	}
	measure := func(of, path string, account int) {
		for n, name := range append([]string{"all"}, sortedKeys(asks(path))...) {
			if n > 0 && name == "all" {
				continue
			}
			var took []time.Duration
			for i := range rounds {
				url := s.url + strings.Replace(asks(path)[name], "%032x", fmt.Sprintf("%032x", account*100+i), 1)
				d, err := read(b.Context(), http.DefaultClient, url)
				require.NoError(b, err)
				took = append(took, d)
			}
			if n == 0 {
				b.ReportMetric(milliseconds(took[0]), "ms-"+of+"-first-read")
			}
			slices.Sort(took)
			b.ReportMetric(milliseconds(took[len(took)/2]), "ms-p50-"+of+"-"+name)
			b.ReportMetric(milliseconds(took[len(took)*95/100]), "ms-p95-"+of+"-"+name)
		}
	}
	for b.Loop() {
		measure("now", "/api/issues", 7)
		storetest.FillIssues(b, kept, 3, 1, 100)
		again, err := read(b.Context(), http.DefaultClient, s.url+"/api/issues")
		require.NoError(b, err)
		b.ReportMetric(milliseconds(again), "ms-now-after-a-run")
		began := time.Now()
		patch, err := http.NewRequestWithContext(b.Context(), http.MethodPatch, s.url+"/api/issues/"+storetest.FilledIssue(7),
			strings.NewReader(`{"assignee": "ann"}`))
		require.NoError(b, err)
		patch.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(patch)
		require.NoError(b, err)
		require.NoError(b, answer.Body.Close())
		require.Equal(b, http.StatusOK, answer.StatusCode)
		b.ReportMetric(milliseconds(time.Since(began)), "ms-now-decision")
		measure("run", "/api/assessments/"+storetest.FillIssues(b, kept, accounts, 1, findings)+"/issues", accounts)
	}
	b.ReportMetric(memory(b, s.pid, "VmHWM"), "MB-peak")
	b.ReportMetric(0, "ns/op")
}
