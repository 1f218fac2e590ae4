package relational

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/trend"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// pointRow holds in columns what is aggregated over many runs, and the rest in body.
type pointRow struct {
	bun.BaseModel `bun:"table:assessment_point"`

	AssessmentNo      int64  `bun:"assessment_no,pk"`
	ProviderAccountID string `bun:"provider_account_id"`
	AccountID         string `bun:"account_id"`
	AccountName       string `bun:"account_name"`
	CompletedAt       int64  `bun:"completed_at"`
	Demo              bool   `bun:"demo"`
	Whole             bool   `bun:"whole"`
	Opened            int    `bun:"opened"`
	Resolved          int    `bun:"resolved"`
	Reopened          int    `bun:"reopened"`
	Closed            []byte `bun:"closed"` // JSON
	Body              []byte `bun:"body"`   // JSON of pointBody
}

type pointBody struct {
	ID          string                   `json:"i"`
	Score       int                      `json:"s"`
	Grade       *string                  `json:"g"`
	Coverage    float64                  `json:"c"`
	Counts      trend.Counts             `json:"n"`
	AttackPaths int                      `json:"a"`
	Categories  map[posture.Category]int `json:"k"`
}

func newPointRow(in store.SaveAssessment) (row pointRow, err error) {
	a, t := in.Assessment, in.Tally
	body := pointBody{ID: clean(a.ID), Score: a.Score.Value, Grade: a.Score.Grade, Coverage: a.Coverage.Percent, AttackPaths: a.AttackPaths,
		Categories: map[posture.Category]int{}, Counts: trend.Counts{Fail: a.Summary.Fail, Warning: a.Summary.Warning,
			Unknown: a.Summary.Unknown, BySeverity: a.Summary.BySeverity}}
	for c, s := range a.Score.ByCategory {
		body.Categories[c] = s.Value
	}
	row = pointRow{ProviderAccountID: clean(a.Account.ID), AccountID: clean(in.AccountID), AccountName: clean(a.Account.Name),
		CompletedAt: micros(a.CompletedAt), Demo: a.Demo, Whole: t.Whole, Opened: t.Opened, Resolved: t.Resolved, Reopened: t.Reopened}
	if row.Closed, err = encoded("what was resolved", t.Closed); err != nil {
		return row, err
	}
	row.Body, err = encoded("the point of an assessment", body)
	return row, err
}

// pointNotDeleted is notDeleted for points.
const pointNotDeleted = "assessment_" + notDeleted

// NewestWhole implements store.Assessments.
func (s *Store) NewestWhole(ctx context.Context, account string) (string, error) {
	var row pointRow
	err := s.read(ctx, "look for the newest whole run", func(db bun.IDB) error {
		return orNotFound(ofAccount(db.NewSelect().Model(&row).Column("body").Where(pointNotDeleted).Where("whole = ?", true), account).
			OrderExpr("completed_at DESC, assessment_no DESC").Limit(1).Scan(ctx))
	})
	if err != nil {
		return "", err
	}
	var body pointBody
	if err := json.Unmarshal(row.Body, &body); err != nil {
		return "", fmt.Errorf("decode the point of an assessment: %w", err)
	}
	return body.ID, nil
}

// Line implements store.Trends.
func (s *Store) Line(ctx context.Context, f store.TrendFilter) (line store.Line, err error) {
	var newest pointRow
	err = s.read(ctx, "look for the newest run", func(db bun.IDB) error {
		return orNotFound(ofAccount(db.NewSelect().Model(&newest).Column("provider_account_id", "account_name", "demo").Where(pointNotDeleted),
			f.Account).
			OrderExpr("completed_at DESC, assessment_no DESC").Limit(1).Scan(ctx))
	})
	if err != nil {
		return line, err
	}
	where, args := "provider_account_id = ? AND demo = ? AND "+pointNotDeleted, []any{newest.ProviderAccountID, newest.Demo}
	for _, c := range []struct {
		on        bool
		condition string
		at        int64
	}{{!f.Since.IsZero(), " AND completed_at >= ?", micros(f.Since)}, {!f.Until.IsZero(), " AND completed_at < ?", micros(f.Until)}} {
		if c.on {
			where, args = where+c.condition, append(args, c.at)
		}
	}
	if !f.Partial {
		where, args = where+" AND whole = ?", append(args, true)
	}
	line = store.Line{Account: posture.AccountRef{ID: newest.ProviderAccountID, Name: newest.AccountName}, Demo: newest.Demo}
	err = s.read(ctx, "read the runs of an account", func(db bun.IDB) error {
		if err := ticksOf(ctx, db, &line, where, args); err != nil {
			return err
		}
		return closedOf(ctx, db, &line, where, args)
	})
	return line, err
}

// ticksOf scans row by row what an index alone can answer: there may be many rows.
func ticksOf(ctx context.Context, db bun.IDB, line *store.Line, where string, args []any) error {
	rows, err := db.QueryContext(ctx, "SELECT assessment_no, completed_at, opened, resolved, reopened FROM assessment_point WHERE "+where+
		" ORDER BY completed_at, assessment_no", args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err reports what matters
	line.Ticks = nil
	for rows.Next() {
		var t trend.Tick
		var at int64
		if err := rows.Scan(&t.No, &at, &t.Opened, &t.Resolved, &t.Reopened); err != nil {
			return err
		}
		t.At = instant(at)
		line.Ticks = append(line.Ticks, t)
	}
	return rows.Err()
}

func closedOf(ctx context.Context, db bun.IDB, line *store.Line, where string, args []any) error {
	var rows [][]byte
	line.Closed = map[posture.Severity]trend.Closed{}
	if err := db.NewRaw("SELECT closed FROM assessment_point WHERE resolved > 0 AND "+where, args...).Scan(ctx, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		var closed map[posture.Severity]trend.Closed
		if err := json.Unmarshal(r, &closed); err != nil {
			return fmt.Errorf("decode what was resolved: %w", err)
		}
		trend.Add(line.Closed, closed)
	}
	return nil
}

// Points implements store.Trends.
func (s *Store) Points(ctx context.Context, nos []int64) ([]trend.Point, error) {
	if len(nos) == 0 {
		return []trend.Point{}, nil
	}
	rows, err := readRows[pointRow](ctx, s, "read the points of assessments", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Column("assessment_no", "completed_at", "whole", "closed", "body").Where("assessment_no IN (?)",
			bun.List(nos)).Where(pointNotDeleted)
	})
	if err != nil {
		return nil, err
	}
	byNo := make(map[int64]trend.Point, len(rows))
	for _, r := range rows {
		var b pointBody
		p := trend.Point{At: instant(r.CompletedAt), Partial: !r.Whole}
		if err := json.Unmarshal(r.Body, &b); err != nil {
			return nil, fmt.Errorf("decode the point of an assessment: %w", err)
		}
		if err := json.Unmarshal(r.Closed, &p.Closed); err != nil {
			return nil, fmt.Errorf("decode what was resolved: %w", err)
		}
		p.AssessmentID, p.Score, p.Grade, p.Coverage, p.Summary, p.AttackPaths, p.ByCategory = b.ID, b.Score, b.Grade, b.Coverage, b.Counts,
			b.AttackPaths, b.Categories
		byNo[r.AssessmentNo] = p
	}
	out := make([]trend.Point, 0, len(nos))
	for _, no := range nos {
		if p, ok := byNo[no]; ok {
			out = append(out, p)
		}
	}
	return out, nil
}
