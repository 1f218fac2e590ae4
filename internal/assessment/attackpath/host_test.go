package attackpath_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestPathsLeadToHostsThatAreConcerned: a path through a rule or a weak mode ends at a host whose requests it surely decides.
func TestPathsLeadToHostsThatAreConcerned(t *testing.T) {
	const zone, account = "zone1", "acc"
	custom := func(expression string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePhaseCustom, zone, snapshot.Ruleset{Rules: []snapshot.Rule{
				{ID: "r1", Enabled: true, Action: "skip", Expression: expression}}})
		}
	}
	behind := func(block string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountRulesets, account, []snapshot.RulesetInfo{})
			snapshot.Put(b, snapshot.AccountPhaseCustom, account, snapshot.Ruleset{})
			snapshot.Put(b, snapshot.ZoneRulesets, zone, []snapshot.RulesetInfo{})
			snapshot.Put(b, snapshot.ZonePhaseCustom, zone, snapshot.Ruleset{Rules: []snapshot.Rule{
				{ID: "b1", Enabled: true, Action: "block", Expression: block}, {ID: "r1", Enabled: true, Action: "skip", Expression: "true"}}})
		}
	}
	executed := func(outer, inner string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountPhaseCustom, account, snapshot.Ruleset{Rules: []snapshot.Rule{
				{ID: "e1", Enabled: true, Action: "execute", Expression: outer, Params: snapshot.RuleParams{ExecuteID: "set"}}}})
			snapshot.Put(b, snapshot.AccountRulesetCustom, "set", snapshot.Ruleset{Rules: []snapshot.Rule{
				{ID: "r1", Enabled: true, Action: "skip", Expression: inner}}})
		}
	}
	mode := func(setting, expression, rule string) func(*snapshot.Builder) {
		return func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.ZonePageRules, zone, []snapshot.PageRule{})
			snapshot.Put(b, snapshot.ZoneRulesets, zone, []snapshot.RulesetInfo{{ID: "c", Kind: "zone", Phase: "http_config_settings"}})
			snapshot.Put(b, snapshot.AccountRulesets, account, []snapshot.RulesetInfo{})
			snapshot.Put(b, snapshot.ZoneSettings, zone, snapshot.Settings{}.With("ssl", setting))
			snapshot.Put(b, snapshot.ZonePhaseConfig, zone, snapshot.Ruleset{Rules: []snapshot.Rule{{ID: "c1", Enabled: true,
				Action: "set_config", Expression: expression, Params: snapshot.RuleParams{Config: &snapshot.ConfigParams{SSL: rule}}}}})
		}
	}
	ofZone := posture.Resource{Type: posture.ResourceRule, ID: "r1", Name: "partner", ZoneID: zone, Zone: "shop.example"}
	ofAccount := posture.Resource{Type: posture.ResourceRule, ID: "r1", Name: "partner"}
	itself := posture.Resource{Type: posture.ResourceZone, ID: zone, Name: "shop.example", ZoneID: zone, Zone: "shop.example"}
	for _, c := range []struct {
		name, check string
		of          posture.Resource
		edit        func(*snapshot.Builder)
		want        string
	}{
		{"everything", "CFL-WAF-010", ofZone, custom("true"), "admin.shop.example"},
		{"everything but what an earlier rule leaves to the office", "CFL-WAF-010", ofZone,
			behind(`http.host eq "admin.shop.example" and ip.src ne 45.60.10.9`), "www.shop.example"},
		{"everything, behind a rule that blocks one path", "CFL-WAF-010", ofZone,
			behind(`http.request.uri.path eq "/.env"`), "admin.shop.example"},
		{"one host", "CFL-WAF-010", ofZone, custom(`http.host eq "www.shop.example"`), "www.shop.example"},
		{"all but one host", "CFL-WAF-010", ofZone, custom(`http.host ne "admin.shop.example"`), "www.shop.example"},
		{"a path of any host", "CFL-WAF-010", ofZone, custom(`starts_with(http.request.uri.path, "/api")`), "admin.shop.example"},
		{"a name below the wildcard", "CFL-WAF-010", ofZone, custom(`http.host eq "x.apps.shop.example"`), "*.apps.shop.example"},
		{"a host of somebody else", "CFL-WAF-010", ofZone, custom(`http.host eq "www.other.example"`), ""},
		{"a list that was not read", "CFL-WAF-010", ofZone, custom(`ip.src in $partners`), ""},
		{"by the account, for one host", "CFL-WAF-010", ofAccount, executed(`cf.zone.name eq "shop.example"`,
			`http.host eq "www.shop.example"`), "www.shop.example"},
		{"by the account, for another zone", "CFL-WAF-010", ofAccount, executed(`cf.zone.name eq "other.example"`, "true"), ""},
		{"by the account, for zones on a lower plan", "CFL-WAF-010", ofAccount, func(b *snapshot.Builder) {
			executed("true", "true")(b)
			b.Zones[0].Plan = "pro"
		}, ""},
		{"an exception of the managed rules by the account", "CFL-WAF-010", ofAccount, func(b *snapshot.Builder) {
			snapshot.Put(b, snapshot.AccountPhaseManaged, account, snapshot.Ruleset{Rules: []snapshot.Rule{
				{ID: "r1", Enabled: true, Action: "skip", Expression: `http.host eq "www.shop.example"`}}})
		}, "www.shop.example"},
		{"an allow entry", "CFL-WAF-011", ofZone, func(*snapshot.Builder) {}, "admin.shop.example"},
		{"flexible", "CFL-SSL-001", itself, mode("flexible", "false", "off"), "www.shop.example"},
		{"flexible but for one host", "CFL-SSL-001", itself, mode("flexible", `http.host eq "www.shop.example"`, "strict"),
			"admin.shop.example"},
		{"strict but for one host", "CFL-SSL-001", itself, mode("strict", `http.host eq "admin.shop.example"`, "off"), "admin.shop.example"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := snapshot.NewBuilder(snapshot.AccountRef{ID: account, Name: "A"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			b.Zones = []snapshot.Zone{{ID: zone, Name: "shop.example", Plan: "enterprise", Status: "active"}}
			snapshot.Put(b, snapshot.ZoneDNSRecords, zone, []snapshot.DNSRecord{
				{ID: "d1", Name: "admin.shop.example", Type: "A", Content: "185.10.0.1", Proxied: true, Proxiable: true},
				{ID: "d2", Name: "www.shop.example", Type: "A", Content: "185.10.0.2", Proxied: true, Proxiable: true},
				{ID: "d3", Name: "*.apps.shop.example", Type: "A", Content: "185.10.0.3", Proxied: true, Proxiable: true}})
			snapshot.Put(b, snapshot.ZoneLoadBalancers, zone, []snapshot.LoadBalancer{})
			snapshot.Put(b, snapshot.ZoneCustomHostnames, zone, []snapshot.CustomHostname{})
			c.edit(b)
			snap, err := b.Build()
			require.NoError(t, err)
			found := []posture.Verdict{{Rule: &posture.Rule{CheckID: c.check, Severity: posture.Critical}, ID: "f1", Result: posture.Fail,
				Resource: &c.of, Evidence: []posture.Evidence{{Source: snapshot.ZoneSettings.Source(), Observed: "flexible for GET /"}}}}
			g, nodeOf := graph.Build(snap, found)
			var hosts []string
			for _, p := range attackpath.Find(g, snap, found, nodeOf) {
				if p.Kind == "firewall-skip" || p.Kind == "weak-transport" {
					hosts = append(hosts, strings.TrimPrefix(p.Nodes[2], "service:"))
				}
			}
			require.Equal(t, c.want, strings.Join(hosts, " "))
		})
	}
}

// TestEachSourceOfAWeakModeIsToBeMended: a path is broken when nothing lets traffic through in the clear any more.
func TestEachSourceOfAWeakModeIsToBeMended(t *testing.T) {
	const zone = "zone1"
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	b.Zones = []snapshot.Zone{{ID: zone, Name: "shop.example", Status: "active", Plan: "pro"}}
	snapshot.Put(b, snapshot.ZoneDNSRecords, zone, []snapshot.DNSRecord{
		{ID: "d1", Name: "shop.example", Type: "A", Content: "185.10.0.1", Proxied: true, Proxiable: true}})
	snapshot.Put(b, snapshot.ZoneLoadBalancers, zone, []snapshot.LoadBalancer{})
	snapshot.Put(b, snapshot.ZoneCustomHostnames, zone, []snapshot.CustomHostname{})
	snapshot.Put(b, snapshot.ZoneSettings, zone, snapshot.Settings{}.With("ssl", "flexible"))
	snapshot.Put(b, snapshot.ZonePageRules, zone, []snapshot.PageRule{})
	snapshot.Put(b, snapshot.ZoneRulesets, zone, []snapshot.RulesetInfo{})
	snapshot.Put(b, snapshot.ZonePhaseConfig, zone, snapshot.Ruleset{})
	snap, err := b.Build()
	require.NoError(t, err)
	found := []posture.Verdict{{Rule: &posture.Rule{CheckID: "CFL-SSL-001", Severity: posture.Critical}, ID: "f1", Result: posture.Fail,
		Resource: &posture.Resource{Type: posture.ResourceZone, ID: zone, Name: "shop.example", ZoneID: zone}, Evidence: []posture.Evidence{
			{Source: snapshot.ZoneSettings.Source(), Observed: "flexible for GET /"}, {Source: snapshot.ZonePhaseConfig.Source(),
				Observed: "off for GET /old"}, {Source: snapshot.ZonePageRules.Source(), Observed: "off for GET /older"}}}}
	g, nodeOf := graph.Build(snap, found)
	paths := attackpath.Find(g, snap, found, nodeOf)
	require.Len(t, paths, 1)
	require.Equal(t, []string{"CFL-SSL-001", "CFL-CFRULE-001", "CFL-RULES-002"}, paths[0].Breaks[0].CheckIDs)
	require.Equal(t, "For shop.example: set SSL/TLS to Full (strict), change the configuration rule that sets SSL/TLS to off, "+
		"change the page rule that sets SSL/TLS to off.", paths[0].Breaks[0].Change)
}

// TestStolenTokenNamesTheChecksThatFailed: the break by fewer rights is watched by what failed for the token, and by nothing else.
func TestStolenTokenNamesTheChecksThatFailed(t *testing.T) {
	const unbound, wide, minting = "CFL-TOK-005", "CFL-TOK-004", "CFL-TOK-010"
	for _, failed := range [][]string{{wide}, {minting}, {wide, minting}} {
		b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		snapshot.Put(b, snapshot.AccountTokens, "acc", []snapshot.Token{{ID: "t1", Name: "deploy", Status: "active"}})
		snap, err := b.Build()
		require.NoError(t, err)
		var found []posture.Verdict
		for _, id := range slices.Sorted(slices.Values(append([]string{unbound}, failed...))) {
			found = append(found, posture.Verdict{Rule: &posture.Rule{CheckID: id, Severity: posture.High}, ID: id, Result: posture.Fail,
				Resource: &posture.Resource{Type: posture.ResourceToken, ID: "t1", Name: "deploy"}})
		}
		g, nodeOf := graph.Build(snap, found)
		paths := attackpath.Find(g, snap, found, nodeOf)
		require.Len(t, paths, 1)
		require.Equal(t, failed, paths[0].Breaks[1].CheckIDs)
	}
}

// TestNoPathThroughAVersionThatNoHostAccepts: where every host has a higher minimum of its own, only a new one would accept that
// of the zone, which CFL-SSL-002 warns of.
func TestNoPathThroughAVersionThatNoHostAccepts(t *testing.T) {
	for result, paths := range map[posture.Result]int{posture.Warning: 0, posture.Fail: 1} {
		b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		b.Zones = []snapshot.Zone{{ID: "zone1", Name: "shop.example", Status: "active", Plan: "pro"}}
		snapshot.Put(b, snapshot.ZoneDNSRecords, "zone1", []snapshot.DNSRecord{
			{ID: "d1", Name: "shop.example", Type: "A", Content: "185.10.0.1", Proxied: true, Proxiable: true}})
		snapshot.Put(b, snapshot.ZoneSettings, "zone1", snapshot.Settings{}.With("min_tls_version", "1.0"))
		snap, err := b.Build()
		require.NoError(t, err)
		found := []posture.Verdict{{Rule: &posture.Rule{CheckID: "CFL-SSL-002", Severity: posture.High}, ID: "f1", Result: result,
			Resource: &posture.Resource{Type: posture.ResourceZone, ID: "zone1", Name: "shop.example", ZoneID: "zone1"}}}
		g, nodeOf := graph.Build(snap, found)
		require.Len(t, attackpath.Find(g, snap, found, nodeOf), paths, result)
	}
}
