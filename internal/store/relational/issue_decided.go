package relational

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
)

// decisions gives the decisions about issues of accounts (all when none is named), and the work rows of
// resolved issues, which lists show after the open ones.
func (s *Store) decisions(ctx context.Context, accounts []string, now time.Time) (d *issue.Decisions, resolved []issueWorkRow, err error) {
	d = &issue.Decisions{Of: map[string]issue.Decision{}, Tickets: map[string]int{}, Today: now.UTC().Format(time.DateOnly)}
	if d.Ownership, _, err = s.Ownership(ctx); err != nil {
		return nil, nil, err
	}
	registered, err := s.Accounts(ctx)
	if err != nil {
		return nil, nil, err
	}
	d.Labels = map[string][]string{}
	for _, a := range registered {
		d.Labels[a.ProviderID] = append(d.Labels[a.ProviderID], a.Labels...)
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
	if err != nil {
		return nil, nil, err
	}
	for i := range rows {
		d.Of[rows[i].IssueID] = rows[i].decision()
	}
	tickets, err := s.Tickets(ctx, nil, accounts)
	for i := range tickets {
		if tickets[i].Key != "" {
			d.Tickets[tickets[i].IssueID]++
		}
	}
	return d, slices.DeleteFunc(rows, func(r issueWorkRow) bool { return r.State != string(issue.Resolved) }), err
}

// behind appends the resolved issues to the current ones.
func behind(all []issue.Issue, resolved []issueWorkRow, tickets map[string]int) []issue.Issue {
	there := make(map[string]bool, len(all))
	for i := range all {
		there[all[i].ID] = true
	}
	for i := range resolved {
		if r := &resolved[i]; !there[r.IssueID] {
			gone := r.work().Gone(len(all) + 1)
			gone.Tickets = tickets[r.IssueID]
			all = append(all, gone)
		}
	}
	return all
}

// tomorrow is when the day (UTC) of an instant ends, and with it the validity of due dates.
func tomorrow(now time.Time) int64 { return micros(now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)) }

// decided gives the issues of accounts with people's decisions applied. sum makes the undecided issues,
// of some zones or of all when zones is nil.
func (s *Store) decided(ctx context.Context, name string, accounts, zones []string, changes issueChanges, now time.Time,
	sum func(zones []string) (*issueSum, error)) ([]issue.Issue, error) {
	at := micros(now)
	whole, err := s.summed(ctx, fmt.Sprintf("%s %q", name, accounts), changes.hold(at), func() (*issueSum, error) {
		out, err := sum(nil)
		if err != nil {
			return nil, err
		}
		d, resolved, err := s.decisions(ctx, accounts, now)
		if err != nil {
			return nil, err
		}
		out.changes, out.from, out.until, out.all = changes, at, min(out.until, tomorrow(now)), d.Over(out.all)
		if name == "now" {
			out.all = behind(out.all, resolved, d.Tickets)
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	if len(zones) == 0 {
		return whole.all, nil
	}
	of := changes.ofFindings()
	part, err := s.summed(ctx, fmt.Sprintf("%s %q in %q", name, accounts, zones), of.hold(at), func() (*issueSum, error) {
		out, err := sum(zones)
		if err == nil {
			out.changes, out.from = of, at
		}
		return out, err
	})
	if err != nil {
		return nil, err
	}
	return issue.Share(part.all, whole.all), nil
}

// decisionChanges counts what can change owners and due dates: people's decisions, and the labels of
// accounts, which ownership rules refer to.
const decisionChanges = "SELECT i.changes + a.changes FROM issue_guard AS i, account_guard AS a"
