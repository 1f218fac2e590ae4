package report

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// addTransition counts how a run changed the status of one finding, from its states before and
// after. A finding that was UNKNOWN before may have been open: it counts neither as opened nor as
// resolved, unless its status says that it had been reopened.
func addTransition(t *trend.StatusDelta, before *posture.FindingState, after posture.FindingState, severity posture.Severity,
	now time.Time) {
	was, is := before != nil && open(*before), open(after)
	unsure := before != nil && !was && before.Result == posture.Unknown && before.Status == posture.StatusOpen
	switch {
	case is && !was && after.Status == posture.StatusReopened:
		t.Reopened++
	case is && !was && !unsure:
		t.Opened++
	case was && after.Status == posture.StatusResolved:
		t.Resolved++
		trend.Add(t.Closed, map[posture.Severity]trend.Closed{severity: {Findings: 1, Seconds: int64(now.Sub(before.FirstSeen).Seconds())}})
	}
}

// open reports whether the finding of a state needs attention.
func open(s posture.FindingState) bool {
	if s.Result == posture.Unknown {
		return s.Status == posture.StatusReopened
	}
	return s.Status != posture.StatusResolved && (s.Result == posture.Fail || s.Result == posture.Warning)
}
