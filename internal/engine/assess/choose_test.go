package assess

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func locations(t *testing.T, err error) []string {
	t.Helper()
	var p *posture.Problem
	require.ErrorAs(t, err, &p)
	require.Equal(t, posture.CodeInvalid, p.Code)
	require.Equal(t, p.Errors[0].Message, p.Detail)
	var out []string
	for _, e := range p.Errors {
		out = append(out, e.Location)
	}
	return out
}

// TestValidate: each field that is wrong is named, and nothing else.
func TestValidate(t *testing.T) {
	known := []check.Check{{ID: "CFL-DNS-001", Category: "dns"}, {ID: "CFL-SSL-001", Category: "ssl"}}
	require.NoError(t, Validate(posture.AssessRequest{}, known))
	require.NoError(t, Validate(posture.AssessRequest{Categories: []string{"dns", "ssl"}, Checks: []string{"CFL-SSL-001"},
		Zones: []string{"shop.example", "*.exampl?"}, ExcludeZones: []string{"[a-c].example"}}, known))
	require.Equal(t, []string{"body.categories[1]", "body.checks[0]", "body.zones[1]", "body.zones[2]", "body.excludeZones[0]"},
		locations(t, Validate(posture.AssessRequest{Categories: []string{"dns", "nonsense"}, Checks: []string{"CFL-DNS-002", "CFL-DNS-001"},
			Zones: []string{"shop.example", " ", "[a"}, ExcludeZones: []string{""}}, known)))
	require.Equal(t, []string{"body.categories"},
		locations(t, Validate(posture.AssessRequest{Categories: []string{"dns"}, Checks: []string{"CFL-SSL-001"}}, known)), "a run of nothing")
}

// TestChooseZones: patterns are names in any case or ids; what is excluded stays out; what matches nothing is said.
func TestChooseZones(t *testing.T) {
	zones := []snapshot.Zone{{ID: "3", Name: "Shop.example"}, {ID: "1", Name: "blog.example"}, {ID: "2", Name: "shop.test"},
		{ID: "4", Name: "xn--bcher-kva.org"}}
	for _, c := range []struct{ zones, without, want []string }{
		{nil, nil, []string{"1", "2", "3", "4"}},
		{[]string{"Bücher.*"}, nil, []string{"4"}},
		{[]string{"SHOP.*"}, nil, []string{"2", "3"}},
		{[]string{"shop.example"}, nil, []string{"3"}},
		{[]string{"1"}, nil, []string{"1"}},
		{[]string{"1", "*.test"}, nil, []string{"1", "2"}},
		{nil, []string{"*.example"}, []string{"2", "4"}},
		{[]string{"*.example"}, []string{"3"}, []string{"1"}},
		{[]string{"????.example"}, []string{"blog.*"}, []string{"3"}},
	} {
		got, err := ChooseZones(posture.AssessRequest{Zones: c.zones, ExcludeZones: c.without}, zones)
		require.NoError(t, err)
		var ids []string
		for _, z := range got {
			ids = append(ids, z.ID)
		}
		require.Equal(t, c.want, ids, "%v without %v", c.zones, c.without)
	}
	_, err := ChooseZones(posture.AssessRequest{Zones: []string{"1", "5"}, ExcludeZones: []string{"*.invalid"}}, zones)
	require.Equal(t, []string{"body.zones[1]", "body.excludeZones[0]"}, locations(t, err))
	require.ErrorContains(t, err, `zone "5" matches none of the 4 zones`)
	_, err = ChooseZones(posture.AssessRequest{Zones: []string{"shop.*"}, ExcludeZones: []string{"*"}}, zones)
	require.Equal(t, []string{"body.excludeZones"}, locations(t, err))
	none, err := ChooseZones(posture.AssessRequest{ExcludeZones: []string{"*"}}, zones)
	require.NoError(t, err, "the account alone")
	require.Empty(t, none)
}

// TestSelected: with checks and categories named, a check must be among both.
func TestSelected(t *testing.T) {
	dns := check.Check{ID: "CFL-DNS-001", Category: "dns"}
	for _, c := range []struct {
		checks, categories []string
		want               bool
	}{
		{nil, nil, true},
		{[]string{"CFL-DNS-001"}, nil, true},
		{[]string{"CFL-DNS-002"}, nil, false},
		{nil, []string{"ssl", "dns"}, true},
		{nil, []string{"ssl"}, false},
		{nil, []string{"nonsense"}, false},
		{[]string{"CFL-DNS-001"}, []string{"ssl"}, false},
		{[]string{"CFL-DNS-002"}, []string{"dns"}, false},
	} {
		require.Equal(t, c.want, selected(posture.AssessRequest{Checks: c.checks, Categories: c.categories}, dns), "%+v", c)
	}
}

// sourcesOf are the sources of a plan by name, each with the zone plans it is read for.
func sourcesOf(p Plan) map[string][]string {
	out := map[string][]string{}
	for _, s := range p.Sources {
		out[s.Name] = s.Plans
	}
	return out
}

// TestPlanReadsWhatChecksNeed: with a source comes what its skip rule and its items look at, for zones of the plans that the
// checks are for; the core profile leaves out what would need a read of its own.
func TestPlanReadsWhatChecksNeed(t *testing.T) {
	need := func(names ...snapshot.Named) []snapshot.Named { return names }
	certificates := need(snapshot.ZoneCustomCertificates)
	catalogue := []check.Check{
		{ID: "A", Category: "dns", Severity: posture.High, Scope: check.PerZone, Needs: need(snapshot.ZoneDNSRecords)},
		{ID: "B", Category: "dns", Severity: posture.Low, Scope: check.PerZone, Needs: need(snapshot.ZoneDNSRecords)},
		{ID: "C", Category: "ssl", Severity: posture.Low, Scope: check.PerZone, Needs: need(snapshot.ZoneRulesets)},
		{ID: "D", Category: "ssl", Severity: posture.Low, Scope: check.PerZone, Optional: need(snapshot.ZoneRulesets)},
		{ID: "E", Category: "ssl", Severity: posture.Critical, Scope: check.PerZone, Plans: []string{"enterprise"}, Needs: certificates},
		{ID: "F", Category: "ssl", Severity: posture.Low, Scope: check.PerZone, Plans: []string{"enterprise"}, Needs: certificates},
		{ID: "G", Category: "ssl", Severity: posture.Low, Scope: check.PerAccount, Plans: []string{"enterprise"}, Needs: certificates},
	}
	sources := []snapshot.Source{
		{Name: snapshot.ZoneList.Source()}, {Name: snapshot.ZoneDNSRecords.Source(), After: []string{"first"}},
		{Name: snapshot.ZoneRulesets.Source(), Parent: "parent"}, {Name: snapshot.ZoneCustomCertificates.Source()},
		{Name: "first"}, {Name: "parent"}, {Name: "feeds", Feeds: true}, {Name: snapshot.AccountAuditChanges.Source()}, {Name: "nobody"},
	}
	plan := func(r posture.AssessRequest) (ids []string, read map[string][]string) {
		t.Helper()
		p, err := NewPlan(r, catalogue, sources)
		require.NoError(t, err)
		for _, c := range p.Checks {
			ids = append(ids, c.ID)
		}
		return ids, sourcesOf(p)
	}
	named := func(read map[string][]string) []string {
		var out []string
		for _, s := range sources {
			if _, there := read[s.Name]; there {
				out = append(out, s.Name)
			}
		}
		return out
	}

	ids, read := plan(posture.AssessRequest{Categories: []string{"dns"}})
	require.Equal(t, []string{"A", "B"}, ids)
	require.Equal(t, []string{snapshot.ZoneList.Source(), snapshot.ZoneDNSRecords.Source(), "first"}, named(read))
	ids, read = plan(posture.AssessRequest{Checks: []string{"C"}, Incremental: true})
	require.Equal(t, []string{"C"}, ids)
	require.Equal(t, []string{snapshot.ZoneList.Source(), snapshot.ZoneRulesets.Source(), "parent", snapshot.AccountAuditChanges.Source()},
		named(read))
	_, read = plan(posture.AssessRequest{Checks: []string{"E"}})
	require.Equal(t, []string{"enterprise"}, read[snapshot.ZoneCustomCertificates.Source()])
	_, read = plan(posture.AssessRequest{Checks: []string{"E", "G"}})
	require.Empty(t, read[snapshot.ZoneCustomCertificates.Source()], "a check of the account looks at all zones")
	ids, read = plan(posture.AssessRequest{})
	require.Len(t, ids, len(catalogue))
	require.Contains(t, read, "feeds")
	require.NotContains(t, read, "nobody")
	require.NotContains(t, read, snapshot.AccountAuditChanges.Source())
	ids, read = plan(posture.AssessRequest{Profile: posture.ProfileCore})
	require.Equal(t, []string{"A", "B", "E", "F"}, ids)
	require.NotContains(t, read, snapshot.ZoneRulesets.Source())
	ids, _ = plan(posture.AssessRequest{Profile: posture.ProfileCore, Checks: []string{"C"}})
	require.Equal(t, []string{"C"}, ids, "what is named is judged")
	_, err := NewPlan(posture.AssessRequest{Profile: posture.ProfileCore, Categories: []string{"dns"}}, catalogue[2:], sources)
	require.Equal(t, []string{"body.categories"}, locations(t, err))
	_, err = NewPlan(posture.AssessRequest{Profile: posture.ProfileCore, Categories: []string{"ssl"}}, catalogue[2:4], sources)
	require.Equal(t, []string{"body.profile"}, locations(t, err))
	_, err = NewPlan(posture.AssessRequest{Checks: []string{"Z"}}, catalogue, sources)
	require.Equal(t, []string{"body.checks[0]"}, locations(t, err))
}

// TestPlanSets: the empty set stands for every plan.
func TestPlanSets(t *testing.T) {
	all, one, two := planSet(nil), planSet{"free"}, planSet{"free", "pro"}
	for _, c := range []struct {
		set, other planSet
		want       bool
	}{{all, one, true}, {all, all, true}, {one, all, false}, {one, two, false}, {two, one, true}, {two, two, true}} {
		require.Equal(t, c.want, c.set.has(c.other), "%v has %v", c.set, c.other)
	}
	require.Equal(t, two, one.join(two))
	require.Equal(t, planSet{"enterprise", "pro"}, planSet{"pro", "enterprise"}.join(planSet{"pro"}), "each plan once")
	require.Empty(t, one.join(all))
	require.Empty(t, all.join(two))
	require.Empty(t, all.narrow(snapshot.Source{}).Plans)
	require.Equal(t, []string{"free"}, one.narrow(snapshot.Source{}).Plans)
	require.Equal(t, []string{"free"}, two.narrow(snapshot.Source{Plans: []string{"enterprise", "free"}}).Plans)
	require.Equal(t, []string{"none"}, one.narrow(snapshot.Source{Plans: []string{"enterprise"}}).Plans)
}

// TestWidest: permissions are tried on an active zone of the highest plan.
func TestWidest(t *testing.T) {
	zones := []snapshot.Zone{{ID: "1", Plan: "pro", Status: "active"}, {ID: "2", Plan: "enterprise", Status: "pending"},
		{ID: "3", Plan: "enterprise", Status: "active"}, {ID: "4", Plan: "enterprise", Status: "active"},
		{ID: "5", Plan: "free", Status: "active"}}
	for range zones {
		got, found := widest(zones)
		require.True(t, found)
		require.Equal(t, "3", got.ID)
		zones = append(slices.Clone(zones[1:]), zones[0])
	}
	_, found := widest(nil)
	require.False(t, found)
}

// TestWith keeps a list sorted and without duplicates.
func TestWith(t *testing.T) {
	var list []string
	for _, v := range []string{"b", "a", "c", "b", "a"} {
		list = with(list, v)
	}
	require.Equal(t, []string{"a", "b", "c"}, list)
}
