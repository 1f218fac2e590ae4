package assess

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/checks"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/policy"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/provider/simcloud"
)

// pathCase says which plants make paths of a kind, which only nearly do, and
// what the way looks like.
type pathCase struct {
	kind     string
	planted  []string // "check/variant", or "check/" for every variant
	nearly   []string
	way      []string // node types of the first planted case, without the internet
	severity posture.Severity
	with     string // a plant that must be there, too; alone, the planted ones make no path
}

func pathCases() []pathCase {
	return []pathCase{
		{"exposed-origin", []string{"CFL-DNS-009/same-address", "CFL-DNS-002/unproxied-a", "CFL-DNS-002/unproxied-cname",
			"CFL-DNS-003/direct", "CFL-DNS-009/mail-host", "CFL-DNS-009/behind-access", "CFL-ZONE-001/paused"},
			[]string{"CFL-DNS-002/somebody-elses", "CFL-DNS-009/same-network", "CFL-DNS-008/private",
				"CFL-DNS-009/spf-term"}, []string{graph.DNSRecord, graph.Origin}, posture.Critical, ""},
		{"weak-transport", []string{"CFL-SSL-001/off", "CFL-SSL-001/flexible", "CFL-SSL-002/tls-1.0", "CFL-SSL-002/tls-1.1", "CFL-SSL-005/",
			"CFL-SSL-008/off", "CFL-CH-002/zone-default", "CFL-R2-007/tls-of-weak-zone", "CFL-CFRULE-001/flexible",
			"CFL-RULES-002/flexible"},
			[]string{"CFL-SSL-001/full", "CFL-SSL-007/off"}, []string{graph.DNSRecord, graph.Service, graph.Zone}, posture.High, ""},
		{"open-access-app", []string{"CFL-ZT-011/public-mail", "CFL-ZT-007/bypass-everyone", "CFL-ZT-026/wide-range", "CFL-ZT-026/country",
			"CFL-ZT-026/wide-list", "CFL-ZT-026/any-service-token", "CFL-ZT-011/public-mail-group", "CFL-ZT-011/any-token",
			"CFL-ZT-011/consumer-login"},
			[]string{"CFL-ZT-007/everyone-with-require", "CFL-ZT-026/middle-range", "CFL-ZT-011/any-token-limited",
				"CFL-ZT-007/everyone", "CFL-ZT-007/group-everyone"}, // of the company's directory
			[]string{graph.AccessApp, graph.Service}, posture.High, ""},
		{"tunnel-without-access", []string{"CFL-ZT-015/private-http", "CFL-ZT-015/ssh"},
			[]string{"CFL-ZT-015/other-service", "CFL-ZT-015/path-only"}, []string{graph.DNSRecord, graph.Tunnel, graph.Service}, posture.High, ""},
		{"worker-plaintext-secret", []string{"CFL-WORK-003/called", "CFL-WORK-003/aws", "CFL-WORK-003/github", "CFL-WORK-003/stripe",
			"CFL-WORK-003/jwt", "CFL-WORK-003/connection", "CFL-PAGE-001/shape", "CFL-PAGE-001/shape-in-previews", "CFL-PAGE-001/entropy"},
			[]string{"CFL-WORK-003/entropy", "CFL-WORK-003/json", "CFL-WORK-003/placeholder"}, []string{graph.DNSRecord, graph.Service,
				graph.Worker, graph.Worker}, posture.High, ""},
		{"firewall-skip", []string{"CFL-WAF-010/always", "CFL-WAF-010/account", "CFL-WAF-010/host-only",
			"CFL-WAF-010/header-anywhere", "CFL-WAF-010/header",
			"CFL-WAF-010/wide-range", "CFL-WAF-010/weak-branch", "CFL-WAF-010/managed-phase", "CFL-WAF-011/country",
			"CFL-WAF-011/asn",
			"CFL-WAF-011/wide-range", "CFL-WAF-011/account"},
			[]string{"CFL-WAF-010/no-path", "CFL-WAF-010/country", "CFL-WAF-011/middle-range"}, []string{graph.DNSRecord,
				graph.Service,
				graph.Origin}, posture.Critical, ""},
		{"name-takeover", []string{"CFL-DNS-006/azure", "CFL-DNS-006/delegation", "CFL-DNS-006/github", "CFL-DNS-007/pages", "CFL-LB-007/free"},
			[]string{"CFL-DNS-007/tunnel", "CFL-DNS-006/gone", "CFL-DNS-006/ill"}, []string{graph.DNSRecord, graph.Service, graph.Origin},
			posture.Critical, ""},
		{"public-bucket", []string{"CFL-R2-004/public", "CFL-R2-004/public-eu", "CFL-R2-004/twin", "CFL-R2-001/"},
			[]string{"CFL-R2-005/cors-put", "CFL-R2-007/tls-10"}, []string{graph.Service, graph.Bucket}, posture.Critical, ""},
		{"access-bypass", []string{"CFL-DNS-009/behind-access", "CFL-WORK-005/beside-access", "CFL-PAGE-010/custom-domain-only"},
			[]string{"CFL-DNS-009/same-address", "CFL-WORK-005/beside-domain"}, []string{graph.DNSRecord, graph.Origin}, posture.High, ""},
		{"open-worker-store", []string{"CFL-WORK-005/beside-store"},
			[]string{"CFL-WORK-005/beside-route", "CFL-WORK-005/previews"}, []string{graph.Service, graph.Worker, graph.Worker, graph.D1Database},
			posture.High, ""},
		{"lasting-service-token", []string{"CFL-ZT-006/ten-years", "CFL-ZT-006/forever"},
			[]string{"CFL-ZT-006/untold"}, []string{graph.AccessApp, graph.Service}, posture.High, ""},
		{"direct-balancer", []string{"CFL-LB-004/public", "CFL-LB-004/host-names"},
			[]string{"CFL-LB-004/private"}, []string{graph.Service, graph.Origin}, posture.High, ""},
		{"open-enrolment", []string{"CFL-ZT-003/everyone", "CFL-ZT-003/public-mail"},
			[]string{"CFL-ZT-003/any-device", "CFL-ZT-003/no-application"}, []string{graph.AccessApp, graph.Tunnel, graph.Origin}, posture.Critical,
			"CFL-GW-005/off"},
		{"open-port", []string{"CFL-SPECTRUM-002/ssh", "CFL-SPECTRUM-002/database"},
			[]string{"CFL-SPECTRUM-002/web"}, []string{graph.Service, graph.Origin}, posture.High, ""},
		{"open-network", []string{"CFL-GW-005/off", "CFL-TUNNEL-012/unguarded", "CFL-GW-005/other-range", "CFL-GW-003/allow-network",
			"CFL-POSTURE-001/no-rule", "CFL-POSTURE-001/unnamed"}, []string{"CFL-GW-005/half"},
			[]string{graph.AccessApp, graph.Tunnel, graph.Origin}, posture.High, ""},
		{"password-alone", []string{"CFL-ACC-010/no-factor"}, []string{"CFL-ACC-010/invited"}, []string{graph.Account}, posture.High,
			"CFL-ACC-001/not-enforced"},
		{"stolen-token", []string{"CFL-TOK-010/unbound", "CFL-TOK-004/dns-anywhere"},
			[]string{"CFL-TOK-005/anywhere", "CFL-TOK-004/dns-on-zones"}, []string{graph.Account}, posture.High, ""},
	}
}

// kindsOf gives the kinds a plant makes, in their order.
func kindsOf(p simcloud.Plant) []string {
	var out []string
	for _, c := range pathCases() {
		if c.with != "" {
			continue
		}
		if slices.Contains(c.planted, p.CheckID+"/"+p.Variant) || slices.Contains(c.planted, p.CheckID+"/") {
			out = append(out, c.kind)
		}
	}
	return out
}

// drawn evaluates an account up to its graph and paths.
func drawn(t testing.TB, spec simcloud.AccountSpec) (*graph.Linked, []posture.AttackPath) {
	t.Helper()
	cloud := simcloud.New(simcloud.Options{Seed: 7, Now: simNow, Limit: simcloud.Limit{Disabled: true},
		Accounts: []simcloud.AccountSpec{spec}})
	snap := resolved(t, cloud, read(t, cloud, posture.AssessRequest{}))
	findings := check.Run(snap, checks.All(), policy.Default()).Findings
	g, nodeOf := graph.Build(snap, findings)
	return g, attackpath.Find(g, snap, findings, nodeOf)
}

func kinds(paths []posture.AttackPath) []string {
	var out []string
	for _, p := range paths {
		if !slices.Contains(out, p.Kind) {
			out = append(out, p.Kind)
		}
	}
	return out
}

// TestSweepPathsOfEachKind shows for each kind that it is found where it is planted
// and nowhere else. TestSweepEveryPlantIsFoundAndNothingElse does the same for all
// plants.
func TestSweepPathsOfEachKind(t *testing.T) {
	plants := map[string]simcloud.Plant{}
	for _, p := range simcloud.Plants() {
		plants[p.CheckID+"/"+p.Variant] = p
	}
	only := func(t *testing.T, name, with string) (*graph.Linked, []posture.AttackPath) {
		p, ok := plants[name]
		require.True(t, ok, name)
		spec := planting(p)
		if with != "" {
			spec.Plants = append(spec.Plants, planting(plants[with]).Plants...)
		}
		return drawn(t, spec)
	}
	_, clean := drawn(t, simcloud.AccountSpec{Clean: true, Zones: 5, Plans: []string{"free", "pro", "business", "enterprise"}})
	require.Empty(t, clean)
	var table strings.Builder
	fmt.Fprintf(&table, "%-26s %8s %6s %7s\n", "kind", "planted", "clean", "nearly")
	var all []string
	for i, c := range pathCases() {
		t.Run(c.kind, func(t *testing.T) {
			k := attackpath.Kinds()[i]
			require.Equal(t, c.kind, k.Name)
			require.NotEmpty(t, k.Title)
			g, paths := only(t, c.planted[0], c.with)
			types := map[string]string{}
			for _, n := range g.Nodes {
				types[n.ID] = n.Type
			}
			of := slices.DeleteFunc(slices.Clone(paths), func(p posture.AttackPath) bool { return p.Kind != c.kind })
			require.NotEmpty(t, of)
			p := of[0]
			var way []string
			for _, n := range p.Nodes[1:] {
				way = append(way, types[n])
			}
			require.Equal(t, c.way, way)
			require.Equal(t, c.severity, p.Severity)
			require.True(t, strings.HasPrefix(p.ID, "ap:"+c.kind+":"), p.ID)
			require.Equal(t, "internet", p.EntryNodeID)
			require.Equal(t, p.Nodes[len(p.Nodes)-1], p.TargetNodeID)
			require.Equal(t, len(p.Nodes)-1, p.HopCount)
			require.NotEmpty(t, p.FindingIDs, "the planted finding takes part")
			require.NotEmpty(t, p.Breaks)
			require.NotContains(t, p.Explanation, "  ")
			for _, name := range c.nearly {
				_, got := only(t, name, c.with)
				require.NotContains(t, kinds(got), c.kind, name)
			}
			fmt.Fprintf(&table, "%-26s %8d %6d %7d\n", c.kind, len(of), 0, 0)
			all = append(all, c.kind)
		})
	}
	require.Len(t, all, len(attackpath.Kinds()))
	t.Log("\n" + table.String())
}

// TestTitlesTellPathsApart: in a list of an account with everything wrong, no two paths read the same.
func TestTitlesTellPathsApart(t *testing.T) {
	_, paths := drawn(t, simcloud.AccountSpec{Zones: 6, RecordsPerZone: 12, Plant: 1})
	of := map[string]string{}
	for _, p := range paths {
		require.Empty(t, of[p.Title], "%s and %s: %s", of[p.Title], p.ID, p.Title)
		of[p.Title] = p.ID
	}
	require.Greater(t, len(of), 50)
}

// TestNoPathProxiesWhatMustAnswerDirectly: a mail host gives the origin away, and what breaks the path is not its proxy; nor is any
// change of a record enough while the server keeps its address.
func TestNoPathProxiesWhatMustAnswerDirectly(t *testing.T) {
	for _, p := range simcloud.Plants() {
		if p.CheckID != "CFL-DNS-009" && p.CheckID != "CFL-DNS-002" {
			continue
		}
		_, paths := drawn(t, planting(p))
		for _, path := range paths {
			if path.Kind != "exposed-origin" && path.Kind != "access-bypass" {
				continue
			}
			change := path.Breaks[0].Change
			require.Contains(t, change, "new address", p.Variant)
			require.False(t, path.Breaks[0].Remediable, p.Variant)
			require.Equal(t, p.Variant != "mail-host", strings.HasPrefix(change, "Proxy the record"), "%s: %s", p.Variant, change)
		}
	}
}

// TestSweepNodesAndEdgesOfEachType shows that each type of node and edge is there when
// the account has such a thing, and only then.
func TestSweepNodesAndEdgesOfEachType(t *testing.T) {
	full, _ := drawn(t, simcloud.AccountSpec{Zones: 4, RecordsPerZone: 30, Plans: []string{"enterprise"}, Plant: 0.3})
	for kind, n := range full.Stats.ByNodeType {
		require.NotZero(t, n, kind)
	}
	for kind, n := range full.Stats.ByEdgeType {
		require.NotZero(t, n, kind)
	}
	require.Len(t, full.Stats.ByNodeType, 14)
	require.Len(t, full.Stats.ByEdgeType, 8)
	none, _ := drawn(t, simcloud.AccountSpec{Clean: true, Plain: true, Zones: 1, RecordsPerZone: -1, Apps: -1, Buckets: -1, Workers: -1,
		Tunnels: -1, Namespaces: -1, Databases: -1, Queues: -1, Lists: -1})
	require.Zero(t, none.Stats.ByNodeType[graph.Finding])
	for _, kind := range []string{graph.Worker, graph.Tunnel, graph.AccessApp, graph.Bucket, graph.KVNamespace, graph.D1Database,
		graph.Queue} {
		require.Zero(t, none.Stats.ByNodeType[kind], kind)
	}
	for _, kind := range []string{graph.Exposes, graph.Protects, graph.Executes, graph.Reads} {
		require.Zero(t, none.Stats.ByEdgeType[kind], kind)
	}
	for _, tc := range []struct {
		lacks simcloud.AccountSpec
		kind  string
	}{
		{simcloud.AccountSpec{Tunnels: -1}, graph.Tunnel}, {simcloud.AccountSpec{Apps: -1}, graph.AccessApp}, {simcloud.AccountSpec{Buckets: -1},
			graph.Bucket},
		{simcloud.AccountSpec{Namespaces: -1}, graph.KVNamespace}, {simcloud.AccountSpec{Databases: -1}, graph.D1Database},
		{simcloud.AccountSpec{Queues: -1}, graph.Queue},
	} {
		tc.lacks.Clean, tc.lacks.Plans = true, []string{"enterprise"}
		g, _ := drawn(t, tc.lacks)
		require.Zero(t, g.Stats.ByNodeType[tc.kind], tc.kind)
		with, _ := drawn(t, simcloud.AccountSpec{Clean: true, Plans: []string{"enterprise"}})
		require.NotZero(t, with.Stats.ByNodeType[tc.kind], tc.kind)
	}
}

// TestRelatedChecksAreThoseOfTheCatalogue holds the kinds of the specification
// against what the catalogue says of the checks.
func TestRelatedChecksAreThoseOfTheCatalogue(t *testing.T) {
	raw, err := os.ReadFile("../../assessment/checks/testdata/catalogue.json")
	require.NoError(t, err)
	var catalogue []struct {
		ID          string   `json:"id"`
		AttackPaths []string `json:"attackPaths"`
	}
	require.NoError(t, json.Unmarshal(raw, &catalogue))
	want := map[string][]string{}
	for _, c := range catalogue {
		for _, kind := range c.AttackPaths {
			want[kind] = append(want[kind], c.ID)
		}
	}
	require.Len(t, want, 5)
	for _, k := range attackpath.Kinds()[:5] {
		require.ElementsMatch(t, want[k.Name], k.Related, k.Name)
	}
}
