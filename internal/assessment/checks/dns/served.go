package dns

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/check"
	"github.com/edgeposture/edgeposture/internal/assessment/exposure"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// edgeOf returns what the edge serves for a zone, whose aliases may lead to names of other zones of the
// account. unread holds, for aliases into a zone whose records were not read, the zone by record id.
func edgeOf(v *check.View, records []snapshot.DNSRecord) (edge exposure.Edge, unread map[string]string) {
	outside := func(r snapshot.DNSRecord) bool {
		return r.Type == "CNAME" && !r.Proxied && !exposure.Within(r.Content, v.Zone().Name)
	}
	if !slices.ContainsFunc(records, outside) {
		return exposure.EdgeOf(records), nil
	}
	zones := map[string]snapshot.Zone{}
	for z := range ownZones(v) {
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
	return exposure.EdgeOf(all), unread
}

// holding returns the most specific zone that holds a name.
func holding(zones map[string]snapshot.Zone, name string) (z snapshot.Zone, found bool) {
	name = canonical(name)
	for more := true; more && !found; _, name, more = strings.Cut(name, ".") {
		z, found = zones[name]
	}
	return z, found
}
