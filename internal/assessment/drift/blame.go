package drift

import (
	"cmp"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// mostBlamed bounds how many people an entry names.
const mostBlamed = 3

// changeLog finds the changes that may have caused a finding. It is built once and queried for
// every entry.
type changeLog struct {
	byResource map[string][]logged // newest first
	byZone     map[string][]logged
	inZone     map[spot][]Cause // cached answers, which many findings share
}

// spot is what the answer for a zone depends on.
type spot struct {
	zone     string
	category posture.Category
	byID     bool
}

type logged struct {
	at         time.Time
	change     posture.Modification
	categories []posture.Category
}

// newLog keeps the changes made between the starts of the two runs. When the baseline is the newer
// one there are none.
func newLog(all []posture.Modification, from, to time.Time) *changeLog {
	var kept []logged
	categories := map[string][]posture.Category{}
	for _, m := range all {
		at, err := time.Parse(time.RFC3339, m.At)
		if err != nil || at.Before(from) || at.After(to) {
			continue
		}
		if _, known := categories[m.Product]; !known {
			categories[m.Product] = categoriesOf(m.Product)
		}
		kept = append(kept, logged{at, m, categories[m.Product]})
	}
	slices.SortFunc(kept, func(a, b logged) int {
		x, y := a.change, b.change
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(x.Actor, y.Actor), cmp.Compare(x.Action, y.Action), cmp.Compare(x.Product, y.Product),
			cmp.Compare(x.Via, y.Via), cmp.Compare(x.At, y.At))
	})
	l := &changeLog{byResource: map[string][]logged{}, byZone: map[string][]logged{}, inZone: map[spot][]Cause{}}
	for _, k := range kept {
		if id := k.change.ResourceID; id != "" {
			l.byResource[id] = append(l.byResource[id], k)
		}
		if id := k.change.ZoneID; id != "" {
			l.byZone[id] = append(l.byZone[id], k)
		}
	}
	return l
}

// blame returns the changes that match a finding best. A change of the resource itself is the best
// match, but a change of a whole zone or account counts only when the product belongs to the
// category. Next comes a change in the zone of the resource by such a product, unless it names
// another resource of a kind that is logged by its own id.
func (l *changeLog) blame(r posture.Resource, category posture.Category) []Cause {
	wide := r.Type == posture.ResourceZone || r.Type == posture.ResourceAccount
	if found := people(l.byResource[r.ID], func(k logged) bool { return !wide || slices.Contains(k.categories, category) }); len(found) > 0 {
		return found
	}
	zone := r.OwnZone()
	if zone == "" {
		return nil
	}
	at := spot{zone, category, loggedByID(r.Type)}
	found, known := l.inZone[at]
	if !known {
		found = people(l.byZone[zone], func(k logged) bool {
			return slices.Contains(k.categories, category) && (k.change.ResourceID == "" || !at.byID)
		})
		l.inZone[at] = found
	}
	return found
}

// loggedByID reports whether the audit log names a resource of this kind by the id that findings
// use. Rules are logged by the id of their ruleset.
func loggedByID(t posture.ResourceType) bool {
	switch t {
	case posture.ResourceZone, posture.ResourceAccount, posture.ResourceRule:
		return false
	default:
		return true
	}
}

// people returns the newest match of each actor, newest first: one actor is an answer, several
// leave the question open.
func people(matches []logged, fits func(logged) bool) []Cause {
	var out []Cause
	for _, k := range matches {
		m := k.change
		if !fits(k) || slices.ContainsFunc(out, func(c Cause) bool { return c.Actor == m.Actor }) {
			continue
		}
		if out = append(out, Cause{At: m.At, Actor: m.Actor, Via: m.Via, Action: m.Action, Product: m.Product}); len(out) == mostBlamed {
			break
		}
	}
	return out
}
