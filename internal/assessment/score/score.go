// Package score computes marks, coverage and the list of what to close first from the counts of an
// evaluation. It is pure. docs/score.md describes the computation and why neither hiding nor
// discovering anything can raise the score.
package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// needed is the share of the weight that must be judged for a grade; rounding is the tolerance for
// sums of shares.
const (
	needed   = 0.8
	rounding = 1e-9
)

// sums holds weights: of what is good, of what is bad (unread included), of what was judged and of
// what was unread.
type sums struct{ good, bad, judged, unread float64 }

func (s *sums) add(o sums) {
	s.good, s.bad, s.judged, s.unread = s.good+o.good, s.bad+o.bad, s.judged+o.judged, s.unread+o.unread
}

// of returns the weights of one unit for a check of weight w. The parts depend only on the unit
// itself, so a unit that gets worse never takes weight from another.
func of(u check.Unit, w float64) sums {
	pass, all := float64(u.Pass), float64(u.Pass+u.Open+u.Unknown)
	switch {
	case all == 0:
		return sums{}
	case u.Blind:
		return sums{bad: max(w, float64(u.Weight)), unread: w}
	}
	unread := w * float64(u.Unknown) / all
	return sums{good: w * pass / all, bad: float64(u.Weight) * (all - pass) / all, judged: w - unread, unread: unread}
}

func (s sums) times(f float64) sums {
	return sums{s.good * f, s.bad * f, s.judged * f, s.unread * f}
}

func (s sums) worse(o sums) sums {
	return sums{bad: max(s.bad, o.bad), unread: max(s.unread, o.unread)}
}

// percent is the unrounded score.
func (s sums) percent() float64 {
	if s.good == 0 {
		return 0
	}
	return 100 * s.good / (s.good + s.bad)
}

// value is the rounded score, 100 only when nothing is bad.
func (s sums) value() int {
	v := int(math.Round(s.percent()))
	if s.bad > 0 {
		v = min(v, 99)
	}
	return v
}

// Of computes the score of the account, the mark of each zone in the given order, and the coverage.
func Of(ev check.Evaluation, zones []posture.ZoneRef) (posture.Score, []posture.Mark, posture.Coverage) {
	var account sums
	byCategory, within := map[posture.Category]*sums{}, make([]sums, len(zones))
	out := posture.Score{ByCategory: map[posture.Category]posture.CategoryScore{}}
	for i, t := range ev.Tallies {
		var whole sums
		units, w := ev.Units[i], t.Severity.Weight()
		for n, u := range units {
			part := of(u, w)
			whole.add(part)
			if ev.Reach[t.CheckID].Scope == check.PerZone && len(units) == len(zones) {
				within[n].add(part)
			}
		}
		whole = whole.times(1 / max(1, float64(len(units))))
		account.add(whole)
		if byCategory[t.Category] == nil {
			byCategory[t.Category] = &sums{}
		}
		byCategory[t.Category].add(whole)
		if t.Pass+t.Fail+t.Warning > 0 {
			c := out.ByCategory[t.Category]
			c.Pass, c.Fail = c.Pass+t.Pass, c.Fail+t.Fail+t.Warning
			out.ByCategory[t.Category] = c
		}
	}
	for c, s := range out.ByCategory {
		s.Value = byCategory[c].value()
		if *byCategory[c] == (sums{}) { // only informational checks: none weighs, so each result counts the same
			s.Value = 100 * s.Pass / (s.Pass + s.Fail)
		}
		out.ByCategory[c] = s
	}
	h := hold(ev, zones)
	h.fromAccount(ev, within)
	out.Mark = mark(account, h.account)
	marks := make([]posture.Mark, len(zones))
	for i := range zones {
		marks[i] = mark(within[i], h.zones[i])
	}
	out.Lifts = lifts(ev, account)
	return out, marks, Coverage(ev.Tallies, ev.Findings)
}

// mark computes the grade from the sums and applies its limits.
func mark(s sums, h held) posture.Mark {
	m := posture.Mark{Value: s.value()}
	switch share := s.judged / (s.judged + s.unread); {
	case s.judged == 0:
		m.Withheld = "nothing that counts could be judged"
		return m
	case share < needed-rounding:
		m.Withheld = fmt.Sprintf("%d %% of what counts could be judged, and a grade needs %d %%", int(100*(share+rounding)), int(100*needed))
		return m
	}
	g, by := grade(m.Value), h.wide
	limit := "D"
	if len(by) == 0 {
		by, limit = h.narrow, "C"
	}
	if len(by) > 0 && g < limit {
		g = limit
		m.Held, m.HeldBy = "held at "+limit+" by "+words(by), ids(by)
	}
	m.Grade = &g
	return m
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

// Coverage is the share of required verdicts that could be given; it groups the others by the
// missing permission.
func Coverage(tallies []posture.CheckTally, findings []posture.Verdict) posture.Coverage {
	c := posture.Coverage{MissingPermissions: []posture.MissingPermission{}}
	for _, t := range tallies {
		c.Evaluated += t.Pass + t.Fail + t.Warning
		c.Unknown += t.Unknown
	}
	if sum := c.Evaluated + c.Unknown; sum > 0 {
		c.Percent = float64(1000*c.Evaluated/sum) / 10 // cut, not rounded: 99.96 % is not all
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

// lifts ranks the checks by how much closing all their findings would raise the score. Unread
// resources are left out, because they need a permission, not a change.
func lifts(ev check.Evaluation, now sums) *posture.Lifts {
	var all []posture.Lift
	for i, t := range ev.Tallies {
		closed, n := now, max(1, float64(len(ev.Units[i])))
		for _, u := range ev.Units[i] {
			if u.Open > 0 && u.Unknown == 0 {
				was := of(u, t.Severity.Weight()).times(1 / n)
				closed.good, closed.bad = closed.good+t.Severity.Weight()/n-was.good, closed.bad-was.bad
			}
		}
		if points := math.Round(10*(closed.percent()-now.percent())) / 10; points > 0 {
			all = append(all, posture.Lift{CheckID: t.CheckID, CheckTitle: ev.Reach[t.CheckID].Title, Points: points,
				Findings: t.Fail + t.Warning, Remediable: ev.Reach[t.CheckID].Remediable})
		}
	}
	slices.SortStableFunc(all, func(a, b posture.Lift) int { return cmp.Compare(b.Points, a.Points) })
	out := posture.Lifts{Most: all[:min(5, len(all)):len(all)], Easiest: []posture.Lift{}}
	for _, l := range all {
		if l.Remediable {
			out.Easiest = append(out.Easiest, l)
		}
	}
	slices.SortStableFunc(out.Easiest, func(a, b posture.Lift) int {
		return cmp.Compare(b.Points/float64(b.Findings), a.Points/float64(a.Findings))
	})
	out.Most, out.Easiest = append([]posture.Lift{}, out.Most...), out.Easiest[:min(5, len(out.Easiest))]
	return &out
}

// zoneSources reports whether an account check reads sources of zones.
func zoneSources(r check.Reach) bool {
	return r.Scope != check.PerZone && slices.ContainsFunc(r.Reads, func(s string) bool {
		return snapshot.LevelOf(s) == snapshot.LevelZone
	})
}
