package assess

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// TestSweepTwoPlansAtOnce has two people plan different findings of one random account before either applies, and roll back in any
// order: the first plan is never stale, a rollback waits at most for that of the other, and in the end the account is as it was.
func TestSweepTwoPlansAtOnce(t *testing.T) {
	t.Parallel()
	accounts := 80
	if testing.Short() {
		accounts = 1
	}
	for seed := range accounts {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := &mutated{editor: newEditor(t, uint64(seed)+9000, rand.NewPCG(uint64(seed), 6))}
			w := m.w
			m.snap, _ = w.assess()
			for range 15 {
				if c := pick(m.editor, m.draw, m.noise)(); c.Path != "" {
					w.tries(c)
				}
			}
			snap, findings := w.assess()
			before := w.state()
			var of [2][]posture.Finding
			for _, f := range findings {
				if reversible(f.CheckID) {
					i := m.r.IntN(2)
					of[i] = append(of[i], f)
				}
			}
			var requests [2]remedy.Request
			var plans [2]change.Kept
			for i := range of {
				requests[i] = w.request(snap, of[i], inputsOf(w))
				plans[i] = w.planned(requests[i])
			}
			var bundles [2]change.Bundle
			for i, r := range requests {
				now := w.planned(r)
				if stale := remedy.Fresh(plans[i].Steps, now); stale != nil {
					require.Equal(t, 1, i, "%s", stale)
					plans[i] = now
				}
				b, err := w.engine.Apply(t.Context(), r, change.Bundle{ID: fmt.Sprint(i), Account: r.Account,
					Entries: remedy.Entries(plans[i].Steps, true)})
				require.NoError(t, err)
				require.Equal(t, len(b.Entries), b.Count(change.Applied, change.Unchanged), "%s", change.Encode(b.Results()))
				bundles[i] = b
			}
			first := m.r.IntN(2)
			for n, i := range []int{first, 1 - first, first} {
				if bundles[i].Spent() != nil {
					continue
				}
				b, err := w.engine.Rollback(t.Context(), bundles[i], false)
				if err == nil {
					bundles[i] = b
					continue
				}
				require.Equal(t, []int{0, 0}, []int{n, i}, "nothing was applied after it: %s", err)
			}
			require.Error(t, bundles[0].Spent())
			require.Error(t, bundles[1].Spent())
			require.Equal(t, before, w.state())
		})
	}
}

// reversible reports whether a check has a remedy that can be taken back.
func reversible(checkID string) bool {
	c, _ := byID(checkID)
	return c.Remedy != nil && c.Remedy.Propose != nil && c.Remedy.Reversible
}

func (w *workshop) planned(r remedy.Request) change.Kept {
	w.t.Helper()
	kept, err := w.engine.Plan(w.t.Context(), r)
	require.NoError(w.t, err)
	return kept
}
