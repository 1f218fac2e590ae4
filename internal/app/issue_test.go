package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/api/httpapi"
	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestIssuesSumUpFindings holds both lists of issues against the findings they are made of.
func TestIssuesSumUpFindings(t *testing.T) {
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

	require.Equal(t, 422, s.call("GET", "/api/issues?cursor=odd", nil).status)
	require.Equal(t, 422, s.call("GET", "/api/issues?severity=odd", nil).status)
	require.Equal(t, 404, s.call("GET", "/api/assessments/00000000-0000-4000-8000-000000000000/issues", nil).status)
}
