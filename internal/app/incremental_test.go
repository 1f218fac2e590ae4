package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepIncrementalRuns assesses an account again and again: what nobody touched is taken
// over and said to be, what was changed is seen, and a run that cannot tell reads all.
func TestSweepIncrementalRuns(t *testing.T) {
	t.Parallel()
	cloud, provider := simulate(t, simcloud.Options{Seed: 33, Limit: simcloud.Limit{Disabled: true},
		Tokens: []simcloud.Token{{CanWrite: true}}, Accounts: []simcloud.AccountSpec{{Zones: 6, RecordsPerZone: 5, Plans: []string{"pro"},
			Clean: true}}})
	s := &system{t: t, cloud: cloud}
	s.open([]string{"DATA_DIR=" + t.TempDir(), "CLOUDFLARE_BASE_URL=" + provider, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		names(t, cloud), "CLOUDFLARE_REQUESTS_PER_5M=1000000"})
	run := func() (a posture.Assessment) {
		got := s.call("POST", "/api/assess", map[string]any{"incremental": true})
		require.Equal(t, 200, got.status, string(got.body))
		got.into(t, &a)
		return a
	}
	whole := run()
	require.Zero(t, whole.Carried.Sections, "there is nothing to carry yet")
	require.Contains(t, whole.Carried.Reason, "no run of the last 24 hours")

	again := run()
	require.LessOrEqual(t, 20*again.Requests, whole.Requests)
	require.Empty(t, again.Carried.Reason)
	require.Equal(t, again.Carried.Of, again.Carried.Sections+again.Requests)
	require.Equal(t, whole.StartedAt, *again.Carried.Oldest)
	require.Contains(t, again.Carried.Sources, "zone/settings")
	require.Equal(t, whole.Score, again.Score)
	require.Equal(t, whole.Summary, again.Summary)

	// Somebody weakens one zone: the next run reads that zone, and only that.
	zone := whole.Zones[2]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, provider+"/zones/"+zone.ID+"/settings/ssl",
		strings.NewReader(`{"value":"off"}`))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+s.cloud.Tokens()[0].Secret)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, 200, res.StatusCode)
	seen := run()
	require.Less(t, 2*seen.Requests, whole.Requests)
	require.NotZero(t, seen.Carried.Sections)
	require.Equal(t, whole.StartedAt, *seen.Carried.Oldest, "the age is that of the first read, not of the run it was taken from")
	var found []string
	for _, f := range seen.Findings {
		if f.CheckID == "CFL-SSL-001" {
			found = append(found, string(f.Result)+" "+f.Resource.ZoneID)
		}
	}
	require.Equal(t, []string{"FAIL " + zone.ID}, found)

	// It can be judged again like any other.
	var replay struct{ Same bool }
	s.call("POST", "/api/replay", map[string]any{"assessmentId": seen.ID}).into(t, &replay)
	require.True(t, replay.Same)

	// A plain run reads everything, and one with a new token does too.
	var plain posture.Assessment
	s.call("POST", "/api/assess", nil).into(t, &plain)
	require.Nil(t, plain.Carried)
	require.GreaterOrEqual(t, plain.Requests, whole.Requests-2)
	require.Equal(t, 200, s.call("PATCH", "/api/accounts/default", map[string]any{"token": s.cloud.Tokens()[0].Secret}).status)
	rotated := run()
	require.Zero(t, rotated.Carried.Sections)
	require.GreaterOrEqual(t, rotated.Requests, whole.Requests-2)

	// Without the audit log nobody can tell what changed.
	s.cloud.Deny("Account: Account Settings Read")
	blind := run()
	require.Zero(t, blind.Carried.Sections)
	require.Equal(t, "the audit log of the account could not be read", blind.Carried.Reason)

	s.cloud.Allow("Account: Account Settings Read")
	got := s.call("POST", "/api/assess", map[string]any{"incremental": true, "token": s.cloud.Tokens()[0].Secret})
	require.Equal(t, 200, got.status, string(got.body))
	var once posture.Assessment
	got.into(t, &once)
	require.Equal(t, "a one-off token has no earlier run", once.Carried.Reason)
}
