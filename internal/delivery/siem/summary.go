package siem

import "github.com/edgeposture/edgeposture/internal/core/posture"

type ownSummary struct {
	Score       int             `json:"score"`
	Grade       string          `json:"grade,omitempty"`
	GradeNote   string          `json:"grade_note,omitempty"`
	Coverage    float64         `json:"coverage_percent"`
	Findings    ownTotals       `json:"findings"`
	Severity    ownSeverities   `json:"open_by_severity"`
	AttackPaths int             `json:"attack_paths"`
	Zones       int             `json:"zones"`
	Requests    int             `json:"requests"`
	Sensitivity string          `json:"sensitivity,omitempty"`
	Digest      string          `json:"snapshot_digest,omitempty"`
	Note        string          `json:"note,omitempty"`
	Missing     []ownPermission `json:"missing_permissions,omitempty"`
}

type ownTotals struct {
	Total         int `json:"total"`
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`
	Warning       int `json:"warning"`
	Unknown       int `json:"unknown"`
	NotApplicable int `json:"not_applicable"`
}

type ownSeverities struct {
	Critical      int `json:"critical"`
	High          int `json:"high"`
	Medium        int `json:"medium"`
	Low           int `json:"low"`
	Informational int `json:"informational"`
}

type ownPermission struct {
	Permission string   `json:"permission"`
	CheckIDs   []string `json:"check_ids"`
}

func (p part) summary(r *room) *ownSummary {
	a, s := p.doc.Assessment, p.doc.Assessment.Summary
	out := &ownSummary{
		Score: a.Score.Value, Coverage: a.Coverage.Percent, AttackPaths: a.AttackPaths, Zones: len(a.Zones), Requests: a.Requests,
		Sensitivity: string(a.Sensitivity), Digest: r.ident(a.SnapshotDigest), Note: r.text(a.Note),
		Findings: ownTotals{Total: s.Total, Pass: s.Pass, Fail: s.Fail, Warning: s.Warning, Unknown: s.Unknown, NotApplicable: s.NotApplicable},
		Severity: ownSeverities{Critical: s.BySeverity[posture.Critical], High: s.BySeverity[posture.High], Medium: s.BySeverity[posture.Medium],
			Low: s.BySeverity[posture.Low], Informational: s.BySeverity[posture.Informational]},
		Missing: fill(r, a.Coverage.MissingPermissions, func(m posture.MissingPermission) ownPermission {
			return ownPermission{Permission: r.text(m.Permission), CheckIDs: r.idents(m.CheckIDs)}
		}),
	}
	out.Grade, out.GradeNote = r.text(a.Score.Letter()), r.text(a.Score.Note())
	return out
}

// outcome is the schema's word for a result. WARNING is a weak failure (an open finding that counts
// half), so it is a failure here as well; a verdict that could not be reached is unknown, never success
// or failure.
func outcome(r posture.Result) string {
	switch r {
	case posture.Pass:
		return "success"
	case posture.Fail, posture.Warning:
		return "failure"
	default:
		return "unknown"
	}
}

// outcomeOf is the outcome of a whole assessment: a failure when anything is open, a success when
// everything requested could be read and passed.
func outcomeOf(a posture.AssessmentSummary) string {
	switch s := a.Summary; {
	case s.Fail+s.Warning > 0:
		return outcome(posture.Fail)
	case s.Pass > 0 && s.Unknown == 0 && a.Status == posture.Completed:
		return outcome(posture.Pass)
	default:
		return outcome(posture.Unknown)
	}
}

// shownSeverity is the severity of the event: a pass is informational, however severe a failure would
// have been.
func shownSeverity(f *posture.Finding) posture.Severity {
	if f.Result == posture.Pass {
		return posture.Informational
	}
	return f.Severity
}

// scale returns the number of a severity, 0 to 99; the upper four values are those of Elastic's
// detection rules.
func scale(s posture.Severity) int { return []int{0, 21, 47, 73, 99}[s.Rank()] }
