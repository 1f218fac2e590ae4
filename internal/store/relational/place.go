package relational

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// places is an order of a run's findings: at maps the position in the report to the rank. Without at,
// findings are in report order.
type places struct{ at []int32 }

// placesOf is the cache key of places.
type placesOf struct {
	no    int64
	order store.FindingOrder
}

// placesKept bounds the cached places, in bytes: some 80 orders of 50,000 findings.
const placesKept = 16 << 20

func (p *places) size() int { return len(p.at) * 4 }

// runPlace decodes a cursor of a run's findings. A page continues after the finding that the cursor
// names, whose rank depends on the order, so a cursor of another order is refused.
func runPlace(order store.FindingOrder, cursor string) (sortKey, bool, error) {
	p, ok, err := decodeCursor(listFindings, cursor)
	if err == nil && ok && p.id != string(order) {
		return p, false, posture.Invalid("query.cursor",
			"The cursor belongs to a list in another order; leave it out to start from the beginning.", shorten(cursor))
	}
	return p, ok, err
}

// placesOf gives the places of a run's findings in an order; they never change.
func (s *Store) placesOf(ctx context.Context, a openAssessment, order store.FindingOrder) (*places, error) {
	if order == store.OrderSeverity {
		return &places{}, nil
	}
	of := placesOf{a.no, order}
	if p, ok := s.places.get(of); ok {
		return p, nil
	}
	rows, err := s.facetRowsOf(ctx, a)
	if err != nil {
		return nil, err
	}
	compare, err := s.comparing(ctx, a, rows, order)
	if err != nil {
		return nil, err
	}
	seqs := upTo(0, len(rows.all), 0)
	slices.SortStableFunc(seqs, compare)
	p := &places{make([]int32, len(seqs))}
	for place, seq := range seqs {
		p.at[seq] = int32(place)
	}
	s.places.put(of, p)
	return p, nil
}

// comparing returns a comparison of two findings by their positions.
func (s *Store) comparing(ctx context.Context, a openAssessment, of *facetRows, order store.FindingOrder) (func(x, y int) int, error) {
	switch order {
	case store.OrderCheck:
		return func(x, y int) int {
			return cmp.Compare(a.catalogue.Faces[of.all[x].check].CheckID, a.catalogue.Faces[of.all[y].check].CheckID)
		}, nil
	case store.OrderZone:
		return func(x, y int) int {
			return cmp.Compare(a.catalogue.Zones[of.all[x].zone].Name, a.catalogue.Zones[of.all[y].zone].Name)
		}, nil
	case store.OrderResource:
		r, err := s.resourcesOf(ctx, a)
		return func(x, y int) int { return cmp.Compare(r.all[r.at[x]].Name, r.all[r.at[y]].Name) }, err
	case store.OrderOldest, store.OrderNewest:
		seen, err := s.firstSeen(ctx, a)
		if order == store.OrderNewest {
			return func(x, y int) int { return cmp.Compare(seen[y], seen[x]) }, err
		}
		return func(x, y int) int { return cmp.Compare(seen[x], seen[y]) }, err
	case store.OrderSeverity, store.OrderAccount: // handled above; equal for all findings of a run
	}
	return nil, fmt.Errorf("the findings of a run have no order %q", order)
}

// firstSeen reads when each finding of a run was first seen.
func (s *Store) firstSeen(ctx context.Context, a openAssessment) (seen []int64, err error) {
	err = s.eachRow(ctx, a, func(rows []findingRow) error {
		for i := range rows {
			var b struct {
				FirstSeen int64 `json:"f"`
			}
			if err := json.Unmarshal(rows[i].Body, &b); err != nil {
				return fmt.Errorf("decode a finding: %w", err)
			}
			seen = append(seen, b.FirstSeen)
		}
		return nil
	})
	return seen, err
}

// following gives the positions after a cursor in this order, at most limit of them; 0 means no limit.
func (p *places) following(seqs []int, after sortKey, paged bool, limit int) []int {
	if p.at == nil {
		return following(seqs, after, paged, limit)
	}
	if paged {
		if after.at < 0 || after.at >= int64(len(p.at)) {
			return nil
		}
		place := p.at[after.at]
		seqs = slices.DeleteFunc(seqs, func(seq int) bool { return p.at[seq] <= place })
	}
	slices.SortFunc(seqs, func(x, y int) int { return cmp.Compare(p.at[x], p.at[y]) })
	return following(seqs, after, false, limit)
}
