package report

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// addTransition counts how a run changed the status of one finding, from its states before and
// after: what was opened and reopened, less what was resolved, is how many more are open.
func addTransition(t *trend.StatusDelta, before *posture.FindingState, after posture.FindingState, severity posture.Severity,
	now time.Time) {
	was, is := before != nil && open(*before), open(after)
	switch {
	case is && !was && after.Status == posture.StatusReopened:
		t.Reopened++
	case is && !was:
		t.Opened++
	case was && !is:
		t.Resolved++
		trend.Add(t.Closed, map[posture.Severity]trend.Closed{severity: {Findings: 1, Seconds: int64(now.Sub(before.FirstSeen).Seconds())}})
	}
}

// open reports whether the finding of a state failed or warned once, and was not resolved since. While
// it cannot be read it stays open.
func open(s posture.FindingState) bool { return s.Opened && s.Status != posture.StatusResolved }
