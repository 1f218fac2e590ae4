package storetest

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

func facetCases() []testCase {
	return []testCase{
		{"findings of a run are narrowed by every field, as Go would", runNarrowed},
		{"findings of a run are ordered and paged as Go would", runOrdered},
		{"facets count what each value of each field would list", runFaceted},
		{"groups part exactly what is listed, worst and largest first", runGrouped},
		{"facets and groups of a run without findings are empty, of no run an error", runOfNothing},
		{"facets keep runs apart and survive more findings than are read at once", runApart},
	}
}

// varied saves a report whose findings differ in every field a run can be filtered by.
func varied(t *testing.T, s store.Store, n int) posture.Assessment {
	return saved(t, s, n, func(in *store.SaveAssessment) {
		all := in.Assessment.Findings
		for i := range all {
			all[i].Status = []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened, posture.StatusResolved}[i%3]
			if i%11 == 0 {
				all[i].Resource = all[0].Resource
				all[i] = all[i].Worded()
			}
		}
		in.States = states(in.Assessment)
	})
}

// fitsRun reports whether a RunFilter accepts a finding.
func fitsRun(f posture.Finding, want store.RunFilter) bool {
	zones := slices.DeleteFunc(slices.Clone(want.Zones), func(z string) bool { return z == store.NoZone })
	narrow := want.FindingFilter
	if narrow.Zones = zones; len(want.Zones) > len(zones) {
		narrow.Zones = nil
		if f.Resource.Zone != "" && !slices.Contains(zones, f.Resource.Zone) && !slices.Contains(zones, f.Resource.ZoneID) {
			return false
		}
	}
	w := want.Without
	left := slices.Contains(w.Categories, f.Category) || slices.Contains(w.Checks, f.CheckID) ||
		slices.Contains(w.Zones, cmp.Or(f.Resource.Zone, store.NoZone)) || f.Resource.ZoneID != "" && slices.Contains(w.Zones, f.Resource.ZoneID)
	excepted := want.Excepted == store.ExceptedShown || (want.Excepted == store.ExceptedOnly) == (f.Exception != nil)
	return fits(f, narrow) && !left && excepted && (len(want.Statuses) == 0 || slices.Contains(want.Statuses, f.Status)) &&
		(want.Remediable == nil || *want.Remediable == f.Remediable)
}

func runFilters() map[string]store.RunFilter {
	yes, no := true, false
	open := store.FindingFilter{Results: []posture.Result{posture.Fail, posture.Warning, posture.Unknown}}
	return map[string]store.RunFilter{
		"none":         {},
		"plain":        {FindingFilter: open},
		"status":       {Statuses: []posture.FindingStatus{posture.StatusReopened}},
		"remediable":   {FindingFilter: open, Remediable: &yes},
		"by hand":      {Remediable: &no, Statuses: []posture.FindingStatus{posture.StatusOpen, posture.StatusResolved}},
		"accepted":     {Excepted: store.ExceptedOnly},
		"not accepted": {FindingFilter: open, Excepted: store.ExceptedHidden},
		"in no zone":   {FindingFilter: store.FindingFilter{Zones: []string{store.NoZone}}},
		"zone or none": {FindingFilter: store.FindingFilter{Zones: []string{store.NoZone, "zone03.example"}}},
		"without": {FindingFilter: open, Without: store.FindingFilter{Categories: []posture.Category{"dns"},
			Checks: []string{"check-001", "check-003"}, Zones: []string{"zone01.example", "zone-05"}}},
		"in some zone":  {Without: store.FindingFilter{Zones: []string{store.NoZone}}},
		"text":          {FindingFilter: store.FindingFilter{Text: "host-12"}, Statuses: []posture.FindingStatus{posture.StatusOpen}},
		"check by text": {FindingFilter: store.FindingFilter{Text: "CHECK-01"}, Remediable: &yes},
		"resource":      {FindingFilter: store.FindingFilter{Resources: []string{"resource-000000"}}, Remediable: &no},
		"resource text": {FindingFilter: store.FindingFilter{Resources: []string{"resource-000000", "resource-000012"}, Text: "record 12 "},
			Excepted: store.ExceptedHidden},
		"everything": {FindingFilter: store.FindingFilter{Results: []posture.Result{posture.Fail, posture.Pass},
			Severities: []posture.Severity{posture.Critical, posture.High}, Categories: []posture.Category{"dns", "ssl"},
			Zones: []string{"zone00.example", store.NoZone}, Text: "record"},
			Without: store.FindingFilter{Checks: []string{"check-000"}}, Statuses: []posture.FindingStatus{posture.StatusOpen}, Remediable: &yes,
			Excepted: store.ExceptedHidden},
		"nothing fits": {Without: store.FindingFilter{Categories: []posture.Category{"dns", "ssl", "waf", "access"}}},
	}
}

func runNarrowed(t *testing.T, s store.Store) {
	report := varied(t, s, 900)
	for name, f := range runFilters() {
		want := []posture.Finding{}
		for _, one := range report.Findings {
			if fitsRun(one, f) {
				want = append(want, one)
			}
		}
		require.Equal(t, name == "nothing fits", len(want) == 0, name)
		got, next, err := s.RunFindings(t.Context(), report.ID, f, store.Page{})
		require.NoError(t, err, name)
		require.Empty(t, next, name)
		require.Equal(t, want, got, name)
		paged := pages(t, 13, func(p store.Page) ([]posture.Finding, string, error) {
			return s.RunFindings(t.Context(), report.ID, f, p)
		}, func() {})
		require.Equal(t, want, append([]posture.Finding{}, paged...), name)
	}
}

// orders has a comparison for each order of both lists, without the tie-breakers all orders share.
func orders() map[store.FindingOrder]func(a, b posture.Finding) int {
	return map[store.FindingOrder]func(a, b posture.Finding) int{
		store.OrderSeverity: func(a, b posture.Finding) int { return 0 },
		store.OrderCheck:    func(a, b posture.Finding) int { return strings.Compare(a.CheckID, b.CheckID) },
		store.OrderResource: func(a, b posture.Finding) int { return strings.Compare(a.Resource.Name, b.Resource.Name) },
		store.OrderZone:     func(a, b posture.Finding) int { return strings.Compare(a.Resource.Zone, b.Resource.Zone) },
		store.OrderOldest:   func(a, b posture.Finding) int { return a.FirstSeen.Compare(b.FirstSeen) },
		store.OrderNewest:   func(a, b posture.Finding) int { return b.FirstSeen.Compare(a.FirstSeen) },
	}
}

func runOrdered(t *testing.T, s store.Store) {
	report := saved(t, s, 900, func(in *store.SaveAssessment) {
		for i := range in.Assessment.Findings {
			in.Assessment.Findings[i].FirstSeen = kept(noon().AddDate(0, 0, -(i*7)%5))
		}
	})
	for name, f := range runFilters() {
		var all []posture.Finding
		for _, one := range report.Findings {
			if fitsRun(one, f) {
				all = append(all, one)
			}
		}
		for order, compare := range orders() {
			f.Order = order
			want := slices.Clone(all)
			slices.SortStableFunc(want, compare)
			got := pages(t, 13, func(p store.Page) ([]posture.Finding, string, error) {
				return s.RunFindings(t.Context(), report.ID, f, p)
			}, func() {})
			require.Equal(t, want, got, "%s by %s", name, order)
		}
	}
	for order := range orders() {
		_, next, err := s.RunFindings(t.Context(), report.ID, store.RunFilter{Order: order}, store.Page{Limit: 5})
		require.NoError(t, err)
		for other := range orders() {
			_, _, err = s.RunFindings(t.Context(), report.ID, store.RunFilter{Order: other}, store.Page{Limit: 5, Cursor: next})
			var bad *posture.Problem
			require.Equal(t, order != other, errors.As(err, &bad), "a cursor of %q for %q", order, other)
		}
	}
}

func runFaceted(t *testing.T, s store.Store) {
	report := varied(t, s, 900)
	for name, f := range runFilters() {
		got, err := s.RunFacets(t.Context(), report.ID, f)
		require.NoError(t, err, name)
		want := store.Facets{Severity: map[posture.Severity]int{}, Result: map[posture.Result]int{}, Category: map[posture.Category]int{},
			Check: map[string]int{}, Zone: map[string]int{}, Status: map[posture.FindingStatus]int{}, Remediable: map[string]int{},
			Exception: map[string]int{}}
		for _, one := range report.Findings {
			asked := func(change func(*store.RunFilter)) int {
				g := f
				if change(&g); fitsRun(one, g) {
					return 1
				}
				return 0
			}
			more(want.Severity, one.Severity, asked(func(g *store.RunFilter) { g.Severities = nil }))
			more(want.Result, one.Result, asked(func(g *store.RunFilter) { g.Results = nil }))
			more(want.Category, one.Category, asked(func(g *store.RunFilter) { g.Categories, g.Without.Categories = nil, nil }))
			more(want.Check, one.CheckID, asked(func(g *store.RunFilter) { g.Checks, g.Without.Checks = nil, nil }))
			more(want.Zone, cmp.Or(one.Resource.Zone, store.NoZone), asked(func(g *store.RunFilter) { g.Zones, g.Without.Zones = nil, nil }))
			more(want.Status, one.Status, asked(func(g *store.RunFilter) { g.Statuses = nil }))
			more(want.Remediable, map[bool]string{true: "yes", false: "no"}[one.Remediable], asked(func(g *store.RunFilter) { g.Remediable = nil }))
			more(want.Exception, map[bool]string{true: "only", false: "hidden"}[one.Exception != nil],
				asked(func(g *store.RunFilter) { g.Excepted = store.ExceptedShown }))
		}
		require.Equal(t, want, got, name)
	}
}

func more[K comparable](to map[K]int, k K, n int) {
	if n > 0 {
		to[k] += n
	}
}

func runGrouped(t *testing.T, s store.Store) {
	report := varied(t, s, 900)
	for name, f := range runFilters() {
		for _, by := range []store.Grouping{store.ByCheck, store.ByZone, store.ByResource} {
			got, total, next, err := s.RunGroups(t.Context(), report.ID, f, by, store.Page{})
			require.NoError(t, err)
			require.Empty(t, next)
			want := map[string]store.FindingGroup{}
			for _, one := range report.Findings {
				if !fitsRun(one, f) {
					continue
				}
				g := store.FindingGroup{Value: one.CheckID, Name: one.CheckTitle}
				switch zone := cmp.Or(one.Resource.Zone, store.NoZone); by {
				case store.ByZone:
					g.Value, g.Name = zone, zone
				case store.ByResource:
					g.Value, g.Name, g.Type = one.Resource.ID, one.Resource.Name, one.Resource.Type
				}
				have, ok := want[g.Value]
				if !ok {
					g.BySeverity = map[posture.Severity]int{}
					have = g
				}
				have.Findings++
				have.BySeverity[one.Severity]++
				want[g.Value] = have
			}
			require.Len(t, got, len(want), name)
			require.Equal(t, len(want), total, name)
			for i, g := range got {
				require.Equal(t, want[g.Value], g, name)
				if i > 0 {
					require.False(t, groupBefore(g, got[i-1]), "%s: %v stands after %v", name, g, got[i-1])
				}
			}
			paged := pages(t, 7, func(p store.Page) ([]store.FindingGroup, string, error) {
				rows, n, next, err := s.RunGroups(t.Context(), report.ID, f, by, p)
				require.Equal(t, total, n)
				return rows, next, err
			}, func() {})
			require.Equal(t, got, append([]store.FindingGroup{}, paged...), name)
		}
	}
}

// groupBefore is a Go implementation of the order of groups.
func groupBefore(a, b store.FindingGroup) bool {
	counts := func(g store.FindingGroup) (n []int) {
		for _, severity := range posture.Severities() {
			n = append(n, g.BySeverity[severity])
		}
		return n
	}
	return cmp.Or(slices.Compare(counts(b), counts(a)), strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value)) < 0
}

func runOfNothing(t *testing.T, s store.Store) {
	report := saved(t, s, 0, nil)
	facets, err := s.RunFacets(t.Context(), report.ID, store.RunFilter{})
	require.NoError(t, err)
	require.Empty(t, facets.Result)
	rows, total, _, err := s.RunGroups(t.Context(), report.ID, store.RunFilter{}, store.ByZone, store.Page{Limit: 5})
	require.NoError(t, err)
	require.Empty(t, rows)
	require.Zero(t, total)
	for _, id := range []string{newID(t), "x", ""} {
		_, err = s.RunFacets(t.Context(), id, store.RunFilter{})
		require.ErrorIs(t, err, store.ErrNotFound)
		_, _, _, err = s.RunGroups(t.Context(), id, store.RunFilter{}, store.ByCheck, store.Page{Limit: 5})
		require.ErrorIs(t, err, store.ErrNotFound)
		_, _, err = s.RunFindings(t.Context(), id, store.RunFilter{Excepted: store.ExceptedOnly}, store.Page{Limit: 5})
		require.ErrorIs(t, err, store.ErrNotFound)
	}
	var bad *posture.Problem
	_, _, _, err = s.RunGroups(t.Context(), report.ID, store.RunFilter{}, store.ByCheck, store.Page{Limit: 5, Cursor: "zzz"})
	require.ErrorAs(t, err, &bad)
}

func runApart(t *testing.T, s store.Store) {
	var reports []posture.Assessment
	for _, n := range []int{5000, 3, 5001, 40, 10, 7} {
		reports = append(reports, saved(t, s, n, nil))
	}
	for range 2 {
		for _, r := range reports {
			facets, err := s.RunFacets(t.Context(), r.ID, store.RunFilter{})
			require.NoError(t, err)
			sum := 0
			for _, n := range facets.Result {
				sum += n
			}
			require.Equal(t, len(r.Findings), sum)
		}
	}
}
