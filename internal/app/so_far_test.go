package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/engine/assess"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// TestIssuesOfARunThatStillReads stops a run before the last zones: what it has found by then is said, costs Cloudflare nothing, and is
// still there in the end.
func TestIssuesOfARunThatStillReads(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{3, 21, 109} {
		s := embedded(t, simcloud.Options{Seed: seed, Limit: simcloud.Limit{Disabled: true},
			Accounts: []simcloud.AccountSpec{{Zones: 5, Plant: 0.4, Plans: []string{"enterprise", "free", "pro"}}}})
		zones := s.cloud.ZoneIDs(s.cloud.Accounts()[0])
		release := s.cloud.Hold("/zones/"+zones[3], "/zones/"+zones[4])
		t.Cleanup(release)
		var job posture.Job
		s.call("POST", "/api/assess", map[string]any{}, "Prefer", "respond-async").into(t, &job)
		var now assess.SoFar
		eventually(t, time.Minute, "something is found", func() bool {
			before := s.cloud.Requests().Total
			s.get("/api/jobs/"+job.ID+"/issues", &now)
			return len(now.Issues) > 0 && s.cloud.Requests().Total == before
		})
		require.Equal(t, 5, now.Zones)

		release()
		eventually(t, time.Minute, "the run ends", func() bool {
			s.get("/api/jobs/"+job.ID, &job)
			return job.State == posture.JobSucceeded
		})
		require.Equal(t, 409, s.call("GET", "/api/jobs/"+job.ID+"/issues", nil).status)
		var all struct{ Items []issue.Issue }
		s.get("/api/issues?limit=1000", &all)
		in := map[string]issue.Issue{}
		for _, i := range all.Items {
			in[i.CheckID] = i
		}
		for _, i := range now.Issues {
			require.GreaterOrEqual(t, in[i.CheckID].Resources, i.Resources, i.CheckID)
		}
		require.NotEqual(t, now.Issues, all.Items)
	}
}
