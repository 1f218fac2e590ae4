package relational

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// findingCount counts the findings of an assessment that share check, zone and result: the numbers of
// the first two in the catalogue, the index of the result in posture.Results, and the count.
type findingCount [4]int

// counts maps check, zone and result numbers to the number of findings.
type counts map[[3]int]int

func (c counts) add(r *findingRow) { c[[3]int{r.CheckNo, r.ZoneNo, resultNo(r.Result)}]++ }

// tallies gives the counts sorted by their numbers.
func (c counts) tallies() []findingCount {
	out := make([]findingCount, 0, len(c))
	for k, n := range c {
		out = append(out, findingCount{k[0], k[1], k[2], n})
	}
	slices.SortFunc(out, func(a, b findingCount) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]), cmp.Compare(a[2], b[2]))
	})
	return out
}

func resultNo(result string) int { return slices.Index(posture.Results(), posture.Result(result)) }

// tallies holds the counts of an assessment, which never change; all is nil for versions that did not
// store them.
type tallies struct{ all []findingCount }

func (t *tallies) size() int { return 100 + 32*len(t.all) }

const talliesKept = 16 << 20

// talliesOf reads the tallies of an assessment.
func (s *Store) talliesOf(ctx context.Context, assessmentNo int64) (*tallies, error) {
	if t, ok := s.tallies.get(assessmentNo); ok {
		return t, nil
	}
	var row assessmentRow
	err := s.read(ctx, "read the counts of an assessment", func(db bun.IDB) error {
		return orNotFound(db.NewSelect().Model(&row).Column("counts").Where("no = ?", assessmentNo).Scan(ctx))
	})
	if err == nil {
		err = s.resolve(ctx, &row.Counts)
	}
	if err != nil {
		return nil, err
	}
	t, err := decodeTallies(row.Counts)
	if err == nil {
		s.tallies.put(assessmentNo, t)
	}
	return t, err
}

func decodeTallies(counts []byte) (*tallies, error) {
	t := &tallies{}
	if counts == nil {
		return t, nil
	}
	return t, unpackJSON(counts, &t.all)
}

// counted answers a filter, which has no resource and no text, from the tallies.
func (c *catalogue) counted(of *tallies, f store.FindingFilter) map[posture.Result]int {
	out := map[posture.Result]int{}
	fits := c.sieve(f)
	for _, t := range of.all {
		check, zone, result := t[0], t[1], t[2]
		if check < len(c.Faces) && zone < len(c.Zones) && result >= 0 &&
			fits(facetRow{check: int32(check), zone: int32(zone), result: int8(result)}) {
			out[posture.Results()[result]] += t[3]
		}
	}
	return out
}
