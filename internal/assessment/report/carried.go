package report

import (
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// carried describes what an incremental run reused, or one that was retried; nil for other runs.
func carried(run Run, snap *snapshot.Snapshot) *posture.Carried {
	out := &posture.Carried{Sources: []string{}, Reason: run.NotCarried}
	for s := range snap.All() {
		if s.Status == snapshot.Skipped || s.Source == snapshot.DNSLookup.Source() {
			continue
		}
		out.Of++
		if s.ReadAt.IsZero() {
			continue
		}
		out.Sections++
		if !slices.Contains(out.Sources, s.Source) {
			out.Sources = append(out.Sources, s.Source)
		}
		if at := s.ReadAt.UTC(); out.Oldest == nil || at.Before(*out.Oldest) {
			out.Oldest = &at
		}
	}
	if out.Sections == 0 && !run.Incremental {
		return nil
	}
	return out
}
