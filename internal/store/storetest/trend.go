package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func trendCases() []testCase {
	return []testCase{
		{"a line has the whole runs of one account in order", lineOfAccount},
		{"a line keeps demo runs apart and sums what was resolved", lineApart},
		{"a line of nothing is not found", func(t *testing.T, s store.Store) {
			_, err := s.Line(t.Context(), store.TrendFilter{})
			require.ErrorIs(t, err, store.ErrNotFound)
			got, err := s.Points(t.Context(), []int64{1, 2})
			require.NoError(t, err)
			require.Empty(t, got)
		}},
	}
}

// point saves a run that is one point of a trend line.
func point(t testing.TB, s store.Store, account string, at time.Time, change func(*store.SaveAssessment)) posture.Assessment {
	t.Helper()
	return saved(t, s, 1, func(in *store.SaveAssessment) {
		in.Assessment.Account.ID, in.Assessment.CompletedAt = account, at
		in.Tally = store.RunTotals{Whole: true, StatusDelta: trend.StatusDelta{Opened: 1, Resolved: 2, Reopened: 3,
			Closed: map[posture.Severity]trend.Closed{posture.High: {Findings: 2, Seconds: 60}}}}
		if change != nil {
			change(in)
		}
	})
}

func lineOfAccount(t *testing.T, s store.Store) {
	var all []posture.Assessment
	for i := range 5 {
		all = append(all, point(t, s, providerAccount, noon().Add(time.Duration(i)*time.Hour),
			func(in *store.SaveAssessment) { in.Tally.Whole = i != 2 }))
	}
	point(t, s, "another", noon().Add(-time.Hour), nil)
	for _, account := range []string{"", providerAccount, ourAccount} {
		line, err := s.Line(t.Context(), store.TrendFilter{Account: account})
		require.NoError(t, err)
		require.Equal(t, posture.AccountRef{ID: providerAccount, Name: "Main"}, line.Account)
		require.Len(t, line.Ticks, 4, "the narrowed one is left out")
	}
	line, err := s.Line(t.Context(), store.TrendFilter{Partial: true, Since: noon().Add(time.Hour), Until: noon().Add(4 * time.Hour)})
	require.NoError(t, err)
	require.Len(t, line.Ticks, 3, "since is inclusive, until exclusive")
	require.Equal(t, trend.Tick{No: line.Ticks[0].No, At: kept(noon().Add(time.Hour)), Opened: 1, Resolved: 2, Reopened: 3}, line.Ticks[0])
	points, err := s.Points(t.Context(), []int64{line.Ticks[1].No, 1 << 40, line.Ticks[0].No})
	require.NoError(t, err)
	require.Len(t, points, 2)
	a := all[2]
	require.Equal(t, trend.Point{AssessmentID: a.ID, At: kept(a.CompletedAt), Partial: true, Score: a.Score.Value, Grade: a.Score.Grade,
		Coverage: a.Coverage.Percent, AttackPaths: 1, Summary: trend.Counts{BySeverity: a.Summary.BySeverity},
		ByCategory: map[posture.Category]int{"dns": 81}, Closed: map[posture.Severity]trend.Closed{posture.High: {Findings: 2, Seconds: 60}}},
		points[0])
	require.Equal(t, all[1].ID, points[1].AssessmentID)
}

func lineApart(t *testing.T, s store.Store) {
	point(t, s, providerAccount, noon(), func(in *store.SaveAssessment) { in.Assessment.Demo = true })
	point(t, s, providerAccount, noon().Add(time.Hour), nil)
	point(t, s, providerAccount, noon().Add(2*time.Hour), func(in *store.SaveAssessment) {
		in.Tally.Closed = map[posture.Severity]trend.Closed{posture.High: {Findings: 1, Seconds: 40}, posture.Low: {Findings: 1, Seconds: 7}}
	})
	line, err := s.Line(t.Context(), store.TrendFilter{})
	require.NoError(t, err)
	require.False(t, line.Demo)
	require.Len(t, line.Ticks, 2)
	require.Equal(t, map[posture.Severity]trend.Closed{posture.High: {Findings: 3, Seconds: 100}, posture.Low: {Findings: 1, Seconds: 7}},
		line.Closed)
	point(t, s, providerAccount, noon().Add(3*time.Hour), func(in *store.SaveAssessment) { in.Assessment.Demo = true })
	line, err = s.Line(t.Context(), store.TrendFilter{})
	require.NoError(t, err)
	require.True(t, line.Demo)
	require.Len(t, line.Ticks, 2)
}

// BenchTrend reads a trend line of 10,000 runs, every tenth of which resolved something, and 400 points
// of it.
func BenchTrend(b *testing.B, open func(t testing.TB) store.Store) {
	s := open(b)
	for i := range 10_000 {
		point(b, s, providerAccount, noon().Add(time.Duration(i)*time.Hour), func(in *store.SaveAssessment) {
			in.Assessment.Findings, in.States = nil, nil
			if i%10 != 0 {
				in.Tally.Resolved, in.Tally.Closed = 0, nil
			}
		})
	}
	for b.Loop() {
		line, err := s.Line(b.Context(), store.TrendFilter{})
		require.NoError(b, err)
		slots, _ := trend.Slots(line.Ticks, trend.Day, time.UTC, 400)
		nos := make([]int64, 0, len(slots))
		for _, slot := range slots {
			nos = append(nos, slot.No)
		}
		points, err := s.Points(b.Context(), nos)
		require.NoError(b, err)
		require.Len(b, points, 400)
	}
}
