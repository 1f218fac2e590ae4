package trend_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

const day = 24 * time.Hour

func ticks(t *testing.T, at ...string) (out []trend.Tick) {
	t.Helper()
	for i, s := range at {
		when, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		out = append(out, trend.Tick{No: int64(i), At: when, Opened: 1, Resolved: 10, Reopened: 100})
	}
	return out
}

func TestSlots(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		bucket trend.Bucket
		loc    *time.Location
		limit  int
		at     []string
		want   []int64 // numbers of the runs that stand
		runs   []int
		more   bool
	}{
		"none": {trend.Day, time.UTC, 9, nil, nil, nil, false},
		"each run": {trend.Run, time.UTC, 9, []string{"2026-03-04T10:00:00Z", "2026-03-04T10:00:00Z"}, []int64{0, 1}, []int{1, 1},
			false},
		"the last of a day": {trend.Day, time.UTC, 9, []string{"2026-03-04T00:00:00Z", "2026-03-04T23:59:59Z", "2026-03-05T00:00:00Z"},
			[]int64{1, 2}, []int{2, 1}, false},
		"a day of another zone": {trend.Day, berlin, 9, []string{"2026-03-04T22:59:59Z", "2026-03-04T23:00:00Z", "2026-03-05T10:00:00Z"},
			[]int64{0, 2}, []int{1, 2}, false},
		"a day of 23 hours": {trend.Day, berlin, 9, []string{"2026-03-28T23:00:00Z", "2026-03-29T21:59:00Z", "2026-03-29T22:00:00Z"},
			[]int64{1, 2}, []int{2, 1}, false},
		"weeks begin on Monday": {trend.Week, time.UTC, 9, []string{"2026-03-01T12:00:00Z", "2026-03-02T00:00:00Z", "2026-03-08T23:00:00Z",
			"2026-03-09T00:00:00Z"}, []int64{0, 2, 3}, []int{1, 2, 1}, false},
		"months": {trend.Month, time.UTC, 9, []string{"2026-02-28T12:00:00Z", "2026-03-01T00:00:00Z", "2026-03-31T12:00:00Z"},
			[]int64{0, 2}, []int{1, 2}, false},
		"the newest of too many": {trend.Day, time.UTC, 2, []string{"2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z", "2026-03-03T12:00:00Z"},
			[]int64{1, 2}, []int{1, 1}, true},
		"as many as there may be": {trend.Month, time.UTC, 1, []string{"2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z"}, []int64{1}, []int{2},
			false},
	} {
		got, more := trend.Slots(ticks(t, tc.at...), tc.bucket, tc.loc, tc.limit)
		require.Equal(t, tc.more, more, name)
		require.Len(t, got, len(tc.want), name)
		for i, slot := range got {
			require.Equal(t, tc.want[i], slot.No, name)
			require.Equal(t, tc.runs[i], slot.Runs, name)
			require.Equal(t, []int{tc.runs[i], 10 * tc.runs[i], 100 * tc.runs[i]}, []int{slot.Opened, slot.Resolved, slot.Reopened}, name)
		}
	}
}

func TestNear(t *testing.T) {
	end := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		before []time.Duration // how long before the end each run was, oldest first
		want   int64           // -1: none
	}{
		"none":                             {nil, -1},
		"the nearer before":                {[]time.Duration{8 * day, 5 * day}, 0},
		"the nearer after":                 {[]time.Duration{9 * day, 6 * day}, 1},
		"of two as near, the older":        {[]time.Duration{8 * day, 6 * day}, 0},
		"of one instant, the first":        {[]time.Duration{7 * day, 7 * day}, 0},
		"half as long before":              {[]time.Duration{7 * day / 2}, 0},
		"a moment younger":                 {[]time.Duration{7*day/2 - 1}, -1},
		"older, where the nearer is young": {[]time.Duration{40 * day, time.Minute}, 0},
		"not what came later":              {[]time.Duration{-7 * day}, -1},
	} {
		var line []trend.Tick
		for i, d := range tc.before {
			line = append(line, trend.Tick{No: int64(i), At: end.Add(-d)})
		}
		got, found := trend.Near(line, end, 7*day)
		require.Equal(t, tc.want >= 0, found, name)
		require.Equal(t, max(tc.want, 0), got.No, name)
	}
}

func TestSlowest(t *testing.T) {
	sum := map[posture.Severity]trend.Closed{}
	trend.Add(sum, map[posture.Severity]trend.Closed{posture.High: {Findings: 1, Seconds: 86400},
		posture.Low: {Findings: 2, Seconds: 10 * 86400}})
	trend.Add(sum, map[posture.Severity]trend.Closed{posture.High: {Findings: 2, Seconds: 86400}})
	require.Equal(t, []trend.Mean{{Severity: posture.Low, Resolved: 2, MeanDays: 5}, {Severity: posture.High, Resolved: 3, MeanDays: 0.67}},
		trend.Slowest(sum))
	require.Empty(t, trend.Slowest(nil))
}
