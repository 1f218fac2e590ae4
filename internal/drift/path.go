package drift

import (
	"cmp"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/posture"
)

// paths compares the attack paths of both sides by id.
func (j *join) paths(before, after []posture.AttackPath, unknown []Entry) Paths {
	out := Paths{Appeared: without(after, before), Disappeared: []posture.AttackPath{}, Unknown: []posture.AttackPath{}}
	lost := make(map[string]bool, len(unknown))
	for _, e := range unknown {
		lost[e.ID] = true
	}
	for _, p := range without(before, after) {
		if j.pathUnseen(p, lost) {
			out.Unknown = append(out.Unknown, p)
		} else {
			out.Disappeared = append(out.Disappeared, p)
		}
	}
	return out
}

// without gives the paths of a that are not in b, worst first.
func without(a, b []posture.AttackPath) []posture.AttackPath {
	known := map[string]bool{}
	for _, p := range b {
		known[p.ID] = true
	}
	out := []posture.AttackPath{}
	for _, p := range a {
		if !known[p.ID] {
			known[p.ID] = true
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(x, y posture.AttackPath) int {
		return cmp.Or(cmp.Compare(y.Severity.Rank(), x.Severity.Rank()), cmp.Compare(x.ID, y.ID))
	})
	return out
}

// pathUnseen reports whether a path may still be there although the current run
// did not find it: one of its findings became unknown, one of its zones is out
// of scope, or a check that watches such paths and could judge before did not
// run or was blind in one of its zones. A path whose nodes name no zone hangs on
// all of them.
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
			return false // the path was found without it
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

// zonesOf reads the zones out of node ids: "zone:<id>" and "dns:<zone id>:<record id>".
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
