package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// TestTurnover holds every step a finding can take between two runs: what is opened and reopened, less what is resolved, is how many
// more are open.
func TestTurnover(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	state := func(r posture.Result, s posture.FindingStatus, opened bool) *posture.FindingState {
		return &posture.FindingState{FindingID: "f", Result: r, Status: s, Opened: opened, FirstSeen: now.Add(-10 * 24 * time.Hour)}
	}
	const stays, resolved, reopened = posture.StatusOpen, posture.StatusResolved, posture.StatusReopened
	const fails, warns, unread, passes = posture.Fail, posture.Warning, posture.Unknown, posture.Pass
	failing, failingAgain := state(fails, stays, true), state(fails, reopened, true)
	fine, fixed := state(passes, resolved, false), state(passes, resolved, true)
	neverRead, unreadable, unreadableAgain := state(unread, stays, false), state(unread, stays, true), state(unread, reopened, true)
	for name, tc := range map[string]struct {
		before, next *posture.FindingState
		want         [3]int // opened, resolved, reopened
	}{
		"new and failing":            {nil, failing, [3]int{1, 0, 0}},
		"new and warning":            {nil, state(warns, stays, true), [3]int{1, 0, 0}},
		"new and fine":               {nil, fine, [3]int{}},
		"new and unknown":            {nil, neverRead, [3]int{}},
		"still failing":              {failing, failing, [3]int{}},
		"a warning that fails now":   {state(warns, stays, true), failing, [3]int{}},
		"fixed":                      {failing, fixed, [3]int{0, 1, 0}},
		"fixed a second time":        {failingAgain, fixed, [3]int{0, 1, 0}},
		"no longer applies":          {state(warns, stays, true), state(posture.NotApplicable, resolved, true), [3]int{0, 1, 0}},
		"was fine, and fails":        {fine, failing, [3]int{1, 0, 0}},
		"was fixed, and fails":       {fixed, failingAgain, [3]int{0, 0, 1}},
		"still fails, again":         {failingAgain, failingAgain, [3]int{}},
		"became unreadable":          {failing, unreadable, [3]int{}},
		"fine, became unreadable":    {fine, state(unread, resolved, false), [3]int{}},
		"never read, then fails":     {neverRead, failing, [3]int{1, 0, 0}},
		"never read, then fine":      {neverRead, fine, [3]int{}},
		"failed, unread, fails":      {unreadable, failing, [3]int{}},
		"failed, unread, fixed":      {unreadable, fixed, [3]int{0, 1, 0}},
		"reopened, unread, fails":    {unreadableAgain, failingAgain, [3]int{}},
		"reopened, unread, fixed":    {unreadableAgain, fixed, [3]int{0, 1, 0}},
		"resolved, unread, failing":  {state(unread, resolved, true), failingAgain, [3]int{0, 0, 1}},
		"was fine, unread, failing":  {state(unread, resolved, false), failing, [3]int{1, 0, 0}},
		"was fixed, became unread":   {fixed, state(unread, resolved, true), [3]int{}},
		"unread, and still not read": {unreadable, unreadable, [3]int{}},
	} {
		got := trend.StatusDelta{Closed: map[posture.Severity]trend.Closed{}}
		addTransition(&got, tc.before, *tc.next, posture.High, now)
		require.Equal(t, tc.want, [3]int{got.Opened, got.Resolved, got.Reopened}, name)
		closed := map[posture.Severity]trend.Closed{}
		open := func(s *posture.FindingState) int {
			if s != nil && s.Opened && s.Status != resolved {
				return 1
			}
			return 0
		}
		require.Equal(t, open(tc.next)-open(tc.before), got.Opened+got.Reopened-got.Resolved, name)
		if tc.want[1] == 1 {
			closed[posture.High] = trend.Closed{Findings: 1, Seconds: 10 * 86400}
		}
		require.Equal(t, closed, got.Closed, name)
	}
}
