package jobs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestWeekOlder picks the run that is nearest to a week earlier, but none of the last days.
func TestWeekOlder(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name string
		days []float64 // before now, oldest first; 0 is the run itself
		old  float64
	}{
		{"alone", []float64{0}, 0},
		{"none at all", nil, 0},
		{"every day", []float64{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 7},
		{"every week", []float64{14, 7, 0}, 7},
		{"a young account", []float64{2, 1, 0}, 0},
		{"the younger is nearer", []float64{30, 5, 1, 0}, 5},
		{"the older is nearer", []float64{8, 4, 0}, 8},
		{"only an old one", []float64{200, 0}, 200},
	} {
		t.Run(row.name, func(t *testing.T) {
			name := func(days float64) string {
				if days == 0 {
					return ""
				}
				return time.Duration(days * float64(24*time.Hour)).String()
			}
			var points []trend.Point
			for _, days := range row.days {
				p := trend.Point{AssessmentID: name(days), At: now.Add(-time.Duration(days * float64(24*time.Hour)))}
				if days == 0 {
					p.AssessmentID = "this"
				}
				points = append(points, p)
			}
			got := weekOlder(points, posture.Assessment{AssessmentSummary: posture.AssessmentSummary{ID: "this", CompletedAt: now}})
			require.Equal(t, name(row.old), got)
		})
	}
}
