package dns

import (
	"maps"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// edgeOf returns what the edge serves for a zone, whose aliases may lead to names of other zones of the
// account. unread holds, for aliases into a zone whose records were not read, the zone by record id; doubtful
// those to a name that only a wildcard answers for, or a load balancer, which was not read.
func edgeOf(v *check.View, records []snapshot.DNSRecord) (edge exposure.Edge, unread, doubtful map[string]string) {
	outside := func(r snapshot.DNSRecord) bool {
		return r.Type == "CNAME" && !r.Proxied && !exposure.Within(r.Content, v.Zone().Name)
	}
	if !slices.ContainsFunc(records, outside) {
		edge, doubtful = withBalancers(v, records, []string{v.Zone().ID})
		return edge, nil, doubtful
	}
	zones := map[string]snapshot.Zone{}
	for z := range check.OwnZones(v) {
		zones[canonical(z.Name)] = z
	}
	all, unread, seen := slices.Clone(records), map[string]string{}, map[string]bool{v.Zone().ID: true}
	for queue := records; len(queue) > 0; {
		var next []snapshot.DNSRecord
		for _, r := range queue {
			z, own := holding(zones, r.Content)
			if r.Type != "CNAME" || r.Proxied || !own || z.Paused {
				continue
			}
			there, known := check.ReadOptionalAt(v, snapshot.ZoneDNSRecords, z.ID)
			if !known {
				unread[r.ID] = z.ID
			} else if !seen[z.ID] {
				next = append(next, slices.DeleteFunc(slices.Clone(there), func(r snapshot.DNSRecord) bool { return z.Partial() && !r.Proxied })...)
			}
			seen[z.ID] = true
		}
		all, queue = append(all, next...), next
	}
	edge, doubtful = withBalancers(v, all, slices.Sorted(maps.Keys(seen)))
	return edge, unread, doubtful
}

// withBalancers returns what the edge serves beside the load balancers of zones, and the aliases, with a zone,
// whose target is the name of a wildcard or of a balancer that was not read.
func withBalancers(v *check.View, records []snapshot.DNSRecord, zones []string) (exposure.Edge, map[string]string) {
	names, doubtful := []string{}, map[string]string{}
	for _, id := range zones {
		balancers, known := check.ReadOptionalAt(v, snapshot.ZoneLoadBalancers, id)
		for _, l := range balancers {
			if l.Enabled {
				names = append(names, l.Name)
			}
		}
		for _, r := range records {
			if !known && r.Type == "CNAME" && !r.Proxied && !slices.ContainsFunc(records, func(o snapshot.DNSRecord) bool {
				return exposure.Same(o.Name, r.Content)
			}) {
				doubtful[r.ID] = id
			}
		}
	}
	edge := exposure.EdgeOf(slices.Values(records), names...)
	maps.DeleteFunc(doubtful, func(id, _ string) bool {
		i := slices.IndexFunc(records, func(r snapshot.DNSRecord) bool { return r.ID == id })
		return !edge.Serves(records[i])
	})
	return edge, doubtful
}

// holding returns the most specific zone that holds a name.
func holding(zones map[string]snapshot.Zone, name string) (z snapshot.Zone, found bool) {
	name = canonical(name)
	for more := true; more && !found; _, name, more = strings.Cut(name, ".") {
		z, found = zones[name]
	}
	return z, found
}
