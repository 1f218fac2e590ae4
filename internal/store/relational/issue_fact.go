package relational

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// issueState is an open finding that may become part of an issue, taken from its state or from a run.
type issueState struct {
	spot
	no, firstSeen   int64
	account, result string
}

// issueStates gives the open states of accounts that make issues.
func (s *Store) issueStates(ctx context.Context, accounts []string) (out []issueState, err error) {
	err = s.read(ctx, "read the open findings of accounts", func(db bun.IDB) error {
		out = nil
		rows, err := db.NewSelect().Model((*stateRow)(nil)).Column("no", "provider_account_id", "result", "first_seen", "assessment_no", "seq").
			Where("provider_account_id IN (?)", bun.List(accounts)).Where("class = ?", classOpen).Where("assessment_no > 0").Rows(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // read only
		for rows.Next() {
			var st issueState
			if err := rows.Scan(&st.no, &st.account, &st.result, &st.firstSeen, &st.AssessmentNo, &st.Seq); err != nil {
				return err
			}
			if issue.Counts(posture.Result(st.result)) {
				out = append(out, st)
			}
		}
		return rows.Err()
	})
	return out, err
}

// runFacts gives the facts of a run.
func (s *Store) runFacts(ctx context.Context, a openAssessment) (*issueFacts, error) {
	if facts, ok := s.issueFacts.get(factsOf{run: a.no}); ok {
		return facts, nil
	}
	of, err := s.facetRowsOf(ctx, a)
	if err != nil {
		return nil, err
	}
	var states []issueState
	for seq, c := range of.all {
		if c.result >= 0 && issue.Counts(posture.Results()[c.result]) {
			states = append(states, issueState{spot: spot{a.no, seq}, result: string(posture.Results()[c.result])})
		}
	}
	out := &issueFacts{}
	if err = s.readFacts(ctx, states, func(_ *issueState, f issue.Fact) { out.all = append(out.all, f) }); err == nil {
		s.issueFacts.put(factsOf{run: a.no}, out)
	}
	return out, err
}

// factsAtOnce bounds the findings in memory while facts are made of them. It is more than a page, so
// that their chunks do not evict those that lists show.
const factsAtOnce = 4 * findingsAtOnce

// readFacts makes the facts of findings. Findings that no longer exist are left out.
func (s *Store) readFacts(ctx context.Context, states []issueState, tell func(*issueState, issue.Fact)) error {
	slices.SortFunc(states, func(a, b issueState) int { return a.compare(b.spot) })
	paths := map[string]string{}
	for part := range slices.Chunk(states, factsAtOnce) {
		nos, spots := make([]int64, len(part)), make([]spot, len(part))
		for i := range part {
			nos[i], spots[i] = part[i].AssessmentNo, part[i].spot
		}
		of, err := s.openAll(ctx, nos)
		if err != nil {
			return err
		}
		rows, err := s.rowsAt(ctx, of, spots)
		if err != nil {
			return err
		}
		for i := range part {
			row, there := rows[part[i].spot]
			if !there {
				continue
			}
			f, err := part[i].fact(row, of[part[i].AssessmentNo].catalogue)
			if err != nil {
				return err
			}
			for k, id := range f.Paths { // many findings share a path; keep one copy of its id
				if _, known := paths[id]; !known {
					paths[id] = id
				}
				f.Paths[k] = paths[id]
			}
			tell(&part[i], f)
		}
	}
	return nil
}

// fact decodes the parts of a finding that issues need.
func (st *issueState) fact(row findingRow, c *catalogue) (issue.Fact, error) {
	var b struct {
		Type      posture.ResourceType `json:"t"`
		Name      string               `json:"n"`
		Paths     []string             `json:"a"`
		FirstSeen int64                `json:"f"`
		Exception *string              `json:"x"`
		Risk      float64              `json:"k"`
	}
	if row.CheckNo >= len(c.Faces) || row.ZoneNo >= len(c.Zones) {
		return issue.Fact{}, fmt.Errorf("finding %s points outside of the catalogue of its assessment", row.FindingID)
	}
	if err := json.Unmarshal(row.Body, &b); err != nil {
		return issue.Fact{}, fmt.Errorf("decode finding %s: %w", row.FindingID, err)
	}
	face, zone := c.Faces[row.CheckNo], c.Zones[row.ZoneNo]
	f := issue.Fact{ID: strings.Clone(row.FindingID), CheckID: face.CheckID, ZoneID: zone.ID, Zone: zone.Name, Title: face.Title,
		Category: face.Category, Severity: face.Severity, Result: posture.Result(st.result), Risk: b.Risk, Paths: b.Paths,
		FirstSeen: instant(b.FirstSeen), Remediable: face.Remediable, Copied: face.Words.Copied(), Accepted: b.Exception != nil}
	if face.Words.Problem != "" {
		f.Title = face.Words.Title(posture.Resource{Type: b.Type, ID: row.ResourceID, Name: b.Name, ZoneID: zone.ID, Zone: zone.Name})
	}
	if st.no != 0 {
		f.FirstSeen = instant(st.firstSeen)
	}
	return f, nil
}
