package relational

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/store"
)

type inboxRow struct {
	bun.BaseModel `bun:"table:inbox_read"`

	Actor   string `bun:"actor,pk"`
	IssueID string `bun:"issue_id,pk"`
	At      int64  `bun:"at"`
}

// IssuesBy implements store.Inbox.
func (s *Store) IssuesBy(ctx context.Context, actor string, accounts []string) (ids []string, err error) {
	err = s.read(ctx, "look for issues somebody works on", func(db bun.IDB) error {
		ids = nil
		return db.NewSelect().Model((*issueEventRow)(nil)).Distinct().Column("issue_id").Where("actor = ?", clean(actor)).
			Apply(eventsIn(accounts)).Scan(ctx, &ids)
	})
	return ids, err
}

// eventsIn narrows events to the issues of accounts; every issue with an event has a row in issue_work.
func eventsIn(accounts []string) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if len(accounts) == 0 {
			return q
		}
		return q.Where("issue_id IN (SELECT issue_id FROM issue_work WHERE provider_account_id IN (?))", bun.List(cleanAll(accounts)))
	}
}

// issuesAtOnce bounds the ids of one statement.
const issuesAtOnce = 500

// LastEvents implements store.Inbox.
func (s *Store) LastEvents(ctx context.Context, issueIDs, accounts []string, besides string) (map[string]store.IssueEvent, error) {
	out := map[string]store.IssueEvent{}
	for part := range slices.Chunk(cleanAll(issueIDs), issuesAtOnce) {
		rows, err := readRows[issueEventRow](ctx, s, "read what happened last to issues", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where(
				"no IN (SELECT MAX(no) FROM issue_event WHERE issue_id IN (?) AND actor <> ? GROUP BY issue_id)",
				bun.List(part), clean(besides)).Apply(eventsIn(accounts))
		})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			out[rows[i].IssueID] = rows[i].event()
		}
	}
	return out, nil
}

// FoundAt implements store.Inbox.
func (s *Store) FoundAt(ctx context.Context, accounts []string) (map[string]time.Time, error) {
	rows, err := readRows[issueStatusRow](ctx, s, "look when issues were found", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("open AND provider_account_id IN (?)", bun.List(cleanAll(accounts)))
	})
	out := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		out[issue.ID(r.ProviderAccountID, r.CheckID)] = instant(r.OpenedAt)
	}
	return out, err
}

// ReadMarks implements store.Inbox.
func (s *Store) ReadMarks(ctx context.Context, actor string) (map[string]time.Time, error) {
	rows, err := readRows[inboxRow](ctx, s, "read what somebody has read", func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("actor = ?", clean(actor))
	})
	out := make(map[string]time.Time, len(rows))
	for _, r := range rows {
		out[r.IssueID] = instant(r.At)
	}
	return out, err
}

// MarkRead implements store.Inbox. A mark for all issues replaces older marks of single issues.
func (s *Store) MarkRead(ctx context.Context, actor string, issueIDs []string, until time.Time) error {
	rows := make([]inboxRow, len(issueIDs))
	for i, id := range cleanAll(issueIDs) {
		rows[i] = inboxRow{Actor: clean(actor), IssueID: id, At: micros(until)}
	}
	return s.inTx(ctx, "note what somebody has read", func(tx bun.Tx) error {
		for _, r := range rows {
			if r.IssueID == "" {
				if _, err := tx.NewRaw("DELETE FROM inbox_read WHERE actor = ? AND at <= ?", r.Actor, r.At).Exec(ctx); err != nil {
					return err
				}
			}
			if _, err := tx.NewRaw(`INSERT INTO inbox_read (actor, issue_id, at) VALUES (?, ?, ?) ON CONFLICT (actor, issue_id) DO UPDATE
				SET at = CASE WHEN EXCLUDED.at > inbox_read.at THEN EXCLUDED.at ELSE inbox_read.at END`,
				r.Actor, r.IssueID, r.At).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
