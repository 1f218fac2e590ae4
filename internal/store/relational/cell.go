package relational

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/posture"
)

// cell is what counting asks of one finding: numbers of the catalogue and of the things
// below, at the position of the finding in its report.
type cell struct {
	check, zone, resource int32
	result, status        int8
	accepted              bool
}

// cells are those of one assessment. Of 50,000 findings they take 5 MB and a fifth of a
// second to make; walking them takes a millisecond.
type cells struct {
	all       []cell
	resources []posture.Resource // id, type and name only
}

// statuses are the findings' statuses in the order of cell.status; another is -1.
func statuses() []posture.FindingStatus {
	return []posture.FindingStatus{posture.StatusOpen, posture.StatusReopened, posture.StatusResolved}
}

// cellsAtOnce bounds the rows in memory while cells are made.
const cellsAtOnce = 5000

// cellsOf gives the cells of an assessment, which never change.
func (s *Store) cellsOf(ctx context.Context, no int64) (*cells, error) {
	if c, ok := s.cells.get(no); ok {
		return c, nil
	}
	c, known := &cells{}, map[string]int32{}
	for {
		var rows []findingRow
		err := s.read(ctx, "read what findings are counted by", func(db bun.IDB) error {
			rows = nil
			return db.NewSelect().Model(&rows).Column("seq", "check_no", "zone_no", "result", "resource_id", "body").
				Where("assessment_no = ? AND seq >= ?", no, len(c.all)).Order("seq").Limit(cellsAtOnce).Scan(ctx)
		})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			if rows[i].Seq != len(c.all) {
				return nil, fmt.Errorf("the findings of an assessment have a gap at %d", len(c.all))
			}
			if err := c.add(&rows[i], known); err != nil {
				return nil, err
			}
		}
		if len(rows) < cellsAtOnce {
			break
		}
	}
	s.cells.put(no, c)
	return c, nil
}

func (c *cells) add(r *findingRow, known map[string]int32) error {
	var b struct {
		Type      string  `json:"t"`
		Name      string  `json:"n"`
		Status    string  `json:"s"`
		Exception *string `json:"x"`
	}
	if err := json.Unmarshal(r.Body, &b); err != nil {
		return fmt.Errorf("decode a finding: %w", err)
	}
	resource, ok := known[r.ResourceID]
	if !ok {
		resource = int32(len(c.resources))
		known[r.ResourceID] = resource
		c.resources = append(c.resources, posture.Resource{ID: r.ResourceID, Type: posture.ResourceType(b.Type), Name: b.Name})
	}
	c.all = append(c.all, cell{check: int32(r.CheckNo), zone: int32(r.ZoneNo), resource: resource, result: int8(resultNo(r.Result)),
		status: int8(slices.Index(statuses(), posture.FindingStatus(b.Status))), accepted: b.Exception != nil})
	return nil
}

// cellsKept bounds the cells in memory, in bytes: somebody who filters asks for the same
// assessment again and again.
const cellsKept = 32 << 20

// size is about how many bytes of memory the cells take.
func (c *cells) size() int { return len(c.all)*16 + len(c.resources)*200 }
