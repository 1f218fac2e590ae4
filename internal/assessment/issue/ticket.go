package issue

import "time"

// TicketState is the state of a ticket in its tracker.
type TicketState string

// The states; unknown means that it was not, or cannot be, read.
const (
	TicketOpen    TicketState = "open"
	TicketClosed  TicketState = "closed"
	TicketUnknown TicketState = "unknown"
)

// Ticket is where an issue is tracked elsewhere: at most one per issue and kind of tracker.
type Ticket struct {
	Kind         string      `json:"kind" enum:"github,jira" doc:"The tracker."`
	Key          string      `json:"key" doc:"What the tracker calls it: owner/name#12 or SEC-12; empty until it is made."`
	URL          string      `json:"url" doc:"Where people read it; empty until it is made."`
	State        TicketState `json:"state" enum:"open,closed,unknown" doc:"What the tracker said last."`
	CreatedAt    time.Time   `json:"createdAt" doc:"When somebody, or a run, asked for it."`
	LastSyncedAt *time.Time  `json:"lastSyncedAt,omitempty" doc:"When the tracker was asked last, and answered."`
	Problem      string      `json:"problem,omitempty" doc:"Why it is not as it should be, and what to do."`
}

// Wants returns the state that a ticket of the issue should show: open, resolved, or "" for no
// update, because it is unknown whether the issue still exists or because its risk is accepted.
func (s State) Wants() State {
	switch {
	case s == Resolved:
		return Resolved
	case s.Waits():
		return Open
	}
	return ""
}
