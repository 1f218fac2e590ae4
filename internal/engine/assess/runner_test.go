package assess

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/secret"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
	"github.com/edgeposture/edgeposture/internal/provider/budget"
	"github.com/edgeposture/edgeposture/internal/provider/cloudflare"
	"github.com/edgeposture/edgeposture/internal/store"
)

// TestNewRunner: what is given stays, and the rest has a default.
func TestNewRunner(t *testing.T) {
	r := New(Options{})
	require.NotNil(t, r.o.Transport)
	require.NotNil(t, r.o.Room)
	require.Nil(t, r.o.Resolver(true))
	require.Equal(t, maxPace, r.o.Concurrency)
	given := Requests{Transport: &http.Transport{}, Room: cloudflare.NewRoom(), Concurrency: 3,
		Resolver: func(bool) Resolver { return nothing{} }}
	r = New(Options{Requests: given})
	require.Same(t, given.Transport, r.o.Transport)
	require.Same(t, given.Room, r.o.Room)
	require.Equal(t, 3, r.o.Concurrency)
	require.Equal(t, nothing{}, r.o.Resolver(false))
}

// TestShareOfTheBudget: the built-in account takes nothing from the budget of real ones, and a schedule gives way to people.
func TestShareOfTheBudget(t *testing.T) {
	real, demo := budget.New(nil, budget.Options{}), budget.New(nil, budget.Options{})
	for _, c := range []struct {
		own   *budget.Budget
		demo  bool
		queue string
		from  *budget.Budget
		class budget.Class
	}{
		{demo, true, "interactive", demo, budget.Interactive},
		{demo, false, "scheduled", real, budget.Scheduled},
		{nil, true, "", real, budget.Interactive},
	} {
		r := New(Options{Requests: Requests{Budget: real, DemoBudget: c.own},
			Process: Process{Fingerprint: func(s secret.Text) string { return "of " + s.Reveal() }}})
		from, request := r.share(Run{Demo: c.demo, Token: secret.New("it"), Job: store.JobRow{Job: posture.Job{ID: "j"}, Queue: c.queue}})
		require.Same(t, c.from, from)
		require.Equal(t, budget.Request{Credential: "of it", Job: "j", Class: c.class}, request)
	}
}

// TestEnterWithoutAGrant: a request that the budget does not let through makes room for another.
func TestEnterWithoutAGrant(t *testing.T) {
	m := miniredis.RunT(t)
	rdb := redis.NewClient(&redis.Options{Addr: m.Addr()})
	t.Cleanup(func() { require.NoError(t, rdb.Close()) })
	now := time.Now
	r := New(Options{Requests: Requests{Budget: budget.New(rdb, budget.Options{})}, Process: Process{Now: now}})
	g := &gate{budget: r.o.Budget, pace: newPace(now), progress: r.progress(Run{}), request: budget.Request{Credential: "c", Job: "j"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := g.Enter(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, g.pace.under)
	require.Zero(t, g.progress.requests())
}

// TestZonesRead: the first 200 zones are judged of which anything was read.
func TestZonesRead(t *testing.T) {
	var zones []snapshot.Zone
	have := []snapshot.Section{{}}
	for i := range soFarZones + 3 {
		id := fmt.Sprintf("%03d", i)
		zones = append(zones, snapshot.Zone{ID: id, Name: id + ".example"})
		section := snapshot.Section{Source: snapshot.ZoneSettings.Source(), Scope: id, Status: snapshot.OK}
		if i == 1 {
			section.Status = snapshot.Failed
		}
		have = append(have, section, snapshot.Section{Source: snapshot.ZoneDNSRecords.Source(), Scope: id, Status: snapshot.Failed})
	}
	value, err := snapshot.Canonical(zones)
	require.NoError(t, err)
	have[0] = snapshot.Section{Source: snapshot.ZoneList.Source(), Scope: "a", Status: snapshot.OK, Value: value}
	ids, all, err := zonesRead(Run{Account: posture.AccountRef{ID: "a"}}, have)
	require.NoError(t, err)
	require.Equal(t, len(zones), all)
	require.Len(t, ids, soFarZones)
	require.Equal(t, []string{"000", "002"}, ids[:2])
	require.Equal(t, "200", ids[soFarZones-1])
}

// TestBlindChecks: a check is blind where it lacks a permission that a token can be granted.
func TestBlindChecks(t *testing.T) {
	const grant, own = "Zone: DNS Read", "any token"
	status := map[string]posture.PermissionStatus{}
	for _, p := range []string{grant, own} {
		status[p] = posture.PermissionStatus{Permission: p, Status: posture.PermissionMissing}
	}
	var out posture.PermissionReport
	need := func(id string, category posture.Category, source snapshot.Named) check.Check {
		return check.Check{ID: id, Category: category, Needs: []snapshot.Named{source}}
	}
	dependents([]check.Check{need("C", "ssl", snapshot.ZoneSettings), need("B", "dns", snapshot.ZoneDNSRecords),
		need("A", "dns", snapshot.ZoneDNSRecords), need("D", "waf", snapshot.ZoneRulesets)},
		map[string]string{snapshot.ZoneDNSRecords.Source(): grant, snapshot.ZoneSettings.Source(): own}, status, &out)
	require.ElementsMatch(t, []posture.CategoryPermission{
		{Category: "dns", Checks: 2, Blind: []string{"A", "B"}, Missing: []string{grant}},
		{Category: "ssl", Checks: 1, Blind: []string{}, Missing: []string{}},
		{Category: "waf", Checks: 1, Blind: []string{}, Missing: []string{}},
	}, out.Categories)
	require.Equal(t, []string{"A", "B"}, status[grant].CheckIDs)
	require.Empty(t, status[own].CheckIDs)
	require.Len(t, status, 2)
}
