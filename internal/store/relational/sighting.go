package relational

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// sightingRow is a run in which a finding appears.
type sightingRow struct {
	ID          string
	CompletedAt int64
	Result      string
}

// Sightings implements store.Assessments.
func (s *Store) Sightings(ctx context.Context, findingID string, limit int) ([]store.Sighting, error) {
	var state stateRow
	var rows []sightingRow
	err := s.read(ctx, "read the history of a finding", func(db bun.IDB) error {
		if err := orNotFound(db.NewSelect().Model(&state).Column("finding_id", "provider_account_id", "resource_key").
			Where("finding_id = ?", clean(findingID)).Limit(1).Scan(ctx)); err != nil {
			return err
		}
		rows = nil
		// Runs stored as rows; the resource index finds the finding in each.
		return db.NewRaw(`SELECT a.id, a.completed_at, f.result FROM assessment AS a
			JOIN finding AS f ON f.assessment_no = a.no AND f.resource_key = ? AND f.finding_id = ?
			WHERE a.provider_account_id = ? AND a.`+notDeleted+` ORDER BY a.completed_at DESC, a.id DESC LIMIT ?`,
			state.ResourceKey, state.FindingID, state.ProviderAccountID, limit).Scan(ctx, &rows)
	})
	if err != nil {
		return nil, err
	}
	results, err := s.chunksWith(ctx, &state)
	if err != nil {
		return nil, err
	}
	if len(results) > 0 {
		more, err := s.runsWith(ctx, &state, results, limit)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
		slices.SortFunc(rows, func(a, b sightingRow) int {
			return cmp.Or(cmp.Compare(b.CompletedAt, a.CompletedAt), cmp.Compare(b.ID, a.ID))
		})
		rows = rows[:min(limit, len(rows))]
	}
	out := make([]store.Sighting, 0, len(rows))
	for _, r := range rows {
		out = append(out, store.Sighting{AssessmentID: r.ID, At: instant(r.CompletedAt), Result: posture.Result(r.Result)})
	}
	return out, nil
}

// chunksWith gives the result of a finding in each chunk of its account that holds it. The facts rule
// most chunks out without reading their bodies.
func (s *Store) chunksWith(ctx context.Context, state *stateRow) (map[int64]string, error) {
	var nos []int64
	pieces, err := readRows[pieceRow](ctx, s, "look for a finding", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Column("no", "facts").Where("provider_account_id = ? AND length(facts) > 0",
			state.ProviderAccountID)
	})
	if err != nil {
		return nil, err
	}
	for _, p := range pieces {
		f, err := decodeFacts(p.Facts)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(f.rows, func(x fact) bool { return x.key == state.ResourceKey }) {
			nos = append(nos, p.No)
		}
	}
	chunks, err := s.chunksOf(ctx, nos, true)
	if err != nil {
		return nil, err
	}
	out := map[int64]string{}
	for no, c := range chunks {
		if c == nil {
			continue
		}
		for i := range c.rows {
			if c.rows[i].findingID == state.FindingID {
				out[no] = c.facts.results[c.facts.rows[i].result]
			}
		}
	}
	return out, nil
}

// runsAtOnce bounds the runs whose chunk lists are in memory.
const runsAtOnce = 100

// runsWith gives the newest runs of an account that contain one of some chunks.
func (s *Store) runsWith(ctx context.Context, state *stateRow, results map[int64]string, limit int) (out []sightingRow, err error) {
	after := assessmentRow{CompletedAt: 1 << 62}
	for len(out) < limit {
		rows, err := readRows[assessmentRow](ctx, s, "look for runs with a finding", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Column("id", "completed_at", "pieces").Where("provider_account_id = ? AND pieces IS NOT NULL",
				state.ProviderAccountID).
				Where(notDeleted).Where("(completed_at, id) < (?, ?)", after.CompletedAt,
				after.ID).OrderExpr("completed_at DESC, id DESC").Limit(runsAtOnce)
		})
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			list, err := decodeRun(r.Pieces)
			if err != nil {
				return nil, err
			}
			for _, no := range list.chunks {
				if result, has := results[no]; has {
					out = append(out, sightingRow{ID: r.ID, CompletedAt: r.CompletedAt, Result: result})
					break
				}
			}
		}
		if len(rows) < runsAtOnce {
			break
		}
		after = rows[len(rows)-1]
	}
	return out[:min(limit, len(out))], nil
}
