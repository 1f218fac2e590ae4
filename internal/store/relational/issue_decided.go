package relational

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
)

// decisions gives what is decided about issues of accounts, all when none is named, and of which nothing is left: what lists show
// behind the rest.
func (s *Store) decisions(ctx context.Context, accounts []string, now time.Time) (d *issue.Decisions, resolved []issueWorkRow, err error) {
	d = &issue.Decisions{Of: map[string]issue.Decision{}, Today: now.UTC().Format(time.DateOnly)}
	if d.Ownership, _, err = s.Ownership(ctx); err != nil {
		return nil, nil, err
	}
	var rows []issueWorkRow
	err = s.read(ctx, "read what was decided about issues", func(db bun.IDB) error {
		rows = nil
		q := db.NewSelect().Model(&rows).Order("issue_id")
		if len(accounts) > 0 {
			q = q.Where("provider_account_id IN (?)", bun.List(accounts))
		}
		return q.Scan(ctx)
	})
	for i := range rows {
		d.Of[rows[i].IssueID] = rows[i].decision()
	}
	return d, slices.DeleteFunc(rows, func(r issueWorkRow) bool { return r.State != string(issue.Resolved) }), err
}

// behind appends what is resolved to issues as they stand now.
func behind(all []issue.Issue, resolved []issueWorkRow) []issue.Issue {
	there := make(map[string]bool, len(all))
	for i := range all {
		there[all[i].ID] = true
	}
	for i := range resolved {
		if r := &resolved[i]; !there[r.IssueID] {
			all = append(all, r.work().Gone(len(all)+1))
		}
	}
	return all
}

// tomorrow is when the day of an instant ends, and with it what is due.
func tomorrow(now time.Time) int64 { return micros(now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)) }

// zoneSum sums up what lies in some zones, and all of it as well: whose an issue is follows from the whole.
type zoneSum struct {
	whole, part issue.Sum
	narrow      bool
}

func newZoneSum(d *issue.Decisions, narrow bool) *zoneSum {
	return &zoneSum{whole: issue.Sum{Decisions: d}, narrow: narrow}
}

func (s *zoneSum) add(account string, f issue.Fact, in bool) {
	if s.whole.AddFact(account, f); s.narrow && in {
		s.part.AddFact(account, f)
	}
}

func (s *zoneSum) issues() []issue.Issue {
	whole := s.whole.Issues()
	if !s.narrow {
		return whole
	}
	part := s.part.Issues()
	issue.Over(part, whole)
	return part
}

func (s *Store) decisionChanges(ctx context.Context) (n int64, err error) {
	err = s.read(ctx, "look for decisions about issues", func(db bun.IDB) error {
		return db.NewRaw("SELECT changes FROM issue_guard").Scan(ctx, &n)
	})
	return n, err
}
