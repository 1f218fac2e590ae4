package attackpath

import (
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/assessment/graph"
	"github.com/edgeposture/edgeposture/internal/assessment/traffic"
	"github.com/edgeposture/edgeposture/internal/assessment/truth"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// hosts tells of the hosts of rules whether a condition certainly holds there. records has the id of the
// record of each; a name that only a rule names has that of its wildcard.
type hosts struct {
	holds   map[string]bool
	records map[string]string
}

// hostsWhere returns the hosts of a zone, and where a lane's value certainly satisfies a condition.
func hostsWhere[T any](w *world, zone string, aspect traffic.Aspect[T], is func(T) truth.Value) hosts {
	out := hosts{map[string]bool{}, map[string]string{}}
	i, found := slices.BinarySearchFunc(w.snap.Zones, strings.TrimPrefix(zone, graph.Zone+":"), func(z snapshot.Zone, id string) int {
		return strings.Compare(z.ID, id)
	})
	if !found {
		return out
	}
	for _, l := range aspect.KeptLanes(traffic.NewKept(&w.texts), w.snap, w.snap.Zones[i]) {
		for _, h := range l.Hosts {
			out.holds[h.Name] = out.holds[h.Name] || is(l.Value) == truth.Yes
			out.records[h.Name] = h.Record
		}
	}
	return out
}

// at reports whether the condition holds at a name with one of some records: by itself, or as one of all names below a wildcard.
func (h hosts) at(name string, records ...string) bool {
	if holds, told := h.holds[name]; told {
		return holds
	}
	for wildcard, of := range h.records {
		if slices.Contains(records, of) && strings.HasPrefix(wildcard, "*.") && h.holds[wildcard] {
			return true
		}
	}
	return false
}

// has reports whether a service is one of the hosts where it holds. A wildcard stands for names below it that only a rule names.
func (h hosts) has(w *world, service string) bool {
	name, records := strings.ToLower(w.label(service)), w.from(service, graph.Proxies)
	for i, id := range records {
		records[i] = id[strings.LastIndexByte(id, ':')+1:]
	}
	if h.at(name, records...) || !strings.HasPrefix(name, "*.") {
		return h.at(name, records...)
	}
	for below, of := range h.records {
		if slices.Contains(records, of) && h.holds[below] && !w.behindRules(graph.ServiceID(below)) {
			return true
		}
	}
	return false
}
