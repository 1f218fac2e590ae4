package assess

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// TestSweepRemediesUnderFaults holds every remedy against a provider that says yes and
// does nothing, one that refuses, and one whose answer is lost: what was not made is
// never called made (what is said to be made and does not show is unknown), what was made is known, and both can be taken
// back.
func TestSweepRemediesUnderFaults(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	faults := map[string]simcloud.Faults{"ignored": {RateIgnore: 1}, "refused": {RateRefuse: 1}, "lost": {RateLose: 1}}
	seen := map[string]int{}
	for _, p := range simcloud.Plants() {
		c, _ := byID(p.CheckID)
		if c.Remedy == nil || c.Remedy.Propose == nil {
			continue
		}
		if seen[c.ID]++; seen[c.ID] > 1 {
			continue // the variants of a check differ in what is found, not in how it is written
		}
		t.Run(p.CheckID+"/"+p.Variant, func(t *testing.T) {
			t.Parallel()
			for name, f := range faults {
				f.Only = func(method, _ string) bool { return method != http.MethodGet }
				suffers(t, newWorkshop(t, planting(p)), name, f, c.ID, c.Remedy.Reversible)
			}
		})
	}
}

func suffers(t *testing.T, w *workshop, name string, f simcloud.Faults, id string, reversible bool) {
	before := w.state()
	snap, findings := w.assess(id)
	r := w.request(snap, findings, inputsOf(w), id)
	kept, err := w.engine.Plan(t.Context(), r)
	require.NoError(t, err)
	if len(kept.Steps) == 0 {
		return // left to people
	}
	w.cloud.SetFaults(f)
	b, err := w.engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: posture.AccountRef{ID: r.Account.ID},
		Entries: remedy.Entries(kept.Steps, true)})
	w.cloud.SetFaults(simcloud.Faults{})
	require.NoError(t, err, name)
	if name != "lost" {
		require.Zero(t, b.Count(change.Applied), "%s: %s", name, change.Encode(b.Results()))
		require.Equal(t, name == "ignored", b.Count(change.Unknown) > 0, "%s: %s", name, change.Encode(b.Results()))
		require.Equal(t, before, w.state(), name)
		return
	}
	require.Equal(t, change.StateApplied, b.State, "%s: %s", name, change.Encode(b.Results()))
	if !reversible {
		return
	}
	b, err = w.engine.Rollback(t.Context(), b, false)
	require.NoError(t, err, name)
	require.Equal(t, change.StateRolledBack, b.State, name)
	require.Equal(t, before, w.state(), name)
}
