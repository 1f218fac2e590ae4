package app_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// BenchmarkExplain follows requests to every zone of an account of 200. The first one loads what the run read.
func BenchmarkExplain(b *testing.B) {
	s := embedded(b, simcloud.Options{Seed: 4, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{{Zones: 200,
		RecordsPerZone: 50, Plant: 0.3, Plans: []string{"free", "pro", "business", "enterprise"}}}})
	a := s.assessAll(nil)
	for b.Loop() {
		var took []time.Duration
		for _, z := range a.Zones {
			d, err := read(b.Context(), http.DefaultClient, s.url+"/api/explain?url=www."+z.Name+"/login&country=DE&assessmentId="+a.ID)
			require.NoError(b, err)
			took = append(took, d)
		}
		b.ReportMetric(milliseconds(took[0]), "ms-first")
		slices.Sort(took)
		b.ReportMetric(milliseconds(took[len(took)/2]), "ms-p50")
		b.ReportMetric(milliseconds(took[len(took)*95/100]), "ms-p95")
	}
}
