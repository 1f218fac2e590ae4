package assess

import (
	"time"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/report"
	"github.com/edgeposture/edgeposture/internal/trend"
)

// turnover tells what a run changes in the history of the findings: it looks only at
// the states before and after, so whatever makes states decides. Of a finding that was
// UNKNOWN before, nobody knows whether it was open: it counts neither as opened nor as
// resolved, unless its status says that it had been reopened.
func turnover(before map[string]posture.FindingState, h report.History, findings []posture.Finding, now time.Time) trend.Turnover {
	severity := make(map[string]posture.Severity, len(findings))
	for i := range findings {
		severity[findings[i].ID] = findings[i].Severity
	}
	t := trend.Turnover{Closed: map[posture.Severity]trend.Closed{}}
	for _, n := range h.States {
		b, seen := before[n.FindingID]
		was, is := seen && open(b), open(n)
		unsure := seen && !was && b.Result == posture.Unknown && b.Status == posture.StatusOpen
		switch {
		case is && !was && n.Status == posture.StatusReopened:
			t.Reopened++
		case is && !was && !unsure:
			t.Opened++
		case was && n.Status == posture.StatusResolved:
			t.Resolved++
			trend.Add(t.Closed, map[posture.Severity]trend.Closed{severity[n.FindingID]: {Findings: 1, Seconds: int64(now.Sub(b.FirstSeen).Seconds())}})
		}
	}
	for _, c := range h.Closed {
		if b := before[c.FindingID]; open(b) {
			t.Resolved++
			trend.Add(t.Closed, map[posture.Severity]trend.Closed{b.Severity: {Findings: 1, Seconds: int64(now.Sub(b.FirstSeen).Seconds())}})
		}
	}
	return t
}

// open reports whether a state is that of a finding that needs attention.
func open(s posture.FindingState) bool {
	if s.Result == posture.Unknown {
		return s.Status == posture.StatusReopened
	}
	return s.Status != posture.StatusResolved && (s.Result == posture.Fail || s.Result == posture.Warning)
}
