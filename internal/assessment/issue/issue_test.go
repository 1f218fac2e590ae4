package issue_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

var start = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // an instant of these tests

func finding(check string, n int, s posture.Severity, edits ...func(*posture.Finding)) posture.Finding {
	f := posture.Finding{ID: fmt.Sprintf("%s-%d", check, n), CheckID: check, Title: fmt.Sprintf("%s is wrong on r%d", check, n), Severity: s,
		Result: posture.Fail, Resource: posture.Resource{ID: fmt.Sprint(n), ZoneID: fmt.Sprintf("z%d", n%2)}, FirstSeen: start.AddDate(0, 0, n)}
	for _, edit := range edits {
		edit(&f)
	}
	return f
}

func onPaths(ids ...string) func(*posture.Finding) {
	return func(f *posture.Finding) { f.AttackPathIDs = ids }
}
func remediable(f *posture.Finding) { f.Remediable = true }
func warns(f *posture.Finding)      { f.Result = posture.Warning }
func accepted(f *posture.Finding)   { id := "e1"; f.Exception = &id }
func passes(f *posture.Finding)     { f.Result = posture.Pass }
func callable(f *posture.Finding) {
	f.Steps = []posture.Step{{Where: posture.InDashboard}, {Where: posture.ByAPI}}
}

func of(findings ...posture.Finding) []issue.Issue {
	var s issue.Sum
	for _, f := range findings {
		s.Add("acc", f)
	}
	return s.Issues()
}

func TestIssueHoldsEverythingACheckHits(t *testing.T) {
	got := of(finding("A", 2, posture.High, onPaths("p1", "p2")), finding("A", 1, posture.Critical, onPaths("p2"), remediable),
		finding("A", 3, posture.Low, accepted, callable), finding("A", 4, posture.Low, passes))
	require.Len(t, got, 1)
	require.EqualExportedValues(t, issue.Issue{ID: issue.ID("acc", "A"), CheckID: "A", AccountID: "acc",
		Title: "A is wrong on r1, and 2 more resources", WorstID: "A-1",
		Severity: posture.Critical, Resources: 3, Zones: 2, Paths: 2, Rank: 1, Effort: issue.Work, Remediable: 1, State: issue.Open,
		FirstSeen: start.AddDate(0, 0, 1), Exceptions: 1, Reason: "Critical, on 2 attack paths: 3 resources in 2 zones. At least one " +
			"change has to be made by hand. The risk of 1 is accepted."}, got[0])
	require.Len(t, got[0].ID, 32)
	require.NotEqual(t, issue.ID("acc", "A"), issue.ID("acc2", "A"))
}

// TestRank: each row comes before the next.
func TestRank(t *testing.T) {
	rows := [][]posture.Finding{
		{finding("B", 1, posture.Critical, onPaths("p"))},
		{finding("C", 1, posture.Critical, remediable)},
		{finding("D", 1, posture.Critical, callable)},
		{finding("E", 1, posture.Critical), finding("E", 2, posture.Low)},
		{finding("F", 1, posture.Critical)},
		{finding("G", 1, posture.Critical, warns, onPaths("p", "q"))},
		{finding("H", 1, posture.High, onPaths("p"), remediable)},
		{finding("I", 1, posture.Low)},
		{finding("A", 1, posture.Critical, accepted, onPaths("p"), remediable)},
	}
	var all []posture.Finding
	for _, r := range rows {
		all = append(all, r...)
	}
	for range 20 {
		rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		got := of(all...)
		require.Len(t, got, len(rows))
		for i, one := range got {
			require.Equal(t, rows[i][0].CheckID, one.CheckID)
			require.Equal(t, i+1, one.Rank)
		}
	}
	require.Equal(t, issue.OneClick, of(rows[1]...)[0].Effort)
	require.Equal(t, issue.Settings, of(rows[2]...)[0].Effort)
	require.Equal(t, issue.Accepted, of(rows[8]...)[0].State)
	require.Equal(t, "Critical warning, on 2 attack paths: 1 resource in 1 zone. At least one change has to be made by hand.",
		of(rows[5]...)[0].Reason)
	require.Empty(t, of())
}
