package issue

import "time"

// TicketState is what a tracker says of a ticket.
type TicketState string

// The states; unknown is what was not, or cannot be, read.
const (
	TicketOpen    TicketState = "open"
	TicketClosed  TicketState = "closed"
	TicketUnknown TicketState = "unknown"
)

// Ticket is where an issue is worked on elsewhere: one of an issue at each kind of tracker.
type Ticket struct {
	Kind         string      `json:"kind" enum:"github,jira" doc:"The tracker."`
	Key          string      `json:"key" doc:"What the tracker calls it: owner/name#12 or SEC-12; empty until it is made."`
	URL          string      `json:"url" doc:"Where people read it; empty until it is made."`
	State        TicketState `json:"state" enum:"open,closed,unknown" doc:"What the tracker said last."`
	CreatedAt    time.Time   `json:"createdAt" doc:"When somebody, or a run, asked for it."`
	LastSyncedAt *time.Time  `json:"lastSyncedAt,omitempty" doc:"When the tracker was asked last, and answered."`
	Problem      string      `json:"problem,omitempty" doc:"Why it is not as it should be, and what to do."`
}

// Wants is what a ticket of an issue in a state should have been told: open, resolved, or "" when nothing new is to be said, because
// nobody knows whether the issue is still there or its risk is accepted.
func (s State) Wants() State {
	switch {
	case s == Resolved:
		return Resolved
	case s.Waits():
		return Open
	}
	return ""
}
