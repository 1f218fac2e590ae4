package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

type trends struct {
	Account struct{ ID string }
	Demo    bool
	More    bool
	Points  []struct {
		AssessmentID                     string
		Partial                          bool
		Score, AttackPaths               int
		Runs, Opened, Resolved, Reopened int
		Summary                          struct{ Fail, Warning, Unknown int }
	}
	ByCategory map[string][]*int
	Slowest    []struct{ Severity string }
}

// TestSweepTrends: whole runs are on the line, narrowed ones only when asked for, and what a
// run sees for the first time is opened.
func TestSweepTrends(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 21, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 2, Plant: 0.4}}})
	none := s.call("GET", "/api/trends", nil)
	require.Equal(t, 404, none.status)
	require.Contains(t, string(none.body), "no_assessment")
	first := s.assessed()
	require.Equal(t, 200, s.call("POST", "/api/assess", map[string]any{"checks": []string{"CFL-DNS-001"}}).status)
	second := s.assessed()
	var got trends
	s.get("/api/trends?bucket=run", &got)
	require.Len(t, got.Points, 2)
	require.Equal(t, []string{first.ID, second.ID}, []string{got.Points[0].AssessmentID, got.Points[1].AssessmentID})
	require.Equal(t, first.Account.ID, got.Account.ID)
	require.Equal(t, first.Score.Value, got.Points[0].Score)
	require.Equal(t, first.AttackPaths, got.Points[0].AttackPaths)
	require.Equal(t, first.Summary.Fail, got.Points[0].Summary.Fail)
	require.Equal(t, first.Summary.Fail+first.Summary.Warning, got.Points[0].Opened)
	require.Zero(t, got.Points[1].Opened, "nothing is new")
	require.Zero(t, got.Points[1].Resolved+got.Points[1].Reopened)
	require.Len(t, got.ByCategory, len(first.Score.ByCategory))
	for _, values := range got.ByCategory {
		require.Len(t, values, 2)
	}
	s.get("/api/trends?bucket=run&scope=all&account="+first.Account.ID, &got)
	require.Len(t, got.Points, 3)
	require.True(t, got.Points[1].Partial)
	s.get("/api/trends?bucket=run&limit=1", &got)
	require.Len(t, got.Points, 1)
	require.True(t, got.More)
	s.get("/api/trends?bucket=month&zone=Pacific/Kiritimati&scope=all", &got)
	require.Equal(t, second.ID, got.Points[len(got.Points)-1].AssessmentID, "the last run stands")
	for _, bad := range []string{"zone=Mars", "zone=../x", "zone=Local", "bucket=year", "from=yesterday", "limit=0", "scope=some"} {
		require.Equal(t, 422, s.call("GET", "/api/trends?"+bad, nil).status, bad)
	}
}

// TestRunAgo: what stands for a week ago is no run of minutes ago, and no part of the account.
func TestRunAgo(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 22, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{{Zones: 1}}})
	first := s.assessed()
	second := s.assessed()
	ended := first.CompletedAt.UTC()
	for query, want := range map[string][]string{
		"ago=7": nil,
		"ago=7&until=" + ended.Add(84*time.Hour-time.Second).Format(time.RFC3339Nano):   nil,
		"ago=7&limit=1&until=" + ended.Add(84*time.Hour).Format(time.RFC3339Nano):       {first.ID},
		"ago=7&bucket=month&until=" + ended.Add(999*time.Hour).Format(time.RFC3339Nano): {second.ID},
	} {
		var got trends
		s.get("/api/trends?"+query, &got)
		require.Len(t, got.Points, len(want), query)
		require.NotNil(t, got.Points)
		for i, id := range want {
			require.Equal(t, id, got.Points[i].AssessmentID, query)
		}
	}
	require.Equal(t, 422, s.call("GET", "/api/trends?ago=0", nil).status)
}
