package score_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/assessment/score"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// thing is one resource and what a check says of it.
type thing struct {
	result   posture.Result
	severity posture.Severity // "" is that of the check
	zone     int              // of an account check: 1 is the first zone, 0 none
}

// judged is a check and what it says of each of its units: the account, or every zone.
type judged struct {
	check.Check
	units [][]thing
	blind []bool // units that could not be read
}

// world is an account as the checks see it.
type world struct {
	zones  []snapshot.Zone
	checks []judged
}

func zonesOf(n int) []snapshot.Zone {
	out := make([]snapshot.Zone, n)
	for i := range out {
		out[i] = snapshot.Zone{ID: fmt.Sprintf("z%04d", i), Name: fmt.Sprintf("z%d.example", i), Status: "active"}
	}
	return out
}

func (w *world) add(c check.Check, units ...[]thing) {
	c.ID, c.Category = fmt.Sprintf("CFL-T-%03d", len(w.checks)), "dns"
	if c.Scope == "" {
		c.Scope = check.PerAccount
	}
	w.checks = append(w.checks, judged{c, units, make([]bool, len(units))})
}

// marks scores what the checks say.
func (w *world) marks(t *testing.T) (posture.Score, []posture.Mark) {
	t.Helper()
	ev, refs := w.evaluation(t)
	s, marks, _ := score.Of(ev, refs)
	return s, marks
}

// evaluation runs the checks.
func (w *world) evaluation(t *testing.T) (check.Evaluation, []posture.ZoneRef) {
	t.Helper()
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc", Name: "acme"}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	b.Zones = w.zones
	snapshot.Put(b, snapshot.ZoneList, "acc", b.Zones)
	snap, err := b.Build()
	require.NoError(t, err)
	var refs []posture.ZoneRef
	place := map[string]int{}
	for i, z := range w.zones {
		refs = append(refs, posture.ZoneRef{ID: z.ID, Name: z.Name, Status: z.Status})
		place[z.ID] = i
	}
	checks := make([]check.Check, len(w.checks))
	for i := range w.checks {
		j := &w.checks[i]
		checks[i] = j.Check
		checks[i].Evaluate = func(v *check.View) check.Outcome { return j.say(v, w.zones, place[v.Zone().ID]) }
	}
	return check.Run(snap, checks, policy.Default()), refs
}

func (j *judged) say(v *check.View, zones []snapshot.Zone, unit int) check.Outcome {
	if j.blind[unit] {
		return v.Unknown("hidden")
	}
	out := v.Judge()
	for n, it := range j.units[unit] {
		r := posture.Resource{Type: cmp.Or(j.Resource, posture.ResourceDNSRecord), ID: fmt.Sprintf("r%d", n), ZoneID: v.Zone().ID}
		if it.zone > 0 {
			r.ZoneID = zones[it.zone-1].ID
		}
		switch it.result {
		case posture.Pass:
			out.Pass()
			continue
		case posture.Fail:
			out.Fail(r, "bad")
		case posture.Warning:
			out.Warn(r, "doubtful")
		default:
			out.Unclear(r, "hidden")
		}
		if it.severity != "" {
			out.Rated(it.severity)
		}
	}
	return out.Done("fine", "nothing")
}

// random is a small account, so that one verdict moves its score by several points.
func random(r *rand.Rand) *world {
	w, good := &world{zones: zonesOf(r.IntN(4))}, r.IntN(20) // some accounts are nearly clean, others not at all
	for i := range w.zones {
		w.zones[i].Paused = r.IntN(8) == 0
	}
	for range 1 + r.IntN(12) {
		c := check.Check{Severity: posture.Severities()[r.IntN(5)], Scope: check.PerAccount}
		c.Resource = []posture.ResourceType{posture.ResourceAccount, posture.ResourceMember, posture.ResourceAccessApp}[r.IntN(3)]
		c.Worst = posture.Severities()[r.IntN(5)]
		if c.Worst.Rank() < c.Severity.Rank() {
			c.Worst = c.Severity
		}
		n, inZones := 1, len(w.zones) > 0 && r.IntN(2) == 0
		switch {
		case len(w.zones) > 0 && r.IntN(3) > 0:
			c.Scope, n, inZones = check.PerZone, len(w.zones), false
		case inZones:
			c.Optional = []snapshot.Named{snapshot.ZoneDNSRecords}
		}
		units := make([][]thing, n)
		for u := range units {
			for range r.IntN(4) {
				it := thing{result: []posture.Result{posture.Fail, posture.Warning, posture.Unknown}[r.IntN(3)]}
				if r.IntN(20) <= good {
					it.result = posture.Pass
				}
				if inZones {
					it.zone = r.IntN(len(w.zones) + 1)
				}
				if it.result != posture.Pass && it.result != posture.Unknown {
					it.severity = upTo(r, c.Worst)
				}
				units[u] = append(units[u], it)
			}
		}
		w.add(c, units...)
		for u := range units {
			w.checks[len(w.checks)-1].blind[u] = r.IntN(20) > max(good, 12)
		}
	}
	return w
}

// upTo is a severity that is not worse than the one given.
func upTo(r *rand.Rand, worst posture.Severity) posture.Severity {
	return posture.Severities()[4-r.IntN(worst.Rank()+1)]
}

func (w *world) clone() *world {
	out := &world{zones: w.zones, checks: slices.Clone(w.checks)}
	for i := range out.checks {
		j := &out.checks[i]
		j.blind, j.units = slices.Clone(j.blind), slices.Clone(j.units)
		for u := range j.units {
			j.units[u] = slices.Clone(j.units[u])
		}
	}
	return out
}

// pick is a random place among the resources that are seen; nil when there is none.
func (w *world) pick(r *rand.Rand, wanted func(thing) bool) (j *judged, unit, at int) {
	type place struct{ c, u, n int }
	var all []place
	for c, j := range w.checks {
		for u := range j.units {
			for n, it := range j.units[u] {
				if !j.blind[u] && wanted(it) {
					all = append(all, place{c, u, n})
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, 0, 0
	}
	p := all[r.IntN(len(all))]
	return &w.checks[p.c], p.u, p.n
}
