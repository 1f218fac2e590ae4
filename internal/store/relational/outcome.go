package relational

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// errEnough ends a read whose caller wants nothing more.
var errEnough = errors.New("the caller has read enough")

// Outcomes implements store.Assessments. It decodes no bodies.
func (s *Store) Outcomes(ctx context.Context, assessmentID string) iter.Seq2[posture.Finding, error] {
	return func(yield func(posture.Finding, error) bool) {
		a, err := s.open(ctx, assessmentID)
		if err == nil {
			err = s.orGone(ctx, a.no, s.eachOutcome(ctx, a, func(f posture.Finding) error {
				if !yield(f, nil) {
					return errEnough
				}
				return nil
			}))
		}
		if err == nil {
			err = s.stillThere(ctx, a.no)
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(posture.Finding{}, err)
		}
	}
}

func (s *Store) eachOutcome(ctx context.Context, a openAssessment, tell func(posture.Finding) error) error {
	outcome := func(id string, face int, result string) posture.Finding {
		c := a.catalogue.Faces[face]
		// Without a copy, keeping the id would keep the text of its whole chunk alive.
		return posture.Finding{ID: strings.Clone(id), CheckID: c.CheckID, Severity: c.Severity, Result: posture.Result(result),
			Controls: c.Controls}
	}
	if a.run == nil {
		return s.eachOldRow(ctx, a.no, func(rows []findingRow) error {
			for i := range rows {
				if no := rows[i].CheckNo; no < 0 || no >= len(a.catalogue.Faces) {
					return fmt.Errorf("finding %s points outside of the catalogue of its assessment", rows[i].FindingID)
				} else if err := tell(outcome(rows[i].FindingID, no, rows[i].Result)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return s.eachDecoded(ctx, a.run, []string{"facts", "value"}, func(c *chunk, _ int, faces, _ []int) error {
		for i, f := range c.facts.rows {
			if err := tell(outcome(c.rows[i].findingID, faces[f.face], c.facts.results[f.result])); err != nil {
				return err
			}
		}
		return nil
	})
}
