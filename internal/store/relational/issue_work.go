package relational

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

type issueWorkRow struct {
	bun.BaseModel `bun:"table:issue_work"`

	IssueID           string `bun:"issue_id,pk"`
	ProviderAccountID string `bun:"provider_account_id"`
	CheckID           string `bun:"check_id"`
	State             string `bun:"state"`
	Owner             string `bun:"owner"`
	Assignee          string `bun:"assignee"`
	Due               string `bun:"due"`
	Title             string `bun:"title"`
	Severity          string `bun:"severity"`
	Category          string `bun:"category"`
	FirstSeen         int64  `bun:"first_seen"`
	UpdatedAt         int64  `bun:"updated_at"`
	Revision          int64  `bun:"revision"`
}

func newIssueWorkRow(w store.IssueWork) issueWorkRow {
	i := w.Issue
	return issueWorkRow{IssueID: clean(i.ID), ProviderAccountID: clean(i.AccountID), CheckID: clean(i.CheckID), State: string(w.State),
		Owner: clean(w.Owner), Assignee: clean(w.Assignee), Due: w.Due, Title: clean(i.Title), Severity: string(i.Severity),
		Category: string(i.Category), FirstSeen: micros(i.FirstSeen), UpdatedAt: micros(w.UpdatedAt), Revision: w.Revision + 1}
}

func (r *issueWorkRow) decision() issue.Decision {
	return issue.Decision{State: issue.State(r.State), Owner: r.Owner, Assignee: r.Assignee, Due: r.Due}
}

func (r *issueWorkRow) work() store.IssueWork {
	return store.IssueWork{Decision: r.decision(), UpdatedAt: instant(r.UpdatedAt), Revision: r.Revision,
		Issue: issue.Issue{ID: r.IssueID, AccountID: r.ProviderAccountID, CheckID: r.CheckID, Title: r.Title,
			Severity: posture.Severity(r.Severity), Category: posture.Category(r.Category), FirstSeen: instant(r.FirstSeen)}}
}

type issueEventRow struct {
	bun.BaseModel `bun:"table:issue_event"`

	No           int64  `bun:"no,pk,autoincrement"`
	IssueID      string `bun:"issue_id"`
	At           int64  `bun:"at"`
	Actor        string `bun:"actor"`
	Kind         string `bun:"kind"`
	Was          string `bun:"was"`
	Became       string `bun:"became"`
	Comment      string `bun:"comment"`
	AssessmentID string `bun:"assessment_id"`
}

func newIssueEventRow(issueID string, e store.IssueEvent) issueEventRow {
	return issueEventRow{IssueID: clean(issueID), At: micros(e.At), Actor: clean(e.Actor), Kind: string(e.Kind), Was: clean(e.From),
		Became: clean(e.To), Comment: clean(e.Text), AssessmentID: clean(e.AssessmentID)}
}

func (r issueEventRow) event() store.IssueEvent {
	return store.IssueEvent{ID: strconv.FormatInt(r.No, 10), At: instant(r.At), Actor: r.Actor, Kind: store.IssueEventKind(r.Kind),
		From: r.Was, To: r.Became, Text: r.Comment, AssessmentID: r.AssessmentID}
}

// IssueWork implements store.IssueDecisions.
func (s *Store) IssueWork(ctx context.Context, issueID string) (store.IssueWork, error) {
	row, err := readRow[issueWorkRow](ctx, s, "read what was decided about an issue", "issue_id = ?", clean(issueID))
	return row.work(), err
}

// ChangeIssue implements store.IssueDecisions. When two callers insert the first decision, the slower
// one's transaction is repeated and finds the other's row.
func (s *Store) ChangeIssue(ctx context.Context, w store.IssueWork, happened []store.IssueEvent) (store.IssueWork, error) {
	row := newIssueWorkRow(w)
	err := s.inTx(ctx, "keep what was decided about an issue", func(tx bun.Tx) error {
		var there issueWorkRow
		err := orNotFound(tx.NewRaw("SELECT * FROM issue_work WHERE issue_id = ?"+s.engine.Lock, row.IssueID).Scan(ctx, &there))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if there.Revision != w.Revision {
			return store.ErrChanged
		}
		if err != nil {
			_, err = tx.NewInsert().Model(&row).Exec(ctx)
		} else {
			_, err = tx.NewUpdate().Model(&row).WherePK().Exec(ctx)
		}
		if err != nil {
			return err
		}
		_, err = noteIssueChange(ctx, tx, events(row.IssueID, happened))
		return err
	})
	return row.work(), err
}

func events(issueID string, happened []store.IssueEvent) []issueEventRow {
	out := make([]issueEventRow, len(happened))
	for i, e := range happened {
		out[i] = newIssueEventRow(issueID, e)
	}
	return out
}

// noteIssueChange inserts events and increments the change counter, which invalidates lists made
// before. The update locks the counter's row until the commit, so changes become visible in the order
// of their numbers.
func noteIssueChange(ctx context.Context, tx bun.Tx, happened []issueEventRow) (no int64, err error) {
	if len(happened) > 0 {
		if _, err := tx.NewInsert().Model(&happened).Exec(ctx); err != nil {
			return 0, err
		}
	}
	err = tx.NewRaw("UPDATE issue_guard SET changes = changes + 1 RETURNING changes").Scan(ctx, &no)
	return no, err
}

// Comment implements store.IssueDecisions.
func (s *Store) Comment(ctx context.Context, w store.IssueWork, e store.IssueEvent, once store.Idempotency) (store.IssueEvent, error) {
	row, event := newIssueWorkRow(w), newIssueEventRow(w.Issue.ID, e)
	err := s.inTx(ctx, "keep a comment", func(tx bun.Tx) error {
		event.No = 0 // a repeated transaction needs a new number
		add := func() (string, error) {
			if _, err := tx.NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
				return "", err
			}
			_, err := tx.NewInsert().Model(&event).Returning("no").Exec(ctx)
			return strconv.FormatInt(event.No, 10), err
		}
		if once.Key == "" {
			_, err := add()
			return err
		}
		no, err := madeOnce(ctx, tx, once, e.At, add)
		if err == nil && no != strconv.FormatInt(event.No, 10) {
			err = orNotFound(tx.NewSelect().Model(&event).Where("issue_id = ? AND CAST(no AS TEXT) = ?", event.IssueID, no).Scan(ctx))
		}
		return err
	})
	return event.event(), err
}

// IssueEvents implements store.IssueDecisions.
func (s *Store) IssueEvents(ctx context.Context, issueID string, most int) ([]store.IssueEvent, error) {
	rows, err := readRows[issueEventRow](ctx, s, "read what happened to an issue", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("issue_id = ?", clean(issueID)).OrderExpr("no DESC").Limit(int64(most))
	})
	return mapped(rows, issueEventRow.event), err
}

type issueGuardRow struct {
	bun.BaseModel `bun:"table:issue_guard"`

	Ownership string `bun:"ownership"`
	Revision  int64  `bun:"revision"`
}

// Ownership implements store.IssueDecisions.
func (s *Store) Ownership(ctx context.Context) (issue.Ownership, int64, error) {
	var row issueGuardRow
	if err := s.read(ctx, "read the rules of ownership", func(db bun.IDB) error {
		return db.NewSelect().Model(&row).Scan(ctx)
	}); err != nil || row.Ownership == "" {
		return issue.DefaultOwnership(), row.Revision, err
	}
	var o issue.Ownership
	if err := json.Unmarshal([]byte(row.Ownership), &o); err != nil {
		return o, 0, fmt.Errorf("decode the rules of ownership: %w", err)
	}
	return o, row.Revision, nil
}

// SetOwnership implements store.IssueDecisions.
func (s *Store) SetOwnership(ctx context.Context, o issue.Ownership, revision int64) error {
	body, err := encoded("the rules of ownership", o)
	if err != nil {
		return err
	}
	return s.execute(ctx, "keep the rules of ownership", store.ErrChanged,
		"UPDATE issue_guard SET changes = changes + 1, revision = revision + 1, ownership = ? WHERE revision = ?",
		clean(string(body)), revision)
}
