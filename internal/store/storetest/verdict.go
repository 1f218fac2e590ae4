package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// assessmentVerdicts saves findings and states as verdicts, the way a run holds them.
func assessmentVerdicts(t *testing.T, s store.Store) {
	a := assessment(t, "", 40)
	seen := &posture.Standing{Status: posture.StatusReopened, FirstSeen: kept(noon().Add(-time.Hour)), LastSeen: kept(noon()), Opened: true}
	fixed := &posture.Standing{Status: posture.StatusResolved, Resolution: posture.ResolutionFixed, FirstSeen: kept(noon()),
		LastSeen: kept(noon()), Opened: true}
	var all []posture.Verdict
	for i, f := range a.Findings {
		v := posture.Verdict{Rule: &posture.Rule{CheckID: f.CheckID, Title: f.CheckTitle, Category: f.Category, Severity: f.Severity, Why: f.Why,
			Fix: f.Fix, Remediable: f.Remediable, Controls: f.Controls}, ID: f.ID, Result: f.Result, Resource: &f.Resource, Message: f.Message,
			Evidence: f.Evidence,
			Reason:   f.Reason, Permission: f.Permission, NodeID: f.NodeID, AttackPathIDs: f.AttackPathIDs, Standing: seen, Risk: f.Risk,
			Judged: f.Judged}
		if f.Words != nil {
			v.Words = *f.Words
		}
		if i%3 == 0 {
			v.Standing = fixed
		}
		if i%5 == 0 {
			v.Accepted = &posture.Acceptance{ID: "exception", Note: "because"}
		}
		all = append(all, v)
	}
	twin := all[7] // the same resource id in two zones; the later of their states counts
	twin.Standing = fixed
	all = append(all, twin)
	id := saved(t, s, 1, func(in *store.SaveAssessment) {
		in.Assessment.Findings, in.States, in.Verdicts = nil, nil, all
	}).ID
	require.Equal(t, posture.Findings(all), findings(t, s, id, store.FindingFilter{}))
	got := knownStates(t, s, providerAccount)
	require.Len(t, got, 40)
	for i := range all {
		if i != 7 {
			require.Equal(t, described(all[i].State(), all[i].Finding()), got[all[i].ID])
		}
	}
}
