package remedy_test

import (
	"crypto/rand"
	mathrand "math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/platform/fuzztest"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store"
)

func sealedRow(t testing.TB) (secret.Key, store.BundleRow, change.Bundle) {
	t.Helper()
	key, err := secret.NewKey(rand.Reader)
	require.NoError(t, err)
	b := change.Bundle{ID: "01890000-0000-7000-8000-000000000001", CreatedAt: noon(), AssessmentID: "a",
		Account: posture.AccountRef{ID: "acct", Name: "Shop"}, JobID: "j", State: change.StateApplied,
		PathsRemoved: []string{}, Entries: []change.BundleStep{{Step: change.Step{Edit: change.Edit{Before: change.Encode("flexible")}},
			Status: change.Applied, Verified: true, Captured: change.Encode(map[string]any{"value": "flexible"})}}}
	row, err := remedy.Seal(key, b, rand.Reader)
	require.NoError(t, err)
	return key, row, b
}

// TestTamperedBundles flips every bit in turn, and swaps what lists show.
func TestTamperedBundles(t *testing.T) {
	t.Parallel()
	key, row, b := sealedRow(t)
	got, err := remedy.Unseal(key, row)
	require.NoError(t, err)
	require.Equal(t, b.Summary(), got.Summary())
	require.JSONEq(t, string(b.Entries[0].Captured), string(got.Entries[0].Captured))
	flips := 0
	for _, part := range []*[]byte{&row.Sealed, &row.Mac} {
		for i := range *part {
			whole := *part
			*part = append([]byte(nil), whole...)
			(*part)[i] ^= 1 << mathrand.IntN(8)
			_, err := remedy.Unseal(key, row)
			require.Equal(t, posture.CodeConflict, posture.AsProblem(err).Code)
			*part = whole
			flips++
		}
	}
	require.Greater(t, flips, 500)
	for _, edit := range []func(*store.BundleRow){
		func(r *store.BundleRow) { r.Account.ID = "other" }, func(r *store.BundleRow) { r.ID = "01890000-0000-7000-8000-000000000002" },
		func(r *store.BundleRow) { r.State = change.StateRolledBack },
		func(r *store.BundleRow) { r.Applied = 0 }, func(r *store.BundleRow) { r.JobID = "k" },
		func(r *store.BundleRow) { r.Mac = nil }, func(r *store.BundleRow) { r.Sealed = nil },
	} {
		changed := row
		edit(&changed)
		_, err := remedy.Unseal(key, changed)
		require.Equal(t, posture.CodeConflict, posture.AsProblem(err).Code)
	}
	other, err := secret.NewKey(rand.Reader)
	require.NoError(t, err)
	_, err = remedy.Unseal(other, row)
	require.Equal(t, posture.CodeConflict, posture.AsProblem(err).Code)
}

// FuzzUnseal gives rows nobody sealed.
func FuzzUnseal(f *testing.F) {
	key, row, _ := sealedRow(f)
	f.Add(row.Sealed, row.Mac, row.ID)
	f.Add([]byte{}, []byte{}, "")
	f.Fuzz(func(t *testing.T, sealed, mac []byte, id string) {
		defer fuzztest.Bound(t)()
		r := row
		r.Sealed, r.Mac, r.ID = sealed, mac, id
		if _, err := remedy.Unseal(key, r); err == nil {
			require.Equal(t, row, r, "only what was sealed opens")
		}
	})
}

// TestPathsRemoved: a path goes when all open findings of a break are closed, and a
// change is told to remove it only when it does so alone.
func TestPathsRemoved(t *testing.T) {
	t.Parallel()
	step := func(id, finding, checkID string) change.Step {
		return change.Step{Change: change.Change{ID: id, FindingID: finding, CheckID: checkID, Severity: posture.High, Risk: change.Low}}
	}
	owner := map[string]string{"f1": "A", "f2": "B", "f3": "B", "f4": "C"}
	paths := []posture.AttackPath{
		{ID: "one", FindingIDs: []string{"f1"}, Breaks: []posture.Break{{CheckIDs: []string{"A"}, Remediable: true}}},
		{ID: "two", FindingIDs: []string{"f2", "f3"}, Breaks: []posture.Break{{CheckIDs: []string{"B"}, Remediable: true}}},
		{ID: "both", FindingIDs: []string{"f1", "f4"}, Breaks: []posture.Break{{CheckIDs: []string{"A", "C"}, Remediable: true}}},
		{ID: "by hand", FindingIDs: []string{"f1"}, Breaks: []posture.Break{{CheckIDs: []string{"A"}}}},
		{ID: "elsewhere", FindingIDs: []string{"f9"}, Breaks: []posture.Break{{CheckIDs: []string{"A"}, Remediable: true}}},
	}
	for _, tc := range []struct {
		steps []change.Step
		want  []string
	}{
		{nil, []string{}},
		{[]change.Step{step("1", "f1", "A")}, []string{"one"}},
		{[]change.Step{step("2", "f2", "B")}, []string{}},
		{[]change.Step{step("2", "f2", "B"), step("3", "f3", "B")}, []string{"two"}},
		{[]change.Step{step("1", "f1", "A"), step("4", "f4", "C")}, []string{"both", "one"}},
		{[]change.Step{step("4", "f4", "C")}, []string{}},
	} {
		require.Equal(t, tc.want, remedy.Removed(change.Kept{Steps: tc.steps}, tc.steps, paths, owner))
	}
	both := change.Kept{Steps: []change.Step{step("1", "f1", "A"), step("1b", "f1", "A")}}
	require.Equal(t, []string{"one"}, remedy.Removed(both, both.Steps, paths, owner))
	require.Empty(t, remedy.Removed(both, both.Steps[:1], paths, owner), "a finding that needs two changes is open with one")
	both.Plan.Skipped = []change.Skipped{{FindingID: "f1"}}
	require.Empty(t, remedy.Removed(both, both.Steps, paths, owner), "nor when the plan has only some of what it needs")
}
