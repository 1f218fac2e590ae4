package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// BenchForget forgets n assessments of 20 accounts with 50 findings each and one run per hour.
func BenchForget(b *testing.B, open func(t testing.TB) store.Store, n int) {
	const accounts, findings = 20, 50
	for b.Loop() {
		b.StopTimer()
		s := open(b)
		report := assessment(b, "", findings)
		at := noon()
		for i := range n {
			if i%accounts == 0 {
				at = at.Add(time.Hour)
			}
			row := running(b, s)
			report.ID, report.JobID, report.StartedAt, report.CompletedAt = newID(b), row.ID, at, at
			report.Account = posture.AccountRef{ID: "account-" + string(rune('a'+i%accounts)), Name: "main"}
			require.NoError(b, s.Save(b.Context(), saveOf(row, report)))
		}
		gone := 0
		b.StartTimer()
		begun := time.Now()
		for {
			rows, err := s.Forget(b.Context(), store.Assessed, at.Add(time.Hour), at)
			require.NoError(b, err)
			if gone += rows; rows == 0 {
				break
			}
		}
		b.ReportMetric(float64(n)/time.Since(begun).Seconds(), "assessments/s")
		require.GreaterOrEqual(b, gone, n-accounts*12)
	}
}
