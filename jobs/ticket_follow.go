package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/delivery/ticket"
	"github.com/edgeposture/edgeposture/internal/engine/work"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/internal/store"
)

// follow makes the tickets that a run asks for, and updates all tickets of its account. A ticket that
// has to wait does not hold up others, unless the tracker's rate limit is reached.
func (k Ticket) follow(ctx context.Context, a work.Attempt, values setting.Values, assessmentID string) (TicketResult, error) {
	out := TicketResult{Failed: []TicketFailed{}}
	run, err := k.Store.Assessment(ctx, assessmentID)
	if err != nil {
		return out, fmt.Errorf("load the assessment: %w", err)
	}
	all, err := k.issues(ctx, run.Account.ID)
	if err != nil {
		return out, err
	}
	if err := k.ask(ctx, values, run, all); err != nil {
		return out, err
	}
	newest, err := k.Store.Pick(ctx, "", run.Account.ID)
	if err != nil {
		return out, fmt.Errorf("look for later runs: %w", err)
	}
	if newest.ID != run.ID {
		return out, nil // the job of the later run updates them
	}
	rows, err := k.Store.Tickets(ctx, nil, []string{run.Account.ID})
	if err != nil {
		return out, fmt.Errorf("list the tickets: %w", err)
	}
	var first error
	for _, row := range rows {
		t, err := k.Tracker(values, row.Kind)
		if err == nil {
			a.Progress(posture.Progress{Phase: "ticket", Done: out.Tickets, Total: len(rows), Unit: "ticket"})
			out.Tickets++
			_, err = k.keeper(values).Step(ctx, t, k.wish(a, row.IssueID, all))
		}
		e, is := errors.AsType[*ticket.Error](err)
		problem, said := errors.AsType[*posture.Problem](err)
		switch {
		case err == nil:
		case is:
			out.Failed = append(out.Failed, TicketFailed{row.IssueID, e.Reason})
			if e.Again {
				first = sooner(first, k.failed(a, err))
			}
		case said: // the tracker is no longer configured
			out.Failed = append(out.Failed, TicketFailed{row.IssueID, problem.Detail})
		default:
			return out, err
		}
		if is && e.Limit {
			return out, k.failed(a, err)
		}
	}
	return out, first
}

// sooner returns the error with the shorter wait.
func sooner(a, b error) error {
	one, is := errors.AsType[*posture.LaterError](a)
	two, too := errors.AsType[*posture.LaterError](b)
	if a == nil || is && too && two.At.Before(one.At) {
		return b
	}
	return a
}

// ask stores a ticket row for each issue that a run opened and that is severe enough: the previous run
// must not have had it. If the issue is no longer open by now, the ticket is made when it is back.
func (k Ticket) ask(ctx context.Context, values setting.Values, run posture.Assessment, all map[string]issue.Issue) error {
	word, _ := values.Value(setting.TicketFrom)
	if word.IsZero() {
		return nil
	}
	least, err := posture.ParseSeverity(word.Reveal())
	if err != nil {
		return fmt.Errorf("read the setting ticketFrom: %w", err)
	}
	t, err := k.Tracker(values, "")
	if err != nil {
		return err
	}
	ofRun, err := k.Store.RunIssues(ctx, run.ID, store.IssueScope{}, k.now())
	if err != nil {
		return fmt.Errorf("sum up the findings of the run: %w", err)
	}
	last, before, err := k.before(ctx, run)
	if err != nil {
		return err
	}
	for _, i := range ofRun {
		if i.Severity.Rank() < least.Rank() || before[i.ID] || i.State == issue.Accepted || all[i.ID].State == issue.Accepted {
			continue
		}
		if old, err := k.old(ctx, run, last, i); err != nil {
			return err
		} else if old {
			continue
		}
		w := store.IssueWork{Issue: i, Decision: issue.Decision{State: issue.Open}, UpdatedAt: k.now()}
		if _, err := k.Store.AddTicket(ctx, w, NewTicket(i, t, store.ByRun, k.now())); err != nil {
			return fmt.Errorf("keep the ticket: %w", err)
		}
	}
	return nil
}

// before returns the id of the run before, "" when there was none, and its issues.
func (k Ticket) before(ctx context.Context, run posture.Assessment) (last string, out map[string]bool, err error) {
	out = map[string]bool{}
	if last, err = before(ctx, k.Store, run); err != nil || last == "" {
		return "", out, err
	}
	all, err := k.Store.RunIssues(ctx, last, store.IssueScope{}, k.now())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", nil, fmt.Errorf("sum up the findings of the run before: %w", err)
	}
	for _, i := range all {
		out[i.ID] = true
	}
	return last, out, nil
}

// old reports whether an issue existed all along and the previous run merely did not cover its check:
// that run has no finding of the check, and a finding of the issue was open before this run began.
func (k Ticket) old(ctx context.Context, run posture.Assessment, last string, i issue.Issue) (bool, error) {
	if last == "" {
		return false, nil
	}
	looked, err := k.Store.CountFindings(ctx, last, store.FindingFilter{Checks: []string{i.CheckID}})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, fmt.Errorf("look what the run before judged: %w", err)
	}
	if len(looked) > 0 {
		return false, nil
	}
	rows, _, err := k.Store.LatestFindings(ctx, store.LatestFilter{Accounts: []string{i.AccountID}, Now: k.now(), Order: store.OrderOldest,
		Statuses: []posture.FindingStatus{posture.StatusOpen}, FindingFilter: store.FindingFilter{Checks: []string{i.CheckID},
			Results: []posture.Result{posture.Fail, posture.Warning}}}, store.Page{Limit: 1})
	if err != nil {
		return false, fmt.Errorf("look for the oldest finding of the issue: %w", err)
	}
	return len(rows) > 0 && rows[0].FirstSeen.Before(run.StartedAt), nil
}

// After adds the ticket job to those that follow a run, when a tracker is configured. If the settings
// cannot be read, that job reports it.
func (k Ticket) After(ctx context.Context, then []store.NewJob, account, assessmentID, id string, now time.Time) ([]store.NewJob, error) {
	if values, err := k.Settings.Read(ctx); err == nil {
		if kind, _ := values.Value(setting.TicketKind); kind.IsZero() {
			return then, nil
		}
	}
	n, err := New(posture.JobTicket, id, account, "delivery", TicketArguments{AssessmentID: assessmentID}, now)
	return append(slices.Clip(then), n), err
}
