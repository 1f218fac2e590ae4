package relational

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// groupKey parts findings: by a value of the catalogue, or by the number of a resource.
type groupKey struct {
	value    string
	resource int32
}

// RunGroups implements store.RunFindings.
func (s *Store) RunGroups(ctx context.Context, assessmentID string, f store.RunFilter, by store.Grouping, p store.Page) ([]store.FindingGroup, int, string, error) {
	after, _, err := placeOf(listGroups, p.Cursor)
	if err != nil {
		return nil, 0, "", err
	}
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, 0, "", err
	}
	found := map[groupKey]*store.FindingGroup{}
	of, err := s.walk(ctx, a, f, func(_ int, c cell, fails uint8) {
		if fails != 0 {
			return
		}
		face := a.catalogue.Faces[c.check]
		var key groupKey
		name := ""
		switch by {
		case store.ByZone:
			key.value = cmp.Or(a.catalogue.Zones[c.zone].Name, store.NoZone)
			name = key.value
		case store.ByResource:
			key.resource = c.resource
		default:
			key.value, name = face.CheckID, face.Title
		}
		g := found[key]
		if g == nil {
			g = &store.FindingGroup{Value: key.value, Name: name, BySeverity: map[posture.Severity]int{}}
			found[key] = g
		}
		g.Findings++
		g.BySeverity[face.Severity]++
	})
	if err != nil {
		return nil, 0, "", err
	}
	rows := make([]store.FindingGroup, 0, len(found))
	for key, g := range found {
		if by == store.ByResource {
			r := of.resources[key.resource]
			g.Value, g.Name, g.Type = r.ID, r.Name, r.Type
		}
		rows = append(rows, *g)
	}
	slices.SortFunc(rows, compareGroups)
	total, from := len(rows), int(min(max(0, after.at), int64(len(rows))))
	rows, next := cut(listGroups, rows[from:], p.Limit, func(store.FindingGroup) place { return place{at: int64(from + p.Limit)} })
	return rows, total, next, nil
}

// compareGroups puts what holds the worst severity first, then what is larger.
func compareGroups(a, b store.FindingGroup) int {
	return cmp.Or(cmp.Compare(worst(b), worst(a)), cmp.Compare(b.Findings, a.Findings), strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value))
}

func worst(g store.FindingGroup) int {
	rank := -1
	for severity := range g.BySeverity {
		rank = max(rank, severity.Rank())
	}
	return rank
}
