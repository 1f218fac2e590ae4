package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestIssuesSumUpFindings holds both lists of issues against the findings they are made of.
func TestIssuesSumUpFindings(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 3, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 6, Plant: 0.3}}})
	a := s.assessAll(nil)
	var findings struct{ Items []posture.Finding }
	s.get("/api/assessments/"+a.ID+"/findings?limit=1000&result=FAIL,WARNING", &findings)
	want := map[string]int{}
	for _, f := range findings.Items {
		want[f.CheckID]++
	}
	list := func(path string) (all []issue.Issue) {
		for cursor := ""; ; {
			var page httpapi.IssuesBody
			s.get(path+"&limit=7&cursor="+cursor, &page)
			require.Equal(t, len(want), page.Total)
			if all = append(all, page.Items...); page.NextCursor == "" {
				return all
			}
			cursor = page.NextCursor
		}
	}
	ofRun := list("/api/assessments/" + a.ID + "/issues?state=all")
	got := map[string]int{}
	for i, one := range ofRun {
		require.Equal(t, i+1, one.Rank)
		require.Equal(t, a.Account.ID, one.AccountID)
		require.NotEmpty(t, one.Title)
		got[one.CheckID] = one.Resources
	}
	require.Equal(t, want, got)
	require.Equal(t, posture.Critical, ofRun[0].Severity)
	now := list("/api/issues?account=" + a.Account.ID)
	for i := range now {
		now[i].FirstSeen = ofRun[i].FirstSeen
	}
	require.Equal(t, ofRun, now)

	require.Equal(t, 201, s.call("POST", "/api/exceptions", map[string]any{"match": map[string]any{"checkIds": []string{ofRun[0].CheckID}},
		"reason": "moving in spring", "owner": "ann"}).status)
	var open, accepted httpapi.IssuesBody
	s.get("/api/issues", &open)
	s.get("/api/issues?state=accepted", &accepted)
	require.Equal(t, len(want)-1, open.Total)
	require.Len(t, accepted.Items, 1)
	require.Equal(t, ofRun[0].ID, accepted.Items[0].ID)
	require.Equal(t, ofRun[0].Resources, accepted.Items[0].Exceptions)

	var one httpapi.IssueDetail
	s.get("/api/issues/"+open.Items[0].ID, &one)
	require.Equal(t, open.Items[0], one.Issue)
	require.Len(t, one.Findings, min(10, one.Resources-one.Exceptions))
	s.get(one.FindingsPath+"&limit=1000", &findings)
	require.Len(t, findings.Items, one.Resources)
	for _, f := range findings.Items {
		require.Equal(t, one.CheckID, f.CheckID)
	}
	s.get("/api/issues/"+accepted.Items[0].ID, &one)
	require.NotEmpty(t, one.Findings, "of what is accepted, too")

	var high, sorted, zone, fresh httpapi.IssuesBody
	s.get("/api/issues?state=all&facets=true&severity=high", &high)
	require.Equal(t, high.Facets.Severity[posture.High], high.Total)
	require.Equal(t, len(want), sum(high.Facets.Severity))
	require.Equal(t, high.Total, sum(high.Facets.Category))
	require.Equal(t, high.Total, sum(high.Facets.Effort))
	s.get("/api/assessments/"+a.ID+"/issues?state=all&sort=resources", &sorted)
	require.True(t, slices.IsSortedFunc(sorted.Items, func(a, b issue.Issue) int { return b.Resources - a.Resources }))
	s.get("/api/issues?state=all&zone="+a.Zones[0].Name, &zone)
	require.NotEmpty(t, zone.Items)
	for _, i := range zone.Items {
		require.Equal(t, 1, i.Zones)
	}
	s.get("/api/issues?new=1", &fresh)
	require.Equal(t, open.Total, fresh.Total)
	s.get("/api/assessments/"+a.ID+"/issues?new="+time.Now().AddDate(0, 0, 2).Format(time.DateOnly), &fresh)
	require.Empty(t, fresh.Items)
	require.NotNil(t, fresh.Items)

	s.get("/api/issues?limit=1&sort=title", &sorted)
	for query, says := range map[string]string{"cursor=odd": "names no issue of this list", "severity=odd": "severity", "effort=odd": "effort",
		"category=odd": "category", "new=soon": "new ", "new=0": "new ", "sort=odd": "rank", "state=odd": "open",
		"cursor=" + sorted.NextCursor:                                "belongs to a list with other filters",
		"sort=title&q=nowhere&cursor=" + sorted.NextCursor:           "belongs to a list with other filters",
		"sort=title&cursor=" + "0" + sorted.NextCursor[1:]:           "names no issue of this list",
		"sort=title&limit=1&severity=low&cursor=" + open.Items[0].ID: "belongs to a list with other filters"} {
		for _, path := range []string{"/api/issues?", "/api/assessments/" + a.ID + "/issues?"} {
			if got := s.call("GET", path+query, nil); path == "/api/issues?" || !strings.Contains(query, "sort=title") {
				require.Equal(t, 422, got.status, path+query)
				require.Contains(t, string(got.body), says, query)
			}
		}
	}
	require.Equal(t, 404, s.call("GET", "/api/assessments/00000000-0000-4000-8000-000000000000/issues", nil).status)
	require.Equal(t, 404, s.call("GET", "/api/issues/"+issue.ID("nobody", "X"), nil).status)
	require.Equal(t, 422, s.call("GET", "/api/issues/odd", nil).status)
}

func sum[K comparable](counts map[K]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
