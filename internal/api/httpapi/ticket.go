package httpapi

import (
	"context"
	"fmt"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/platform/setting"
	"github.com/edgeposture/edgeposture/jobs"
)

type postTicketInput struct {
	SubmitHeaders
	ID   string `path:"id" doc:"Id of the issue: 32 hexadecimal digits."`
	Body struct {
		Kind string `json:"kind,omitempty" enum:"github,jira" doc:"The tracker; the setting ticketKind when absent."`
		URL  string `json:"url,omitempty" maxLength:"500" doc:"Links this ticket at the tracker of the settings; a new one is made when absent."`
	}
}

// postTicket creates the ticket of an issue, or links an existing one. An issue that already has a
// ticket keeps it.
func postTicket(s *Server, ctx context.Context, in *postTicketInput) (*submitOutput, error) {
	one, w, err := s.issueNow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	about(ctx, "issues", one.ID)
	values, err := s.o.Settings.Read(ctx)
	if err != nil {
		return nil, err
	}
	t, err := s.o.Ticket.Tracker(values, in.Body.Kind)
	if err != nil {
		return nil, err
	}
	actor := callOf(ctx).entry.Actor
	args := jobs.TicketArguments{IssueID: one.ID, AccountID: one.AccountID, Kind: t.Kind()}
	switch {
	case in.Body.URL != "":
		ref, err := t.Parse(in.Body.URL)
		if err != nil {
			return nil, err
		}
		args.Key, args.URL, args.Actor = ref.Key, ref.URL, actor
	case one.State.Wants() != issue.Open:
		return nil, posture.Problemf(posture.CodeConflict, "No ticket is made of an issue that is %s; link one that is there with its url.",
			one.State)
	default:
		w.UpdatedAt = s.now()
		if _, err := s.o.Store.AddTicket(ctx, w, jobs.NewTicket(one, t, actor, s.now())); err != nil {
			return nil, fmt.Errorf("keep the ticket: %w", err)
		}
	}
	registered, err := s.ofProvider(ctx, one.AccountID)
	if err != nil {
		return nil, err
	}
	n, err := s.newJob(posture.JobTicket, registered, args, nil)
	if err != nil {
		return nil, err
	}
	n.ActiveKey = "ticket:" + one.ID
	return s.submit(ctx, n, in.SubmitHeaders)
}

// tickets returns the tickets of an issue and the kind of the configured tracker, which the caller
// may not be able to read from the settings.
func (s *Server) tickets(ctx context.Context, issueID string) (all []issue.Ticket, tracker string, err error) {
	rows, err := s.o.Store.Tickets(ctx, []string{issueID}, nil)
	if err != nil {
		return nil, "", fmt.Errorf("list the tickets of the issue: %w", err)
	}
	all = make([]issue.Ticket, len(rows))
	for i := range rows {
		all[i] = rows[i].Ticket
	}
	if values, err := s.o.Settings.Read(ctx); err == nil { // a broken settings file is reported by whatever sends
		kind, _ := values.Value(setting.TicketKind)
		tracker = kind.Reveal()
	}
	return all, tracker, nil
}
