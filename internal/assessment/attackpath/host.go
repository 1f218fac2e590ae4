package attackpath

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hosts is a set of hosts by name and by record id. A name below a wildcard has the record of the
// wildcard.
type hosts map[string]bool

// hostsWhere returns the hosts of a zone with a lane whose value certainly satisfies a condition.
func hostsWhere[T any](w *world, zone string, aspect traffic.Aspect[T], is func(T) truth.Value) hosts {
	i, found := slices.BinarySearchFunc(w.snap.Zones, strings.TrimPrefix(zone, graph.Zone+":"), func(z snapshot.Zone, id string) int {
		return strings.Compare(z.ID, id)
	})
	if !found {
		return nil
	}
	out := hosts{}
	for _, l := range aspect.KeptLanes(traffic.NewKept(&w.texts), w.snap, w.snap.Zones[i]) {
		if is(l.Value) == truth.Yes {
			for _, h := range l.Hosts {
				out[h.Name], out[h.Record] = true, true
			}
		}
	}
	return out
}

// has reports whether a service is one of the hosts.
func (h hosts) has(w *world, service string) bool {
	nodes, _ := w.enter(service)
	return h[strings.ToLower(w.label(service))] || slices.ContainsFunc(nodes, func(id string) bool {
		return w.node(id).Type == graph.DNSRecord && h[id[strings.LastIndexByte(id, ':')+1:]]
	})
}
