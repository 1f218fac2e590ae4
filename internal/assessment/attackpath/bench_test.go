package attackpath_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/attackpath"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// crowd is an account of so many hosts, each a record, a service and an origin
// of its own and served by so many scripts; every tenth record is not proxied.
func crowd(t testing.TB, hosts, scripts int) (*snapshot.Snapshot, []posture.Verdict) {
	t.Helper()
	const perZone = 100
	b := snapshot.NewBuilder(snapshot.AccountRef{ID: "acc", Name: "Crowd"}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	var findings []posture.Verdict
	rule := &posture.Rule{CheckID: "CFL-DNS-002", Severity: posture.High, Remediable: true}
	for z := range hosts / perZone {
		id, name := fmt.Sprintf("%032x", z), fmt.Sprintf("zone%d.example", z)
		b.Zones = append(b.Zones, snapshot.Zone{ID: id, Name: name, Plan: "enterprise", Status: "active"})
		var records []snapshot.DNSRecord
		var routes []snapshot.WorkerRoute
		for h := range perZone {
			n := z*perZone + h
			r := snapshot.DNSRecord{ID: fmt.Sprintf("%032x", n), Name: fmt.Sprintf("host%d.%s", h, name), Type: "A", Proxied: h%10 != 0,
				Proxiable: true, Content: fmt.Sprintf("185.%d.%d.%d", n>>16&255, n>>8&255, n&255)}
			records = append(records, r)
			if !r.Proxied {
				res := posture.Resource{Type: posture.ResourceDNSRecord, ID: r.ID, Name: r.Name, ZoneID: id, Zone: name}
				findings = append(findings, posture.Verdict{Rule: rule, ID: posture.FindingID("acc", rule.CheckID, res.Type, res.ID),
					Result: posture.Fail, Resource: &res})
			}
			for s := range scripts {
				routes = append(routes, snapshot.WorkerRoute{ID: fmt.Sprintf("%032x", n*scripts+s), Pattern: fmt.Sprintf("%s/s%d/*", r.Name, s),
					Script: fmt.Sprintf("script-%d", s)})
			}
		}
		snapshot.Put(b, snapshot.ZoneDNSRecords, id, records)
		snapshot.Put(b, snapshot.ZoneWorkerRoutes, id, routes)
	}
	var workers []snapshot.Worker
	for s := range scripts {
		workers = append(workers, snapshot.Worker{ID: fmt.Sprintf("script-%d", s)})
	}
	snapshot.Put(b, snapshot.Workers, "acc", workers)
	snap, err := b.Build()
	require.NoError(t, err)
	return snap, findings
}

// BenchmarkGraphAndPaths builds the graph of a large account and finds its paths.
func BenchmarkGraphAndPaths(b *testing.B) {
	for _, size := range []struct{ hosts, scripts int }{{3400, 12}, {34_000, 1}} {
		snap, findings := crowd(b, size.hosts, size.scripts)
		g, _ := graph.Build(snap, findings)
		b.Run(fmt.Sprintf("nodes=%d,edges=%d", g.Stats.Nodes, g.Stats.Edges), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if g, nodeOf := graph.Build(snap, findings); len(attackpath.Find(g, snap, findings, nodeOf)) == 0 {
					b.Fatal("no path was found")
				}
			}
		})
	}
}

// BenchmarkColumns writes the columnar answer of 100,000 nodes, compressed.
func BenchmarkColumns(b *testing.B) {
	snap, findings := crowd(b, 34_000, 1)
	g, _ := graph.Build(snap, findings)
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		z := gzip.NewWriter(&out)
		require.NoError(b, graph.WriteColumns(z, g))
		require.NoError(b, z.Close())
	}
	b.ReportMetric(float64(out.Len())/1e6, "MB-compressed")
	b.ReportMetric(float64(g.Stats.Nodes), "nodes")
}
