// Package score turns tallies into a score, a grade and a coverage. It is pure.
package score

import (
	"math"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// rate is the pass rate of a check over its resources, a warning counting half.
// ok is false when nothing was judged: UNKNOWN and NOT_APPLICABLE are left out.
func rate(t posture.CheckTally) (r float64, ok bool) {
	judged := t.Pass + t.Fail + t.Warning
	if judged == 0 {
		return 0, false
	}
	return (float64(t.Pass) + float64(t.Warning)/2) / float64(judged), true
}

// Of computes score and coverage. The value is the weighted mean of the pass
// rates, 0 to 100; it is 0 with a nil grade when nothing was judged. Below 50 %
// coverage the grade is nil.
func Of(tallies []posture.CheckTally, findings []posture.Verdict) (posture.Score, posture.Coverage) {
	coverage := Coverage(tallies, findings)
	out := posture.Score{ByCategory: map[posture.Category]posture.CategoryScore{}}
	total, by := mean{}, map[posture.Category]*mean{}
	for _, t := range tallies {
		r, ok := rate(t)
		if !ok {
			continue
		}
		if by[t.Category] == nil {
			by[t.Category] = &mean{}
		}
		total.add(r, t)
		by[t.Category].add(r, t)
	}
	out.Value = total.value()
	for c, m := range by {
		out.ByCategory[c] = posture.CategoryScore{Value: m.value(), Pass: m.pass, Fail: m.fail}
	}
	if total.weight > 0 && coverage.Percent >= 50 {
		g := grade(out.Value)
		out.Grade = &g
	}
	return out, coverage
}

type mean struct {
	sum, weight float64
	pass, fail  int
}

func (m *mean) add(r float64, t posture.CheckTally) {
	w := t.Severity.Weight()
	m.sum += r * w
	m.weight += w
	m.pass += t.Pass
	m.fail += t.Fail + t.Warning
}

func (m *mean) value() int {
	if m.weight == 0 {
		return 0
	}
	return int(math.Round(100 * m.sum / m.weight))
}

func grade(value int) string {
	switch {
	case value >= 90:
		return "A"
	case value >= 80:
		return "B"
	case value >= 70:
		return "C"
	case value >= 60:
		return "D"
	default:
		return "F"
	}
}

// Coverage counts the verdicts that could be given among those that were
// called for, and groups the rest by the permission that is missing.
func Coverage(tallies []posture.CheckTally, findings []posture.Verdict) posture.Coverage {
	c := posture.Coverage{MissingPermissions: []posture.MissingPermission{}}
	for _, t := range tallies {
		c.Evaluated += t.Pass + t.Fail + t.Warning
		c.Unknown += t.Unknown
	}
	if sum := c.Evaluated + c.Unknown; sum > 0 {
		c.Percent = math.Round(1000*float64(c.Evaluated)/float64(sum)) / 10
	}
	missing := map[string]map[string]bool{}
	for _, f := range findings {
		if f.Result != posture.Unknown || f.Permission == "" {
			continue
		}
		if missing[f.Permission] == nil {
			missing[f.Permission] = map[string]bool{}
		}
		missing[f.Permission][f.CheckID] = true
	}
	for p, ids := range missing {
		m := posture.MissingPermission{Permission: p}
		for id := range ids {
			m.CheckIDs = append(m.CheckIDs, id)
		}
		slices.Sort(m.CheckIDs)
		c.MissingPermissions = append(c.MissingPermissions, m)
	}
	slices.SortFunc(c.MissingPermissions, func(a, b posture.MissingPermission) int { return strings.Compare(a.Permission, b.Permission) })
	return c
}
