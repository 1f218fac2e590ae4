package relational

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// One bit for each field of a RunFilter that has a facet. A finding's mask has the bits of the fields
// whose filter it fails.
const (
	failsSeverity uint8 = 1 << iota
	failsResult
	failsCategory
	failsCheck
	failsZone
	failsStatus
	failsRemediable
	failsExcepted
)

func mark(failed bool, bit uint8) uint8 {
	if failed {
		return bit
	}
	return 0
}

// sieve holds the failed bits for each value of a catalogue, computed once for a whole walk.
type sieve struct {
	faces, zones, results, statuses []uint8
	excepted                        store.ExceptedFilter
}

func newSieve(c *catalogue, f store.RunFilter) sieve {
	s := sieve{excepted: f.Excepted}
	for _, face := range c.Faces {
		s.faces = append(s.faces, mark(!allows(f.Severities, face.Severity), failsSeverity)|
			mark(!allows(f.Categories, face.Category) || slices.Contains(f.Without.Categories, face.Category), failsCategory)|
			mark(!allows(f.Checks, face.CheckID) || slices.Contains(f.Without.Checks, face.CheckID), failsCheck)|
			mark(f.Remediable != nil && *f.Remediable != face.Remediable, failsRemediable))
	}
	named := func(words []string, no int, z zoneRef) bool {
		if no == 0 {
			return slices.Contains(words, store.NoZone)
		}
		return slices.Contains(words, z.ID) || slices.Contains(words, z.Name)
	}
	for no, z := range c.Zones {
		s.zones = append(s.zones, mark(len(f.Zones) > 0 && !named(f.Zones, no, z) || named(f.Without.Zones, no, z), failsZone))
	}
	for _, r := range posture.Results() {
		s.results = append(s.results, mark(!allows(f.Results, r), failsResult))
	}
	for _, st := range statuses() {
		s.statuses = append(s.statuses, mark(!allows(f.Statuses, st), failsStatus))
	}
	return s
}

// at gives the bits of a list element, or otherwise when no is outside of the list.
func at(list []uint8, no int, otherwise uint8) uint8 {
	if no < 0 || no >= len(list) {
		return otherwise
	}
	return list[no]
}

func (s sieve) fails(c facetRow) uint8 {
	excepted := s.excepted == store.ExceptedHidden && c.accepted || s.excepted == store.ExceptedOnly && !c.accepted
	return at(s.faces, int(c.check), failsCheck) | at(s.zones, int(c.zone), failsZone) | at(s.results, int(c.result), failsResult) |
		at(s.statuses, int(c.status), failsStatus) | mark(excepted, failsExcepted)
}

// walk visits, in report order, the findings that pass the text and resource filters, each with the
// bits of the other fields it fails.
func (s *Store) walk(ctx context.Context, a openAssessment, f store.RunFilter,
	do func(seq int, c facetRow, fails uint8)) error {
	of, err := s.facetRowsOf(ctx, a)
	if err != nil {
		return err
	}
	seqs, every, err := s.left(ctx, a, of, f.FindingFilter)
	if err != nil {
		return err
	}
	sieve := newSieve(a.catalogue, f)
	if every {
		for seq, c := range of.all {
			do(seq, c, sieve.fails(c))
		}
		return s.stillThere(ctx, a.no)
	}
	for _, seq := range seqs {
		if seq < len(of.all) {
			do(seq, of.all[seq], sieve.fails(of.all[seq]))
		}
	}
	return s.stillThere(ctx, a.no)
}

// RunFindings implements store.RunFindings.
func (s *Store) RunFindings(ctx context.Context, assessmentID string, f store.RunFilter, p store.Page) ([]posture.Finding, string, error) {
	if f.IsFindingFilter() && f.Order == store.OrderSeverity {
		return s.Findings(ctx, assessmentID, f.FindingFilter, p)
	}
	after, paged, err := runPlace(f.Order, p.Cursor)
	if err != nil {
		return nil, "", err
	}
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return nil, "", err
	}
	places, err := s.placesOf(ctx, a, f.Order)
	if err != nil {
		return nil, "", err
	}
	var seqs []int
	if err = s.walk(ctx, a, f, func(seq int, _ facetRow, fails uint8) {
		if fails == 0 {
			seqs = append(seqs, seq)
		}
	}); err != nil {
		return nil, "", err
	}
	return s.pageOf(ctx, a, f.Order, p.Limit, func(limit int) []int { return places.following(seqs, after, paged, limit) })
}

// RunFacets implements store.RunFindings.
func (s *Store) RunFacets(ctx context.Context, assessmentID string, f store.RunFilter) (store.Facets, error) {
	out := store.Facets{Severity: map[posture.Severity]int{}, Result: map[posture.Result]int{}, Category: map[posture.Category]int{},
		Check: map[string]int{}, Zone: map[string]int{}, Status: map[posture.FindingStatus]int{}, Remediable: map[string]int{},
		Exception: map[string]int{}}
	a, err := s.open(ctx, assessmentID)
	if err != nil {
		return out, err
	}
	err = s.walk(ctx, a, f, func(_ int, c facetRow, fails uint8) {
		if bits.OnesCount8(fails) > 1 {
			return // fails more than one field, so no single facet value would list it
		}
		counts := func(bit uint8) bool { return fails&^bit == 0 }
		face := a.catalogue.Faces[c.check]
		if counts(failsSeverity) {
			out.Severity[face.Severity]++
		}
		if counts(failsCategory) {
			out.Category[face.Category]++
		}
		if counts(failsCheck) {
			out.Check[face.CheckID]++
		}
		if counts(failsZone) {
			out.Zone[cmp.Or(a.catalogue.Zones[c.zone].Name, store.NoZone)]++
		}
		if counts(failsRemediable) {
			out.Remediable[map[bool]string{true: "yes", false: "no"}[face.Remediable]]++
		}
		if counts(failsExcepted) {
			out.Exception[map[bool]string{true: string(store.ExceptedOnly), false: string(store.ExceptedHidden)}[c.accepted]]++
		}
		if counts(failsResult) && c.result >= 0 {
			out.Result[posture.Results()[c.result]]++
		}
		if counts(failsStatus) && c.status >= 0 {
			out.Status[statuses()[c.status]]++
		}
	})
	return out, err
}
