package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// paths compares the attack paths of both sides by id.
func (j *join) paths(baseline, current Side, unknown []Difference) (Paths, error) {
	out := Paths{Disappeared: []posture.AttackPath{}, Unknown: []posture.AttackPath{}}
	before, after := map[string]bool{}, map[string]bool{}
	if err := j.baseline.eachPath(baseline, func(p posture.AttackPath) { before[p.ID] = true }); err != nil {
		return out, err
	}
	var err error
	if out.Appeared, err = j.current.without(current, before, func(p posture.AttackPath) { after[p.ID] = true }); err != nil {
		return out, err
	}
	lost := make(map[string]bool, len(unknown))
	for _, e := range unknown {
		lost[e.ID] = true
	}
	gone, err := j.baseline.without(baseline, after, func(posture.AttackPath) {})
	for _, p := range gone {
		if j.pathUnseen(p, lost) {
			out.Unknown = append(out.Unknown, p)
		} else {
			out.Disappeared = append(out.Disappeared, p)
		}
	}
	return out, err
}

func (e *extent) eachPath(s Side, use func(posture.AttackPath)) error {
	if s.Paths == nil {
		return nil
	}
	for p, err := range s.Paths {
		if err != nil {
			return fmt.Errorf("read the attack paths of assessment %s: %w", e.id, err)
		}
		use(p)
	}
	return nil
}

// without returns the paths of a side that are not in some, worst first; seen is called for every
// path.
func (e *extent) without(s Side, some map[string]bool, seen func(posture.AttackPath)) ([]posture.AttackPath, error) {
	out, listed := []posture.AttackPath{}, map[string]bool{}
	err := e.eachPath(s, func(p posture.AttackPath) {
		seen(p)
		if !some[p.ID] && !listed[p.ID] {
			listed[p.ID] = true
			out = append(out, p)
		}
	})
	slices.SortFunc(out, func(x, y posture.AttackPath) int {
		return cmp.Or(cmp.Compare(y.Severity.Rank(), x.Severity.Rank()), cmp.Compare(x.ID, y.ID))
	})
	return out, err
}

// pathUnseen reports whether a path may still exist although the current run did not find it: one
// of its findings became unknown, one of its zones is out of scope, or a check that watches such
// paths and could judge before did not run or was blind in one of its zones. A path whose nodes
// name no zone depends on all of them.
func (j *join) pathUnseen(p posture.AttackPath, lost map[string]bool) bool {
	if slices.ContainsFunc(p.FindingIDs, func(id string) bool { return lost[id] }) {
		return true
	}
	zones := zonesOf(p.Nodes)
	for z := range zones {
		if !j.current.zones[z] {
			return true
		}
	}
	if len(zones) == 0 && j.current.narrower {
		return true
	}
	return slices.ContainsFunc(p.WatchedBy, func(id string) bool {
		before, now := j.baseline.checks[id], j.current.checks[id]
		if before == nil || before.blindIn(zones) {
			return false // the path was found without this check
		}
		return now == nil || now.blindIn(zones)
	})
}

// blindIn reports whether the check could not judge the account, one of the
// zones, or something in them.
func (r *reach) blindIn(zones map[string]bool) bool {
	if r.account != "" {
		return true
	}
	hits := func(zone string) bool { return zone == "" || len(zones) == 0 || zones[zone] }
	for z := range r.zones {
		if hits(z) {
			return true
		}
	}
	for at := range r.items {
		if hits(at.zone) {
			return true
		}
	}
	return false
}

// zonesOf extracts the zone ids from node ids: "zone:<id>" and "dns:<zone id>:<record id>".
func zonesOf(nodes []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range nodes {
		kind, rest, _ := strings.Cut(n, ":")
		switch kind {
		case "zone":
			out[rest] = true
		case "dns":
			zone, _, _ := strings.Cut(rest, ":")
			out[zone] = true
		}
	}
	return out
}
