package report

import (
	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// accepted returns the exception that applies to each finding, by index. Verdict, score and
// coverage do not change.
func accepted(exceptions exception.Set, findings []posture.Verdict) map[int]*posture.Acceptance {
	out := map[int]*posture.Acceptance{}
	var f posture.Finding
	for i := range findings {
		if !exception.Accepts(findings[i].Result) {
			continue
		}
		f = findings[i].Unworded()
		if e := exceptions.Of(&f); e != nil {
			out[i] = &posture.Acceptance{ID: e.ID, Note: exception.Note(*e)}
		}
	}
	return out
}

func acceptedIDs(findings []posture.Verdict) map[string]bool {
	out := map[string]bool{}
	for i := range findings {
		if findings[i].Accepted != nil {
			out[findings[i].ID] = true
		}
	}
	return out
}

// MarkAccepted writes the ids of its accepted findings into each path. The path stays: an accepted
// risk can still be exploited.
func MarkAccepted(paths []posture.AttackPath, accepted map[string]bool) {
	for i := range paths {
		paths[i].AcceptedFindingIDs = nil
		for _, id := range paths[i].FindingIDs {
			if accepted[id] {
				paths[i].AcceptedFindingIDs = append(paths[i].AcceptedFindingIDs, id)
			}
		}
	}
}
