package store

import (
	"context"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
)

// TicketRow is a ticket with the fields that only the worker sees. It is stored before anything is
// sent, and each request that changes something at the tracker is recorded before it is sent, so that a
// request with an unknown outcome is looked up and not repeated.
type TicketRow struct {
	issue.Ticket
	IssueID, AccountID, CheckID string // AccountID is the provider's id
	// Place is where the ticket was requested: a repository, or the address and the project of Jira. It
	// never changes.
	Place string
	// Actor is who requested it, as the audit log names callers; run when a run did.
	Actor string
	// SentAt is when the request that creates it was last sent; zero before, and when it is certain
	// that it created nothing.
	SentAt time.Time
	// Told is the state of the issue that the ticket reports: open or resolved. Notes counts the
	// comments sent; NoteAt is when the last one was sent while it is unknown whether it arrived,
	// otherwise zero.
	Told   issue.State
	Notes  int
	NoteAt time.Time
	// Acted is the number of the note after which the ticket was closed, reopened, or needed neither.
	// Closed reports that we closed it.
	Acted  int
	Closed bool
	// Gone reports that the tracker no longer has it.
	Gone bool
	// Turn grows with each TakeTicket; a holder with an older turn must write nothing more.
	Turn int64
}

// Tickets keeps the tickets: one per issue and kind of tracker.
type Tickets interface {
	// Tickets lists the tickets of issues, or of accounts, or all when neither is given; by issue and
	// kind.
	Tickets(ctx context.Context, issueIDs, accounts []string) ([]TicketRow, error)
	// AddTicket stores a ticket of an issue, unless there is one of its kind, and returns the stored
	// one. When nothing is stored about the issue yet, w is, so that a run that resolves it records
	// that.
	AddTicket(ctx context.Context, w IssueWork, t TicketRow) (TicketRow, error)
	// TakeTicket hands a ticket to the caller for changes: nobody else gets it until the given instant,
	// or until it is given back. ErrNotClaimable when another caller has it, ErrNotFound.
	TakeTicket(ctx context.Context, issueID, kind string, now, until time.Time) (TicketRow, error)
	// KeepTicket replaces the fields that the turn of t may change: all except the issue, the kind, the
	// actor and the creation time; back gives the ticket back. A new key is recorded as an event of the
	// issue. ErrFenced when the turn is over.
	KeepTicket(ctx context.Context, t TicketRow, now time.Time, back bool) error
}
