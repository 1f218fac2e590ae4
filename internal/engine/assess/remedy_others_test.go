package assess

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
)

// TestSweepRollbackKeepsWhatOthersDid has two equal accounts that other people edit at random in the same way, before, between and
// while changes are made and taken back in one of them: what is rolled back leaves that one as the other is.
func TestSweepRollbackKeepsWhatOthersDid(t *testing.T) {
	t.Parallel()
	accounts := 60
	if testing.Short() {
		accounts = 1
	}
	for seed := range accounts {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			o := &others{mutated: &mutated{editor: newEditor(t, uint64(seed)+7000, rand.NewPCG(uint64(seed), 5))},
				twin: newEditor(t, uint64(seed)+7000, rand.NewPCG(0, 0)).w}
			o.run()
		})
	}
}

// others edit an account and its twin, in which nothing else happens.
type others struct {
	*mutated
	twin *workshop
}

// edit makes edits in both, drawn from what the twin has.
func (o *others) edit(n int) {
	ours, t := o.w, o.w.t
	for range n {
		o.w = o.twin
		c := pick(o.editor, o.draw, o.noise)()
		o.w = ours
		if c.Path == "" || strings.Contains(string(c.Body), `"x_future"`) {
			continue
		}
		grant, err := ours.engine.Admit(t.Context())
		require.NoError(t, err)
		taken := func(w *workshop) bool { // or, after our deletion, made again
			_, err := w.engine.Provider.Write(t.Context(), grant, c)
			return err == nil || strings.Contains(err.Error(), "duplicate_of_existing")
		}
		if taken(ours) {
			require.True(t, taken(o.twin), "%s %s %s", c.Method, c.Path, c.Body)
		}
	}
}

func (o *others) run() {
	w, t := o.w, o.w.t
	o.snap, _ = w.assess()
	o.twin.assess()
	o.edit(10)
	var findings []posture.Finding
	o.snap, findings = w.assess()
	left := map[string]bool{}
	findings = slices.DeleteFunc(findings, func(f posture.Finding) bool {
		if _, drawn := left[f.CheckID]; !drawn {
			left[f.CheckID] = !reversible(f.CheckID) || o.r.IntN(3) == 0
		}
		return left[f.CheckID]
	})
	r := w.request(o.snap, findings, inputsOf(w))
	kept := w.planned(r)
	o.edit(o.r.IntN(4))
	if now := w.planned(r); remedy.Fresh(kept.Steps, now) != nil {
		kept = now
	}
	keep := w.engine.Keep
	w.engine.Keep = func(ctx context.Context, b change.Bundle) error {
		if b.Count(change.Writing, change.Restoring) == 0 && o.r.IntN(6) == 0 {
			o.edit(1)
		}
		return keep(ctx, b)
	}
	b, err := w.engine.Apply(t.Context(), r, change.Bundle{ID: "b", Account: r.Account, Entries: remedy.Entries(kept.Steps, true)})
	require.NoError(t, err)
	require.Zero(t, b.Count(change.Failed, change.Unknown, change.Restored), "%s", change.Encode(b.Results()))
	o.edit(o.r.IntN(6))
	back, err := w.engine.Rollback(t.Context(), b, false)
	if err != nil { // those that nobody changed
		p := posture.AsProblem(err)
		require.Equal(t, posture.CodeLiveValueChanged, p.Code)
		var only []string
		for _, e := range b.Entries {
			if !slices.ContainsFunc(p.Errors, func(f posture.FieldError) bool { return f.Location == "changes."+e.Change.ID }) {
				only = append(only, e.Change.ID)
			}
		}
		back, err = w.engine.Rollback(t.Context(), b, false, only...)
		require.NoError(t, err)
	}
	o.judge(back)
}

// judge compares both accounts. A change may differ that is still in force, or that somebody else made as well.
func (o *others) judge(b change.Bundle) {
	t := o.w.t
	var may []string
	for _, e := range b.Entries {
		live, err := o.twin.engine.Provider.Live(t.Context(), e.Edit.Place.Path, e.Edit.Place.Header)
		require.NoError(t, err)
		if e.InForce() || e.Edit.Landed(e.Edit.Place.Find(live)) {
			may = append(may, e.Change.CheckID+" "+e.Edit.Place.Path)
		}
	}
	var ours, theirs any
	require.NoError(t, json.Unmarshal([]byte(o.w.state()), &ours))
	require.NoError(t, json.Unmarshal([]byte(o.twin.state()), &theirs))
	differ := slices.DeleteFunc(differences("", theirs, ours), func(d string) bool { // ids that count what was made before
		return strings.HasSuffix(d, "\x00id") || strings.HasSuffix(d, "\x00tag") || strings.Contains(d, "routing/addresses")
	})
	require.LessOrEqual(t, len(differ), 3*len(may), "%q differ; these may: %q", differ, may)
}
