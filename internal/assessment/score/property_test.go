package score_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

func open(it thing) bool { return it.result == posture.Fail || it.result == posture.Warning }

// better makes one finding less bad, in place or by taking what it is about away. It says whether the place stays.
func better(r *rand.Rand, w *world) (stays, ok bool) {
	j, u, n := w.pick(r, open)
	if j == nil {
		return false, false
	}
	it := &j.units[u][n]
	switch r.IntN(4) {
	case 0:
		*it = thing{result: posture.Pass, zone: it.zone}
	case 1:
		it.result = posture.Warning
	case 2:
		it.severity = upTo(r, it.severity)
	default:
		j.units[u] = slices.Delete(j.units[u], n, n+1)
		return false, true
	}
	return true, true
}

// worse is the opposite.
func worse(r *rand.Rand, w *world) (stays, ok bool) {
	if r.IntN(2) == 0 { // a resource with a finding appears
		j := &w.checks[r.IntN(len(w.checks))]
		u := r.IntN(len(j.units))
		it := thing{result: []posture.Result{posture.Fail, posture.Warning}[r.IntN(2)], severity: upTo(r, j.Worst)}
		if len(j.Optional) > 0 {
			it.zone = r.IntN(len(w.zones) + 1)
		}
		j.units[u] = append(j.units[u], it)
		return false, true
	}
	j, u, n := w.pick(r, func(it thing) bool { return it.result != posture.Unknown })
	if j == nil {
		return false, false
	}
	it := &j.units[u][n]
	if was := *it; was.result == posture.Pass {
		it.result, it.severity = []posture.Result{posture.Fail, posture.Warning}[r.IntN(2)], upTo(r, j.Worst)
	} else if it.result = posture.Fail; r.IntN(2) == 0 {
		it.severity = j.Worst
	}
	return true, true
}

// hide makes a resource, a unit, a whole check or all of a zone unreadable.
func hide(r *rand.Rand, w *world) (stays, ok bool) {
	j := &w.checks[r.IntN(len(w.checks))]
	switch r.IntN(4) {
	case 0:
		var u, n int
		if j, u, n = w.pick(r, func(it thing) bool { return it.result != posture.Unknown }); j == nil {
			return false, false
		}
		j.units[u][n] = thing{result: posture.Unknown, zone: j.units[u][n].zone}
	case 1:
		j.blind[r.IntN(len(j.blind))] = true
	case 2:
		for u := range j.blind {
			j.blind[u] = true
		}
	default:
		u := r.IntN(3)
		for i := range w.checks {
			if b := w.checks[i].blind; u < len(b) {
				b[u] = true
			}
		}
	}
	return true, true
}

// TestSweepMonotone holds what docs/score.md promises: nothing that is mended lowers a score, nothing that is
// found or hidden raises one, of the account and of each zone.
func TestSweepMonotone(t *testing.T) {
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	for name, tc := range map[string]struct {
		change func(*rand.Rand, *world) (stays, ok bool)
		up     bool // the change is for the better
		hides  bool
	}{"mended": {better, true, false}, "found": {worse, false, false}, "hidden": {hide, false, true}} {
		t.Run(name, func(t *testing.T) {
			r, done := rand.New(rand.NewPCG(1, 2)), 0
			for done < 10_000 {
				w := random(r)
				after := w.clone()
				stays, ok := tc.change(r, after)
				if !ok {
					continue
				}
				done++
				s, marks := w.marks(t)
				then, thenMarks := after.marks(t)
				pairs := [][2]posture.Mark{{s.Mark, then.Mark}}
				for i := range marks {
					pairs = append(pairs, [2]posture.Mark{marks[i], thenMarks[i]})
				}
				for i, p := range pairs {
					lower, higher := p[1], p[0]
					if tc.up {
						lower, higher = p[0], p[1]
					}
					if lower.Value > higher.Value || lower.Letter() != "" && higher.Letter() != "" && lower.Letter() < higher.Letter() ||
						tc.hides && higher.Letter() == "" && lower.Letter() != "" || stays && !tc.hides && (lower.Letter() == "") != (higher.Letter() == "") {
						require.Fail(t, "not monotone", "case %d, mark %d: %+v, then %+v\n%+v\n%+v", done, i, p[0], p[1], w.checks, after.checks)
					}
				}
			}
		})
	}
}

// TestSweepMarks holds what every mark says of itself.
func TestSweepMarks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	held, withheld := 0, 0
	for range 10_000 {
		w := random(r)
		s, marks := w.marks(t)
		for _, m := range append(marks, s.Mark) {
			require.Equal(t, m.Grade == nil, m.Withheld != "")
			require.Equal(t, m.Held != "", len(m.HeldBy) > 0)
			require.True(t, slices.IsSorted(m.HeldBy))
			if m.Held != "" {
				require.Contains(t, []string{"C", "D"}, m.Letter())
				held++
			}
			if m.Withheld != "" {
				withheld++
			}
		}
		for _, l := range append(s.Lifts.Most, s.Lifts.Easiest...) {
			require.Positive(t, l.Points)
			require.Positive(t, l.Findings)
			require.LessOrEqual(t, float64(s.Value)+l.Points, 101.0)
		}
	}
	require.Greater(t, held, 100)
	require.Greater(t, withheld, 1000)
}
