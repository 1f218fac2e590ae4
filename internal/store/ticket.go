package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
)

// TicketRow is a ticket with what only the worker sees. It is there before anything is sent, and each request that changes something at
// the tracker is noted before it is sent, so that one whose outcome nobody knows is looked for and not repeated.
type TicketRow struct {
	issue.Ticket
	IssueID, AccountID, CheckID string // the account by the provider's id
	// Place is where it was asked for: a repository, or the address and the project of Jira. It stays there.
	Place string
	// Actor asked for it, as the audit log names callers; run when a run did.
	Actor string
	// SentAt is when the request that makes it was sent last; zero before, and when it is certain that it made nothing.
	SentAt time.Time
	// Told is what the ticket says of the issue: open or resolved. Notes counts what was said; NoteAt is when the last of it was sent
	// while nobody knows whether it arrived, else zero.
	Told   issue.State
	Notes  int
	NoteAt time.Time
	// Acted is the note after which the ticket was closed or opened again, or needed neither. Closed tells that we closed it.
	Acted  int
	Closed bool
	// Gone tells that the tracker has it no more.
	Gone bool
	// Turn grows with each TakeTicket; who has an older one writes nothing more.
	Turn int64
}

// Tickets keeps tickets: one of an issue at each kind of tracker.
type Tickets interface {
	// Tickets gives those of issues, or of accounts: all when neither is named; by issue and kind.
	Tickets(ctx context.Context, issueIDs, accounts []string) ([]TicketRow, error)
	// AddTicket keeps a ticket of an issue, unless there is one of its kind, and gives what is there then. When nothing is kept of the
	// issue yet, w is: a run notes from then on when it resolves it.
	AddTicket(ctx context.Context, w IssueWork, t TicketRow) (TicketRow, error)
	// TakeTicket gives a ticket to who changes it: nobody else gets it until that instant, or until it is given back.
	// ErrNotClaimable when somebody has it, ErrNotFound.
	TakeTicket(ctx context.Context, issueID, kind string, now, until time.Time) (TicketRow, error)
	// KeepTicket replaces what the turn of t may change, which is all but the issue, the kind, the actor and when it was asked for;
	// back gives it back. A key that is new is noted as an event of the issue. ErrFenced when the turn is over.
	KeepTicket(ctx context.Context, t TicketRow, now time.Time, back bool) error
}
