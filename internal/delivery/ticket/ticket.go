// Package ticket keeps one ticket of an issue at a tracker: it is made once, told when a run resolves the issue or finds it again, and
// its state is read back. A kind of tracker is one file with a Tracker; Keeper does the rest for each of them.
//
// Nothing is made twice. The row of a ticket is there before anything is sent and says what is about to be sent; the ticket carries a
// marker that follows from the issue, and after a request whose outcome nobody knows the tracker is searched for it.
package ticket

import (
	"context"
	"fmt"
	"time"

	"github.com/edgeposture/edgeposture/internal/assessment/issue"
	"github.com/edgeposture/edgeposture/internal/core/posture"
)

// Ref is a ticket at its tracker.
type Ref struct {
	Key, URL string
	State    issue.TicketState
}

// Tracker is one kind of tracker as it is configured. Every error but that of a context is an *Error.
type Tracker interface {
	Kind() string
	// Place is where tickets are made: the address, a space, and the repository or project.
	Place() string
	// Settles is how long after a request a search surely shows what it made.
	Settles() time.Duration
	// Parse reads the address of a ticket that people gave. The error is a *posture.Problem.
	Parse(url string) (Ref, error)
	// Find gives the oldest ticket with a marker; none is a zero Ref.
	Find(ctx context.Context, marker string) (Ref, error)
	// Prepare does what Create needs so that the marker is not lost; twice is as good as once.
	Prepare(ctx context.Context, marker string) error
	// Create makes a ticket with a marker. It is sent once.
	Create(ctx context.Context, marker string, t Text) (Ref, error)
	// State reads a ticket.
	State(ctx context.Context, key string) (issue.TicketState, error)
	// Said reports whether a ticket has a comment with a mark, which was made since an instant or never.
	Said(ctx context.Context, key, mark string, since time.Time) (bool, error)
	// Say comments on a ticket. It is sent once.
	Say(ctx context.Context, key, mark, text string) error
	// Set closes a ticket or opens it again.
	Set(ctx context.Context, key string, to issue.TicketState) error
}

// Error is why a tracker did not do what it was asked.
type Error struct {
	// Reason is one sentence for people: what failed, why, what to do. It holds nothing that the tracker wrote.
	Reason string
	// Sure tells that nothing was done; otherwise it may have been.
	Sure bool
	// Again tells that it may pass, and Wait how long the tracker wants to be left alone.
	Again bool
	Wait  time.Duration
	// Limit tells that other requests would fail as well.
	Limit bool
	// Gone tells that there is no such ticket any more.
	Gone bool
	// Status is that of the answer; 0 when none came.
	Status int
	Code   posture.Code
}

// Error gives the sentence.
func (e *Error) Error() string { return e.Reason }

func refusedf(format string, args ...any) *Error {
	return &Error{Sure: true, Reason: fmt.Sprintf(format, args...), Code: posture.CodeDelivery}
}

// Marker names an issue to a tracker; it tells nothing else of it.
func Marker(issueID string) string { return "edgeposture-" + issueID }
