package ticket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
	"github.com/edgeposture/edgeposture/internal/store"
)

// Link attaches a ticket that people made. The error is a *posture.Problem when the issue has another
// ticket, or an issue of another account has this one, and an *Error when the tracker has no such ticket.
func (k Keeper) Link(ctx context.Context, t Tracker, w store.IssueWork, row store.TicketRow, ref Ref) (issue.Ticket, error) {
	all, err := k.Tickets.Tickets(ctx, nil, nil)
	if err != nil {
		return row.Ticket, fmt.Errorf("look whose ticket it is: %w", err)
	}
	if slices.ContainsFunc(all, func(o store.TicketRow) bool {
		return o.Kind == t.Kind() && o.Place == t.Place() && o.Key == ref.Key && o.AccountID != row.AccountID
	}) { // who may see one account would read, comment on and close what is of another
		return row.Ticket, posture.Problemf(posture.CodeConflict, "The ticket %s was not linked, because it is that of an issue of another "+
			"account; link another one, or leave url out for a new one.", ref.Key)
	}
	state, err := t.State(ctx, ref.Key)
	if err != nil {
		return row.Ticket, err
	}
	now := k.Now().UTC().Truncate(time.Microsecond)
	row.Ticket = issue.Ticket{Kind: t.Kind(), Key: ref.Key, URL: ref.URL, State: state, CreatedAt: now, LastSyncedAt: &now}
	row.Place, row.Told = t.Place(), issue.Open
	there, err := k.Tickets.AddTicket(ctx, w, row)
	if err != nil {
		return row.Ticket, fmt.Errorf("keep the ticket: %w", err)
	}
	same := address(there.Place) == address(t.Place())
	if there.Key == ref.Key && same {
		return there.Ticket, nil
	}
	if there.Key != "" && !there.Gone && same { // a ticket that was moved away may be replaced
		_, err := t.State(ctx, there.Key)
		same = !moved(err)
	}
	there, err = k.Tickets.TakeTicket(ctx, row.IssueID, t.Kind(), now, now.Add(turn))
	switch {
	case errors.Is(err, store.ErrNotClaimable):
		return there.Ticket, posture.Problemf(posture.CodeConflict, "A ticket of the issue is being made at this moment; look at it first.")
	case err != nil:
		return row.Ticket, fmt.Errorf("take the ticket: %w", err)
	case there.Key != "" && !there.Gone && same, !there.SentAt.IsZero() && t.Covers(there.Place):
		if err := k.Tickets.KeepTicket(ctx, there, now, true); err != nil {
			return there.Ticket, fmt.Errorf("give the ticket back: %w", err)
		}
		return there.Ticket, posture.Problemf(posture.CodeConflict, "The issue has the ticket %s already; look at it first.",
			cmp.Or(there.Key, "that is being made"))
	}
	row.Turn, row.Notes, row.Acted, row.CreatedAt = there.Turn, there.Notes, there.Notes, there.CreatedAt
	if there.Key == ref.Key { // the same ticket, whose tracker has another address now
		row.Told, row.NoteAt, row.Acted, row.Closed = there.Told, there.NoteAt, there.Acted, there.Closed
	}
	if err := k.Tickets.KeepTicket(ctx, row, now, true); err != nil {
		return row.Ticket, fmt.Errorf("keep the ticket: %w", err)
	}
	return row.Ticket, nil
}
