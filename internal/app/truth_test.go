package app_test

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// assessAll runs an assessment and gives it with every finding.
func (s *system) assessAll(body any) posture.Assessment {
	s.t.Helper()
	got := s.call("POST", "/api/assess", body, "Prefer", "wait=300")
	require.Equal(s.t, 200, got.status, string(got.body))
	var a posture.Assessment
	got.into(s.t, &a)
	s.get("/api/assessments/"+a.ID+"?result=all", &a)
	return a
}

// verdicts gives what was found as comparable lines.
func verdicts(a posture.Assessment) []string {
	var out []string
	for _, f := range a.Findings {
		if f.Result == posture.Fail || f.Result == posture.Warning {
			out = append(out, fmt.Sprintf("%s %s %s %s", f.CheckID, f.Result, f.Resource.Type, f.Resource.ID))
		}
	}
	sort.Strings(out)
	return out
}

func planted(truth []simcloud.Planted) []string {
	implemented := map[string]bool{}
	for _, c := range checks.All() {
		implemented[c.ID] = true
	}
	var out []string
	for _, p := range truth {
		if implemented[p.CheckID] {
			out = append(out, fmt.Sprintf("%s %s %s %s", p.CheckID, p.Result, p.ResourceType, p.ResourceID))
		}
	}
	sort.Strings(out)
	return slices.Compact(out)
}

// only narrows findings to the checks the simulation vouches for.
func only(lines []string) []string {
	var out []string
	for _, l := range lines {
		id, _, _ := strings.Cut(l, " ")
		if slices.Contains(simcloud.Covered(), id) {
			out = append(out, l)
		}
	}
	return out
}

// TestSweepEverythingIsReadAndFound is the main claim: all zones and records are in
// the assessment, what is planted is found, and nothing is invented.
func TestSweepEverythingIsReadAndFound(t *testing.T) {
	large := 120
	if testing.Short() {
		large = 20
	}
	for _, tc := range []struct {
		name string
		o    simcloud.Options
	}{
		{fmt.Sprint(large, " zones of 250 records"), simcloud.Options{Seed: 11,
			Accounts: []simcloud.AccountSpec{{Zones: large, RecordsPerZone: 250, Plans: []string{"free", "pro", "business", "enterprise"},
				Plant: 0.2}}}},
		{"clean", simcloud.Options{Seed: 12, Accounts: []simcloud.AccountSpec{{Zones: 12, RecordsPerZone: 20, Clean: true,
			Plans: []string{"free", "pro", "business", "enterprise"}}}}},
		{"free plan, everything planted", simcloud.Options{Seed: 15,
			Accounts: []simcloud.AccountSpec{{Zones: 6, RecordsPerZone: 20, Plans: []string{"free"}, Plant: 1}}}},
		{"demo", simcloud.Demo()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.o.Limit.Disabled = true
			s := embedded(t, tc.o)
			account := s.cloud.Accounts()[0]
			a := s.assessAll(nil)
			for _, f := range a.Findings {
				if f.Result == posture.Unknown {
					t.Logf("UNKNOWN %s %s: %s", f.CheckID, f.Resource.Name, f.Reason)
				}
			}
			require.Len(t, a.Zones, len(s.cloud.ZoneIDs(account)))
			require.Equal(t, planted(s.cloud.Truth(account)), only(verdicts(a)))
			t.Logf("%d zones, %d requests, %d planted findings, %d ms", len(a.Zones), a.Requests, len(planted(s.cloud.Truth(account))), a.DurationMS)
		})
	}
}

// TestSweepSeeds repeats the claim on many small accounts.
func TestSweepSeeds(t *testing.T) {
	for seed := range uint64(12) {
		if testing.Short() && seed > 1 {
			break
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			o := simcloud.Options{Seed: 100 + seed, Accounts: []simcloud.AccountSpec{{Zones: 8, RecordsPerZone: 15, Plant: float64(seed%4+1) / 4,
				Plans: []string{"enterprise", "free", "pro", "business"}}}}
			o.Limit.Disabled = true
			s := embedded(t, o)
			a := s.assessAll(nil)
			require.Equal(t, planted(s.cloud.Truth(s.cloud.Accounts()[0])), only(verdicts(a)), "seed %d", 100+seed)
		})
	}
}

// TestSweepANarrowedRunAgrees assesses each zone by itself: what that run says of a finding that the run
// of everything has too is the same, or UNKNOWN, and it resolves nothing.
func TestSweepANarrowedRunAgrees(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		if testing.Short() && seed > 0 {
			break
		}
		o := simcloud.Options{Seed: 60 + seed, Accounts: []simcloud.AccountSpec{{Zones: 4, RecordsPerZone: 15, Plant: 0.5,
			Plans: []string{"enterprise", "free", "pro", "business"}}}}
		o.Limit.Disabled = true
		s := embedded(t, o)
		whole, full := s.assessAll(nil), map[string]posture.Finding{}
		for _, f := range whole.Findings {
			full[f.ID] = f
		}
		for _, z := range whole.Zones {
			for _, f := range s.assessAll(map[string]any{"zones": []string{z.Name}}).Findings {
				was, known := full[f.ID]
				open := f.Result == posture.Fail || f.Result == posture.Warning
				assert.True(t, known || !open, "seed %d: %s on %s %s is new in a run of %s: %s", 60+seed, f.CheckID, f.Resource.Type,
					f.Resource.Name, z.Name, f.Message)
				if known && f.Result != posture.Unknown {
					assert.Equal(t, was.Result, f.Result, "seed %d: %s on %s %s in a run of %s (%s): %s%s", 60+seed, f.CheckID, f.Resource.Type,
						f.Resource.Name, z.Name, z.Plan, f.Message, f.Reason)
				}
				assert.False(t, open && f.Status == posture.StatusReopened)
			}
		}
		for _, f := range s.assessAll(nil).Findings {
			assert.NotEqual(t, posture.StatusReopened, f.Status, "seed %d: a narrowed run resolved %s on %s", 60+seed, f.CheckID, f.Resource.Name)
		}
	}
}

// TestSweepDeniedPermissionsGiveUnknown denies every permission in turn: no PASS and
// no FAIL from what could not be read, the missing permission is named, and the
// run ends with gaps.
func TestSweepDeniedPermissionsGiveUnknown(t *testing.T) {
	t.Parallel()
	o := simcloud.Options{Seed: 40, Accounts: []simcloud.AccountSpec{{Zones: 4, RecordsPerZone: 15, Plant: 0.8,
		Plans: []string{"enterprise", "free", "pro", "business"}}}}
	o.Limit.Disabled = true
	s := embedded(t, o)
	before := map[string]posture.Result{}
	for _, f := range s.assessAll(nil).Findings {
		before[f.ID] = f.Result
	}
	permissions := map[string][]string{}
	for _, r := range simcloud.Routes() {
		if r.Method == http.MethodGet && r.Permission != "" && r.Source != "" {
			permissions[r.Permission] = append(permissions[r.Permission], r.Source)
		}
	}
	needs := map[string][]string{}
	for _, c := range checks.All() {
		for _, n := range c.Needs {
			needs[n.Source()] = append(needs[n.Source()], c.ID)
		}
	}
	tried := 0
	for permission, sources := range permissions {
		blind := map[string]bool{}
		for _, source := range sources {
			for _, id := range needs[source] {
				blind[id] = true
			}
		}
		if len(blind) == 0 || testing.Short() && tried == 3 {
			continue
		}
		s.cloud.Deny(permission)
		a := s.assessAll(nil)
		s.cloud.Allow()
		if a.Status == posture.Completed { // nothing of this kind is in the account, so nothing was asked for
			for _, f := range a.Findings {
				require.Equal(t, before[f.ID], f.Result, "%s denied changed %s", permission, f.CheckID)
			}
			continue
		}
		tried++
		require.True(t, slices.ContainsFunc(a.Coverage.MissingPermissions,
			func(m posture.MissingPermission) bool { return m.Permission == permission }),
			"%s is not named: %+v", permission, a.Coverage.MissingPermissions)
		for _, f := range a.Findings {
			// A WARNING may stand where a FAIL hangs on an optional read; it says so.
			if f.Result == posture.Pass || f.Result == posture.Fail {
				was, known := before[f.ID]
				require.True(t, known, "%s denied made a new %s of %s on %s", permission, f.Result, f.CheckID, f.Resource.ID)
				require.Equal(t, was, f.Result, "%s denied changed %s on %s", permission, f.CheckID, f.Resource.ID)
			}
			if f.Result == posture.Unknown {
				require.NotEmpty(t, f.Reason)
			}
		}
	}
	require.True(t, testing.Short() || tried > 45, "%d", tried)
	t.Logf("%d permissions denied in turn", tried)
}

// TestSweepDistributedFindsTheSame repeats the main claim on PostgreSQL, Redis and two
// worker processes.
func TestSweepDistributedFindsTheSame(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make sweep runs it")
	}
	s, _ := distributed(t, simcloud.Options{Seed: 31, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 20, RecordsPerZone: 30, Plant: 0.4, Plans: []string{"enterprise", "free", "pro", "business"}}}})
	a := s.assessAll(nil)
	require.Len(t, a.Zones, 20)
	require.Equal(t, planted(s.cloud.Truth(s.cloud.Accounts()[0])), only(verdicts(a)))
}

// TestSweepFaultsChangeNoVerdict lets the provider fail in every way it can while a
// run reads: the findings are those of a quiet run.
func TestSweepFaultsChangeNoVerdict(t *testing.T) {
	if testing.Short() {
		t.Skip("for the whole sweep")
	}
	t.Parallel()
	fixed := time.Now() // the simulation's dates follow its clock
	o := simcloud.Options{Now: func() time.Time { return fixed }, Seed: 32, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 6, RecordsPerZone: 20, Plant: 0.5, Plans: []string{"enterprise", "free"}}}}
	s := embedded(t, o)
	quiet := s.assessAll(nil)
	s.cloud.SetFaults(simcloud.Faults{Seed: 7, Rate429: 0.02, Rate500: 0.03, Rate502: 0.02, RateTruncate: 0.03, RateReset: 0.02,
		RetryAfter: time.Second})
	noisy := s.assessAll(nil)
	for _, f := range noisy.Findings {
		require.NotEqual(t, posture.Unknown, f.Result, f.Reason)
	}
	require.Equal(t, quiet.SnapshotDigest, noisy.SnapshotDigest)
	require.Equal(t, verdicts(quiet), verdicts(noisy))
	require.Greater(t, s.cloud.Requests().Total, quiet.Requests*2, "nothing was tried again")
}

// TestSweepNarrowRunsFetchLess holds filters to what they promise: what was not asked
// for is not read.
func TestSweepNarrowRunsFetchLess(t *testing.T) {
	if testing.Short() {
		t.Skip("for the whole sweep")
	}
	t.Parallel()
	o := simcloud.Options{Seed: 33, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{{Zones: 10, RecordsPerZone: 10, Clean: true}}}
	s := embedded(t, o)
	whole := s.assessAll(nil)
	dns := s.assessAll(map[string]any{"categories": []string{"dns"}})
	core := s.assessAll(map[string]any{"profile": "core"})
	one := s.assessAll(map[string]any{"zones": []string{whole.Zones[3].Name}})
	require.LessOrEqual(t, dns.Requests, 10*4+12, "four for each zone, and the account")
	require.Less(t, core.Requests, whole.Requests)
	require.Len(t, one.Zones, 1)
	require.Less(t, one.Requests, whole.Requests/2)
	for _, f := range dns.Findings {
		require.EqualValues(t, "dns", f.Category)
	}
	none := s.assessAll(map[string]any{"excludeZones": []string{"*"}})
	require.Empty(t, none.Zones)
	t.Logf("requests for 10 zones: whole %d, core %d, dns %d, one zone %d", whole.Requests, core.Requests, dns.Requests, one.Requests)
}
