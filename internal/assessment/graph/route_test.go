package graph_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/edgeposture/edgeposture/internal/assessment/check/goodtest"
	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// TestRoutesOfAZone lists which hosts run a script by the routes of a zone; + marks those that the internet reaches without a record.
func TestRoutesOfAZone(t *testing.T) {
	const domain = goodtest.Domain
	route := func(pattern, script string) snapshot.WorkerRoute {
		return snapshot.WorkerRoute{ID: pattern, Pattern: pattern, Script: script}
	}
	proxied := func(id, name string) snapshot.DNSRecord {
		return snapshot.DNSRecord{ID: id, Name: name, Type: "A", Content: "45.60.10.9", Proxied: true}
	}
	for name, c := range map[string]struct {
		routes []snapshot.WorkerRoute
		names  []string
		want   []string
	}{
		"a fixed host": {[]snapshot.WorkerRoute{route(domain+"/*", "a")}, []string{domain}, []string{domain + " a"}},
		"a star stays in its zone": {[]snapshot.WorkerRoute{route("*/*", "a")}, []string{domain, "www." + domain},
			[]string{"shop.customer.example a", domain + " a", "www." + domain + " a"}},
		"a more specific route takes all": {[]snapshot.WorkerRoute{route("*."+domain+"/*", "a"), route("www."+domain+"/*", "b")},
			[]string{"www." + domain, "api." + domain}, []string{"api." + domain + " a", "www." + domain + " b"}},
		"a more specific route without a script takes all": {[]snapshot.WorkerRoute{route("*."+domain+"/*", "a"), route("www."+domain+"/*", "")},
			[]string{"www." + domain, "api." + domain}, []string{"api." + domain + " a"}},
		"a more specific route takes a part": {[]snapshot.WorkerRoute{route("*."+domain+"/*", "a"), route("www."+domain+"/x*", "")},
			[]string{"www." + domain}, []string{"www." + domain + " a"}},
		"a more specific route takes what is in the clear": {[]snapshot.WorkerRoute{route("*."+domain+"/*", "a"),
			route("http://www."+domain+"/*", "")}, []string{"www." + domain}, []string{"www." + domain + " a"}},
		"a fixed host that answers by a wildcard": {[]snapshot.WorkerRoute{route("www."+domain+"/*", "a")}, []string{"*." + domain},
			[]string{"+www." + domain + " a"}},
		"hosts that answer by a wildcard above": {[]snapshot.WorkerRoute{route("*.app."+domain+"/*", "a")}, []string{"*." + domain},
			[]string{"+*.app." + domain + " a"}},
		"a name in between ends the wildcard": {[]snapshot.WorkerRoute{route("a.app."+domain+"/*", "a")},
			[]string{"*." + domain, "app." + domain}, []string{"a.app." + domain + " a"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := goodtest.Snapshot()
			var records []snapshot.DNSRecord
			for _, n := range c.names {
				records = append(records, proxied(n, n))
			}
			b.Zones = append(b.Zones, snapshot.Zone{ID: "z2", Name: "other.example", Status: "active", Type: "full"})
			snapshot.Put(b, snapshot.ZoneList, goodtest.Account, b.Zones)
			snapshot.Put(b, snapshot.ZoneDNSRecords, "z2", []snapshot.DNSRecord{proxied("o", "other.example")})
			snapshot.Put(b, snapshot.ZoneDNSRecords, goodtest.Zone, records)
			snapshot.Put(b, snapshot.Workers, goodtest.Account, []snapshot.Worker{{ID: "a"}, {ID: "b"}})
			snapshot.Put(b, snapshot.ZoneLoadBalancers, goodtest.Zone, []snapshot.LoadBalancer{})
			snapshot.Put(b, snapshot.ZoneWorkerRoutes, goodtest.Zone, c.routes)
			snap, err := b.Build()
			require.NoError(t, err)
			g, _ := graph.Build(snap, nil)
			entered := map[string]bool{}
			for _, l := range g.Links {
				if l.Type == graph.InternetTo {
					entered[g.Nodes[l.To].ID] = true
				}
			}
			var got []string
			for _, l := range g.Links {
				from, to := g.Nodes[l.From], g.Nodes[l.To]
				if l.Type != graph.Executes || from.Type != graph.Service || strings.Contains(to.ID, "pages/") {
					continue
				}
				text := from.Label + " " + to.ID[strings.LastIndexByte(to.ID, ':')+1:]
				if entered[from.ID] && from.Label != "shop.customer.example" {
					text = "+" + text
				}
				got = append(got, text)
			}
			slices.Sort(got)
			require.Equal(t, c.want, got)
		})
	}
}
