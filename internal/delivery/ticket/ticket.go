// Package ticket keeps one ticket per issue and tracker: it is created once, gets a comment when a run
// resolves the issue or finds it again, and its state is read back. A kind of tracker is one file with
// a Tracker; Keeper does the rest for all of them.
//
// Nothing is created twice. The row of a ticket is stored before anything is sent and says what is
// about to be sent; the ticket carries a marker derived from the issue, and after a request with an
// unknown outcome the tracker is searched for it.
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

// Tracker is one configured tracker. Every error except that of a context is an *Error.
type Tracker interface {
	Kind() string
	// Place is where tickets are created: the address, a space, and the repository or project.
	Place() string
	// Covers reports whether Find sees what was created at a place.
	Covers(place string) bool
	// Settles is how long after a request a search is sure to show what it created.
	Settles() time.Duration
	// Parse parses the address of a ticket that a person gave. The error is a *posture.Problem.
	Parse(url string) (Ref, error)
	// Find returns the oldest ticket with a marker; a zero Ref if there is none.
	Find(ctx context.Context, marker string) (Ref, error)
	// Prepare does what Create needs so that the marker is not lost; it is idempotent.
	Prepare(ctx context.Context, marker string) error
	// Create creates a ticket with a marker. The request is sent once.
	Create(ctx context.Context, marker string, t Text) (Ref, error)
	// State reads a ticket.
	State(ctx context.Context, key string) (issue.TicketState, error)
	// Said reports whether a ticket has a comment with a mark; the comment cannot be older than since.
	Said(ctx context.Context, key, mark string, since time.Time) (bool, error)
	// Say comments on a ticket. The request is sent once.
	Say(ctx context.Context, key, mark, text string) error
	// Set closes or reopens a ticket.
	Set(ctx context.Context, key string, to issue.TicketState) error
}

// Error is a failure of a tracker.
type Error struct {
	// Reason is one sentence for people: what failed, why, what to do. It contains nothing that the
	// tracker wrote.
	Reason string
	// Sure reports that nothing was done; otherwise it may have been.
	Sure bool
	// Again reports that the failure may be temporary, Wait how long the tracker wants to be left
	// alone.
	Again bool
	Wait  time.Duration
	// Limit reports that other requests would fail as well.
	Limit bool
	// Gone reports that the ticket no longer exists.
	Gone bool
	// Status is the status of the answer; 0 when there was none.
	Status int
	Code   posture.Code
}

// Error returns Reason.
func (e *Error) Error() string { return e.Reason }

func refusedf(format string, args ...any) *Error {
	return &Error{Sure: true, Reason: fmt.Sprintf(format, args...), Code: posture.CodeDelivery}
}

// Marker identifies an issue at a tracker; it reveals nothing else about it.
func Marker(issueID string) string { return "edgeposture-" + issueID }
