package app_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestReplay judges saved runs again: under the same catalogue and thresholds the
// answer is the saved assessment byte for byte, and nobody is asked for it.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := embedded(t, simcloud.Options{Seed: 21, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 5, Plant: 0.4, Plans: []string{"enterprise", "free", "pro"}, Pending: 1}}})
	whole := s.assessed()
	var part posture.Assessment
	s.cloud.Deny("Zone: DNS Read", "Account: Access: Apps and Policies Read")
	s.call("POST", "/api/assess", map[string]any{"zones": []string{whole.Zones[0].Name, whole.Zones[1].Name}, "profile": "core"}).into(t,
		&part)
	require.NotZero(t, part.Summary.Unknown)
	s.cloud.ResetRequests()
	type answer struct {
		Assessment json.RawMessage
		Same       bool
		Drift      struct{ New, Resolved, Unknown []json.RawMessage }
	}
	for _, a := range []posture.Assessment{whole, part} {
		var again answer
		got := s.call("POST", "/api/replay", map[string]any{"assessmentId": a.ID, "result": "all"})
		require.Equal(t, 200, got.status, string(got.body))
		got.into(t, &again)
		require.JSONEq(t, string(s.call("GET", "/api/assessments/"+a.ID+"?result=all", nil).body), string(again.Assessment))
		require.True(t, again.Same)
	}
	require.Zero(t, s.cloud.Requests().Total, "Cloudflare is not asked")

	// Other thresholds give other verdicts, and the saved assessment stays.
	got := s.call("PATCH", "/api/accounts/default", map[string]any{"policy": map[string]any{"tokenUnusedDays": 1, "sessionHours": 1}})
	require.Equal(t, 200, got.status, string(got.body))
	var other answer
	s.call("POST", "/api/replay", map[string]any{"assessmentId": whole.ID}).into(t, &other)
	require.False(t, other.Same)
	require.NotEmpty(t, other.Drift.New)
	require.Empty(t, other.Drift.Resolved)
	require.Equal(t, 404, s.call("POST", "/api/replay", map[string]any{"assessmentId": "01890000-0000-7000-8000-000000000000"}).status)
}
