package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// paths compares the attack paths of both sides by id; lost are the findings nobody can tell of now, unseen
// those nobody could tell of before. What a narrowed run did not look at is in no list.
func (j *join) paths(baseline, current Side, lost, unseen map[string]bool) (Paths, error) {
	out := Paths{Appeared: []NewPath{}, Disappeared: []posture.AttackPath{}, Unknown: []posture.AttackPath{}}
	before, after := map[string]bool{}, map[string]bool{}
	if err := j.baseline.eachPath(baseline, func(p posture.AttackPath) { before[p.ID] = true }); err != nil {
		return out, err
	}
	came, err := j.current.without(current, before, func(p posture.AttackPath) { after[p.ID] = true })
	if err != nil {
		return out, err
	}
	for _, p := range came {
		switch {
		case j.baseline.narrowed && j.baseline.pathUnseen(p, lost, j.current), j.current.guessed(p):
		case j.baseline.pathUnseen(p, unseen, j.current):
			out.Appeared = append(out.Appeared, NewPath{AttackPath: p, Reason: "could not be seen before"})
		default:
			out.Appeared = append(out.Appeared, NewPath{AttackPath: p})
		}
	}
	gone, err := j.baseline.without(baseline, after, func(posture.AttackPath) {})
	for _, p := range gone {
		switch unseen := j.current.pathUnseen(p, lost, j.baseline); {
		case j.baseline.guessed(p):
		case !unseen:
			out.Disappeared = append(out.Disappeared, p)
		case !j.current.narrowed:
			out.Unknown = append(out.Unknown, p)
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

// pathUnseen reports whether a path of the other side may exist although this run did not find it: it
// looked for none, one of the path's findings is unknown, one of its zones is out of scope, or a check
// that watches such paths did not run, or was blind in one of its zones where the other side's could judge.
// A path whose nodes name no zone depends on all of them. There is none through a zone that was not in the account.
func (e *extent) pathUnseen(p posture.AttackPath, lost map[string]bool, other *extent) bool {
	zones := zonesOf(p.Nodes)
	for z := range zones {
		if e.mapped && e.lost(z) {
			return false
		}
	}
	if !e.mapped || slices.ContainsFunc(p.FindingIDs, func(id string) bool { return lost[id] }) {
		return true
	}
	for z := range zones {
		if !e.zones[z] {
			return true
		}
	}
	if len(zones) == 0 && e.narrower {
		return true
	}
	return slices.ContainsFunc(p.WatchedBy, func(id string) bool {
		there, here := other.checks[id], e.checks[id]
		if there == nil {
			return false // the path was found without this check
		}
		return here == nil && there.ran() > 0 || here != nil && here.blinder(there, zones)
	})
}

// guessed reports whether this side, which found a path, was narrowed to some zones and may have found it
// only because it did not read the one that closes it, such as the zone of a bucket's domain.
func (e *extent) guessed(p posture.AttackPath) bool {
	return e.narrowed && e.narrower && len(zonesOf(p.Nodes)) == 0
}

// blinder reports whether the check could not judge the account, one of the zones, or something in them, that it judged on the
// other side.
func (r *reach) blinder(than *reach, zones map[string]bool) bool {
	if r.account != "" || than.account != "" {
		return than.account == ""
	}
	hits := func(zone string) bool { return zone == "" || len(zones) == 0 || zones[zone] }
	for z := range r.zones {
		if hits(z) && than.zones[z] == "" {
			return true
		}
	}
	for at := range r.items {
		if hits(at.zone) && than.items[at] == "" {
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
