package drift_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/drift"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// findings gives those of a side, none of which can fail to be read.
func findings(t *testing.T, s drift.Side) iter.Seq[posture.Finding] {
	return func(yield func(posture.Finding) bool) {
		for f, err := range s.Findings {
			require.NoError(t, err)
			if !yield(f) {
				return
			}
		}
	}
}

func ids(lists ...[]drift.Difference) []string {
	out := []string{}
	for _, l := range lists {
		for _, e := range l {
			out = append(out, e.ID)
		}
	}
	slices.Sort(out)
	return out
}

// TestResolvedIsTrue compares readings of accounts whose truth is known: what is
// called resolved is truly right, and what is called new or regressed without a
// reservation was truly better. A comparison that takes absent for resolved is
// caught by the same question.
func TestResolvedIsTrue(t *testing.T) {
	claimed, naive := 0, 0
	for seed := range uint64(500) {
		w := worlds(seed)
		d := compare(t, w.a, w.b)
		for _, e := range d.Resolved {
			claimed++
			require.Empty(t, w.after.truth(e.CheckID, e.Resource, w.a), "seed %d: %s is called resolved", seed, e.ID)
		}
		for _, e := range d.New {
			if e.Reason == "" {
				require.Empty(t, w.before.truth(e.CheckID, e.Resource, w.b), "seed %d: %s is called new", seed, e.ID)
			}
		}
		for _, e := range d.Regressed {
			require.NotEqual(t, posture.Fail, w.before.truth(e.CheckID, e.Resource, w.b), "seed %d: %s is called regressed", seed, e.ID)
		}
		now := map[string]bool{}
		for f := range findings(t, w.b) {
			now[f.ID] = open(f.Result)
		}
		for f := range findings(t, w.a) {
			if open(f.Result) && !now[f.ID] && w.after.truth(f.CheckID, f.Resource, w.a) != "" {
				naive++
			}
		}
	}
	require.Greater(t, claimed, 1000, "hardly anything was called resolved")
	require.Greater(t, naive, 500, "absent never stood for unread, so nothing was shown")
	t.Logf("%d resolved, all true; taking absent for resolved would have told %d untruths", claimed, naive)
}

// TestNothingIsLost: each finding that was open is in exactly one place, and each
// that is open now; those that a narrowed run did not look at are counted.
func TestNothingIsLost(t *testing.T) {
	for seed := range uint64(200) {
		w := worlds(seed)
		d := compare(t, w.a, w.b)
		all := ids(d.New, d.Resolved, d.Regressed, d.Improved, d.Changed, d.Unknown)
		require.Len(t, slices.Compact(slices.Clone(all)), len(all), "seed %d: a finding is in two lists", seed)
		before, after := map[string]posture.Result{}, map[string]posture.Result{}
		for f := range findings(t, w.a) {
			before[f.ID] = f.Result
		}
		same, unlisted := 0, map[string]bool{}
		miss := func(id string) {
			if !slices.Contains(all, id) {
				unlisted[id] = true
			}
		}
		for f := range findings(t, w.b) {
			after[f.ID] = f.Result
			if before[f.ID] == f.Result {
				same++
			} else if open(f.Result) {
				miss(f.ID)
			}
		}
		for id, r := range before {
			if open(r) && after[id] != r {
				miss(id)
			}
		}
		require.LessOrEqual(t, len(unlisted), d.Apart, "seed %d", seed)
		require.Equal(t, same, d.Unchanged+len(d.Changed), "seed %d", seed)
		n := 0
		for _, c := range d.ByCategory {
			n += c.New + c.Resolved + c.Regressed + c.Improved + c.Changed + c.Unknown
		}
		require.Equal(t, len(all), n)
	}
}

func TestSelfIsEmpty(t *testing.T) {
	for seed := range uint64(50) {
		w := worlds(seed)
		d := compare(t, w.a, w.a)
		require.Empty(t, brief(d))
		require.Zero(t, d.DriftScore)
		require.Zero(t, *d.ScoreDelta)
		require.Zero(t, d.Regained)
		require.NotZero(t, d.Unchanged)
		require.Empty(t, d.ByCategory)
		require.Empty(t, d.Paths.Appeared)
	}
}

// TestMirror swaps the sides: what got worse one way got better the other way.
func TestMirror(t *testing.T) {
	for seed := range uint64(200) {
		w := worlds(seed)
		w.a.Assessment.Score.Value, w.b.Assessment.Score.Value = int(seed%101), int(seed*7%101)
		there, back := compare(t, w.a, w.b), compare(t, w.b, w.a)
		certain := slices.DeleteFunc(slices.Clone(there.New), func(e drift.Difference) bool { return e.Reason != "" })
		require.Equal(t, ids(certain, there.Regressed), ids(back.Resolved, back.Improved), "seed %d", seed)
		certain = slices.DeleteFunc(slices.Clone(back.New), func(e drift.Difference) bool { return e.Reason != "" })
		require.Equal(t, ids(certain, back.Regressed), ids(there.Resolved, there.Improved), "seed %d", seed)
		require.Equal(t, ids(there.Changed), ids(back.Changed))
		require.Equal(t, there.Unchanged, back.Unchanged)
		require.Equal(t, there.ScoreDelta == nil, back.ScoreDelta == nil)
		if there.ScoreDelta != nil {
			require.Equal(t, *there.ScoreDelta, -*back.ScoreDelta)
		}
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(50) {
		w := worlds(seed)
		rnd := rand.New(rand.NewPCG(seed, 9))
		shuffled := func(s drift.Side) drift.Side {
			var all []posture.Finding
			for f := range findings(t, s) {
				all = append(all, f)
			}
			rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			s.Checks = slices.Clone(s.Checks)
			rnd.Shuffle(len(s.Checks), func(i, j int) { s.Checks[i], s.Checks[j] = s.Checks[j], s.Checks[i] })
			s.Findings = each(all)
			return s
		}
		log := changes(rnd)
		want, err := json.Marshal(compare(t, w.a, w.b, log...))
		require.NoError(t, err)
		for range 5 {
			rnd.Shuffle(len(log), func(i, j int) { log[i], log[j] = log[j], log[i] })
			got, err := json.Marshal(compare(t, shuffled(w.a), shuffled(w.b), log...))
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "seed %d", seed)
		}
	}
}

func changes(rnd *rand.Rand) (out []posture.Modification) {
	for range 40 {
		out = append(out, posture.Modification{At: fmt.Sprintf("2026-01-01T%02d:00:00Z", rnd.IntN(24)), Action: "update",
			Actor: fmt.Sprint("actor ", rnd.IntN(5)), Product: []string{"dns_records", "zones", "members"}[rnd.IntN(3)],
			ZoneID: fmt.Sprint("z", rnd.IntN(4))})
	}
	return out
}
