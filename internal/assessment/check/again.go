package check

import (
	"reflect"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/snapshot"
)

// kept records which units of a scope keep their earlier verdicts when only some sections of the
// snapshot changed.
type kept struct {
	units   []unit
	at      map[string]int      // index in units, by zone or item id
	differs map[string][]string // changed scopes by source
}

// kept is empty when there was no earlier run or when its units could not be listed.
func (j *Judged) kept(scope Scope, differs []snapshot.Section) kept {
	k := kept{at: map[string]int{}, differs: map[string][]string{}}
	if j == nil {
		return k
	}
	units, blocked := unitsOf(j.snap, scope)
	if blocked != nil {
		return k
	}
	k.units = units
	for place, u := range units {
		k.at[u.id()] = place
	}
	for _, d := range differs {
		k.differs[d.Source] = append(k.differs[d.Source], d.Scope)
	}
	return k
}

func (u unit) id() string {
	if u.zone != nil {
		return u.zone.ID
	}
	return u.item
}

// find returns the index of a unit among those judged before. found is false when the unit is new
// or its resource or zone has changed.
func (k kept) find(u unit) (place int, found bool) {
	place, found = k.at[u.id()]
	return place, found && u.resource == k.units[place].resource && reflect.DeepEqual(u.zone, k.units[place].zone)
}

// reaches reports whether a check of a unit may read a section that differs. For a zone check the
// earlier reads decide: only a change in one of those could make the check read anything else.
func (k kept) reaches(c *Check, u unit, before looked) bool {
	reads := slices.Concat(c.Needs, c.Optional)
	if u.zone == nil {
		before = looked{list: true, zones: true}
		if len(c.Plans) > 0 {
			reads = append(reads, snapshot.ZoneList)
		}
	}
	sees := func(source, scope string) bool {
		switch snapshot.LevelOf(source) {
		case snapshot.LevelZone:
			return before.zones || scope == u.zone.ID
		case snapshot.LevelItem:
			if itemSource(c.Scope, source) {
				return scope == u.item
			}
			return before.zones || !snapshot.InZone(source) || strings.HasPrefix(scope, u.zone.ID+"/")
		default:
			return before.list || source != snapshot.ZoneList.Source() // the unit carries its own zone
		}
	}
	return slices.ContainsFunc(reads, func(n snapshot.Named) bool {
		return slices.ContainsFunc(k.differs[n.Source()], func(scope string) bool { return sees(n.Source(), scope) })
	})
}
