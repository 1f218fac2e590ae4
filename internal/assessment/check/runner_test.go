package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestWhatIsJudged runs a check that always passes on an account of a free and a pro zone: which
// plans it needs and what could not be read decide what is said instead.
func TestWhatIsJudged(t *testing.T) {
	const pass, none, unknown = posture.Pass, posture.NotApplicable, posture.Unknown
	for _, c := range []struct {
		name  string
		check Check
		free  snapshot.Status
		pro   snapshot.Status
		want  []posture.Result
	}{
		{"everything was read", Check{Scope: PerZone}, snapshot.OK, snapshot.OK, []posture.Result{pass, pass}},
		{"the plan of one zone", Check{Scope: PerZone, Plans: []string{"pro"}}, snapshot.OK, snapshot.OK, []posture.Result{none, pass}},
		{"a plan of the account", Check{Scope: PerAccount, Plans: []string{"pro"}}, snapshot.OK, snapshot.OK, []posture.Result{pass}},
		{"a plan no zone has", Check{Scope: PerAccount, Plans: []string{"business"}}, snapshot.OK, snapshot.OK, []posture.Result{none}},
		{"one zone lacks the product", Check{Scope: PerZone}, snapshot.NotEntitled, snapshot.OK, []posture.Result{none, pass}},
		{"one zone lacks what the account needs of all", Check{Scope: PerAccount}, snapshot.NotEntitled, snapshot.OK, []posture.Result{pass}},
		{"no zone has the product", Check{Scope: PerAccount}, snapshot.NotEntitled, snapshot.NotEntitled, []posture.Result{none}},
		{"one lacks it, one is denied", Check{Scope: PerAccount}, snapshot.NotEntitled, snapshot.Denied, []posture.Result{unknown}},
		{"one zone is denied", Check{Scope: PerZone}, snapshot.Denied, snapshot.OK, []posture.Result{unknown, pass}},
		{"one zone is skipped", Check{Scope: PerZone}, snapshot.Skipped, snapshot.OK, []posture.Result{pass, pass}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc", Name: "acme"}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
			b.Zones = []snapshot.Zone{{ID: "z1", Name: "free.example", Plan: "free", Status: "active"},
				{ID: "z2", Name: "pro.example", Plan: "pro", Status: "active"}}
			snapshot.Put(b, snapshot.ZoneList, "acc", b.Zones)
			for zone, status := range map[string]snapshot.Status{"z1": c.free, "z2": c.pro} {
				if snapshot.Put(b, snapshot.ZoneSettings, zone, snapshot.Settings{}); status != snapshot.OK {
					b.Set(snapshot.Section{Source: snapshot.ZoneSettings.Source(), Scope: zone, Status: status, Permission: "Zone: Zone Settings Read"})
				}
			}
			snap, err := b.Build()
			require.NoError(t, err)
			of := c.check
			of.ID, of.Needs = "CFL-TEST-001", []snapshot.Named{snapshot.ZoneSettings}
			of.Evaluate = func(v *View) Outcome { return v.Pass("fine") }
			var got []posture.Result
			for _, f := range Run(snap, []Check{of}, policy.Default()).Findings {
				got = append(got, f.Result)
				require.Equal(t, f.Result == unknown, f.Permission != "")
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestRecordsOfASecondaryZoneAreChangedAtThePrimary: no call is offered that the zone would refuse.
func TestRecordsOfASecondaryZoneAreChangedAtThePrimary(t *testing.T) {
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc", Name: "acme"}, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC))
	b.Zones = []snapshot.Zone{{ID: "z1", Name: "own.example", Type: "full"}, {ID: "z2", Name: "transferred.example", Type: "secondary"}}
	snapshot.Put(b, snapshot.ZoneList, "acc", b.Zones)
	snap, err := b.Build()
	require.NoError(t, err)
	record := Check{ID: "CFL-TEST-001", Scope: PerZone, Needs: []snapshot.Named{snapshot.ZoneList},
		Words: posture.Words{Dashboard: "DNS › Records", Call: posture.Call{Method: "POST", Path: "/zones/{zone_id}/dns_records"},
			Terraform: "x"},
		Evaluate: func(v *View) Outcome { return v.Fail("missing") }}
	setting := record
	setting.ID, setting.Words.Call.Path = "CFL-TEST-002", "/zones/{zone_id}/settings/ssl"
	ways := func(check Check) (out [][]posture.Place) {
		for _, v := range Run(snap, []Check{check}, policy.Default()).Findings {
			var way []posture.Place
			for _, s := range v.Finding().Steps {
				way = append(way, s.Where)
			}
			out = append(out, way)
		}
		return out
	}
	all := []posture.Place{posture.InDashboard, posture.ByAPI, posture.ByTerraform}
	require.Equal(t, [][]posture.Place{all, {posture.InDashboard}}, ways(record))
	require.Equal(t, [][]posture.Place{all, all}, ways(setting))
	proxy := record // a primary has no proxy
	proxy.Words.Call.Body = `{"proxied": true}`
	said := Run(snap, []Check{proxy}, policy.Default()).Findings[1].Finding().Steps
	require.Contains(t, said[0].Text, "turn on Secondary DNS override")
}
