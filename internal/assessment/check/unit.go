package check

import (
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

func accountUnit(s *snapshot.Snapshot) unit {
	return unit{resource: posture.Resource{Type: posture.ResourceAccount, ID: s.Account.ID, Name: s.Account.Name}}
}

// parentOf returns the source that lists the items of an item scope.
func parentOf(s Scope) snapshot.Named {
	switch s {
	case PerTunnel:
		return snapshot.Tunnels
	case PerWorker:
		return snapshot.Workers
	case PerBucket:
		return snapshot.R2Buckets
	case PerZone:
		return snapshot.ZoneList
	default:
		return nil
	}
}

// itemSource reports whether a per-item source has one section for each unit of
// the scope (as opposed to items of some other list).
func itemSource(s Scope, source string) bool {
	prefix, _, _ := strings.Cut(source, "/")
	switch s {
	case PerTunnel:
		return prefix == "tunnel"
	case PerWorker:
		return prefix == "worker"
	case PerBucket:
		return prefix == "r2"
	default:
		return false
	}
}

// byScope groups by scope the indexes of the checks that counts accepts.
func byScope(checks []Check, counts func(*Check) bool) map[Scope][]int {
	out := map[Scope][]int{}
	for i := range checks {
		if c := &checks[i]; counts(c) {
			out[c.Scope] = append(out[c.Scope], i)
		}
	}
	return out
}

// unitsOf lists the units of a scope. When the list itself is unknown, the result is
// one outcome for the account, because the number of units is unknown.
func unitsOf(s *snapshot.Snapshot, scope Scope) ([]unit, *Outcome) {
	parent := parentOf(scope)
	if parent == nil {
		return []unit{accountUnit(s)}, nil
	}
	sec := s.Section(parent.Source(), s.Account.ID)
	switch {
	case sec.Status == snapshot.NotEntitled:
		return nil, &Outcome{notApplicable: sectionReason(sec)}
	case !sec.Status.Known():
		return nil, &Outcome{unknown: sectionReason(sec), permission: sec.Permission}
	}
	units := itemUnits(s, scope)
	if len(units) == 0 {
		return nil, &Outcome{notApplicable: "the account has nothing of this kind: " + string(scope)}
	}
	return units, nil
}

func itemUnits(s *snapshot.Snapshot, scope Scope) []unit {
	var out []unit
	item := func(t posture.ResourceType, id, name string) {
		out = append(out, unit{resource: posture.Resource{Type: t, ID: id, Name: name}, item: id})
	}
	switch scope {
	case PerZone:
		for i := range s.Zones {
			z := &s.Zones[i]
			out = append(out, unit{zone: z, resource: posture.Resource{Type: posture.ResourceZone, ID: z.ID, Name: z.Name, ZoneID: z.ID,
				Zone: z.Name}})
		}
	case PerTunnel:
		tunnels, _ := snapshot.Read(s, snapshot.Tunnels, s.Account.ID)
		for _, t := range tunnels {
			item(posture.ResourceTunnel, t.ID, t.Name)
		}
	case PerWorker:
		workers, _ := snapshot.Read(s, snapshot.Workers, s.Account.ID)
		for _, w := range workers {
			item(posture.ResourceWorker, w.ID, w.ID)
		}
	case PerBucket:
		buckets, _ := snapshot.Read(s, snapshot.R2Buckets, s.Account.ID)
		for _, b := range buckets {
			item(posture.ResourceBucket, b.SortKey(), b.SortKey())
		}
	}
	return out
}
