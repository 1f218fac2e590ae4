package assess

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// withoutList is a simulated provider that does not list the settings of a zone; single counts those it is asked for.
func withoutList(cloud *simcloud.Cloud, single *atomic.Int64) http.RoundTripper {
	list, one := regexp.MustCompile(`/zones/[^/]+/settings$`), regexp.MustCompile(`/zones/[^/]+/settings/[^/]+$`)
	return otherwise{direct{cloud}, func(r *http.Request, _ []byte) (int, []byte) {
		if one.MatchString(r.URL.Path) {
			single.Add(1)
		}
		if list.MatchString(r.URL.Path) {
			return http.StatusNotFound, refused(7000, "No route for that URI")
		}
		return 0, nil
	}}
}

// TestSweepWhatIsLeftOutOfFreeZones pins the checks that are UNKNOWN on free zones in a run of everything when settings are no
// longer listed, and has each judged as ever when it is chosen. Nothing else is judged otherwise.
func TestSweepWhatIsLeftOutOfFreeZones(t *testing.T) {
	t.Parallel()
	cloud := simcloud.New(simcloud.Options{Seed: 77, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 3, RecordsPerZone: 20, Plant: 0.3, Plans: []string{"enterprise", "pro", "free"}}}})
	free := ""
	judge := func(transport http.RoundTripper, req posture.AssessRequest) map[string]posture.Verdict {
		snap := resolved(t, cloud, readThrough(t, cloud, transport, req, simNow, nil))
		for _, z := range snap.Zones {
			if z.Plan == "free" {
				free = z.ID
			}
		}
		chosen := slices.DeleteFunc(checks.All(), func(c check.Check) bool { return !selected(req, c) })
		out := map[string]posture.Verdict{}
		for _, f := range check.Run(snap, chosen, policy.Default()).Findings {
			out[f.CheckID+" "+string(f.Resource.Type)+" "+f.Resource.ID] = f
		}
		return out
	}
	full := judge(direct{cloud}, posture.AssessRequest{})
	gone := withoutList(cloud, &atomic.Int64{})
	left, categories := map[string]bool{}, map[string]bool{}
	for key, f := range judge(gone, posture.AssessRequest{}) {
		if strings.Contains(f.Reason, "Cloudflare no longer lists zone settings") {
			require.Equal(t, free, f.Resource.ID, key)
			require.Equal(t, posture.Unknown, f.Result, key)
			left[f.CheckID], categories[string(f.Category)] = true, true
			continue
		}
		require.Equal(t, full[key].Result, f.Result, "%s: %s", key, f.Reason)
	}
	require.Equal(t, []string{"CFL-PERF-006", "CFL-SEC-001", "CFL-SEC-002", "CFL-SSL-006", "CFL-SSL-007", "CFL-SSL-008", "CFL-SSL-014",
		"CFL-SSL-016", "CFL-SSL-020", "CFL-WAF-001", "CFL-WAF-009", "CFL-WAF-020", "CFL-WAF-021", "CFL-WAF-022", "CFL-WAF-023",
		"CFL-ZONE-004", "CFL-ZONE-005"},
		slices.Sorted(maps.Keys(left)))
	for _, req := range []posture.AssessRequest{{Checks: slices.Collect(maps.Keys(left))},
		{Categories: slices.Collect(maps.Keys(categories))}} {
		got := judge(gone, req)
		require.NotEmpty(t, got)
		for key, f := range got {
			require.Equal(t, full[key].Result, f.Result, "%s: %s", key, f.Reason)
		}
	}
}

// TestSettingsThatWereLeftOutAreNotReused follows a run of everything by incremental ones.
func TestSettingsThatWereLeftOutAreNotReused(t *testing.T) {
	t.Parallel()
	clock := &hand{endOfSettings()}
	cloud := simcloud.New(simcloud.Options{Seed: 4, Now: clock.now, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 2, RecordsPerZone: 5, Plans: []string{"free", "pro"}}}})
	var single atomic.Int64
	transport := withoutList(cloud, &single)
	whole := readThrough(t, cloud, transport, incremental(), clock.now, nil)
	for _, tc := range []struct {
		name   string
		checks []string
		asked  int64
	}{
		{"everything again", nil, 0},
		{"what was left out of the free zone", []string{"CFL-SSL-016"}, 1},
		{"what was read of both", []string{"CFL-SSL-001"}, 0},
	} {
		clock.pass(10 * time.Minute)
		req := incremental()
		req.Checks = tc.checks
		single.Store(0)
		snap := readThrough(t, cloud, transport, req, clock.now, basisOf(clock.now(), whole))
		require.Equal(t, tc.asked, single.Load(), tc.name)
		for _, z := range snap.Zones {
			settings, section := snapshot.Read(snap, snapshot.ZoneSettings, z.ID)
			require.Equal(t, snapshot.OK, section.Status, tc.name)
			_, known := settings.Text("0rtt")
			require.Equal(t, z.Plan == "pro" || tc.asked > 0, known, "%s: %s", tc.name, z.Plan)
		}
	}
}
