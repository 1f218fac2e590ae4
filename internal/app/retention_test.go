package app_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/delivery/evidence"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestSweepRetention opens the data of a service three years later: what is past its time
// goes, the newest ten assessments stay, and who asks for what is gone is told.
func TestSweepRetention(t *testing.T) {
	t.Parallel()
	cloud, url := simulate(t, simcloud.Options{Seed: 3, Limit: simcloud.Limit{Disabled: true}, Accounts: []simcloud.AccountSpec{{Zones: 1}}})
	s := &system{t: t, cloud: cloud}
	dir := t.TempDir()
	environ := []string{"DATA_DIR=" + dir, "CLOUDFLARE_BASE_URL=" + url, "CLOUDFLARE_API_TOKEN=" + cloud.Tokens()[0].Secret,
		"SERVICE_DNS_RESOLVER=off", "SERVICE_KEEP_JOBS=off", "CLOUDFLARE_REQUESTS_PER_5M=1000000"}
	begun := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	since := time.Now()
	closeNow := s.openAt(environ, func() time.Time { return begun.Add(time.Since(since)) })
	type assessment struct{ ID, JobID string }
	var all []assessment
	for range 11 {
		var a assessment
		s.call("POST", "/api/assess", map[string]any{"checks": []string{"CFL-DNS-001"}}).into(t, &a)
		all = append(all, a)
	}
	require.Equal(t, 200, s.call("POST", "/api/integrations/ship", map[string]any{"target": "file"}).status)
	exported := func() (names []string) {
		names, err := filepath.Glob(filepath.Join(dir, "exports", "*"))
		require.NoError(t, err)
		return names
	}
	require.Len(t, exported(), 2)
	closeNow()

	closeNow = s.openAt(environ, func() time.Time { return begun.Add(3 * 365 * 24 * time.Hour).Add(time.Since(since)) })
	require.Eventually(t, func() bool { return s.call("GET", "/api/assessments/"+all[0].ID, nil).status == 404 }, 20*time.Second,
		20*time.Millisecond)
	require.Empty(t, exported())
	gone := s.call("GET", "/api/assessments/"+all[0].ID, nil)
	require.Contains(t, string(gone.body), "no longer kept")
	for _, path := range []string{"/findings", "/evidence"} {
		require.Contains(t, string(s.call("GET", "/api/assessments/"+all[0].ID+path, nil).body), "no longer kept")
	}
	for _, a := range all[1:] {
		require.Equal(t, 200, s.call("GET", "/api/assessments/"+a.ID, nil).status)
	}
	report := valid(t, s.call("GET", "/api/assessments/"+all[10].ID+"/evidence", nil).body, "")
	require.Equal(t, evidence.NotKept, report.Manifest.Sections)
	require.Equal(t, evidence.Included, report.Manifest.Saved.State)
	require.Equal(t, 409, s.call("POST", "/api/replay", map[string]any{"assessmentId": all[10].ID}).status)
	require.Equal(t, 200, s.call("GET", "/api/jobs/"+all[10].JobID, nil).status, "off keeps all")
	closeNow()

	// Without it, the jobs go too, and replay still says why it cannot be done.
	s.openAt(append(environ, "SERVICE_KEEP_JOBS=30d"), func() time.Time { return begun.Add(4 * 365 * 24 * time.Hour).Add(time.Since(since)) })
	require.Eventually(t, func() bool { return s.call("GET", "/api/jobs/"+all[10].JobID, nil).status == 404 }, 20*time.Second,
		20*time.Millisecond)
	require.Equal(t, 409, s.call("POST", "/api/replay", map[string]any{"assessmentId": all[10].ID}).status)
	require.Equal(t, 200, s.call("GET", "/api/assessments/"+all[10].ID+"/evidence", nil).status)
}
