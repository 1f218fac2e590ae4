package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
	"github.com/edgeposture/edgeposture/internal/store"
)

type runPage struct {
	Items  []posture.Finding
	Counts map[string]int
	Facets *store.Facets
}

// TestFacets: over HTTP, what a facet promises is what its filter lists, words after a
// minus are left out, and the groups add up.
func TestFacets(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 21, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 2, Plant: 0.4}}})
	at := "/api/assessments/" + s.assessed().ID + "/findings"
	list := func(query string) (p runPage) {
		got := s.call("GET", at+"?limit=1000&"+query, nil)
		require.Equal(t, 200, got.status, string(got.body))
		got.into(t, &p)
		return p
	}
	require.Nil(t, list("").Facets, "counting costs, so it is asked for")
	all := list("facets=true")
	require.NotEmpty(t, all.Items)
	require.Greater(t, len(all.Facets.Category), 2)
	for category, n := range all.Facets.Category {
		require.Len(t, list("category="+string(category)).Items, n)
		require.Len(t, list("category=-"+string(category)).Items, len(all.Items)-n)
		require.Len(t, list("facets=true&category="+string(category)).Facets.Category, len(all.Facets.Category), "the others can still be chosen")
	}
	for zone, n := range all.Facets.Zone {
		require.Len(t, list("zone="+zone).Items, n, zone)
		require.Len(t, list("zone=-"+zone).Items, len(all.Items)-n, zone)
	}
	for yes, n := range all.Facets.Remediable {
		require.Len(t, list("remediable="+yes).Items, n)
	}
	for status, n := range all.Facets.Status {
		require.Len(t, list("status="+string(status)).Items, n)
	}
	require.Equal(t, list("").Counts, list("exception=hidden").Counts, "nothing is accepted")
	require.Empty(t, list("exception=only").Items)

	for _, by := range []string{"check", "zone", "resource"} {
		var groups struct {
			Items []store.FindingGroup
			Total int
		}
		s.call("GET", at+"/groups?limit=1000&severity=critical,high&by="+by, nil).into(t, &groups)
		require.NotEmpty(t, groups.Items)
		require.Len(t, groups.Items, groups.Total)
		sum := 0
		for _, g := range groups.Items {
			sum += g.Findings
			require.Len(t, list("severity=critical,high&"+by+"="+g.Value).Items, g.Findings)
			require.Len(t, list("severity=critical,high&"+by+"="+strings.ToLower(g.Value)).Items, g.Findings)
		}
		require.Len(t, list("severity=critical,high").Items, sum)
	}
	for _, bad := range []string{"?status=closed", "?category=-none", "?remediable=perhaps", "?exception=x", "/groups", "/groups?by=age",
		"/groups?by=check&severity=x"} {
		require.Equal(t, 422, s.call("GET", at+bad, nil).status, bad)
	}
	require.Equal(t, 404, s.call("GET", "/api/assessments/01a1fe8f-3b4e-7922-9dea-000000000000/findings/groups?by=zone", nil).status)
}
