package report

import (
	"github.com/edgeposture/edgeposture/internal/exception"
	"github.com/edgeposture/edgeposture/internal/posture"
)

// accept writes which exception applies to each finding. It changes nothing else: the
// verdict stands, and so do score and coverage.
func accept(exceptions exception.Set, findings []posture.Finding) {
	for i := range findings {
		if e := exceptions.Of(&findings[i]); e != nil {
			id := e.ID
			findings[i].Exception, findings[i].ExceptionNote = &id, exception.Note(*e)
		}
	}
}

// MarkAccepted writes into each path which of its findings are accepted. No path goes
// away for that: what is accepted is reachable all the same.
func MarkAccepted(paths []posture.AttackPath, findings []posture.Finding) {
	accepted := map[string]bool{}
	for i := range findings {
		if findings[i].Exception != nil {
			accepted[findings[i].ID] = true
		}
	}
	for i := range paths {
		paths[i].AcceptedFindingIDs = nil
		for _, id := range paths[i].FindingIDs {
			if accepted[id] {
				paths[i].AcceptedFindingIDs = append(paths[i].AcceptedFindingIDs, id)
			}
		}
	}
}
