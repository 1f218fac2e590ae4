package relational

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// groupKey identifies a group: by a value of the catalogue, or by the number of a resource.
type groupKey struct {
	value    string
	resource int32
}

// RunGroups implements store.RunFindings.
func (s *Store) RunGroups(ctx context.Context, assessmentID string, f store.RunFilter, by store.Grouping,
	p store.Page) ([]store.FindingGroup, int, string, error) {
	after, _, err := decodeCursor(listGroups, p.Cursor)
	if err != nil {
		return nil, 0, "", err
	}
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, 0, "", err
	}
	found := map[groupKey]*store.FindingGroup{}
	of := &resources{}
	if by == store.ByResource {
		if of, err = s.resourcesOf(ctx, a); err != nil {
			return nil, 0, "", err
		}
	}
	err = s.walk(ctx, a, f, func(seq int, c facetRow, fails uint8) {
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
			key.resource = of.at[seq]
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
			r := of.all[key.resource]
			g.Value, g.Name, g.Type = r.ID, r.Name, r.Type
		}
		rows = append(rows, *g)
	}
	slices.SortFunc(rows, compareGroups)
	total, from := len(rows), int(min(max(0, after.at), int64(len(rows))))
	rows, next := cut(listGroups, rows[from:], p.Limit, func(store.FindingGroup) sortKey { return sortKey{at: int64(from + p.Limit)} })
	return rows, total, next, nil
}

// compareGroups puts first what has more findings of the worst severity in which both differ, then goes by name and value.
func compareGroups(a, b store.FindingGroup) int {
	for _, severity := range posture.Severities() {
		if order := cmp.Compare(b.BySeverity[severity], a.BySeverity[severity]); order != 0 {
			return order
		}
	}
	return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value))
}

// resources holds the resources of a run's findings: at maps a finding's position to an index in all.
type resources struct {
	at  []int32
	all []posture.Resource // id, type and name only
}

// resourcesKept bounds the cached resources, in bytes.
const resourcesKept = 16 << 20

func (r *resources) size() int { return len(r.at)*4 + len(r.all)*200 }

// resourcesOf gives the resources of a run, which never change, as the first finding of each describes
// them.
func (s *Store) resourcesOf(ctx context.Context, a openAssessment) (*resources, error) {
	if r, ok := s.resources.get(a.no); ok {
		return r, nil
	}
	r, known := &resources{}, map[string]int32{}
	err := s.eachRow(ctx, a, func(rows []findingRow) error {
		for i := range rows {
			no, ok := known[rows[i].ResourceID]
			if !ok {
				var b bodyHead
				if err := json.Unmarshal(rows[i].Body, &b); err != nil {
					return fmt.Errorf("decode a finding: %w", err)
				}
				no = int32(len(r.all))
				known[rows[i].ResourceID] = no
				r.all = append(r.all, posture.Resource{ID: rows[i].ResourceID, Type: posture.ResourceType(b.Type), Name: b.Name})
			}
			r.at = append(r.at, no)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.resources.put(a.no, r)
	return r, nil
}
