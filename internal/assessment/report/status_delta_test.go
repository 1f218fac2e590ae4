package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestTurnover holds every step a finding can take between two runs.
func TestTurnover(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	state := func(r posture.Result, s posture.FindingStatus) *posture.FindingState {
		return &posture.FindingState{FindingID: "f", Result: r, Status: s, FirstSeen: now.Add(-10 * 24 * time.Hour)}
	}
	const stays, resolved, reopened = posture.StatusOpen, posture.StatusResolved, posture.StatusReopened
	for name, tc := range map[string]struct {
		before, next *posture.FindingState
		want         [3]int // opened, resolved, reopened
	}{
		"new and failing":           {nil, state(posture.Fail, stays), [3]int{1, 0, 0}},
		"new and warning":           {nil, state(posture.Warning, stays), [3]int{1, 0, 0}},
		"new and fine":              {nil, state(posture.Pass, resolved), [3]int{}},
		"new and unknown":           {nil, state(posture.Unknown, stays), [3]int{}},
		"still failing":             {state(posture.Fail, stays), state(posture.Fail, stays), [3]int{}},
		"a warning that fails now":  {state(posture.Warning, stays), state(posture.Fail, stays), [3]int{}},
		"fixed":                     {state(posture.Fail, stays), state(posture.Pass, resolved), [3]int{0, 1, 0}},
		"fixed a second time":       {state(posture.Fail, reopened), state(posture.Pass, resolved), [3]int{0, 1, 0}},
		"no longer applies":         {state(posture.Warning, stays), state(posture.NotApplicable, resolved), [3]int{0, 1, 0}},
		"was fine, and fails":       {state(posture.Pass, resolved), state(posture.Fail, reopened), [3]int{0, 0, 1}},
		"still fails, again":        {state(posture.Fail, reopened), state(posture.Fail, reopened), [3]int{}},
		"became unreadable":         {state(posture.Fail, stays), state(posture.Unknown, stays), [3]int{}},
		"fine, became unreadable":   {state(posture.Pass, resolved), state(posture.Unknown, resolved), [3]int{}},
		"unreadable, then fails":    {state(posture.Unknown, stays), state(posture.Fail, stays), [3]int{}},
		"unreadable, then fine":     {state(posture.Unknown, stays), state(posture.Pass, resolved), [3]int{}},
		"reopened, unread, fails":   {state(posture.Unknown, reopened), state(posture.Fail, reopened), [3]int{}},
		"reopened, unread, fixed":   {state(posture.Unknown, reopened), state(posture.Pass, resolved), [3]int{0, 1, 0}},
		"resolved, unread, failing": {state(posture.Unknown, resolved), state(posture.Fail, reopened), [3]int{0, 0, 1}},
	} {
		got := trend.StatusDelta{Closed: map[posture.Severity]trend.Closed{}}
		addTransition(&got, tc.before, *tc.next, posture.High, now)
		require.Equal(t, tc.want, [3]int{got.Opened, got.Resolved, got.Reopened}, name)
		closed := map[posture.Severity]trend.Closed{}
		if tc.want[1] == 1 {
			closed[posture.High] = trend.Closed{Findings: 1, Seconds: 10 * 86400}
		}
		require.Equal(t, closed, got.Closed, name)
	}
}
