package report

import (
	"github.com/edgeposture/edgeposture/internal/assessment/exception"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// accept writes which exception applies to each finding, and gives the ids of those that
// have one. It changes nothing else: the verdict stands, and so do score and coverage.
func accept(exceptions exception.Set, findings []posture.Verdict) (accepted map[string]bool) {
	accepted = map[string]bool{}
	var f posture.Finding
	for i := range findings {
		if !exception.Accepts(findings[i].Result) {
			continue
		}
		f = findings[i].Finding()
		if e := exceptions.Of(&f); e != nil {
			findings[i].Accepted = &posture.Acceptance{ID: e.ID, Note: exception.Note(*e)}
			accepted[f.ID] = true
		}
	}
	return accepted
}

// MarkAccepted writes into each path which of its findings are among those accepted, by
// their ids. No path goes away for that: what is accepted is reachable all the same.
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
