package remedy_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/change"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/remediation/remedy"
	"github.com/edgeposture/edgeposture/internal/store"
)

// TestChosenFindings: each filter lets through what it names, and every one must.
func TestChosenFindings(t *testing.T) {
	t.Parallel()
	f := posture.Finding{ID: "f", CheckID: "A", Result: posture.Fail, Resource: posture.Resource{ZoneID: "z1", Zone: "example.com"}}
	path := func(finding, checkID string) []posture.AttackPath {
		return []posture.AttackPath{{FindingIDs: []string{finding}, Breaks: []posture.Break{{CheckIDs: []string{checkID}}}}}
	}
	all := remedy.Chosen{CheckIDs: []string{"A"}, Zones: []string{"z1"}, Paths: path("f", "A"), Findings: map[string]bool{"f": true}}
	edited := func(edit func(*remedy.Chosen)) remedy.Chosen {
		c := all
		edit(&c)
		return c
	}
	for name, tc := range map[string]struct {
		chosen remedy.Chosen
		want   bool
	}{
		"no filter":                   {remedy.Chosen{}, true},
		"every filter":                {all, true},
		"the name of the zone":        {edited(func(c *remedy.Chosen) { c.Zones = []string{"example.com"} }), true},
		"no finding":                  {edited(func(c *remedy.Chosen) { c.Findings = map[string]bool{} }), false},
		"another check":               {edited(func(c *remedy.Chosen) { c.CheckIDs = []string{"B"} }), false},
		"another zone":                {edited(func(c *remedy.Chosen) { c.Zones = []string{"z2"} }), false},
		"a path elsewhere":            {edited(func(c *remedy.Chosen) { c.Paths = path("g", "A") }), false},
		"a path that others break":    {edited(func(c *remedy.Chosen) { c.Paths = path("f", "B") }), false},
		"one filter that excludes it": {remedy.Chosen{CheckIDs: []string{"B"}}, false},
	} {
		require.Equal(t, tc.want, tc.chosen.Has(f), name)
	}
	for _, result := range []posture.Result{posture.Pass, posture.Fail, posture.Warning, posture.Unknown, posture.NotApplicable} {
		f.Result = result
		require.Equal(t, result == posture.Fail || result == posture.Warning, all.Has(f), "%s", result)
	}
}

// TestEntriesOfHighRisk: they are left out unless somebody insists.
func TestEntriesOfHighRisk(t *testing.T) {
	t.Parallel()
	steps := []change.Step{{Change: change.Change{CheckID: "A", Risk: change.High}},
		{Change: change.Change{CheckID: "B", Risk: change.Medium}}}
	for force, want := range map[bool][]change.Status{false: {change.Skip, change.Pending}, true: {change.Pending, change.Pending}} {
		var got []change.Status
		for _, entry := range remedy.Entries(steps, force) {
			got = append(got, entry.Status)
		}
		require.Equal(t, want, got, "force: %v", force)
	}
	kept := change.Kept{Steps: steps}
	require.Equal(t, kept, remedy.Select(kept, nil))
	require.Equal(t, steps[1:], remedy.Select(kept, []string{"B"}).Steps)
}

// TestSealedPlans: a plan opens with its key, under its id, and as it was sealed.
func TestSealedPlans(t *testing.T) {
	t.Parallel()
	key, err := secret.NewKey(rand.Reader)
	require.NoError(t, err)
	other, err := secret.NewKey(rand.Reader)
	require.NoError(t, err)
	k := change.Kept{Steps: []change.Step{{Change: change.Change{ID: "c", CheckID: "A"}}}}
	k.Plan.ID, k.Plan.Digest = "p", change.Digest(k.Steps)
	row, err := remedy.SealPlan(key, k, rand.Reader)
	require.NoError(t, err)
	got, err := remedy.UnsealPlan(key, row)
	require.NoError(t, err)
	require.Equal(t, k.Plan.Digest, change.Digest(got.Steps))

	_, err = remedy.UnsealPlan(other, row)
	require.Equal(t, posture.CodePlanStale, posture.AsProblem(err).Code, "another key")
	renamed := row
	renamed.ID = "q"
	_, err = remedy.UnsealPlan(key, renamed)
	require.Equal(t, posture.CodePlanStale, posture.AsProblem(err).Code, "another id")
	k.Plan.Digest = change.Digest(nil)
	row, err = remedy.SealPlan(key, k, rand.Reader)
	require.NoError(t, err)
	_, err = remedy.UnsealPlan(key, row)
	require.Equal(t, posture.CodePlanStale, posture.AsProblem(err).Code, "other steps")
}

// TestRowsOfAKeyHolder: what is inside a row must be what its outside says, even when it is sealed with the key.
func TestRowsOfAKeyHolder(t *testing.T) {
	t.Parallel()
	key, row, b := sealedRow(t)
	for name, tc := range map[string]struct {
		inside string
		opens  bool
	}{
		"as it was":       {string(change.Encode(b)), true},
		"another bundle":  {strings.Replace(string(change.Encode(b)), b.ID, "other", 1), false},
		"another account": {strings.Replace(string(change.Encode(b)), `"id":"acct"`, `"id":"other"`, 1), false},
		"half a bundle":   {`{"id":"` + b.ID + `","account":{"id":"acct"},"entries":5}`, false},
	} {
		sealed, err := key.Seal(secret.New(tc.inside), "bundle:"+row.ID, rand.Reader)
		require.NoError(t, err)
		row.Sealed = sealed
		row.Mac = key.Mac("bundle", change.Encode(row.Backup), []byte(row.JobID), row.Sealed)
		_, err = remedy.Unseal(key, row)
		require.Equal(t, tc.opens, err == nil, name)
	}
	k := change.Kept{}
	k.Plan.ID, k.Plan.Digest = "p", change.Digest(nil)
	for id, opens := range map[string]bool{"p": true, "q": false} {
		sealed, err := key.Seal(secret.New(string(change.Encode(k))), "plan:"+id, rand.Reader)
		require.NoError(t, err)
		_, err = remedy.UnsealPlan(key, store.PlanRow{ID: id, Sealed: sealed})
		require.Equal(t, opens, err == nil, id)
	}
}
