package relational

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// facetRow is what counting needs of one finding: numbers into the catalogue and the lists below. Its
// index is the position of the finding in the report.
type facetRow struct {
	check, zone    int32
	resource       int32 // the key of the resource
	result, status int8
	accepted       bool
}

// facetRows holds the facetRow of each finding of one assessment. 50,000 findings take 1 MB; a walk
// over them takes a millisecond.
type facetRows struct{ all []facetRow }

// statuses lists the statuses in the order of facetRow.status; any other status is -1.
func statuses() []posture.FindingStatus {
	return []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened, posture.StatusResolved}
}

// facetRowsOf gives the facetRows of an assessment, which never change.
func (s *Store) facetRowsOf(ctx context.Context, a openAssessment) (*facetRows, error) {
	if c, ok := s.facetRows.get(a.no); ok {
		return c, nil
	}
	c := &facetRows{}
	var err error
	if a.run != nil {
		err = s.countChunks(ctx, a, c)
	} else {
		err = s.eachOldRow(ctx, a.no, c.add)
	}
	for i := range c.all {
		if x := c.all[i]; int(x.check) >= len(a.catalogue.Faces) || int(x.zone) >= len(a.catalogue.Zones) {
			return nil, fmt.Errorf("finding %d points outside of the catalogue of its assessment", i)
		}
	}
	if err != nil {
		return nil, err
	}
	s.facetRows.put(a.no, c)
	return c, nil
}

// countChunks makes the facetRows of a run from the facts of its chunks.
func (s *Store) countChunks(ctx context.Context, a openAssessment, into *facetRows) error {
	return s.eachChunk(ctx, a.run, []string{"facts"}, func(p *pieceRow, _, n int) error {
		f, err := decodeFacts(p.Facts)
		if err != nil {
			return err
		}
		faces, zones, err := a.run.lists(f)
		if err != nil || len(f.rows) != n {
			return orElse(err, errChunk)
		}
		for _, x := range f.rows {
			into.all = append(into.all, facetRow{check: int32(faces[x.face]), zone: int32(zones[x.zone]), resource: x.key,
				result: int8(resultNo(f.results[x.result])), status: x.status, accepted: x.accepted})
		}
		return nil
	})
}

// add appends findings that are stored as rows.
func (c *facetRows) add(rows []findingRow) error {
	for i := range rows {
		r := &rows[i]
		if r.Seq != len(c.all) {
			return fmt.Errorf("the findings of an assessment have a gap at %d", len(c.all))
		}
		var b struct {
			Status    posture.FindingStatus `json:"s"`
			Exception *string               `json:"x"`
		}
		if err := json.Unmarshal(r.Body, &b); err != nil {
			return fmt.Errorf("decode a finding: %w", err)
		}
		c.all = append(c.all, facetRow{check: int32(r.CheckNo), zone: int32(r.ZoneNo), resource: r.ResourceKey, result: int8(resultNo(r.Result)),
			status: int8(slices.Index(statuses(), b.Status)), accepted: b.Exception != nil})
	}
	return nil
}

// facetRowsKept bounds the cached facetRows, in bytes; someone who filters reads the same assessment again
// and again.
const facetRowsKept = 32 << 20

// size is the approximate memory use of the facetRows in bytes.
func (c *facetRows) size() int { return len(c.all) * 16 }
