package assess

import (
	"github.com/edgeposture/edgeposture/internal/report"
	"github.com/edgeposture/edgeposture/internal/store"
)

// beforeOf gives the report what the store knows of earlier runs.
func beforeOf(states map[string]store.FindingState) map[string]report.Before {
	out := make(map[string]report.Before, len(states))
	for id, s := range states {
		out[id] = report.Before{CheckID: s.CheckID, Resource: s.Resource, State: report.State{ID: id, Result: s.Result, Status: s.Status,
			Resolution: s.Resolution, FirstSeen: s.FirstSeen, LastSeen: s.LastSeen, Opened: s.Opened}}
	}
	return out
}

// statesOf gives the store where the findings of the run stand.
func statesOf(made report.Report) []store.FindingState {
	out := make([]store.FindingState, 0, len(made.States))
	for _, s := range made.States {
		out = append(out, store.FindingState{FindingID: s.ID, Result: s.Result, Status: s.Status, Resolution: s.Resolution,
			FirstSeen: s.FirstSeen, LastSeen: s.LastSeen, Opened: s.Opened})
	}
	return out
}

// closedBy gives the store the findings that are over.
func closedBy(made report.Report) []store.ClosedFinding {
	out := make([]store.ClosedFinding, 0, len(made.Closed))
	for _, c := range made.Closed {
		out = append(out, store.ClosedFinding{FindingID: c.ID, Resolution: c.Resolution})
	}
	return out
}
